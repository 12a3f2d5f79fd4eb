"""The new nodes of a search that wait for their values, in batches, and how the built-in evaluation gives them.

The search (`cabochon.search.engine`) lays the legal actions of each new node into a row of `Leaves`, and takes
from it a prior and a first guess for each action and a value for each seat. Whatever fills these may stand in the
place of the built-in evaluation.

That one looks at a position in three ways. The quick policy picks the actions that deserve a closer look; the
network values where each of them leads; and a short playout by the policy is valued where it ends.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from cabochon.bots.evaluation import (
    Scratch,
    Weights,
    evaluate,
    new_scratch,
    value_some_actions,
)
from cabochon.bots.policy import Desk, choose_quickly, new_desk, weigh_actions
from cabochon.core.compilation import jit
from cabochon.core.components import Components
from cabochon.core.rules import play_action
from cabochon.core.state import ACT, ACTIONS, OVER, SEATS, Array, State, new_states

CHOSEN = -1e12  # below every utility
DEPTH = 256  # decisions on one path; the turns of one round are at most 20


class Settings(NamedTuple):
    """What the search may be tuned by."""

    exploration: float = 0.6  # the constant of PUCT
    futures: float = 3.0  # of an edge with a reveal, at its first visits
    growth: float = 0.0  # futures more for each visit
    root_futures: float = 12.0
    guess_visits: float = 1.0  # how many visits the first guess at an edge's value counts for
    root_share: float = 0.1  # of the visits, spread over all root edges whatever their value
    value_weight: float = 0.0  # of a move's value in the choice of the answer; with 0 it is the most visited
    prior_temperature: float = 1.0  # of a network's policy as the prior; above 1 it is flatter than the policy
    # Of the built-in evaluation:
    temperature: float = 0.08  # of the prior, in probability of winning
    valued_actions: int = 12  # how many actions below the root the network values, those the policy likes best
    rest_odds: float = 0.05  # of each of the others in the prior, where the best has 1
    playout_turns: int = 8  # decisions of the playout from a new node; 0 does without
    best_share: float = 0.3  # of a node's value beside the playout's: the value of its best action


class Leaves(NamedTuple):
    """New nodes in B rows: which they are and how they were reached, and then how good they are."""

    nodes: Array  # [B] their numbers in the tree, and in its array of states
    depths: Array  # [B] the edges between the root and them; 0 for the root itself
    path_nodes: Array  # [B, DEPTH]
    path_edges: Array  # [B, DEPTH]
    counts: Array  # [B] how many legal actions
    actions: Array  # [B, ACTIONS] which ones, ascending
    # To be filled by the evaluation:
    priors: Array  # [B, ACTIONS] of each action, together 1
    guesses: Array  # [B, ACTIONS] of what each is worth to the seat that decides, from 0 to 1
    values: Array  # [B, SEATS] each seat's probability of winning


def make_leaves(make: Callable[[tuple[int, ...], Any], Any], batch: int) -> Leaves:
    """Room for a batch of so many new nodes, in arrays made by `make(shape, dtype)`."""
    return Leaves(
        nodes=make((batch,), np.int32),
        depths=make((batch,), np.int32),
        path_nodes=make((batch, DEPTH), np.int32),
        path_edges=make((batch, DEPTH), np.int32),
        counts=make((batch,), np.int32),
        actions=make((batch, ACTIONS), np.int64),
        priors=make((batch, ACTIONS), np.float32),
        guesses=make((batch, ACTIONS), np.float32),
        values=make((batch, SEATS), np.float64),
    )


class Knowledge(NamedTuple):
    """What the built-in evaluation has learned of a game with some number of players."""

    weights: Weights  # of the network
    policy: Array  # [PARAMETERS]


class Bench(NamedTuple):
    """Working memory of the built-in evaluation, for one thread."""

    scratch: Scratch
    desk: Desk
    states: Any  # [1]
    utilities: Array  # [ACTIONS]
    places: Array  # [ACTIONS] of the actions that are valued, among the legal ones
    actions: Array  # [ACTIONS] these actions
    values: Array  # [ACTIONS, SEATS]


def new_bench() -> Bench:
    """Working memory for one thread."""
    return Bench(
        scratch=new_scratch(),
        desk=new_desk(),
        states=new_states(1),
        utilities=np.zeros(ACTIONS, np.float32),
        places=np.zeros(ACTIONS, np.int64),
        actions=np.zeros(ACTIONS, np.int64),
        values=np.zeros((ACTIONS, SEATS)),
    )


@jit
def _choose_likely(
    state: State,
    components: Components,
    knowledge: Knowledge,
    bench: Bench,
    actions: Array,
    legal: int,
    wanted: int,
) -> None:
    """Write the places of the `wanted` actions that the policy likes best into `places`."""
    places = bench.places
    utilities = bench.utilities
    weigh_actions(state, components, knowledge.policy, bench.desk, actions, legal, utilities)
    for rank in range(wanted):
        top = 0
        for index in range(1, legal):
            if utilities[index] > utilities[top]:
                top = index
        places[rank] = top
        utilities[top] = CHOSEN


@jit
def _play_on(
    start: State,
    components: Components,
    knowledge: Knowledge,
    bench: Bench,
    stream: Array,
    turns: int,
    action: int,
) -> None:
    """A playout of so many decisions, begun with the action; its value goes to `values[0]`."""
    bench.states[0] = start
    state = bench.states[0]
    play_action(state, components, action, stream)
    for _ in range(turns - 1):
        if state.phase == OVER:
            break
        play_action(state, components, choose_quickly(state, components, knowledge.policy, bench.desk), stream)
    evaluate(state, components, knowledge.weights, bench.scratch, bench.values[0])


@jit
def evaluate_leaves(
    states: Any,
    leaves: Leaves,
    count: int,
    components: Components,
    knowledge: Knowledge,
    settings: Settings,
    bench: Bench,
    stream: Array,
) -> None:
    """Fill the first `count` rows of the leaves; the playouts draw their cards from the stream."""
    values = bench.values
    for row in range(count):
        state = states[leaves.nodes[row]]
        seat = int(state.seat)
        players = int(state.players)
        actions = leaves.actions[row]
        legal = int(leaves.counts[row])
        valued = legal
        if leaves.depths[row] > 0 and state.phase == ACT and legal > settings.valued_actions:
            valued = settings.valued_actions
            _choose_likely(state, components, knowledge, bench, actions, legal, valued)
        else:
            for index in range(legal):
                bench.places[index] = index
        for rank in range(valued):
            bench.actions[rank] = actions[bench.places[rank]]
        value_some_actions(state, components, knowledge.weights, bench.scratch, bench.actions, valued, values)
        best = 0
        worst = 0
        for rank in range(1, valued):
            if values[rank, seat] > values[best, seat]:
                best = rank
            if values[rank, seat] < values[worst, seat]:
                worst = rank
        for index in range(legal):
            leaves.priors[row, index] = settings.rest_odds
            leaves.guesses[row, index] = values[worst, seat]
        total = settings.rest_odds * (legal - valued)
        for rank in range(valued):
            odds = math.exp((values[rank, seat] - values[best, seat]) / settings.temperature)
            leaves.priors[row, bench.places[rank]] = odds
            leaves.guesses[row, bench.places[rank]] = values[rank, seat]
            total += odds
        for index in range(legal):
            leaves.priors[row, index] /= total
        for each in range(players):
            leaves.values[row, each] = values[best, each]
        if settings.playout_turns > 0:
            _play_on(
                state,
                components,
                knowledge,
                bench,
                stream,
                settings.playout_turns,
                int(bench.actions[best]),
            )
            share = settings.best_share
            for each in range(players):
                leaves.values[row, each] = share * leaves.values[row, each] + (1.0 - share) * values[0, each]
