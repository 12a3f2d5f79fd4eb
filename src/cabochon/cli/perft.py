"""`cabochon perft`: count the sequences of decisions from a position, with the decks of a seed."""

from __future__ import annotations

import time
from dataclasses import asdict
from itertools import islice

import numpy as np
from rich.table import Table

from cabochon.cli.simulation import random_moves
from cabochon.cli.terminal import error_console, output_console, print_json
from cabochon.core.cards import LEVELS, VARIANTS
from cabochon.core.components import COMPONENTS, LEVEL_SIZES, LEVEL_STARTS
from cabochon.core.perft import count_sequences
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
    """Return the game of the seed after `after` random decisions, which are determined by the seed."""
    game = Game(options, seed=seed)
    played = sum(1 for _ in islice(random_moves(game, seed), after))
    if played < after:
        raise OptionsError(f"expected a game of at least {after} decisions, got one of {played}")
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


def show_perft(options: Options, seed: int, after: int, depth: int, divide: bool, as_json: bool) -> None:
    """Print the count of each depth up to `depth`, and split the last one by first move."""
    game = position(options, seed, after)
    console = output_console()
    counts = []
    split = {}
    for so_far in range(1, depth + 1):
        with error_console().status(f"depth {so_far}"):
            begun = time.perf_counter()
            split = perft(game, so_far)
            seconds = time.perf_counter() - begun
        counts.append({"depth": so_far, "count": sum(split.values()), "seconds": round(seconds, 4)})
    if as_json:
        setting = asdict(options)
        result = {"game": setting.pop("variant"), **setting, "seed": seed, "after": after, "depths": counts}
        by_move = {str(move): count for move, count in split.items()}
        print_json(result | {"divide": by_move} if divide else result)
        return
    if divide:
        table = Table.grid(padding=(0, 2, 0, 0))
        table.add_column()
        table.add_column(justify="right")
        for move, count in split.items():
            table.add_row(str(move), f"{count:,}")
        console.print(table)
    for row in counts:
        console.print(f"depth {row['depth']}: {row['count']:,} sequences in {row['seconds']:.3f} s")
