"""Games from the deal to their end: every position, and the step that leads to the next.

What a seat saw is told by the same code that told it while the game went on. Besides, a game can be looked at with
all cards open: it is over, or somebody has its record, which tells all of them anyway.
"""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from cabochon.errors import CabochonError, RecordError
from cabochon.game import Game
from cabochon.notation import Move
from cabochon.server import messages, protocol
from cabochon.server.errors import RequestError as Refusal
from cabochon.view import View

MOST_DECISIONS = 2_000  # in a record; games between people have a tenth of it


class Replays:
    """Makes replays in a thread of its own, one at a time, so that the tables go on beside it."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="replay")

    async def of_game(self, game: Game, viewer: int | None) -> bytes:
        """The message `protocol.Replay` of a game that is over, as gzipped JSON."""
        return await self._run(lambda: replay_of(game, viewer))

    async def of_record(self, text: str, viewer: int | None) -> bytes:
        """The same of a record; one that is damaged or against the rules is refused with its line."""
        return await self._run(lambda: replay_of(_replayed(text), viewer))

    async def game_of(self, text: str) -> Game:
        """The game of a record; one that is damaged or against the rules is refused with its line."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, _replayed, text)

    async def _run(self, make: Callable[[], str]) -> bytes:
        def packed() -> bytes:
            return gzip.compress(make().encode(), 6, mtime=0)

        return await asyncio.get_running_loop().run_in_executor(self._pool, packed)

    def close(self) -> None:
        """Finish the replay that is being made, and make no more."""
        self._pool.shutdown(wait=True, cancel_futures=True)


def _replayed(text: str) -> Game:
    try:
        return Game.from_record(text)
    except CabochonError as error:
        line = error.line if isinstance(error, RecordError) else None
        raise Refusal("bad_record", error.message, error.rule, line) from error


def replay_of(game: Game, viewer: int | None) -> str:
    """The message `protocol.Replay` as JSON, as a seat saw the game, or with None all cards open."""
    if viewer is not None and viewer >= game.players:
        raise Refusal("malformed", f"expected a seat from 0 to {game.players - 1}, got {viewer}")
    if len(game.moves) > MOST_DECISIONS:
        raise Refusal("too_large", f"expected at most {MOST_DECISIONS} decisions, got {len(game.moves)}")
    positions: list[protocol.Position] = []
    steps: list[protocol.Step] = []
    before: View | None = None
    for moment, move in moments(game):
        view = _seen(moment, viewer)
        positions.append(messages.position_of(moment, view, len(positions)))
        if before is not None and move is not None:
            steps.append(messages.told_step(move, len(positions) - 1, None, before, view))
        before = view
    if positions[-1].outcome is None:
        outcome = messages.given_up(game)
        if outcome is not None:
            positions[-1] = positions[-1].model_copy(update={"outcome": protocol.Outcome.model_validate(outcome)})
    record = game.record(with_seed=game.seed is not None)
    return protocol.Replay(viewer=viewer, positions=positions, steps=steps, record=record).model_dump_json()


def moments(game: Game) -> Iterator[tuple[Game, Move | None]]:
    """The game after the deal, and then after each move and what came of it, with that move."""
    walk = Game.by_hand(game.options, names=game.names, date=game.date)
    walk.commitment = game.commitment
    last: Move | None = None
    for event in game.events:
        if isinstance(event.what, Move):
            yield walk, last
            last = walk.play(event.what)
        else:
            walk.reveal(event.what)
    walk.seed = game.seed  # all that it could still decide has come
    yield walk, last


def _seen(game: Game, viewer: int | None) -> View:
    """What a seat saw, or everything; without moves to choose from, for they were chosen long ago."""
    view = game.view(viewer)
    if viewer is None and any(held.card is None for seat in view.seats for held in seat.reserved):
        view = replace(view, seats=tuple(game.view(seat).seats[seat] for seat in range(game.players)))
    return replace(view, legal_moves=())
