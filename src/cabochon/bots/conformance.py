"""The conformance test for bots of your own: `check_bot(MyBot)`, from any test runner.

from cabochon.bots.conformance import check_bot

def test_my_bot():
    check_bot(MyBot)
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cabochon.bots.protocol import Answer, Bot, BotError, Limit, answer_of, close, start
from cabochon.core.cards import VARIANTS
from cabochon.core.hidden_cards import determinize
from cabochon.core.random import STREAM_DTYPE, STREAM_WORDS, random_below, seed_stream
from cabochon.game import Game, Options
from cabochon.view import View, redacted

DEFAULT_LIMIT = Limit(nodes=20)


def check_bot(
    make: Callable[[], Bot], limit: Limit = DEFAULT_LIMIT, is_repeatable: bool = True, decisions: int = 200
) -> None:
    """Let a bot play both games with 2 to 4 players, and raise `BotError` at the first fault.

    The bot must answer every decision with a legal move and must not change the view. If `is_repeatable`, it must also
    give the same answer for the same seed and view, whatever the hidden cards are. `decisions` is the maximum number of
    decisions in each game.
    """
    for variant in VARIANTS:
        for players in (2, 3, 4):
            _check_game(make, Options(variant, players), limit, is_repeatable, decisions)


def _check_game(make: Callable[[], Bot], options: Options, limit: Limit, is_repeatable: bool, decisions: int) -> None:
    bot, twin = make(), make()
    start(bot, 7)
    start(twin, 7)
    stream = np.zeros(STREAM_WORDS, dtype=STREAM_DTYPE)
    seed_stream(stream, 2026, options.players)
    game = Game(options, seed=options.players)
    for _ in range(decisions):
        if game.is_over:
            break
        if game.seat != 0:
            legal = game.legal_moves
            game.play(legal[random_below(stream, len(legal))])
            continue
        answer = _checked_answer(bot, game.view(0), limit)
        if is_repeatable:
            again = _checked_answer(twin, _same_view_of_other_cards(game, stream), limit)
            if again.move != answer.move:
                raise BotError(
                    f"expected the same answer for the same seed and view, got '{answer.move}' and then '{again.move}'"
                )
        game.play(answer.move)
    close(bot)
    close(twin)


def _checked_answer(bot: Bot, view: View, limit: Limit) -> Answer:
    before = view.to_dict(), view.state.tobytes()
    answer = answer_of(bot.choose(view, limit), view)
    if (view.to_dict(), view.state.tobytes()) != before:
        raise BotError("expected the view to be unchanged, but the bot changed it")
    return answer


def _same_view_of_other_cards(game: Game, stream: np.ndarray[tuple[int], np.dtype[np.int64]]) -> View:
    """Return what seat 0 sees if the hidden cards of the others are different ones."""
    other = game.copy()
    other._state = redacted(game.state, 0)
    determinize(other._state, stream)
    return other.view(0)
