"""Bots behind one protocol: built in, of one's own, and programs in any language."""

from __future__ import annotations

import io
import json
import sys
import textwrap
import time
from pathlib import Path

import pytest

from cabochon import Game, Move, Options, Termination, View
from cabochon.bots.conformance import check_bot
from cabochon.bots.levels import LADDER
from cabochon.bots.players import GreedyBot, RandomBot, SearchBot
from cabochon.bots.program import ProgramBot, serve
from cabochon.bots.protocol import Answer, Bot, BotError, Limit
from cabochon.bots.referee import play_contest
from cabochon.bots.specs import parse_spec
from cabochon.verification import verify

NODES = Limit(nodes=10)


class Hoarder:
    """A bot of one's own, as short as the documentation says."""

    def choose(self, view: View, limit: Limit) -> Move:
        return next((move for move in view.legal_moves if move.kind == "reserve"), view.legal_moves[0])


class Crasher:
    def choose(self, view: View, limit: Limit) -> Move:
        raise RuntimeError("out of ideas")


class Cheat:
    def choose(self, view: View, limit: Limit) -> str:
        return "pass"


class Babbler:
    def choose(self, view: View, limit: Limit) -> str:
        return "garbage"


class Quitter:
    def choose(self, view: View, limit: Limit) -> Move:
        sys.exit(3)


class Mute:
    def choose(self, view: View, limit: Limit) -> None:
        return None


class Picky:
    def __init__(self, needed: int) -> None:
        self.needed = needed

    def choose(self, view: View, limit: Limit) -> Move:
        return view.legal_moves[self.needed]


class Sleeper:
    def choose(self, view: View, limit: Limit) -> Move:
        time.sleep(5)
        return view.legal_moves[0]


class Vandal:
    def choose(self, view: View, limit: Limit) -> Move:
        view.state.points[0] = 99
        return view.legal_moves[0]


class Peeker:
    """Answers by something that the same view may not decide."""

    def __init__(self) -> None:
        self.asked = id(self)

    def choose(self, view: View, limit: Limit) -> Move:
        self.asked += 1
        return view.legal_moves[self.asked % len(view.legal_moves)]


@pytest.mark.parametrize("make", [RandomBot, GreedyBot, SearchBot, Hoarder, lambda: GreedyBot(temperature=0.1)])
def test_good_bots_conform(make: type[Bot]) -> None:
    check_bot(make, limit=NODES, decisions=60)


@pytest.mark.parametrize(
    ("make", "fault"),
    [
        (Cheat, "expected one of 30 legal moves, got 'pass'"),
        (Mute, "expected a Move, a text or an Answer, got None"),
        (Vandal, "expected the view to be unchanged"),
        (Peeker, "expected the same answer"),
    ],
)
def test_faulty_bots_do_not_conform(make: type[Bot], fault: str) -> None:
    with pytest.raises(BotError) as found:
        check_bot(make)
    assert fault in str(found.value)


@pytest.mark.parametrize(
    ("culprit", "reason"),
    [
        (Crasher(), "seat 2: crashed: RuntimeError: out of ideas"),
        (Cheat(), "seat 2: expected one of 30 legal moves, got 'pass'"),
        (Babbler(), "seat 2: expected a move such as 'take ypb'"),
        (Quitter(), "seat 2: crashed: SystemExit: 3"),
        (Mute(), "seat 2: expected a Move, a text or an Answer, got None"),
        (Sleeper(), "seat 2: no answer within 0.02 s"),
    ],
)
def test_a_bot_that_fails_loses_and_the_record_says_why(culprit: Bot, reason: str) -> None:
    termination = Termination.TIMEOUT if isinstance(culprit, Sleeper) else Termination.FAILURE
    bots: list[Bot] = [Hoarder(), culprit, Hoarder()]
    limits = [Limit(), Limit(seconds=0.01), Limit()]
    contest = play_contest(Options("marvel", 3), 1, bots, limits, ["a", "b", "c"], grace=0.01)
    assert contest.forfeit is not None
    assert str(contest.forfeit).startswith(reason)
    assert contest.forfeit.termination == termination
    assert contest.places[1] == 3
    assert contest.shares == (0.5, 0.0, 0.5)
    told = Game.from_record(contest.record)
    assert told.outcome is not None
    assert told.outcome.forfeit == contest.forfeit
    assert told.record(with_seed=True) == contest.record
    assert '[Result "1 3 1"]\n[Points "0 0 0"]\n[End "forfeit"]' in contest.record
    assert verify(contest.record).is_true


def test_a_level_is_a_bot() -> None:
    assert len(LADDER) >= 5
    for name in LADDER:
        assert isinstance(parse_spec(name).make(), Bot)


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("search", Limit()),
        ("search:time=1.5,threads=2", Limit(seconds=1.5)),
        ("search:nodes=2000", Limit(nodes=2000)),
        ("greedy:temperature=0.5", Limit()),
        ("tests.bots.test_protocol:Hoarder", Limit()),
        ("tests.bots.test_protocol:Hoarder:time=0.5", Limit(seconds=0.5)),
        ("program:time=2:./my-bot --fast", Limit(seconds=2)),
    ],
)
def test_a_bot_is_written_with_its_parameters(text: str, limit: Limit) -> None:
    spec = parse_spec(text)
    assert (spec.text, spec.limit) == (text, limit)
    assert isinstance(spec.make(), Bot)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("deepblue", "expected a bot: random, greedy, search"),
        ("search:speed=3", "expected only time, nodes, threads in 'search:speed=3', got 'speed'"),
        ("search:time=0", "expected a time above 0"),
        ("search:nodes=1.5", "expected nodes to be a whole number above 0"),
        ("search:threads=0", "expected 1 to 64 threads, got 0"),
        ("search:threads=1.5", "expected 1 to 64 threads, got 1.5"),
        ("search:time=inf", "expected a time above 0"),
        ("greedy:temperature=nan", "expected a temperature of 0 or more"),
        ("greedy:temperature=abc", "expected a temperature of 0 or more"),
        ("tests.bots.test_protocol:Picky", "expected a bot that can be created"),
        ("search:time", "expected parameters such as 'time=1.0,threads=2'"),
        ("greedy:temperature=-1", "expected a temperature of 0 or more, got -1"),
        ("no.such.module:Class", "expected a class 'Class' in a module 'no.such.module'"),
        ("tests.bots.test_protocol:Nobody", "expected a class 'Nobody'"),
        ("program:", "expected 'program:command'"),
        ("online:http://localhost:8000/abc", "online bots play only in the arena"),
    ],
)
def test_a_wrong_name_says_what_was_expected(text: str, message: str) -> None:
    with pytest.raises(BotError) as refused:
        parse_spec(text)
    assert message in str(refused.value)


