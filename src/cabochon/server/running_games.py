"""The games that are being played on this server, to recognise one in a record that somebody wants analysed.

A player can write the record of a running game from what they see, guess what they cannot see, and let it end by a
forfeit or in any other way: its analysis would be advice. So a record is compared with the running games by what all
can see and nobody can change: the cards that lie face up.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from cabochon.game import Game
from cabochon.position import Position
from cabochon.server.errors import RequestError
from cabochon.server.game_log import GameLog
from cabochon.server.table_store import TableStore
from cabochon.server.timeline import Deal, Entry, Timeline

# The share of face-up cards in common from which two positions count as the same. Of two unrelated positions with 12
# cards each, 3 in a billion have that many in common.
SHARE_IN_COMMON = 5 / 6
Market = frozenset[int]  # the cards that lie face up


@dataclass(frozen=True)
class _RunningGame:
    seq: int  # the length of the log
    variant: str
    dealt: Market
    current: Market


class RunningGames:
    """Knows the market of every game that is being played, as it was dealt and as it is now.

    It reads the database, so it knows the games of all servers on it, in memory or not. A game is read again when its
    log has grown.
    """

    def __init__(self, tables: TableStore, log: GameLog) -> None:
        self._tables = tables
        self._log = log
        self._known: dict[str, _RunningGame] = {}
        self._lock = asyncio.Lock()

    async def refuse_if_running(self, game: Game) -> None:
        """Raise an error if a position of this game is one of a running game, or nearly so."""
        running = await self._read_all()
        if await asyncio.to_thread(_is_among, game, running):
            message = "this game is still being played on this server; the analysis is available when it is over"
            raise RequestError("not_playing", message)

    async def _read_all(self) -> list[_RunningGame]:
        async with self._lock:
            lengths = await self._tables.lengths_of_running_games()
            self._known = {table_id: game for table_id, game in self._known.items() if table_id in lengths}
            for table_id, seq in lengths.items():
                known = self._known.get(table_id)
                if known is None or known.seq != seq:
                    await self._read(table_id)
            return list(self._known.values())

    async def _read(self, table_id: str) -> None:
        record = await self._tables.get(table_id)
        if record is None:
            return
        entries = await self._log.read(table_id)
        self._known[table_id] = await asyncio.to_thread(_running_game, record.deal, entries)


def _running_game(deal: Deal, entries: Sequence[Entry]) -> _RunningGame:
    current = _market_of(Timeline(deal, entries).game.position)
    return _RunningGame(len(entries), deal.options.variant, _market_of(deal.game().position), current)


def _market_of(position: Position) -> Market:
    return frozenset(card.number for row in position.view(None).market for card in row if card is not None)


def _is_among(game: Game, running: Iterable[_RunningGame]) -> bool:
    markets = {_market_of(decision.before) for decision in game.decisions()} | {_market_of(game.position)}
    return any(
        _is_similar(market, other)
        for each in running
        if each.variant == game.variant
        for other in (each.dealt, each.current)
        for market in markets
    )


def _is_similar(one: Market, other: Market) -> bool:
    return len(one & other) >= SHARE_IN_COMMON * max(len(one), len(other), 1)
