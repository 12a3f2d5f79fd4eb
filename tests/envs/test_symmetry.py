"""Tables with their places renamed."""

from __future__ import annotations

import numpy as np
import pytest

from cabochon import Game
from cabochon.core.box import BOXES
from cabochon.core.observation import observation_size, observe
from cabochon.core.random import STREAM_DTYPE, STREAM_WORDS, seed_stream
from cabochon.core.rules import legal_mask, play_action
from cabochon.core.state import (
    ACTIONS,
    BUY,
    CHOOSE_TILE,
    MARKET,
    PHASES,
    RESERVE,
    TILE,
    TILE_PLACES,
    Array,
    State,
    copy_state,
)
from cabochon.core.symmetry import Renaming, draw_renaming
from tests.playing import SETTINGS, RandomMover


def renamed(state: State, market: Array, tiles: Array) -> State:
    """The same table, each place with what lay in the place named for it."""
    twin = copy_state(state)
    twin.market = state.market[market]
    twin.tiles = state.tiles[tiles]
    twin.tile_owner = state.tile_owner[tiles]
    if 0 <= state.buying < MARKET:
        twin.buying = market.tolist().index(state.buying)
    return twin


def observed(state: State, seat: int) -> Array:
    row = np.zeros(observation_size(int(state.players)), np.int8)
    observe(state, BOXES[state.variant], seat, row)
    return row


def seeded(stream: Array) -> Array:
    seed_stream(stream, 5, 0)
    return stream


def mask_of(state: State) -> Array:
    mask = np.zeros(ACTIONS, np.int8)
    legal_mask(state, BOXES[state.variant], mask, np.zeros(ACTIONS, np.int8))
    return mask


def assert_goes_on_alike(state: State, renaming: Renaming) -> None:
    """All seats see the renamed row, the legal actions are the renamed ones, and each leads to the renamed state."""
    box = BOXES[state.variant]
    market = renaming.actions[BUY : BUY + MARKET] - BUY
    tiles = renaming.actions[CHOOSE_TILE : CHOOSE_TILE + TILE_PLACES] - CHOOSE_TILE
    twin = renamed(state, market, tiles)
    for seat in range(int(state.players)):
        assert (observed(twin, seat) == observed(state, seat)[renaming.features]).all()
    mask = mask_of(twin)
    assert (mask == mask_of(state)[renaming.actions]).all()
    streams = np.zeros((2, STREAM_WORDS), STREAM_DTYPE)
    for action in np.flatnonzero(mask):
        after, twin_after = copy_state(state), copy_state(twin)
        play_action(after, box, int(renaming.actions[action]), seeded(streams[0]))
        play_action(twin_after, box, int(action), seeded(streams[1]))
        assert renamed(after, market, tiles).tobytes() == twin_after.tobytes()


@pytest.mark.parametrize(("variant", "players"), SETTINGS)
def test_a_renamed_game_goes_on_as_the_game_does(variant: str, players: int) -> None:
    generator = np.random.default_rng(players)
    mover = RandomMover(7)
    phases = set()
    for seed in range(3):
        game = Game(variant, players, seed=seed, payment="automatic" if seed == 0 else "choice")
        while not game.is_over:
            phases.add(PHASES[game.state.phase])
            assert_goes_on_alike(game.state, draw_renaming(players, generator))
            mover.play(game, 1)
    assert phases >= {"act", "pay", "return"}


@pytest.mark.parametrize(("variant", "players"), SETTINGS)
def test_tiles_are_chosen_by_their_new_places(variant: str, players: int) -> None:
    state = copy_state(Game(variant, players, seed=1).state)
    state.bonuses[0], state.cards[0] = 4, 20  # every tile is due
    play_action(state, BOXES[state.variant], 0, seeded(np.zeros(STREAM_WORDS, STREAM_DTYPE)))
    assert state.phase == TILE
    generator = np.random.default_rng(players)
    for _ in range(5):
        assert_goes_on_alike(state, draw_renaming(players, generator))


def test_every_place_comes_to_every_other_of_its_kind_and_no_further() -> None:
    generator = np.random.default_rng(1)
    draws = np.array([draw_renaming(3, generator).actions for _ in range(200)])
    for level in range(3):
        for place in range(4):
            expected = set(range(4 * level, 4 * level + 4))
            assert set(draws[:, BUY + 4 * level + place] - BUY) == expected
            assert set(draws[:, RESERVE + 4 * level + place] - RESERVE) == expected
    for place in range(3):
        assert set(draws[:, CHOOSE_TILE + place] - CHOOSE_TILE) == {0, 1, 2}
    moved = [BUY + place for place in range(12)] + [RESERVE + place for place in range(12)]
    moved += [CHOOSE_TILE + place for place in range(3)]
    kept = np.delete(np.arange(ACTIONS), moved)
    assert (draws[:, kept] == kept).all()
