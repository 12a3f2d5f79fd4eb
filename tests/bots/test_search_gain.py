"""The tool that says what settings of the search gain at a decision."""

from __future__ import annotations

import pytest

from cabochon.core.cards import SPLENDOR
from cabochon.core.state import ACT
from cabochon.nn.network import shipped_network
from cabochon.search import SearchSettings
from tests.bots.positions import winning_now
from tools.search_gain import Question, changed, gains, position, value_of


def test_a_move_that_wins_is_worth_the_game_and_another_is_not() -> None:
    state, (best,) = winning_now()
    state.automatic_payment = 1
    network = shipped_network(SPLENDOR, 2)
    assert value_of(state, best, network, 64) == 1
    assert value_of(state, 0, network, 64) < 0.9


def test_positions_are_those_of_a_number_and_equal_settings_gain_nothing() -> None:
    network = shipped_network(SPLENDOR, 2)
    first, second = (position(SPLENDOR, 2, network, 3) for _ in range(2))
    assert first is not None
    assert first.phase == ACT
    assert first == second
    assert gains(Question(SPLENDOR, 2, 8, 64, (SearchSettings(), SearchSettings())), 3) == [0, 0]


def test_settings_are_changed_by_name() -> None:
    assert changed(SearchSettings(), "outcomes_per_visit=0.05,outcomes=3") == SearchSettings(
        outcomes_per_visit=0.05, outcomes=3.0
    )
    with pytest.raises(SystemExit, match=r"expected settings among exploration, .* got width"):
        changed(SearchSettings(), "width=3")
