"""A game between bots, under a clock, in which a bot that fails loses.

A bot forfeits when it raises, answers with an illegal move, or does not answer within its limit and the
grace. The game ends at once: the bot takes the last place and the others are ranked as they stand
(RNK-1); the best of them wins. The record says so in its result, and why in its tag `Forfeit`.
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
from cabochon.game import Game, Options
from cabochon.view import View

GRACE_SECONDS = 1.0
SECONDS_WITHOUT_LIMIT = 60.0
SECONDS_TO_START = 120.0  # a bot may load or compile what it needs


@dataclass(frozen=True)
class Contest:
    """A game that was played out or forfeited."""

    record: str
    places: tuple[int, ...]
    shares: tuple[float, ...]  # of the victory, for each seat: winners share it
    points: tuple[int, ...]
    rounds: int
    decisions: tuple[int, ...]  # of each seat
    seconds: tuple[float, ...]  # thought by each seat
    forfeit: str | None


def _within(seconds: float, call: Callable[[], object]) -> object:
    """What the call returns; a `BotError` where it fails, in whatever way, or takes longer."""
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
        raise BotError(f"no answer within {seconds:g} s") from None
    if isinstance(error, BotError):
        raise error
    if error is not None:
        raise BotError(f"crashed: {type(error).__name__}: {error}") from error
    return result


def start_in_time(bot: Bot, seed: int) -> None:
    """Tell the bot that a game begins; a `BotError` says in what way it failed."""
    try:
        _within(SECONDS_TO_START, partial(start, bot, seed))
    except BotError as error:
        raise BotError(f"did not start: {error.message}") from error


def choose_in_time(bot: Bot, view: View, limit: Limit, grace: float) -> Answer:
    """The bot's answer; a `BotError` says in what way it failed."""
    allowed = (limit.seconds if limit.seconds is not None else SECONDS_WITHOUT_LIMIT) + grace
    answer = _within(allowed, lambda: bot.choose(view, limit))
    try:
        return answer_of(answer, view)
    except NotationError as error:
        raise BotError(error.message) from error


def close_quietly(bot: Bot) -> None:
    """Let a bot go; one that fails even at that is let go all the same."""
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
    """Play one game between bots, seat by seat."""
    game = Game(options, seed=seed, names=list(names))
    seconds = [0.0] * options.players
    decisions = [0] * options.players
    forfeit: tuple[int, str] | None = None
    for seat, bot in enumerate(bots):
        try:
            start_in_time(bot, bot_seed + seat)
        except BotError as error:
            forfeit = forfeit or (seat, error.message)
    while not game.is_over and forfeit is None:
        seat = game.seat
        began = time.perf_counter()
        try:
            view = replace(game.view(seat), commitment=None)  # a guess at the seed could be checked against it
            answer = choose_in_time(bots[seat], view, limits[seat], grace)
        except BotError as error:
            forfeit = (seat, error.message)
        else:
            game.play(answer.move)
        seconds[seat] += time.perf_counter() - began
        decisions[seat] += 1
    return _result(game, forfeit, tuple(decisions), tuple(seconds))


def _result(
    game: Game, forfeit: tuple[int, str] | None, decisions: tuple[int, ...], seconds: tuple[float, ...]
) -> Contest:
    if forfeit is not None:
        places = game.forfeit(*forfeit)
        winners = tuple(seat for seat, place in enumerate(places) if place == 1)
    else:
        assert game.outcome is not None
        places = game.outcome.places
        winners = game.outcome.winners
    return Contest(
        record=game.record(with_seed=True),
        places=places,
        shares=tuple(1 / len(winners) if seat in winners else 0.0 for seat in range(game.players)),
        points=tuple(int(points) for points in game.state.points[: game.players]),
        rounds=game.round,
        decisions=decisions,
        seconds=seconds,
        forfeit=game.tags.get("Forfeit"),
    )
