"""A game between bots, under a clock, in which a bot that fails loses.

A bot forfeits when it raises, answers with an illegal move, or does not answer within its limit and the
grace. The game ends at once: the bot takes the last place and the others are ranked as they stand
(RNK-1); the best of them wins. The record carries the reason in its tag `Forfeit`.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass

from cabochon.bots.bot import Answer, Bot, BotError, Limit, answer_of, start
from cabochon.core.box import BOXES
from cabochon.core.cards import VARIANTS
from cabochon.core.rules import place_of
from cabochon.game import Game, Options
from cabochon.view import View

GRACE_SECONDS = 1.0
SECONDS_WITHOUT_LIMIT = 60.0


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


def choose_in_time(bot: Bot, view: View, limit: Limit, grace: float) -> Answer:
    """The bot's answer; a `BotError` says in what way it failed."""
    allowed = (limit.seconds if limit.seconds is not None else SECONDS_WITHOUT_LIMIT) + grace
    answers: queue.SimpleQueue[object] = queue.SimpleQueue()

    def think() -> None:
        try:
            answers.put(bot.choose(view, limit))
        except Exception as error:  # a bot may fail in any way; the game goes on
            answers.put(error)

    threading.Thread(target=think, daemon=True).start()
    try:
        answer = answers.get(timeout=allowed)
    except queue.Empty:
        raise BotError(f"no answer within {allowed:g} s") from None
    if isinstance(answer, BotError):
        raise answer
    if isinstance(answer, Exception):
        raise BotError(f"crashed: {type(answer).__name__}: {answer}") from answer
    return answer_of(answer, view)


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
            start(bot, bot_seed + seat)
        except Exception as error:  # a bot may fail in any way
            forfeit = forfeit or (seat, f"did not start: {error}")
    while not game.is_over and forfeit is None:
        seat = game.seat
        began = time.perf_counter()
        try:
            answer = choose_in_time(bots[seat], game.view(seat), limits[seat], grace)
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
    state = game.state
    box = BOXES[VARIANTS.index(game.variant)]
    places = [place_of(state, box, seat) for seat in range(game.players)]
    if forfeit is not None:
        loser, reason = forfeit
        before = places[loser]
        places = [place - (place > before) for place in places]
        places[loser] = game.players
        winners = tuple(seat for seat, place in enumerate(places) if place == 1 and seat != loser)
        game.tags["Forfeit"] = f"seat {loser + 1}: {reason}"
    else:
        assert game.outcome is not None
        winners = game.outcome.winners
    return Contest(
        record=game.record(with_seed=True),
        places=tuple(places),
        shares=tuple(1 / len(winners) if seat in winners else 0.0 for seat in range(game.players)),
        points=tuple(int(points) for points in state.points[: game.players]),
        rounds=game.round,
        decisions=decisions,
        seconds=seconds,
        forfeit=game.tags.get("Forfeit"),
    )
