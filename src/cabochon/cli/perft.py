"""`cabochon perft`: count the sequences of decisions from a position, with the decks of a seed."""

from __future__ import annotations

import numpy as np

from cabochon.core.cards import LEVELS, VARIANTS
from cabochon.core.components import COMPONENTS, LEVEL_SIZES, LEVEL_STARTS
from cabochon.core.perft import count_sequences
from cabochon.core.random import STREAM_DTYPE, STREAM_WORDS, random_below, seed_stream
from cabochon.core.state import ACTIONS, IntArray, new_states
from cabochon.errors import OptionsError
from cabochon.fair import pick
from cabochon.game import Game, Options
from cabochon.notation import Move


def deck_orders(seed: bytes) -> IntArray:
    """Return the order in which a seed deals each level, [LEVELS, cards]; see `cabochon.fair`."""
    orders = np.zeros((LEVELS, max(LEVEL_SIZES)), dtype=np.int8)
    for level in range(LEVELS):
        unseen = list(range(LEVEL_STARTS[level], LEVEL_STARTS[level] + LEVEL_SIZES[level]))
        for drawn in range(LEVEL_SIZES[level]):
            orders[level, drawn] = unseen.pop(pick(seed, f"level {level + 1}", drawn, len(unseen)))
    return orders


def position(options: Options, seed: int, after: int) -> Game:
    """Return the game of the seed after so many random decisions, which the same seed determines."""
    game = Game(options, seed=seed)
    stream = np.zeros(STREAM_WORDS, dtype=STREAM_DTYPE)
    seed_stream(stream, seed, 0)
    for _ in range(after):
        moves = game.legal_moves
        if not moves:
            raise OptionsError(f"expected a game of at least {after} decisions, got one of {len(game.moves)}")
        game.play(moves[random_below(stream, len(moves))])
    return game


def perft(game: Game, depth: int) -> dict[Move, int]:
    """Return, for each legal move, the number of sequences of `depth` decisions that begin with it."""
    if game.seed is None:
        raise OptionsError("expected a game with a seed, got one by hand")
    states = new_states(depth)
    states[0] = game.state
    split = np.zeros(ACTIONS, dtype=np.int64)
    count_sequences(states, COMPONENTS[VARIANTS.index(game.variant)], deck_orders(game.seed), split)
    return {move: int(split[move.action]) for move in game.legal_moves}
