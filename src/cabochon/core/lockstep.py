"""Many games in lockstep, one decision of each per step: the functions behind a batch of environments.

Each game has one row in every array. `step_game` steps one row; the loops over rows here are for the CPU, those for the
GPU are in `core.cuda_kernels`. Game number `episode` of a row uses the stream of that number of the row's seed, so a
game does not depend on the other rows.
"""

from __future__ import annotations

from cabochon.core.canonical import canonicalize
from cabochon.core.compilation import jit
from cabochon.core.components import Components, ComponentsArray
from cabochon.core.observation import Observation, Observations, observe
from cabochon.core.random import random_below, seed_stream
from cabochon.core.rules import deal, has_won, legal_mask, place_of, play_action
from cabochon.core.state import ACTIONS, OVER, BoolArray, FloatArray, IntArray, State, StateArray

ACTION_STREAM = 1 << 62  # the number of the stream that samples actions; no game of the seed uses it


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
    state: State,
    components: Components,
    stream: IntArray,
    seed: int,
    episode: int,
    players: int,
    free_take: int,
    automatic_payment: int,
) -> None:
    """Deal game number `episode` of the seed."""
    seed_stream(stream, seed, episode)
    deal(state, components, players, free_take, automatic_payment, stream)


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
        free_take, automatic_payment = int(state.free_take), int(state.automatic_payment)
        seed, episode = int(seeds[game]), int(episodes[game])
        start_game(state, components, streams[game], seed, episode, players, free_take, automatic_payment)


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


# The functions below handle the rows from `first` to `last - 1`. `component_arrays` has one element, see
# `COMPONENT_ARRAYS`.


@jit
def start_games(
    states: StateArray,
    component_arrays: ComponentsArray,
    streams: IntArray,
    choices: IntArray,
    seeds: IntArray,
    episodes: IntArray,
    seats: IntArray,
    masks: BoolArray,
    dones: BoolArray,
    players: int,
    free_take: int,
    automatic_payment: int,
    canonical: int,
    scratch: IntArray,
    first: int,
    last: int,
) -> None:
    """Deal every game and write who decides and what is legal; `scratch` has the length ACTIONS."""
    components = component_arrays[0]
    for game in range(first, last):
        seed, episode = int(seeds[game]), int(episodes[game])
        seed_stream(choices[game], seed, ACTION_STREAM)
        start_game(states[game], components, streams[game], seed, episode, players, free_take, automatic_payment)
        if canonical != 0:
            canonicalize(states[game])
        legal_mask(states[game], components, masks[game], scratch)
        seats[game] = states[game].seat
        dones[game] = False


@jit
def step_games(
    states: StateArray,
    component_arrays: ComponentsArray,
    streams: IntArray,
    seeds: IntArray,
    episodes: IntArray,
    actions: IntArray,
    seats: IntArray,
    masks: BoolArray,
    dones: BoolArray,
    values: FloatArray,
    places: IntArray,
    restart: int,
    canonical: int,
    scratch: IntArray,
    first: int,
    last: int,
) -> None:
    """Take the action of every game that is not over; `scratch` has the length ACTIONS."""
    components = component_arrays[0]
    for game in range(first, last):
        state = states[game]
        if state.phase != OVER:
            action = int(actions[game])
            step_game(state, components, streams, seeds, episodes, dones, values, places, restart, game, action)
            if canonical != 0:
                canonicalize(state)
            legal_mask(state, components, masks[game], scratch)
            seats[game] = state.seat


@jit
def observe_games(
    states: StateArray,
    component_arrays: ComponentsArray,
    seats: IntArray,
    observations: Observations,
    first: int,
    last: int,
) -> None:
    """Write what the seat of each game knows, as int8 rows."""
    for game in range(first, last):
        observe(states[game], component_arrays[0], int(seats[game]), observations[game])


@jit
def observe_games_scaled(
    states: StateArray,
    component_arrays: ComponentsArray,
    seats: IntArray,
    observations: FloatArray,
    scales: FloatArray,
    row: Observation,
    first: int,
    last: int,
) -> None:
    """Write the same as float32, each feature multiplied by its scale; `row` is scratch for one int8 row."""
    for game in range(first, last):
        observe(states[game], component_arrays[0], int(seats[game]), row)
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
