"""What a bot thinks of games that are over: made once for each game, decision by decision, between the bots' moves.

A game that goes on is never looked at: that would be a bot's advice to one of its players. The decisions of a game are
thoughts like those of the bots at the tables, and come in the turn of whoever asked first.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import logging
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from cabochon.analysis import Decision, Judgement, decisions
from cabochon.game import Game
from cabochon.notation import Move
from cabochon.server import messages, protocol
from cabochon.server.bot_workers import BotWorkers as Thinkers
from cabochon.server.errors import RequestError as Refusal
from cabochon.server.replays import moments
from cabochon.server.telemetry import log_event as tell

MOST_AT_A_TIME = 32  # games that are being looked at, each with its positions in memory
MOST_KEPT = 1_000  # games; each takes a few kilobytes
MOST_DECISIONS = 600  # of a game that is looked at; games between people have a third of it
PATIENCE_SECONDS = 1.0  # before somebody is told what is known so far


@dataclass
class _Study:
    """A game that a bot looks at, or has looked at."""

    decisions: int = 0
    judgements: list[protocol.Judgement] = field(default_factory=list)
    task: asyncio.Task[None] | None = None
    packed: bytes | None = None  # when all are there

    def pack(self, is_complete: bool) -> bytes:
        """The message `protocol.Analysis` as gzipped JSON."""
        message = protocol.Analysis(decisions=self.decisions, judgements=self.judgements, is_complete=is_complete)
        return gzip.compress(message.model_dump_json().encode(), 6, mtime=0)


class Analyses:
    """Lets a bot look at games that are over, one at a time for each address, and keeps what it found.

    What the bot needs of a game is prepared in a thread of its own, of one game after the other.
    """

    def __init__(self, thinkers: Thinkers) -> None:
        self._thinkers = thinkers
        self._studies: OrderedDict[bytes, _Study] = OrderedDict()  # by game; who was asked for last comes last
        self._busy: set[str] = set()  # addresses, for each of which one game is being looked at
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="analysis")

    async def of_game(self, game: Game, whom: str) -> bytes:
        """The message `protocol.Analysis` of a game that is over, as gzipped JSON: all, or what is known so far."""
        if len(game.moves) > MOST_DECISIONS:
            raise Refusal("too_large", f"expected at most {MOST_DECISIONS} decisions, got {len(game.moves)}")
        key = _key(game)
        study = self._studies.get(key) or self._begin(key, game, whom)
        self._studies.move_to_end(key)
        if study.task is not None:
            await asyncio.wait({study.task}, timeout=PATIENCE_SECONDS)
        if study.task is not None and study.task.done():
            raise Refusal("unavailable", "the analysis failed; try again")
        return study.packed or study.pack(is_complete=False)

    def _begin(self, key: bytes, game: Game, whom: str) -> _Study:
        if whom in self._busy:
            raise Refusal("limit_reached", "expected one analysis at a time; wait until the other one is done")
        if len(self._busy) >= MOST_AT_A_TIME:
            raise Refusal("busy", f"expected at most {MOST_AT_A_TIME} analyses at a time; try again later")
        study = self._studies[key] = _Study()
        self._busy.add(whom)
        study.task = asyncio.create_task(self._look_at(study, game, whom))
        study.task.add_done_callback(lambda task: self._finish(key, whom, task))
        return study

    async def _look_at(self, study: _Study, game: Game, whom: str) -> None:
        found = await asyncio.get_running_loop().run_in_executor(self._pool, _decisions_and_games, game)
        study.decisions = len(found)
        for decision, before in found:
            judgement = await self._thinkers.judge(decision, whom)
            study.judgements.append(_told(judgement, before))
        study.packed = study.pack(is_complete=True)
        study.judgements = []
        study.task = None

    def _finish(self, key: bytes, whom: str, task: asyncio.Task[None]) -> None:
        self._busy.discard(whom)
        if task.cancelled():
            del self._studies[key]
        elif (error := task.exception()) is not None:
            del self._studies[key]
            tell("analysis_failed", logging.ERROR, error=repr(error))
        finished = [key for key, study in self._studies.items() if study.packed is not None]
        for oldest in finished[: max(0, len(self._studies) - MOST_KEPT)]:
            del self._studies[oldest]

    async def close(self) -> None:
        """Look no further."""
        tasks = [study.task for study in self._studies.values() if study.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.to_thread(self._pool.shutdown)


def require_over(is_over: bool) -> None:
    """Refuse to look at a game that goes on."""
    if not is_over:
        raise Refusal("not_playing", "the analysis is given when the game is over: before, it would be advice")


def _key(game: Game) -> bytes:
    """The same for the same play, wherever it comes from and whoever played it."""
    return hashlib.sha256("\n".join([repr(game.options), *game.texts]).encode()).digest()


def _decisions_and_games(game: Game) -> list[tuple[Decision, Game]]:
    """The decisions that can be judged, each with the game before it."""
    games = [moment.copy() for moment, _ in moments(game)]
    return [(decision, games[decision.number - 1]) for decision in decisions(game)]


def _told(judgement: Judgement, before: Game) -> protocol.Judgement:
    is_best = judgement.played == judgement.best
    steps = [] if is_best else _expected(judgement, before)
    return protocol.Judgement(
        seq=judgement.number,
        seat=judgement.seat,
        win_probabilities=[round(probability, 4) for probability in judgement.win_probabilities],
        loss=round(judgement.loss, 4),
        best=steps[0] if steps else None,
        line=steps[1:],
    )


def _expected(judgement: Judgement, before: Game) -> list[protocol.Step]:
    """What the best move would have done, and what was expected after it until the end of the seat's next turn."""
    seat, turns = before.seat, 0
    steps: list[protocol.Step] = []
    for move in (judgement.best, *judgement.line[1:]):
        if turns > before.players or move not in before.legal_moves:  # to pass may hang on a card that nobody knew
            break
        step, before = _foreseen(move, judgement.number + len(steps), before, seat)
        steps.append(step)
        turns += step.is_turn_over
    return steps


def _foreseen(move: Move, seq: int, before: Game, viewer: int) -> tuple[protocol.Step, Game]:
    """What a move would have done, as a seat could foresee it, and the game after it; what it buys is paid for."""
    after = before.copy()
    after.play(move)
    if after.phase == "pay":
        after.play("pay")
    unforeseen: dict[str, None] = {}
    if after.phase == "reveal":  # what follows is the same whichever card comes
        card = after.legal_reveals[0]
        after.reveal(card)
        unforeseen = {"card": None} if card.where == "h" else {"revealed": None}
    step = messages.told_step(move, seq, None, before.view(viewer), after.view(viewer))
    return step.model_copy(update=unforeseen), after
