"""Replays of games from the deal to the end: every position, and the step that leads to the next.

A replay shows what one seat saw, with the same messages as during the game, or all cards open. That reveals no
secrets: the game is over, or the client has its record, which contains every card.
"""

import asyncio
import gzip
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise
from typing import TypeVar

from cabochon.errors import CabochonError, RecordError
from cabochon.game import Game
from cabochon.position import Position
from cabochon.server import messages, protocol
from cabochon.server.errors import RequestError
from cabochon.view import View

MOST_DECISIONS = 2_000  # of a record; games between people have a tenth of that
_Result = TypeVar("_Result")


class Replays:
    """Makes replays one at a time in a thread of its own, so that the tables do not wait for it."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="replay")

    async def of_game(self, game: Game, viewer: int | None) -> bytes:
        """Return the message `protocol.Replay` of a game that is over, as gzipped JSON."""
        return await self._run(lambda: _packed_replay(game, viewer))

    async def of_record(self, text: str, viewer: int | None) -> bytes:
        """Return the same for a record; refuse one that is damaged or breaks the rules, naming the line."""
        return await self._run(lambda: _packed_replay(_replayed(text), viewer))

    async def game_of(self, text: str) -> Game:
        """Return the game of a record; refuse one that is damaged or breaks the rules, naming the line."""
        return await self._run(lambda: _replayed(text))

    async def _run(self, make: Callable[[], _Result]) -> _Result:
        return await asyncio.get_running_loop().run_in_executor(self._pool, make)

    def close(self) -> None:
        """Finish the current replay and make no more."""
        self._pool.shutdown(wait=True, cancel_futures=True)


def _replayed(text: str) -> Game:
    try:
        return Game.from_record(text)
    except CabochonError as error:
        line = error.line if isinstance(error, RecordError) else None
        raise RequestError("bad_record", error.message, error.rule, line) from error


def _packed_replay(game: Game, viewer: int | None) -> bytes:
    return gzip.compress(replay_of(game, viewer).encode(), 6, mtime=0)


def replay_of(game: Game, viewer: int | None) -> str:
    """Return the message `protocol.Replay` as JSON: as a seat saw the game, or with None all cards open."""
    if viewer is not None and viewer >= game.players:
        raise RequestError("malformed", f"expected a seat from 0 to {game.players - 1}, got {viewer}")
    if len(game.moves) > MOST_DECISIONS:
        raise RequestError("too_large", f"expected at most {MOST_DECISIONS} decisions, got {len(game.moves)}")
    decisions = list(game.decisions())
    views = [_view(position, viewer) for position in (*(decision.before for decision in decisions), game)]
    last = len(views) - 1
    positions = [messages.position_message(view, seq, game if seq == last else None) for seq, view in enumerate(views)]
    steps = [
        messages.step_message(decision.move, decision.number, None, before, after)
        for decision, (before, after) in zip(decisions, pairwise(views), strict=True)
    ]
    record = game.record(with_seed=game.seed is not None)
    return protocol.Replay(viewer=viewer, positions=positions, steps=steps, record=record).model_dump_json()


def _view(position: Position, viewer: int | None) -> View:
    """Return what a seat saw, or everything; without legal moves, because the decision is made."""
    return replace(position.open_view() if viewer is None else position.view(viewer), legal_moves=())
