"""Play seeded random games in the core and print a hash of every state they pass through.

Run as a module in a process of its own, so that the same games can be played compiled and, with
NUMBA_DISABLE_JIT=1, interpreted.
"""

from __future__ import annotations

import hashlib
import json
import sys

import numpy as np

from cabochon.core.cards import VARIANTS
from cabochon.core.components import COMPONENTS
from cabochon.core.hidden_cards import hide
from cabochon.core.playout import random_step
from cabochon.core.random import STREAM_DTYPE, STREAM_WORDS, seed_stream
from cabochon.core.rules import begin, legal_actions, place_of
from cabochon.core.state import ACTIONS, OVER, copy_state, new_state


def digest(variant: str, players: int, free_take: int, automatic_payment: int, games: int) -> str:
    """A hash over all states, legal actions, views and rankings of so many games."""
    components = COMPONENTS[VARIANTS.index(variant)]
    state = new_state()
    actions = np.zeros(ACTIONS, dtype=np.int8)
    stream = np.zeros(STREAM_WORDS, dtype=STREAM_DTYPE)
    total = hashlib.sha256()
    for game in range(games):
        seed_stream(stream, 77, game)
        begin(state, components, players, free_take, automatic_payment)
        while state.phase != OVER:
            random_step(state, components, actions, stream)
            count = legal_actions(state, components, actions)
            view = copy_state(state)
            hide(view, game % players)
            total.update(state.tobytes() + actions[:count].tobytes() + view.tobytes())
        total.update(bytes(place_of(state, components, seat) for seat in range(players)))
    return total.hexdigest()


def digests(games: int) -> dict[str, str]:
    """The digest of each setting."""
    return {
        f"{variant} {players} {free_take} {automatic_payment}": digest(
            variant, players, free_take, automatic_payment, games
        )
        for variant in VARIANTS
        for players in (2, 3, 4)
        for free_take, automatic_payment in ((0, 0), (1, 1))
    }


if __name__ == "__main__":
    json.dump(digests(int(sys.argv[1])), sys.stdout)