def test_an_analysis_tells_what_the_bot_thinks() -> None:
    view = Game("marvel", players=3, seed=5).view(0)
    answer = SearchBot().choose(view, Limit(nodes=200))
    assert isinstance(answer, Answer)
    analysis = answer.analysis
    assert analysis is not None
    assert sum(analysis.win_probabilities) == pytest.approx(1.0, abs=0.01)
    assert {candidate.move for candidate in analysis.candidates} == set(view.legal_moves)
    assert analysis.candidates[0].move == answer.move == analysis.line[0]
    assert sum(candidate.visits for candidate in analysis.candidates) == analysis.nodes
    assert json.loads(json.dumps(analysis.to_dict()))["line"][0] == str(answer.move)


def spoken(*lines: str) -> list[str]:
    """What the engine answers to these lines."""
    out = io.StringIO()
    serve(GreedyBot(), "greedy", io.StringIO("\n".join(lines) + "\n"), out)
    return out.getvalue().splitlines()


def test_the_engine_speaks_the_line_protocol() -> None:
    view = Game("splendor", seed=3).view(0)
    question = json.dumps({"view": view.to_dict(), "seconds": 1.0, "nodes": None})
    answers = spoken("cabochon 1", 'start {"seed": 5}', f"choose {question}", "quit", "cabochon 1")
    assert answers[:3] == ["name greedy", "ready", "ready"]
    assert answers[3].startswith("info {")
    assert Move.from_text(answers[4].removeprefix("move "), "splendor") in view.legal_moves
    assert len(answers) == 5


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("cabochon 9", "error expected the protocol version 1, got '9'"),
        ("hello", "error expected 'cabochon', 'start', 'choose' or 'quit', got 'hello'"),
        ("choose {}", "error 'view'"),
        ('choose {"view": {}}', "error expected a view as View.to_dict writes it"),
        ("choose nonsense", "error Expecting value"),
        ("start []", "error list indices must be integers"),
    ],
)
def test_the_engine_answers_a_wrong_line_and_goes_on(line: str, error: str) -> None:
    first, *rest = spoken(line, "cabochon 1")
    assert first.startswith(error)
    assert rest == ["name greedy", "ready"]


PROGRAM = """
    import json, sys
    for line in sys.stdin:
        word, _, rest = line.strip().partition(" ")
        if word == "cabochon":
            print("name last\\nready", flush=True)
        elif word == "start":
            print("ready", flush=True)
        elif word == "choose":
            {on_choose}
        elif word == "quit":
            break
"""


def program(folder: Path, on_choose: str) -> ProgramBot:
    """A bot in a program of its own, which answers in this way."""
    path = folder / "bot.py"
    path.write_text(textwrap.dedent(PROGRAM).replace("{on_choose}", on_choose))
    return ProgramBot([sys.executable, str(path)])


def test_a_program_plays_a_whole_game(tmp_path: Path) -> None:
    bot = program(tmp_path, "print('move', json.loads(rest)['view']['legal_moves'][-1], flush=True)")
    contest = play_contest(Options("splendor", 2), 4, [bot, RandomBot()], [Limit(), Limit()], ["last", "random"])
    bot.close()
    assert contest.forfeit is None
    assert Game.from_record(contest.record).is_over


@pytest.mark.parametrize(
    ("on_choose", "reason"),
    [
        ("sys.exit(3)", "seat 1: expected 'move', but the program has ended"),
        ("print('hmm', flush=True)", "seat 1: expected 'move', got 'hmm'"),
        ("print('move castle', flush=True)", "seat 1: crashed: NotationError: expected a move such as"),
        ("raise SystemError", "seat 1: expected 'move', but the program has ended"),
        ("pass", "seat 1: no answer within 0.3 s"),
    ],
)
def test_a_program_that_fails_loses(tmp_path: Path, on_choose: str, reason: str) -> None:
    bot = program(tmp_path, on_choose)
    bots: list[Bot] = [bot, RandomBot()]
    contest = play_contest(Options(), 4, bots, [Limit(seconds=0.2), Limit()], ["p", "r"], grace=0.1)
    bot.close()
    assert contest.forfeit is not None
    assert str(contest.forfeit).startswith(reason)
    assert contest.shares == (0.0, 1.0)


def test_a_program_that_is_not_there_loses() -> None:
    bots: list[Bot] = [ProgramBot(["./no-such-program"]), RandomBot()]
    contest = play_contest(Options(), 4, bots, [Limit(), Limit()], ["p", "r"])
    assert contest.forfeit is not None
    assert str(contest.forfeit).startswith("seat 1: did not start: expected an executable program")
