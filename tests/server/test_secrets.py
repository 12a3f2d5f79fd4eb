"""No byte that is sent to a viewer depends on what the viewer may not know.

The same game is played over real sockets in several worlds that have everything in common but what one viewer
cannot know: the blind reserves of the others, and the cards that were never turned up. Identities, times and
the seed are the same in all of them, so that what the viewer receives must be equal to the last byte, up to the
end of the game, which opens all cards.
"""

from __future__ import annotations

import logging
import secrets
from collections import defaultdict
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from random import Random

import pytest

from cabochon import Game, Move, Options
from cabochon import game as game_module
from cabochon.bots.players import GreedyBot
from cabochon.bots.protocol import Limit
from cabochon.core.components import LEVEL_SIZES
from cabochon.fair import pick, seed_bytes
from cabochon.server import clocks, live_table, protocol, table_plans
from tests.server.running import SECONDS, Client, running, settings_for

SEED = seed_bytes(2026)
NAMES = ("Ada", "Bo", "Cy")
VIEWERS = (None, 0, 1, 2)
Decks = dict[str, list[int]]  # for the stream of a level: its cards, within the level, in the order of their drawing


def picking_from(decks: Decks) -> Callable[[bytes, str, int, int], int]:
    """Draws as the decks say; tiles as the seed says."""

    def pick_from(seed: bytes, stream: str, draw: int, outcomes: int) -> int:
        if stream not in decks:
            return pick(seed, stream, draw, outcomes)
        left = sorted(decks[stream][draw:])
        assert len(left) == outcomes
        return left.index(decks[stream][draw])

    return pick_from


def shuffled_decks(chance: Random) -> Decks:
    return {f"level {n}": chance.sample(range(size), size) for n, size in enumerate(LEVEL_SIZES, start=1)}


@dataclass
class Timeline:
    """A game that was thought out beforehand: its moves, and who drew which card of a deck without showing it."""

    moves: list[tuple[int, str]] = field(default_factory=list)
    drawn: defaultdict[str, int] = field(default_factory=lambda: defaultdict(lambda: 4))  # from each deck
    blind: list[tuple[int, str, int]] = field(default_factory=list)  # seat, stream, number of the draw


def think_out(variant: str) -> Timeline:
    """A whole game in which everybody has blind reserves and keeps them to the end."""
    game = Game(Options(variant, len(NAMES)), seed=SEED)
    timeline, bot = Timeline(), GreedyBot()
    while not game.is_over:
        move = chosen_move(game, bot)
        timeline.moves.append((game.seat, str(move)))
        seat, known = game.seat, len(game.texts)
        game.play(move)
        for text in game.texts[known + 1 :]:
            level = text[0] if text[0] != "h" else move.place
            if text[0] == "h":
                timeline.blind.append((seat, f"level {level}", timeline.drawn[f"level {level}"]))
            timeline.drawn[f"level {level}"] += 1
    return timeline


def chosen_move(game: Game, bot: GreedyBot) -> Move:
    if game.phase == "act" and game.round <= 2:
        return game.move(f"reserve {(game.seat + game.round) % 2 + 1}")
    view = game.view(game.seat)
    analysis = bot.choose(view, Limit()).analysis
    assert analysis is not None
    blind = {f"buy h{n}" for n, held in enumerate(view.seats[game.seat].reserved, start=1) if held.is_blind}
    return next(candidate.move for candidate in analysis.candidates if str(candidate.move) not in blind)


