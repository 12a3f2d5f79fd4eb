"""Requests for the analyses of finished games. Each is made only once, by any process on the database.

A running game is never analysed, because that would give advice to one of its players.
"""

import asyncio
import hashlib
from contextlib import suppress
from weakref import WeakValueDictionary

from cabochon.game import Game
from cabochon.server import protocol
from cabochon.server.analysis_store import AnalysisStore
from cabochon.server.analysis_worker import AnalysisWorker, pack
from cabochon.server.bot_workers import BotWorkers
from cabochon.server.database import Database
from cabochon.server.errors import RequestError
from cabochon.server.notifications import Notice, Notifications
from cabochon.server.processes import Processes
from cabochon.version import __version__

MOST_DECISIONS = 600  # of a game; games between people have a third of that
PATIENCE_SECONDS = 1.0  # until a request is answered with what is known so far
NOTHING_YET = pack(protocol.Analysis(decisions=0, judgements=[], is_complete=False))


class Analyses:
    """Answers requests for analyses, and computes some of those that were requested here or elsewhere.

    The limits hold for all processes together: one analysis at a time for each client, and so many in all.
    """

    def __init__(
        self, database: Database, processes: Processes, notifications: Notifications, workers: BotWorkers
    ) -> None:
        self._store = AnalysisStore(database, processes.id)
        self._processes = processes
        self._notifications = notifications
        self._nodes = workers.analysis_nodes
        self._worker = AnalysisWorker(self._store, workers, self._announce_end)
        self._ends: WeakValueDictionary[str, asyncio.Event] = WeakValueDictionary()  # that requests wait for, by key

    def start(self) -> None:
        """Begin to compute."""
        self._worker.start()

    @property
    def under_way(self) -> int:
        """How many analyses this process computes."""
        return self._worker.under_way

    async def count_waiting(self) -> int:
        """Count the analyses that no process computes yet."""
        return await self._store.count_waiting()

    async def of_game(self, game: Game, client: str) -> bytes:
        """Return the message `protocol.Analysis` of a finished game as gzipped JSON; it may not be complete yet."""
        if len(game.moves) > MOST_DECISIONS:
            raise RequestError("too_large", f"expected at most {MOST_DECISIONS} decisions, got {len(game.moves)}")
        key = self._key(game)
        end = self._ends.setdefault(key, asyncio.Event())  # before reading, so that no end is missed
        found = await self._store.get(key)
        if found is None or not found.is_complete:
            await self._require_thinker()
            if found is None:
                await self._request(key, game, client)
            with suppress(TimeoutError):
                async with asyncio.timeout(PATIENCE_SECONDS):
                    await end.wait()
            found = await self._store.get(key)
        if found is None:
            raise RequestError("unavailable", "the analysis failed; try again")
        return found.message

    async def _require_thinker(self) -> None:
        if not await self._processes.has_thinker():
            raise RequestError("busy", "no process can compute analyses at the moment; try again later")

    async def _request(self, key: str, game: Game, client: str) -> None:
        await self._store.add(key, client, _anonymous_record(game), NOTHING_YET)
        self._worker.claim_soon()
        self._notifications.tell_all("analysis")

    def note_request(self, _: Notice) -> None:
        """Look for analyses that were requested, or given up, at another process."""
        self._worker.claim_soon()

    def note_end(self, notice: Notice) -> None:
        """Answer the requests for an analysis that is complete or failed."""
        end = self._ends.pop(notice["key"], None)
        if end is not None:
            end.set()

    def _announce_end(self, key: str) -> None:
        self.note_end({"key": key})
        self._notifications.tell_all("analysed", key=key)

    def _key(self, game: Game) -> str:
        """Return a key that is the same for the same moves and cards, wherever the game comes from and whoever played.

        Another version, or another number of nodes, may judge otherwise.
        """
        parts = [__version__, str(self._nodes), repr(game.options), *game.texts]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    async def leave(self) -> None:
        """Stop computing; other processes go on at once."""
        await self._worker.leave()
        self._notifications.tell_all("analysis")

    def close(self) -> None:
        """Wait for the thread that prepares decisions."""
        self._worker.close()


def require_over(is_over: bool) -> None:
    """Refuse to analyse a running game."""
    if not is_over:
        raise RequestError("not_playing", "expected a finished game: the analysis is available when the game is over")


def _anonymous_record(game: Game) -> str:
    """Return the record of the moves and cards alone: without names, tags, the seed or how the game ended."""
    played = Game.by_hand(game.options)
    played.play_texts(game.texts)
    return played.record()
