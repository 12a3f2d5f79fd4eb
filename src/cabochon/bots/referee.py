"""Play a game between bots with time limits. A bot that fails loses the game.

A bot forfeits when it raises an error, answers with an illegal move, or does not answer within its limit plus the
grace. The game ends at once: the bot comes last and the others are ranked as they stand (RNK-1); the best of them wins.
The record has the result, and its tags `Termination` and `Forfeit` say how it came about.
"""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from cabochon.bots.protocol import Answer, Bot, BotError, Limit, answer_of, close, start
from cabochon.errors import NotationError
from cabochon.game import Game
from cabochon.options import Options
from cabochon.outcome import Forfeit, Termination
from cabochon.view import View

GRACE_SECONDS = 1.0
SECONDS_WITHOUT_LIMIT = 60.0
SECONDS_TO_START = 120.0  # a bot may load or compile what it needs


class BotTimeoutError(BotError):
    """A bot did not answer in time."""


@dataclass(frozen=True)
class Contest:
    """The result of a game that was played to the end or forfeited; `error` says why if it could not be played."""

    record: str
    places: tuple[int, ...]
    shares: tuple[float, ...]  # of the victory, for each seat: winners share it
    points: tuple[int, ...]
    rounds: int
    decisions: tuple[int, ...]  # of each seat
    seconds: tuple[float, ...]  # thought by each seat
    forfeit: Forfeit | None
    error: str | None = None


def _within(seconds: float, call: Callable[[], object]) -> object:
    """Return the result of the call; raise `BotError` if it fails in any way or takes longer."""
    results: queue.SimpleQueue[tuple[object, BaseException | None]] = queue.SimpleQueue()

    def run() -> None:
        try:
            results.put((call(), None))
        except BaseException as error:  # a bot may fail in any way, and even try to exit; the arena goes on
            results.put((None, error))

    threading.Thread(target=run, daemon=True).start()
    try:
        result, error = results.get(timeout=seconds)
    except queue.Empty:
        raise BotTimeoutError(f"no answer within {seconds:g} s") from None
    if isinstance(error, BotError):
        raise error
    if error is not None:
        raise BotError(f"crashed: {type(error).__name__}: {error}") from error
    return result


def start_in_time(bot: Bot, seed: int) -> None:
    """Start the bot for a new game; raise `BotError` if it fails."""
    try:
        _within(SECONDS_TO_START, partial(start, bot, seed))
    except BotError as error:
        raise BotError(f"did not start: {error.message}") from error


def choose_in_time(bot: Bot, view: View, limit: Limit, grace: float) -> Answer:
    """Return the bot's answer; raise `BotTimeoutError` if it takes too long, `BotError` if it fails."""
    allowed = (limit.seconds if limit.seconds is not None else SECONDS_WITHOUT_LIMIT) + grace
    answer = _within(allowed, lambda: bot.choose(view, limit))
    try:
        return answer_of(answer, view)
    except NotationError as error:
        raise BotError(error.message) from error


def forfeit_of(seat: int, error: BotError) -> Forfeit:
    """Return the forfeit of a bot that failed."""
    termination = Termination.TIMEOUT if isinstance(error, BotTimeoutError) else Termination.FAILURE
    return Forfeit(seat, termination, error.message)


def close_quietly(bot: Bot) -> None:
    """Close a bot, ignoring its errors."""
    with contextlib.suppress(BotError):
        _within(SECONDS_TO_START, lambda: close(bot))


def play_contest(
    options: Options,
    seed: int | bytes,
    bots: Sequence[Bot],
    limits: Sequence[Limit],
    names: Sequence[str],
    bot_seed: int = 0,
    grace: float = GRACE_SECONDS,
) -> Contest:
    """Play one game between bots, one for each seat, and return the result."""
    game = Game(options, seed=seed, names=list(names))
    seconds = [0.0] * options.players
    decisions = [0] * options.players
    forfeit = None
    for seat, bot in enumerate(bots):
        try:
            start_in_time(bot, bot_seed + seat)
        except BotError as error:
            forfeit = forfeit or forfeit_of(seat, error)
    while not game.is_over and forfeit is None:
        seat = game.seat
        began = time.perf_counter()
        try:
            view = replace(game.view(seat), commitment=None)  # a guess at the seed could be checked against it
            answer = choose_in_time(bots[seat], view, limits[seat], grace)
        except BotError as error:
            forfeit = forfeit_of(seat, error)
        else:
            game.play(answer.move)
        seconds[seat] += time.perf_counter() - began
        decisions[seat] += 1
    if forfeit is not None:
        game.forfeit(forfeit.seat, forfeit.detail, forfeit.termination)
    outcome = game.outcome
    assert outcome is not None
    return Contest(
        record=game.record(with_seed=True),
        places=outcome.places,
        shares=tuple(1 / len(outcome.winners) if seat in outcome.winners else 0.0 for seat in range(game.players)),
        points=outcome.points,
        rounds=game.round,
        decisions=tuple(decisions),
        seconds=tuple(seconds),
        forfeit=forfeit,
    )