def other_world(decks: Decks, timeline: Timeline, viewer: int | None, chance: Random) -> Decks:
    """Decks that the viewer cannot tell from these in the whole timeline."""
    others: Decks = {}
    for stream, order in decks.items():
        hidden = [draw for seat, of, draw in timeline.blind if of == stream and seat != viewer]
        hidden += range(timeline.drawn[stream], len(order))
        cards = [order[draw] for draw in hidden]
        moved = cards[1:] + cards[:1]  # each one is another
        if len(cards) > 2:
            tail = moved[len(cards) // 2 :]
            chance.shuffle(tail)
            moved[len(cards) // 2 :] = tail
        others[stream] = list(order)
        for draw, card in zip(hidden, moved, strict=True):
            others[stream][draw] = card
    return others


class Watcher:
    """A viewer that asks for everything, and keeps all that it receives: frames, and answers with their headers."""

    def __init__(self, client: Client, table_id: str, seat: int | None) -> None:
        self._client = client
        self._table = f"/api/tables/{table_id}"
        self.line = client.line(table_id, seat=seat)
        self.frames: list[str] = []
        self.answers: list[tuple[int, dict[str, str], bytes]] = []

    def receive_until(self, beginning: str) -> str:
        """Everything up to the next message that begins so."""
        while True:
            frame = self.line.socket.recv(SECONDS)
            assert isinstance(frame, str)
            self.frames.append(frame)
            if frame.startswith(beginning):
                return frame

    def drain(self) -> None:
        """Everything that has come, and the answers to all that was asked."""
        self.line.send(type="ping")
        self.receive_until('{"type":"pong"')

    def be_nosy(self, seq: int) -> None:
        """Ask what can be asked, and try what is not allowed."""
        self.line.send(type="catch_up", since=max(0, seq - 4) if seq % 18 else 0)
        self.line.play(seq - 1, "buy h1")
        self.line.play(seq, "reserve h1")
        self.line.send(type="nonsense")
        self.drain()
        if seq % 18 == 0:
            self._ask("GET", "/api/tables")
            self._ask("POST", f"{self._table}/again")
            for path in ("", "/record", "/replay"):
                self._ask("GET", f"{self._table}{path}")

    def _ask(self, method: str, path: str) -> None:
        answer = self._client.http.request(method, path)
        headers = {name: value for name, value in answer.headers.items() if name != "date"}
        self.answers.append((answer.status_code, headers, answer.content))


@dataclass(frozen=True)
class Transcript:
    """What one viewer received before the game was over, and where it stood then."""

    frames: tuple[str, ...]
    answers: tuple[tuple[int, dict[str, str], bytes], ...]
    end: protocol.Position


@dataclass(frozen=True)
class World:
    """What became of the timeline in one world."""

    transcripts: dict[int | None, Transcript]  # by the viewer's seat
    log: tuple[str, ...]


class Listener(logging.Handler):
    """Keeps what the server logs, but for how long things took."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        facts = {key: value for key, value in getattr(record, "facts", {}).items() if key != "milliseconds"}
        self.lines.append(f"{record.getMessage()} {facts}")


def play_in_world(
    folder: Path, variant: str, is_one_device: bool, decks: Decks, timeline: Timeline, patch: pytest.MonkeyPatch
) -> World:
    """Play the whole timeline on a server of its own; all seats at one device, or each at its own."""
    folder.mkdir()
    numbers = count(1)
    patch.setattr(game_module, "pick", picking_from(decks))
    for module in (live_table, table_plans):
        patch.setattr(module, "seed_bytes", lambda _: SEED)
    patch.setattr(secrets, "token_urlsafe", lambda _=None: f"{next(numbers):016d}")
    patch.setattr(clocks, "now", lambda: datetime(2026, 11, 15, 12, tzinfo=UTC))
    listener = Listener()
    logger = logging.getLogger("cabochon")
    patch.setattr(logger, "handlers", [listener])
    logger.setLevel(logging.DEBUG)
    with running(settings_for(folder)) as server, ExitStack() as stack:
        people = [stack.enter_context(Client(server.url, name)) for name in NAMES]
        stranger = stack.enter_context(Client(server.url))
        if is_one_device:
            table = people[0].open_table("me", *NAMES[1:], game=variant)
            clients = [stranger, *[people[0]] * len(NAMES)]
        else:
            table = people[0].open_table("me", "open", "open", game=variant)
            for person in people[1:]:
                person.join(table.id)
            clients = [stranger, *people]
        watchers = [Watcher(client, table.id, seat) for client, seat in zip(clients, VIEWERS, strict=True)]
        for watcher in (*watchers, *watchers):  # once more, for who came later
            watcher.drain()
        for seq, (seat, move) in enumerate(timeline.moves[:-1], start=1):
            watchers[1 + seat].line.play(seq - 1, move)
            for watcher in watchers:
                watcher.receive_until('{"type":"moved"')
            for watcher in watchers if seq % 6 == 0 else []:
                watcher.be_nosy(seq)
        received = [(tuple(watcher.frames), tuple(watcher.answers)) for watcher in watchers]
        log = tuple(listener.lines)
        seat, move = timeline.moves[-1]
        watchers[1 + seat].line.play(len(timeline.moves) - 1, move)
        ends = [
            protocol.Moved.model_validate_json(watcher.receive_until('{"type":"moved"')).position
            for watcher in watchers
        ]
    transcripts = {
        viewer: Transcript(frames, answers, end)
        for viewer, (frames, answers), end in zip(VIEWERS, received, ends, strict=True)
    }
    return World(transcripts, log)


@pytest.mark.parametrize(
    ("variant", "is_one_device", "blindfolds"),
    [("splendor", False, VIEWERS), ("marvel", False, (None, 2)), ("splendor", True, (None, 1))],
)
def test_nothing_that_is_sent_depends_on_what_the_viewer_cannot_know(
    tmp_path: Path,
    variant: str,
    is_one_device: bool,
    blindfolds: tuple[int | None, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chance = Random(7)
    decks = shuffled_decks(chance)
    with monkeypatch.context() as patch:
        patch.setattr(game_module, "pick", picking_from(decks))
        timeline = think_out(variant)
    assert {seat for seat, _, _ in timeline.blind} == {0, 1, 2}
    worlds: dict[object, World] = {}
    for viewer in ("as it is", *blindfolds):
        changed = decks if viewer == "as it is" else other_world(decks, timeline, viewer, chance)  # type: ignore[arg-type]
        with monkeypatch.context() as patch:
            folder = tmp_path / f"world {viewer}"
            worlds[viewer] = play_in_world(folder, variant, is_one_device, changed, timeline, patch)
    known = worlds.pop("as it is")
    for blindfolded, world in worlds.items():
        for viewer in VIEWERS:
            here, there = known.transcripts[viewer], world.transcripts[viewer]
            assert here.end.outcome is not None
            assert here.end.outcome == there.end.outcome
            if viewer in (blindfolded, None):  # a spectator knows no more than anybody
                assert here.frames == there.frames
                assert here.answers == there.answers
            else:
                assert here.frames != there.frames, "who holds other cards sees other cards"
            assert here.end.view.seats != there.end.view.seats, "in the end everybody sees that the worlds differed"
        assert world.log == known.log
