"""The greedy bot: one turn ahead, by a linear evaluation with a named parameter for every feature."""

from __future__ import annotations

from cabochon.bots.evaluation import Scratch, Weights, value_actions
from cabochon.core.compilation import jit
from cabochon.core.components import Components
from cabochon.core.state import Array, State


@jit
def choose(view: State, components: Components, weights: Weights, scratch: Scratch, values: Array) -> int:
    """The legal action of the greatest probability of winning for the seat to move.

    `values` [ACTIONS, SEATS] is left with the values of the actions in `scratch.actions`.
    """
    count = value_actions(view, components, weights, scratch, scratch.actions, values)
    seat = int(view.seat)
    best = 0
    for index in range(1, count):
        if values[index, seat] > values[best, seat]:
            best = index
    return int(scratch.actions[best])
