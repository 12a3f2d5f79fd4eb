"""Perft: count the sequences of decisions, a number that every correct implementation of the rules gets.

The decks are in a fixed order, so only decisions branch.
"""

from __future__ import annotations

import numpy as np

from cabochon.core.compilation import jit
from cabochon.core.components import LEVEL_SIZES, Components
from cabochon.core.rules import apply_action, bit_count, legal_actions, pending_level, reveal
from cabochon.core.state import ACTIONS, REVEAL, IntArray, State, StateArray


@jit
def _play_from_decks(state: State, components: Components, action: int, decks: IntArray) -> None:
    """Apply the action and, if a card is due, turn up the next one of its deck."""
    apply_action(state, components, action)
    if state.phase == REVEAL:
        level = pending_level(state)
        drawn = int(LEVEL_SIZES[level]) - bit_count(int(state.deck[level]))
        reveal(state, components, int(decks[level, drawn]))


@jit
def count_sequences(states: StateArray, components: Components, decks: IntArray, split: IntArray) -> None:
    """Count the sequences of decisions from `states[0]`, split by the first decision.

    The depth is the length of `states`; those after the first are scratch. `decks` [LEVELS, cards] holds the order of
    each deck; `split` [ACTIONS] receives the count of each first action. A game that ends earlier does not count.
    """
    last = len(states) - 1
    actions = np.zeros((len(states), ACTIONS), dtype=np.int8)
    counts = np.zeros(len(states), dtype=np.int64)
    chosen = np.zeros(len(states), dtype=np.int64)
    counts[0] = legal_actions(states[0], components, actions[0])
    depth = 0
    while depth >= 0:
        if depth == last:
            if depth == 0:
                for index in range(counts[0]):
                    split[actions[0, index]] += 1
            else:
                split[actions[0, chosen[0] - 1]] += counts[depth]
            depth -= 1
        elif chosen[depth] == counts[depth]:
            depth -= 1
        else:
            action = int(actions[depth, chosen[depth]])
            chosen[depth] += 1
            states[depth + 1] = states[depth]
            depth += 1
            _play_from_decks(states[depth], components, action, decks)
            counts[depth] = legal_actions(states[depth], components, actions[depth])
            chosen[depth] = 0
