"""Measure what changed settings of the champion's search gain per decision, by playouts to the end of the game.

    python tools/search_gain.py marvel --nodes 40000 --positions 300 outcomes_per_visit=0 root_share=0,outcomes=3

Positions come from games of a short search against itself. In each position, the search decides with the default
settings and with the changed ones. Where the moves differ, they are evaluated by many playouts, in which the network
without search plays on for all seats: so the result does not depend on what a search believes, and chance is that of
the game. The tool prints the mean gain over the default settings, in percentage points of winning, with its 95%
interval.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from cabochon.core.canonical import canonicalize
from cabochon.core.cards import VARIANTS
from cabochon.core.components import COMPONENTS, Components
from cabochon.core.hidden_cards import hide, legal_actions_in_view
from cabochon.core.observation import observe
from cabochon.core.random import STREAM_DTYPE, STREAM_WORDS, seed_stream
from cabochon.core.rules import deal, outcome_values, play_action
from cabochon.core.state import ACT, ACTIONS, OVER, SEATS, Array, State, new_states
from cabochon.jobs import new_executor
from cabochon.nn.network import Network, shipped_network
from cabochon.nn.transformer import Buffers, Transformer, best_action, forward
from cabochon.search import NetworkEvaluator, SearchEngine, SearchSettings

AT_ONCE = 64  # playouts
SHORT = 100  # simulations of the games that positions come from
DECISIONS = (4, 50)  # after which a position is taken


@dataclass(frozen=True)
class Question:
    """The settings to compare, and how."""

    variant: int
    players: int
    nodes: int
    playouts: int
    settings: tuple[SearchSettings, ...]  # the default ones first


def play_out(
    start: State,
    components: Components,
    action: int,
    transformer: Transformer,
    buffers: Buffers,
    states: Any,
    streams: Array,
    actions: Array,
    values: Array,
    seed: int,
) -> float:
    """Return the mean share of the victory of the seat that takes the action; the network plays on for all seats."""
    seat = int(start.seat)
    for row in range(len(states)):
        states[row] = start
        seed_stream(streams[row], seed, row)
        play_action(states[row], components, action, streams[row])
    going = len(states)
    while going > 0:
        going = 0
        for row in range(len(states)):
            state = states[row]
            if state.phase != OVER:
                canonicalize(state)
                observe(state, components, int(state.seat), buffers.observations[row])
                going += 1
        forward(transformer, buffers, len(states))
        for row in range(len(states)):
            state = states[row]
            if state.phase != OVER:
                legal = legal_actions_in_view(state, components, actions)
                play_action(state, components, best_action(buffers.logits[row], actions, legal), streams[row])
    won = 0.0
    for row in range(len(states)):
        outcome_values(states[row], components, values)
        won += values[seat]
    return won / len(states)


def value_of(state: State, action: int, network: Network, playouts: int) -> float:
    """Return the value of an action to the seat that takes it, by playouts with the same luck for every action."""
    buffers = network.new_buffers(AT_ONCE)
    states = new_states(AT_ONCE)
    streams = np.zeros((AT_ONCE, STREAM_WORDS), STREAM_DTYPE)
    actions, values = np.zeros(ACTIONS, np.int64), np.zeros(SEATS)
    components = COMPONENTS[network.variant]
    parts = [
        play_out(state, components, action, network.transformer, buffers, states, streams, actions, values, seed)
        for seed in range(-(-playouts // AT_ONCE))
    ]
    return float(np.mean(parts))


def position(variant: int, players: int, network: Network, number: int) -> State | None:
    """Return a state from the middle of a game in which a move is to be chosen; None if the game ended before."""
    components = COMPONENTS[variant]
    states = new_states(2)
    state, view = states[0], states[1]
    stream = np.zeros(STREAM_WORDS, STREAM_DTYPE)
    seed_stream(stream, 0, number)
    deal(state, components, players, 0, 1, stream)
    engine = SearchEngine(variant, players, [NetworkEvaluator(network)], seed=number)
    left = int(np.random.default_rng(number).integers(*DECISIONS))
    while state.phase != OVER and (left > 0 or state.phase != ACT):
        states[1] = states[0]
        hide(view, int(state.seat))
        play_action(state, components, engine.search(view, nodes=SHORT).action, stream)
        left -= 1
    return None if state.phase == OVER else state


def gains(question: Question, number: int) -> list[float] | None:
    """Return how much more the move of each of the settings is worth than that of the first settings."""
    network = shipped_network(question.variant, question.players)
    state = position(question.variant, question.players, network, number)
    if state is None:
        return None
    view = new_states(1)
    view[0] = state
    hide(view[0], int(state.seat))
    chosen = []
    for settings in question.settings:
        engine = SearchEngine(
            question.variant,
            question.players,
            [NetworkEvaluator(network)],
            settings,
            seed=number,
            tree_nodes=2 * question.nodes,
        )
        chosen.append(engine.search(view[0], nodes=question.nodes).action)
    if len(set(chosen)) == 1:
        return [0.0] * len(chosen)
    worth = {action: value_of(state, action, network, question.playouts) for action in set(chosen)}
    return [worth[action] - worth[chosen[0]] for action in chosen]


def changed(settings: SearchSettings, text: str) -> SearchSettings:
    """Return the settings with changes such as `outcomes_per_visit=0.05,outcomes=3`."""
    pairs = [part.partition("=") for part in text.split(",")]
    unknown = [name for name, _, _ in pairs if name not in SearchSettings._fields]
    if unknown:
        raise SystemExit(f"expected settings among {', '.join(SearchSettings._fields)}, got {', '.join(unknown)}")
    return settings._replace(**{name: type(getattr(settings, name))(value) for name, _, value in pairs})


def main() -> None:
    """Measure and print the gains."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", choices=VARIANTS)
    parser.add_argument("changes", nargs="+", help="settings to compare, such as outcomes_per_visit=0.05,outcomes=3")
    parser.add_argument("--players", type=int, default=2, choices=(2, 3, 4))
    parser.add_argument("--nodes", type=int, default=20_000, help="simulations per decision")
    parser.add_argument("--positions", type=int, default=300)
    parser.add_argument("--playouts", type=int, default=768, help="playouts per move")
    parser.add_argument("--first", type=int, default=0, help="number of the first position")
    parser.add_argument("--ray", metavar="ADDRESS", help="Ray cluster, as HOST:PORT or auto; by default, all cores")
    options = parser.parse_args()
    variant = VARIANTS.index(options.game)
    settings = (SearchSettings(), *(changed(SearchSettings(), text) for text in options.changes))
    question = Question(variant, options.players, options.nodes, options.playouts, settings)
    numbers = range(options.first, options.first + options.positions)
    with new_executor(len(numbers), ray=options.ray) as searches:
        rows = searches.in_order(partial(gains, question), numbers)
        found = np.array([row for row in rows if row is not None])
    print(f"{options.game}, {options.players} players, {options.nodes} simulations, {len(found)} positions")
    for name, column in zip(options.changes, found.T[1:], strict=True):
        error = 1.96 * column.std() / np.sqrt(len(column))
        print(f"{name}: {100 * column.mean():+.2f} ± {100 * error:.2f}")


if __name__ == "__main__":
    main()
