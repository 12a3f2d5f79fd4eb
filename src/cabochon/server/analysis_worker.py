"""Computes analyses that were requested anywhere, decision by decision, between the bots' moves.

The decisions of a game wait in the same queue as the moves of the bots at the tables. If a process dies, another one
goes on with its analyses where they were saved last.
"""

import asyncio
import gzip
import logging
import math
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from sqlalchemy.exc import SQLAlchemyError

from cabochon.analysis import Judgement, decisions
from cabochon.position import Position
from cabochon.server import messages, protocol
from cabochon.server.analysis_store import AnalysisJob, AnalysisStore
from cabochon.server.bot_workers import BotWorkers
from cabochon.server.repeated import Repeated, cancel
from cabochon.server.telemetry import log_event

GAMES_PER_THREAD = 4  # at a time; other processes can take the rest
SECONDS_BETWEEN_CLAIMS = 2.0
SECONDS_BETWEEN_SAVES = 1.0


class AnalysisWorker:
    """Takes analyses that wait, and computes them in the bots' threads.

    The decisions of a game are prepared in a thread of their own, one game after the other.
    """

    def __init__(self, store: AnalysisStore, workers: BotWorkers, on_end: Callable[[str], None]) -> None:
        self._store = store
        self._workers = workers
        self._on_end = on_end  # an analysis with this key is complete, or it failed
        self._computing: dict[str, asyncio.Task[None]] = {}  # by key
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="analysis")
        self._claiming = Repeated("analysis_claim", self._claim, SECONDS_BETWEEN_CLAIMS)

    def start(self) -> None:
        """Begin, if this process has threads for bots."""
        if self._workers.threads > 0:
            self._claiming.start(at_once=True)

    @property
    def under_way(self) -> int:
        """How many analyses this process computes."""
        return len(self._computing)

    def claim_soon(self) -> None:
        """Look at once for analyses that wait."""
        self._claiming.soon()

    async def _claim(self) -> None:
        while len(self._computing) < GAMES_PER_THREAD * self._workers.threads:
            job = await self._store.claim(list(self._computing))
            if job is None:
                return
            self._computing[job.key] = asyncio.create_task(self._run(job))

    async def _run(self, job: AnalysisJob) -> None:
        try:
            if await self._compute(job):
                self._on_end(job.key)
        except (SQLAlchemyError, OSError) as error:  # the lease is still there, and the database may work in a moment
            log_event("analysis_interrupted", logging.WARNING, error=type(error).__name__)
            await asyncio.sleep(SECONDS_BETWEEN_CLAIMS)
        except Exception as error:
            log_event("analysis_failed", logging.ERROR, error=error)
            with suppress(SQLAlchemyError, OSError):
                await self._store.remove(job.key)
            self._on_end(job.key)
        finally:
            del self._computing[job.key]
            self.claim_soon()

    async def _compute(self, job: AnalysisJob) -> bool:
        """Go on with an analysis to its end; return False if another process has taken it over meanwhile."""
        judgements = unpack(job.message).judgements
        found = await asyncio.get_running_loop().run_in_executor(self._pool, lambda: list(decisions(job.record)))
        saved_at = -math.inf
        for decision in found[len(judgements) :]:
            if time.monotonic() - saved_at >= SECONDS_BETWEEN_SAVES:
                so_far = protocol.Analysis(decisions=len(found), judgements=judgements, is_complete=False)
                if not await self._store.save(job.key, pack(so_far), is_complete=False):
                    return False
                saved_at = time.monotonic()
            judgement = await self._workers.judge(decision, job.client)
            judgements.append(_judgement_message(judgement, decision.before))
        whole = protocol.Analysis(decisions=len(found), judgements=judgements, is_complete=True)
        return await self._store.save(job.key, pack(whole), is_complete=True)

    async def leave(self) -> None:
        """Stop, so that other processes go on."""
        await self._claiming.close()
        await cancel(*self._computing.values())
        await self._store.release_all()

    def close(self) -> None:
        """Wait for the thread that prepares decisions."""
        self._pool.shutdown(wait=True, cancel_futures=True)


def pack(analysis: protocol.Analysis) -> bytes:
    """Return an analysis as gzipped JSON, equal bytes for equal analyses."""
    return gzip.compress(analysis.model_dump_json().encode(), 6, mtime=0)


def unpack(message: bytes) -> protocol.Analysis:
    """Return the analysis of `pack`."""
    return protocol.Analysis.model_validate_json(gzip.decompress(message))


def _judgement_message(judgement: Judgement, before: Position) -> protocol.Judgement:
    steps = [] if judgement.played == judgement.best else _expected(judgement, before)
    return protocol.Judgement(
        seq=judgement.number,
        seat=judgement.seat,
        win_probabilities=[round(probability, 4) for probability in judgement.win_probabilities],
        loss=round(judgement.loss, 4),
        best=steps[0] if steps else None,
        line=steps[1:],
    )


def _expected(judgement: Judgement, before: Position) -> list[protocol.Step]:
    """Return what the best move would have done, and the line after it until the end of the seat's next turn."""
    seat, turns = before.seat, 0
    steps: list[protocol.Step] = []
    for move in (judgement.best, *judgement.line[1:]):
        if turns > before.players or move not in before.legal_moves:  # a pass may depend on an unknown card
            break
        after = before.after(move)
        if after.phase == "pay":
            after = after.after("pay")
        unforeseen: dict[str, None] = {}
        if after.phase == "reveal":  # what follows is the same whichever card comes
            card = after.legal_reveals[0]
            after = after.after(card)
            unforeseen = {"card": None} if card.where == "h" else {"revealed": None}
        step = messages.step_message(move, judgement.number + len(steps), None, before.view(seat), after.view(seat))
        steps.append(step.model_copy(update=unforeseen))
        turns += step.is_turn_over
        before = after
    return steps
