from __future__ import annotations

import numpy as np
import pytest

from cabochon.bots.evaluation import policy_parameters
from cabochon.bots.policy import PARAMETER_NAMES, PARAMETERS, choose_quickly, new_desk, weigh_actions
from cabochon.core.cards import MARVEL, SPLENDOR
from cabochon.core.components import COMPONENTS
from cabochon.core.rules import deal, legal_actions, play_action
from cabochon.core.state import ACT, ACTIONS, OVER, new_states
from tests.bots.positions import new_stream


@pytest.mark.parametrize("players", [2, 4])
@pytest.mark.parametrize("variant", [SPLENDOR, MARVEL])
def test_the_quick_choice_is_a_legal_action_of_the_greatest_utility(variant: int, players: int) -> None:
    components = COMPONENTS[variant]
    policy = policy_parameters(variant)
    desk = new_desk()
    actions = np.zeros(ACTIONS, np.int64)
    utilities = np.zeros(ACTIONS, np.float32)
    state = new_states(1)[0]
    for seed in range(4):
        stream = new_stream(seed)
        deal(state, components, players, 0, 1, stream)
        while state.phase != OVER:
            count = int(legal_actions(state, components, actions))
            action = int(choose_quickly(state, components, policy, desk))
            assert action in actions[:count]
            if state.phase == ACT and count > 1:
                weigh_actions(state, components, policy, desk, actions, count, utilities)
                chosen = actions[:count].tolist().index(action)
                assert utilities[chosen] == pytest.approx(utilities[:count].max(), abs=1e-4)
            play_action(state, components, action, stream)


def test_utilities_are_linear_in_the_parameters() -> None:
    components = COMPONENTS[MARVEL]
    state = new_states(1)[0]
    deal(state, components, 2, 0, 1, new_stream(3))
    state.tokens[0, :5] = 2
    actions = np.zeros(ACTIONS, np.int64)
    utilities = np.zeros(ACTIONS, np.float32)
    count = int(legal_actions(state, components, actions))
    sums = np.zeros(count)
    for parameter, weight in enumerate(policy_parameters(MARVEL)):
        unit = np.zeros(PARAMETERS, np.float32)
        unit[parameter] = 1
        weigh_actions(state, components, unit, new_desk(), actions, count, utilities)
        sums += float(weight) * utilities[:count]
    weigh_actions(state, components, policy_parameters(MARVEL), new_desk(), actions, count, utilities)
    assert utilities[:count] == pytest.approx(sums, abs=1e-4)
    assert len(PARAMETER_NAMES) == PARAMETERS
