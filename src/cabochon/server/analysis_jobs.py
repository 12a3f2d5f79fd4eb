"""Analyses of finished games. Each is made only once, decision by decision, between the bots' moves.

A running game is never analysed, because that would give advice to one of its players. The decisions of a game wait in
the same queue as the moves of the bots at the tables.
"""

import asyncio
import gzip
import hashlib
import logging
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from cabochon.analysis import Judgement, decisions
from cabochon.game import Game
from cabochon.position import Position
from cabochon.server import messages, protocol
from cabochon.server.bot_workers import BotWorkers
from cabochon.server.errors import RequestError
from cabochon.server.telemetry import log_event

MOST_AT_A_TIME = 32  # games, each with its positions in memory
MOST_KEPT = 1_000  # games; each takes a few kilobytes
MOST_DECISIONS = 600  # of a game; games between people have a third of that
PATIENCE_SECONDS = 1.0  # until a request is answered with what is known so far


@dataclass
class _Study:
    decisions: int = 0
    judgements: list[protocol.Judgement] = field(default_factory=list)
    task: asyncio.Task[None] | None = None
    packed: bytes | None = None  # when it is complete

    def pack(self, is_complete: bool) -> bytes:
        message = protocol.Analysis(decisions=self.decisions, judgements=self.judgements, is_complete=is_complete)
        return gzip.compress(message.model_dump_json().encode(), 6, mtime=0)


class Analyses:
    """Analyses games that are over, one at a time for each address, and keeps the results.

    The decisions of a game are prepared in a thread of its own, one game after the other.
    """

    def __init__(self, workers: BotWorkers) -> None:
        self._workers = workers
        self._studies: OrderedDict[bytes, _Study] = OrderedDict()  # by game, the last requested one last
        self._busy: set[str] = set()  # addresses that have an analysis under way
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="analysis")

    async def of_game(self, game: Game, whom: str) -> bytes:
        """Return the message `protocol.Analysis` of a finished game as gzipped JSON; it may not be complete yet."""
        if len(game.moves) > MOST_DECISIONS:
            raise RequestError("too_large", f"expected at most {MOST_DECISIONS} decisions, got {len(game.moves)}")
        key = _key(game)
        study = self._studies.get(key) or self._begin(key, game, whom)
        self._studies.move_to_end(key)
        if study.task is not None:
            await asyncio.wait({study.task}, timeout=PATIENCE_SECONDS)
        if study.task is not None and study.task.done():
            raise RequestError("unavailable", "the analysis failed; try again")
        return study.packed or study.pack(is_complete=False)

    def _begin(self, key: bytes, game: Game, whom: str) -> _Study:
        if whom in self._busy:
            raise RequestError("limit_reached", "expected one analysis at a time; wait until the other one is complete")
        if len(self._busy) >= MOST_AT_A_TIME:
            raise RequestError("busy", f"expected at most {MOST_AT_A_TIME} analyses at a time; try again later")
        study = self._studies[key] = _Study()
        self._busy.add(whom)
        study.task = asyncio.create_task(self._analyse(study, game, whom))
        study.task.add_done_callback(lambda task: self._finish(key, whom, task))
        return study

    async def _analyse(self, study: _Study, game: Game, whom: str) -> None:
        found = await asyncio.get_running_loop().run_in_executor(self._pool, lambda: list(decisions(game)))
        study.decisions = len(found)
        for decision in found:
            judgement = await self._workers.judge(decision, whom)
            study.judgements.append(_judgement_message(judgement, decision.before))
        study.packed = study.pack(is_complete=True)
        study.judgements = []
        study.task = None

    def _finish(self, key: bytes, whom: str, task: asyncio.Task[None]) -> None:
        self._busy.discard(whom)
        error = None if task.cancelled() else task.exception()
        if task.cancelled() or error is not None:
            del self._studies[key]
        if error is not None:
            log_event("analysis_failed", logging.ERROR, error=repr(error))
        finished = [key for key, study in self._studies.items() if study.packed is not None]
        for oldest in finished[: max(0, len(self._studies) - MOST_KEPT)]:
            del self._studies[oldest]

    async def close(self) -> None:
        """Stop all analyses."""
        tasks = [study.task for study in self._studies.values() if study.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.to_thread(self._pool.shutdown)


def require_over(is_over: bool) -> None:
    """Refuse to analyse a running game."""
    if not is_over:
        raise RequestError("not_playing", "expected a finished game: the analysis is available when the game is over")


def _key(game: Game) -> bytes:
    """Return a key that is the same for the same moves and cards, wherever the game comes from and whoever played."""
    return hashlib.sha256("\n".join([repr(game.options), *game.texts]).encode()).digest()


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
