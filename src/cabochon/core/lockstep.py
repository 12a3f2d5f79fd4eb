"""Many games in lockstep, one decision of each per step: the functions behind a batch of environments.

Each game has one row in every array. The loops over rows here are for the CPU, those for the GPU are in
`core.cuda_kernels`. Game number `episode` of a row uses the stream of that number of the row's seed, so a game does not
depend on the other rows.
"""

from __future__ import annotations

from typing import NamedTuple

from cabochon.core.canonical import canonicalize
from cabochon.core.compilation import jit
from cabochon.core.components import Components, ComponentsArray
from cabochon.core.observation import Observation, Observations, observe
from cabochon.core.random import random_below, seed_stream
from cabochon.core.rules import deal, has_won, legal_mask, place_of, play_action
from cabochon.core.state import ACTIONS, OVER, BoolArray, FloatArray, IntArray, State, StateArray

ACTION_STREAM = 1 << 62  # the number of the stream that samples actions; no game of the seed uses it


class BatchArrays(NamedTuple):
    """The arrays of a batch, one row per game. Pass it as a plain tuple: numba is slower with a named one."""

    states: StateArray
    streams: IntArray  # [games, STREAM_WORDS]: chance
    choices: IntArray  # [games, STREAM_WORDS]: sampled actions
    seeds: IntArray
    episodes: IntArray
    seats: IntArray
    masks: BoolArray  # [games, ACTIONS]
    dones: BoolArray
    values: FloatArray  # [games, players]
    places: IntArray  # [games, players]


class BatchSettings(NamedTuple):
    """What is the same for all games of a batch, also passed as a plain tuple; 1 and 0 mean yes and no."""

    players: int
    free_take: int
    automatic_payment: int
    restart: int  # deal the next game when one ends
    canonical: int  # keep the states canonical


@jit
def outcome_value(state: State, components: Components, seat: int) -> float:
    """Return the value of a finished game to a seat: 1 for the only winner, -1 / (players - 1) for a loser.

    Several winners share, so that the values of all seats sum to 0. Without a winner (STL-1) all are 0.
    """
    players = int(state.players)
    winners = 0
    for other in range(players):
        winners += int(has_won(state, components, other))
    if winners == 0:
        return 0.0
    if has_won(state, components, seat):
        return (players - winners) / (winners * (players - 1))
    return -1 / (players - 1)


@jit
def start_game(
    arrays: BatchArrays, settings: BatchSettings, components: Components, scratch: IntArray, game: int
) -> None:
    """Deal a game and write who decides and what is legal; `scratch` has the length ACTIONS."""
    states, streams, choices, seeds, episodes, seats, masks, dones, _, _ = arrays
    players, free_take, automatic_payment, _, canonical = settings
    state, stream = states[game], streams[game]
    seed_stream(choices[game], int(seeds[game]), ACTION_STREAM)
    seed_stream(stream, int(seeds[game]), int(episodes[game]))
    deal(state, components, players, free_take, automatic_payment, stream)
    if canonical != 0:
        canonicalize(state)
    legal_mask(state, components, masks[game], scratch)
    seats[game] = state.seat
    dones[game] = False


@jit
def step_game(
    state: State,
    components: Components,
    streams: IntArray,
    seeds: IntArray,
    episodes: IntArray,
    dones: BoolArray,
    values: FloatArray,
    places: IntArray,
    restart: int,
    game: int,
    action: int,
) -> None:
    """Take a legal action in a game that is not over; if it ends, write the result and deal the next if `restart`."""
    players = int(state.players)
    play_action(state, components, action, streams[game])
    is_over = state.phase == OVER
    dones[game] = is_over
    for seat in range(players):
        values[game, seat] = outcome_value(state, components, seat) if is_over else 0.0
        places[game, seat] = place_of(state, components, seat) if is_over else 0
    if is_over and restart != 0:
        episodes[game] += 1
        seed_stream(streams[game], int(seeds[game]), int(episodes[game]))
        deal(state, components, players, int(state.free_take), int(state.automatic_payment), streams[game])


@jit
def sample_legal_action(mask: BoolArray, stream: IntArray) -> int:
    """Return a random action that the mask allows, all equally likely; 0 if it allows none."""
    count = 0
    for action in range(ACTIONS):
        count += int(mask[action])
    wanted = random_below(stream, count)
    for action in range(ACTIONS):
        if mask[action]:
            if wanted == 0:
                return action
            wanted -= 1
    return 0


# The functions below handle the rows from `first` to `last - 1`. `components` has one element, see
# `COMPONENT_ARRAYS`, and `scratch` has the length ACTIONS.


@jit
def start_games(
    arrays: BatchArrays, settings: BatchSettings, components: ComponentsArray, scratch: IntArray, first: int, last: int
) -> None:
    """Deal every game and write who decides and what is legal."""
    for game in range(first, last):
        start_game(arrays, settings, components[0], scratch, game)


@jit
def step_games(
    arrays: BatchArrays,
    settings: BatchSettings,
    components: ComponentsArray,
    actions: IntArray,
    scratch: IntArray,
    first: int,
    last: int,
) -> None:
    """Take the action of every game that is not over."""
    states, streams, _, seeds, episodes, seats, masks, dones, values, places = arrays
    _, _, _, restart, canonical = settings
    for game in range(first, last):
        state = states[game]
        if state.phase != OVER:
            action = int(actions[game])
            step_game(state, components[0], streams, seeds, episodes, dones, values, places, restart, game, action)
            if canonical != 0:
                canonicalize(state)
            legal_mask(state, components[0], masks[game], scratch)
            seats[game] = state.seat


@jit
def observe_games(
    states: StateArray, components: ComponentsArray, seats: IntArray, observations: Observations, first: int, last: int
) -> None:
    """Write what the seat of each game knows, as int8 rows."""
    for game in range(first, last):
        observe(states[game], components[0], int(seats[game]), observations[game])


@jit
def observe_games_scaled(
    states: StateArray,
    components: ComponentsArray,
    seats: IntArray,
    observations: FloatArray,
    scales: FloatArray,
    row: Observation,
    first: int,
    last: int,
) -> None:
    """Write the same as float32, each feature multiplied by its scale; `row` is scratch for one int8 row."""
    for game in range(first, last):
        observe(states[game], components[0], int(seats[game]), row)
        for feature in range(len(scales)):
            observations[game, feature] = row[feature] * scales[feature]


@jit
def sample_games(masks: BoolArray, choices: IntArray, actions: IntArray, first: int, last: int) -> None:
    """Sample a legal action for every game."""
    for game in range(first, last):
        actions[game] = sample_legal_action(masks[game], choices[game])


@jit
def find_illegal(states: StateArray, masks: BoolArray, actions: IntArray, first: int, last: int) -> int:
    """Return the first game that is not over and whose action is illegal, or `last`."""
    for game in range(first, last):
        action = int(actions[game])
        if not (0 <= action < ACTIONS and masks[game, action]) and states[game].phase != OVER:
            return game
    return last
