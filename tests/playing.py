"""Seeded random games for the tests."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from cabochon import Game, Options
from cabochon.core.random import STREAM_DTYPE, STREAM_WORDS, random_below, seed_stream

VARIANTS = ("splendor", "marvel")
SETTINGS = [(variant, players) for variant in VARIANTS for players in (2, 3, 4)]


all_options = st.builds(
    Options,
    variant=st.sampled_from(VARIANTS),
    players=st.integers(2, 4),
    free_take=st.booleans(),
    payment=st.sampled_from(["choice", "automatic"]),
)
seeds = st.integers(0, 2**32)


class RandomMover:
    """Plays random legal moves, the same ones for the same seed."""

    def __init__(self, seed: int) -> None:
        self.stream = np.zeros(STREAM_WORDS, dtype=STREAM_DTYPE)
        seed_stream(self.stream, seed, 0)

    def below(self, bound: int) -> int:
        return random_below(self.stream, bound)

    def play(self, game: Game, moves: int | None = None) -> Game:
        """Play on to the end, or so many moves."""
        while not game.is_over and moves != 0:
            legal = game.legal_moves
            game.play(legal[self.below(len(legal))])
            moves = None if moves is None else moves - 1
        return game


def random_game(options: Options, seed: int, moves: int | None = None) -> Game:
    """A game dealt from the seed and played at random to the end, or for so many moves."""
    return RandomMover(seed).play(Game(options, seed=seed, date="2026-11-15"), moves)
