"""Arranged tables: one of all the orders of the same position, and nothing else changed."""

from __future__ import annotations

import numpy as np
import pytest

from cabochon.core.canonical import canonicalize, translate_action
from cabochon.core.cards import LEVELS, MARVEL, SPLENDOR
from cabochon.core.components import COMPONENTS
from cabochon.core.hidden_cards import hide
from cabochon.core.observation import new_observation, observe
from cabochon.core.random import STREAM_DTYPE, STREAM_WORDS, random_below, seed_stream
from cabochon.core.rules import apply_action, deal, legal_actions, play_action
from cabochon.core.state import (
    ACTIONS,
    BUY,
    HAND,
    MARKET,
    NOTHING,
    OVER,
    PAY,
    PLACES,
    RESERVE_BLIND,
    REVEAL,
    SEATS,
    TILE_PLACES,
    State,
    copy_state,
    new_state,
)
from cabochon.envs import Batch

GAMES = [(variant, players) for variant in (SPLENDOR, MARVEL) for players in (2, 3, 4)]


def positions(variant: int, players: int, seed: int) -> list[State]:
    """Every third decision of a random game."""
    stream = np.zeros(STREAM_WORDS, STREAM_DTYPE)
    seed_stream(stream, seed, 0)
    state = new_state()
    deal(state, COMPONENTS[variant], players, 0, 0, stream)
    found = []
    actions = np.zeros(ACTIONS, np.int8)
    while state.phase != OVER:
        found.append(copy_state(state))
        legal = actions[: legal_actions(state, COMPONENTS[variant], actions)].tolist()
        # Blind reserves more often than chance would have them.
        blind = [action for action in legal if RESERVE_BLIND <= action < RESERVE_BLIND + LEVELS]
        among = blind if blind and random_below(stream, 4) == 0 else legal
        play_action(state, COMPONENTS[variant], among[random_below(stream, len(among))], stream)
    return found[::3]


def bytes_of(state: State) -> bytes:
    """The whole record."""
    return np.array([state]).tobytes()


def row_of(state: State, observer: int) -> list[int]:
    """The observation of a seat."""
    row = new_observation(state.players)
    observe(state, COMPONENTS[state.variant], observer, row)
    values: list[int] = row.tolist()
    return values


def shuffled(state: State, generator: np.random.Generator) -> State:
    """The same position with the cards of each level, of each hand and the tiles in another order."""
    twin = copy_state(state)
    for level in range(LEVELS):
        row = slice(level * PLACES, (level + 1) * PLACES)
        twin.market[row] = generator.permutation(state.market[row])
    for seat in range(SEATS):
        held = int((state.hand[seat] != NOTHING).sum())
        order = [*generator.permutation(held), *range(held, HAND)]
        twin.hand[seat], twin.blind[seat] = state.hand[seat][order], state.blind[seat][order]
    there = int((state.tiles != NOTHING).sum())
    order = [*generator.permutation(there), *range(there, TILE_PLACES)]
    twin.tiles[:], twin.tile_owner[:] = state.tiles[order], state.tile_owner[order]
    if state.phase == PAY:
        places = [*state.market.tolist(), *state.hand[state.seat].tolist()]
        twin.buying = [*twin.market.tolist(), *twin.hand[state.seat].tolist()].index(places[state.buying])
    return twin


@pytest.mark.parametrize(("variant", "players"), GAMES)
def test_every_order_of_a_position_has_one_canonical_form(variant: int, players: int) -> None:
    generator = np.random.default_rng(players)
    changed = 0
    for state in positions(variant, players, 3):
        twin = shuffled(state, generator)
        changed += int(bytes_of(twin) != bytes_of(state))
        canonicalize(state)
        canonicalize(twin)
        # Blind reserves of one level stay as they lie.
        assert all(sorted(twin.hand[seat]) == sorted(state.hand[seat]) for seat in range(players))
        if state.phase == PAY and state.buying >= MARKET and state.blind[state.seat].sum() > 1:
            continue
        blind = state.blind == 1
        twin.hand[blind] = state.hand[blind]
        assert bytes_of(twin) == bytes_of(state)
    assert changed > 0


@pytest.mark.parametrize(("variant", "players"), GAMES)
def test_a_canonical_position_is_the_same_position(variant: int, players: int) -> None:
    components = COMPONENTS[variant]
    actions = np.zeros(ACTIONS, np.int8)
    for state in positions(variant, players, 4):
        canonical = copy_state(state)
        canonicalize(canonical)
        own = actions[: legal_actions(state, components, actions)].tolist()
        found = actions[: legal_actions(canonical, components, actions)].tolist()
        assert sorted(translate_action(action, canonical, state) for action in found) == own
        for action in found:
            here, there = copy_state(state), copy_state(canonical)
            apply_action(here, components, translate_action(action, canonical, state))
            apply_action(there, components, action)
            if here.phase != REVEAL:  # or a place is empty until chance fills it
                canonicalize(here)
                canonicalize(there)
                assert bytes_of(here) == bytes_of(there)


@pytest.mark.parametrize(("variant", "players"), GAMES)
def test_the_order_tells_no_one_a_hidden_card(variant: int, players: int) -> None:
    hidden = 0
    for state in positions(variant, players, 5):
        for observer in range(players):
            view, whole = copy_state(state), copy_state(state)
            hide(view, observer)
            hidden += int((view.hand != state.hand).sum())
            canonicalize(view)
            canonicalize(whole)
            assert row_of(view, observer) == row_of(whole, observer)
            hide(whole, observer)
            assert bytes_of(view) == bytes_of(whole)
    assert hidden > 0


def test_what_lies_nowhere_has_no_action() -> None:
    state = positions(SPLENDOR, 2, 6)[0]
    other = copy_state(state)
    other.market[0] = NOTHING
    assert translate_action(BUY, state, other) == NOTHING
    assert translate_action(BUY + 1, state, other) == BUY + 1


@pytest.mark.parametrize("variant", ["splendor", "marvel"])
def test_a_canonical_batch_stays_canonical(variant: str) -> None:
    batch = Batch(variant, 3, 20, seed=1, dtype="int8", canonical=True)
    for _ in range(40):
        for game in range(batch.games):
            canonical = copy_state(batch.states[game])
            canonicalize(canonical)
            assert bytes_of(canonical) == bytes_of(batch.states[game])
        batch.step(batch.sample())
