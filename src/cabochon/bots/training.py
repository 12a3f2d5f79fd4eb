"""How the weights are found: games of a player against itself, and a fit to how they ended.

`python -m cabochon.bots.training` writes `weights.npz`, and prints what is kept beside it as
`weights.log`. For each game, the greedy bot's linear weights come first, from a few rounds of play and fit
with two players (those fitted to more lost to them at their own table); then the network's for each number
of players, which begin from the greedy bot's games for two and from those for fewer after that; last the policy's
parameters, from what the search chooses with that network.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from cabochon.bots.evaluation import (
    FEATURE_NAMES,
    FEATURES,
    HIDDEN,
    Scratch,
    Weights,
    new_scratch,
    new_weights,
    outcome_values,
    seat_features,
    value_actions,
)
from cabochon.bots.greedy import choose
from cabochon.bots.leaves import Bench, Knowledge, Settings, evaluate_leaves, new_bench
from cabochon.bots.policy import PARAMETERS, weigh_actions
from cabochon.core.cards import VARIANTS
from cabochon.core.compilation import jit
from cabochon.core.components import COMPONENTS, Components
from cabochon.core.information_set import hide
from cabochon.core.random import (
    STREAM_DTYPE,
    STREAM_WORDS,
    next_word,
    random_below,
    seed_stream,
)
from cabochon.core.rules import deal, play_action
from cabochon.core.state import (
    ACT,
    ACTIONS,
    MARKET,
    NOTHING,
    OVER,
    SEATS,
    Array,
    State,
    new_states,
)
from cabochon.search.engine import Tree, absorb, new_tree, plant, simulate

WORDS = 4294967296.0  # how many values a random word has
SAMPLED = 0.25  # the part of the positions that is kept: neighbours in a game teach little
EMPTIED = 0.3  # of those, the part with a market place left empty, as `value_actions` leaves it

TEMPERATURE = 0.03  # of the play that is learned from, in probability of winning
WINDOW = 4  # rounds of play whose positions are fitted together
IMITATED_NODES = 200  # of the search whose choices the policy learns
IMITATED = Settings(exploration=0.6, root_share=0.1, temperature=0.08, valued_actions=ACTIONS, playout_turns=0)
STRAYING = 0.2  # how often a game that the policy learns from goes on with another action than the best
MOST_ACTIONS = 48  # legal ones of a row that the policy learns from
FIRST_GUESS = {
    "points": 3.0,
    "cards": 2.0,
    "colours_with_1_bonus": 2.0,
    "colours_with_2_bonuses": 1.0,
    "coloured_tokens": 0.5,
    "wilds": 0.5,
    "best_points_in_reach": 1.0,
    "closest_tile": 1.0,
}


@jit
def sample_action(
    actions: Array,
    values: Array,
    count: int,
    seat: int,
    temperature: float,
    stream: Array,
) -> int:
    """An action, the more likely the better it is for the seat; `values` [ACTIONS, SEATS] is kept."""
    greatest = 0.0
    for index in range(count):
        greatest = max(greatest, values[index, seat])
    total = 0.0
    for index in range(count):
        total += math.exp((values[index, seat] - greatest) / temperature)
    rest = next_word(stream) / WORDS * total
    for index in range(count - 1):
        rest -= math.exp((values[index, seat] - greatest) / temperature)
        if rest < 0.0:
            return int(actions[index])
    return int(actions[count - 1])


@jit
def self_play(
    state: State,
    components: Components,
    weights: Weights,
    scratch: Scratch,
    values: Array,
    stream: Array,
    players: int,
    temperature: float,
    seed: int,
    first: int,
    features: Array,
    outcomes: Array,
) -> int:
    """Play games until `features` [N, SEATS, FEATURES] is nearly full; return how many rows are.

    `outcomes` [N, SEATS] gets what each seat of the row's game won in the end.
    """
    rows = 0
    game = first
    while rows + 400 < len(features):
        seed_stream(stream, seed, game)
        game += 1
        deal(state, components, players, 0, 1, stream)
        start = rows
        while state.phase != OVER:
            if state.phase == ACT and next_word(stream) < SAMPLED * WORDS and rows < len(features):
                place = random_below(stream, MARKET)
                card = int(state.market[place])
                if next_word(stream) < EMPTIED * WORDS:
                    state.market[place] = NOTHING
                for seat in range(players):
                    seat_features(state, components, seat, features[rows, seat])
                state.market[place] = card
                rows += 1
            count = value_actions(state, components, weights, scratch, scratch.actions, values)
            action = sample_action(scratch.actions, values, count, int(state.seat), temperature, stream)
            play_action(state, components, action, stream)
        outcome_values(state, components, values[0])
        for row in range(start, rows):
            for seat in range(players):
                outcomes[row, seat] = values[0, seat]
    return rows


def play_rows(
    variant: int,
    players: int,
    weights: Weights,
    rows: int,
    temperature: float,
    seed: int,
) -> tuple[Array, Array]:
    """Features [N, players, FEATURES] and outcomes [N, players] of N (nearly `rows`) positions."""
    features = np.zeros((rows, SEATS, FEATURES), np.float32)
    outcomes = np.zeros((rows, SEATS), np.float32)
    count = self_play(
        new_states(1)[0],
        COMPONENTS[variant],
        weights,
        new_scratch(),
        np.zeros((ACTIONS, SEATS)),
        np.zeros(STREAM_WORDS, STREAM_DTYPE),
        players,
        temperature,
        seed,
        0,
        features,
        outcomes,
    )
    return features[:count, :players], outcomes[:count, :players]


def _forward(parts: dict[str, Array], batch: Array) -> tuple[Array, Array, Array]:
    before = batch @ parts["hidden"] + parts["hidden_bias"]
    active = np.maximum(before, 0)
    scores = batch @ parts["linear"] + active @ parts["output"]
    scores -= scores.max(axis=1, keepdims=True)
    odds = np.exp(scores)
    return before, active, odds / odds.sum(axis=1, keepdims=True)


def loss(parts: dict[str, Array], features: Array, outcomes: Array) -> float:
    """The mean cross entropy of the outcomes, in nats."""
    total = 0.0
    for start in range(0, len(features), 8192):
        chances = _forward(parts, features[start : start + 8192])[2]
        total -= float((outcomes[start : start + 8192] * np.log(chances + 1e-9)).sum())
    return total / len(features)


def fit(
    features: Array,
    outcomes: Array,
    has_hidden: bool,
    epochs: int,
    seed: int,
    start: dict[str, Array],
) -> dict[str, Array]:
    """The weights, by field, that best foretell the outcomes: Adam on the cross entropy of the softmax."""
    generator = np.random.default_rng(seed)
    parts = {name: part.copy() for name, part in start.items()}
    rate = 0.003 if has_hidden else 0.01
    trained = tuple(parts) if has_hidden else ("linear",)
    means = {name: np.zeros_like(parts[name]) for name in trained}
    squares = {name: np.zeros_like(parts[name]) for name in trained}
    batch_size = 1024
    steps = epochs * (len(features) // batch_size)
    step = 0
    for _ in range(epochs):
        order = generator.permutation(len(features))
        for begin in range(0, len(order) - batch_size + 1, batch_size):
            chosen = order[begin : begin + batch_size]
            batch = features[chosen]
            before, active, chances = _forward(parts, batch)
            won = outcomes[chosen]
            # A stalemate of Splendor: Marvel has no winner and teaches nothing.
            slope = (chances * won.sum(axis=1, keepdims=True) - won) / batch_size
            flat_slope = slope.reshape(-1)
            flat = batch.reshape(-1, FEATURES)
            gradients = {"linear": flat.T @ flat_slope}
            if has_hidden:
                inner = (slope[..., None] * parts["output"]) * (before > 0)
                flat_inner = inner.reshape(-1, HIDDEN)
                gradients["output"] = active.reshape(-1, HIDDEN).T @ flat_slope
                gradients["hidden"] = flat.T @ flat_inner
                gradients["hidden_bias"] = flat_inner.sum(axis=0)
            step += 1
            pace = rate * 0.5 * (1 + math.cos(math.pi * step / steps))
            for name in trained:
                gradient = gradients[name] + 1e-5 * parts[name]
                means[name] = 0.9 * means[name] + 0.1 * gradient
                squares[name] = 0.999 * squares[name] + 0.001 * gradient**2
                mean = means[name] / (1 - 0.9**step)
                square = squares[name] / (1 - 0.999**step)
                parts[name] -= (pace * mean / (np.sqrt(square) + 1e-8)).astype(np.float32)
    return parts


def pack(parts: dict[str, Array], has_hidden: bool) -> Any:
    """A record of weights from its fields."""
    weights = new_weights(1)
    for name, part in parts.items():
        weights[name][0] = part
    weights["has_hidden"] = int(has_hidden)
    return weights[0]


@jit
def play_match(
    states: Any,
    components: Components,
    weights: Any,
    scratch: Scratch,
    values: Array,
    stream: Array,
    players: int,
    seed: int,
    deals: int,
) -> float:
    """The share of games that the first of two `weights` wins, alone in every seat of each deal."""
    won = 0.0
    for game in range(deals):
        for own_seat in range(players):
            seed_stream(stream, seed, game)
            deal(states[0], components, players, 0, 1, stream)
            while states[0].phase != OVER:
                seat = int(states[0].seat)
                states[1] = states[0]
                hide(states[1], seat)
                action = choose(states[1], components, weights[int(seat != own_seat)], scratch, values)
                play_action(states[0], components, action, stream)
            outcome_values(states[0], components, values[0])
            won += values[0, own_seat]
    return won / (deals * players)


def match(variant: int, players: int, first: Weights, second: Weights, deals: int, seed: int) -> float:
    """The share of games that one player wins against players of the other weights."""
    weights = new_weights(2)
    weights[0] = first
    weights[1] = second
    return play_match(
        new_states(2),
        COMPONENTS[variant],
        weights,
        new_scratch(),
        np.zeros((ACTIONS, SEATS)),
        np.zeros(STREAM_WORDS, STREAM_DTYPE),
        players,
        seed,
        deals,
    )


def train(
    variant: int,
    players: int,
    parts: dict[str, Array],
    policy: Weights,
    has_hidden: bool,
    rounds: int,
    rows: int,
    say: Callable[[str], None],
) -> dict[str, Array]:
    """Play with the policy and fit the parts to its games, then play with those, and so on."""
    collected: list[tuple[Array, Array]] = []
    before = policy
    for number in range(rounds):
        started = time.perf_counter()
        collected = [
            *collected[1 - WINDOW :],
            play_rows(variant, players, policy, rows, TEMPERATURE, number),
        ]
        features = np.concatenate([pair[0] for pair in collected])
        outcomes = np.concatenate([pair[1] for pair in collected])
        parts = fit(features, outcomes, has_hidden, 4, number, parts)
        policy = pack(parts, has_hidden)
        share = match(variant, players, policy, before, 1200 // players, number)
        before = policy
        say(
            f"{VARIANTS[variant]} {players} {'network' if has_hidden else 'linear'} round {number}: "
            f"loss {loss(parts, features, outcomes):.4f}, wins {share:.3f} against the one before, "
            f"{time.perf_counter() - started:.0f} s"
        )
    return parts


@jit
def search_rows(
    tree: Tree,
    states: Any,
    components: Components,
    knowledge: Knowledge,
    settings: Settings,
    bench: Bench,
    stream: Array,
    unit: Array,
    seed: int,
    features: Array,
    visits: Array,
) -> int:
    """Play games of two by the search until `features` [N, MOST_ACTIONS, PARAMETERS] is nearly full; return the rows.

    The utility of an action is linear in the parameters, so that its features are its utilities by the unit
    vectors. `visits` [N, MOST_ACTIONS] gets the share of the simulations that each action had.
    """
    rows = 0
    game = 0
    while rows + 400 < len(features):
        seed_stream(stream, seed, game)
        deal(states[0], components, 2, 0, 1, stream)
        game += 1
        turn = 0
        while states[0].phase != OVER and rows < len(features):
            states[1] = states[0]
            hide(states[1], int(states[0].seat))
            plant(tree, states[1], components, seed + game, turn)
            evaluate_leaves(
                tree.states,
                tree.leaves,
                1,
                components,
                knowledge,
                settings,
                bench,
                tree.stream,
            )
            absorb(tree, 1)
            turn += 1
            count = int(tree.node_edges[0])
            if count == 1:
                play_action(states[0], components, int(tree.edge_action[0]), stream)
                continue
            simulate(tree, components, knowledge, settings, bench, IMITATED_NODES)
            if states[0].phase == ACT and count <= MOST_ACTIONS:
                for parameter in range(PARAMETERS):
                    unit[parameter] = 1.0
                    weigh_actions(
                        states[1],
                        components,
                        unit,
                        bench.desk,
                        tree.edge_action,
                        count,
                        bench.utilities,
                    )
                    unit[parameter] = 0.0
                    for edge in range(count):
                        features[rows, edge, parameter] = bench.utilities[edge]
                for edge in range(count):
                    visits[rows, edge] = tree.edge_visits[edge] / IMITATED_NODES
                rows += 1
            chosen = 0
            for edge in range(1, count):
                if tree.edge_visits[edge] > tree.edge_visits[chosen]:
                    chosen = edge
            if next_word(stream) < STRAYING * WORDS:
                rest = random_below(stream, IMITATED_NODES)
                for edge in range(count):
                    rest -= int(tree.edge_visits[edge])
                    if rest < 0:
                        chosen = edge
                        break
            play_action(states[0], components, int(tree.edge_action[chosen]), stream)
    return rows


def _choices(parameters: Array, features: Array, is_legal: Array) -> Array:
    """The softmax of the utilities over the legal actions, for each row."""
    utilities = np.where(is_legal, features @ parameters, -np.inf)
    odds = np.exp(utilities - utilities.max(axis=1, keepdims=True))
    shares: Array = odds / odds.sum(axis=1, keepdims=True)
    return shares


def imitate(variant: int, network: Weights, rows: int, say: Callable[[str], None]) -> Array:
    """The policy's parameters that best foretell what the search with the network chooses."""
    started = time.perf_counter()
    features = np.zeros((rows, MOST_ACTIONS, PARAMETERS), np.float32)
    visits = np.zeros((rows, MOST_ACTIONS), np.float32)
    count = search_rows(
        new_tree(1 << 10),
        new_states(2),
        COMPONENTS[variant],
        Knowledge(network, np.zeros(PARAMETERS, np.float32)),
        IMITATED,
        new_bench(),
        np.zeros(STREAM_WORDS, STREAM_DTYPE),
        np.zeros(PARAMETERS, np.float32),
        variant,
        features,
        visits,
    )
    features, visits = features[:count], visits[:count]
    is_legal = np.abs(features).max(axis=2) > 0
    shown = count * 9 // 10  # the rest tells how well it does on what it has not seen
    generator = np.random.default_rng(variant)
    parameters = np.zeros(PARAMETERS, np.float32)
    mean = np.zeros(PARAMETERS)
    square = np.zeros(PARAMETERS)
    epochs, batch_size, step = 30, 256, 0
    steps = epochs * (shown // batch_size)
    for _ in range(epochs):
        order = generator.permutation(shown)
        for begin in range(0, shown - batch_size + 1, batch_size):
            chosen = order[begin : begin + batch_size]
            slope = _choices(parameters, features[chosen], is_legal[chosen])
            slope = slope * visits[chosen].sum(axis=1, keepdims=True) - visits[chosen]
            gradient = np.einsum("na,nap->p", slope, features[chosen]) / batch_size + 1e-5 * parameters
            step += 1
            pace = 0.05 * 0.5 * (1 + math.cos(math.pi * step / steps))
            mean = 0.9 * mean + 0.1 * gradient
            square = 0.99 * square + 0.01 * gradient**2
            change = pace * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-8)
            parameters -= change.astype(np.float32)
    foretold = _choices(parameters, features[shown:], is_legal[shown:])
    surprise = float(-(visits[shown:] * np.log(foretold + 1e-9)).sum(axis=1).mean())
    agreed = float((foretold.argmax(axis=1) == visits[shown:].argmax(axis=1)).mean())
    say(
        f"{VARIANTS[variant]} policy: cross entropy {surprise:.3f}, the search's choice in {agreed:.3f} of "
        f"{count - shown} positions, {time.perf_counter() - started:.0f} s"
    )
    return parameters


def first_parts(seed: int) -> dict[str, Array]:
    """Weights to begin with: a plain linear guess, and a hidden layer that does nothing yet."""
    generator = np.random.default_rng(seed)
    return {
        "linear": np.array([FIRST_GUESS.get(name, 0.0) for name in FEATURE_NAMES], np.float32),
        "hidden": generator.normal(0, 0.3, (FEATURES, HIDDEN)).astype(np.float32),
        "hidden_bias": np.zeros(HIDDEN, np.float32),
        "output": np.zeros(HIDDEN, np.float32),
    }


def main(path: str = "weights.npz") -> None:
    """Find all weights and write them to the path, by game and number of players."""
    shape = (len(VARIANTS), SEATS + 1)
    kept = {name: np.zeros((*shape, *part.shape), np.float32) for name, part in first_parts(0).items()}
    kept["greedy"] = np.zeros((len(VARIANTS), FEATURES), np.float32)
    kept["policy"] = np.zeros((len(VARIANTS), PARAMETERS), np.float32)

    def say(line: str) -> None:
        print(line, flush=True)

    for variant in range(len(VARIANTS)):
        linear = first_parts(variant)
        linear = train(variant, 2, linear, pack(linear, False), False, 4, 150_000, say)
        greedy = pack(linear, False)
        kept["greedy"][variant] = linear["linear"]
        network = first_parts(variant)
        for players in (2, 3, 4):
            policy = greedy if players == 2 else pack(network, True)
            network = train(
                variant,
                players,
                network,
                policy,
                True,
                6 if players == 2 else 3,
                300_000,
                say,
            )
            share = match(variant, players, pack(network, True), greedy, 1200 // players, 0)
            say(f"{VARIANTS[variant]} {players} network: wins {share:.3f} against greedy")
            for name, part in network.items():
                kept[name][variant, players] = part
            if players == 2:
                kept["policy"][variant] = imitate(variant, pack(network, True), 10_000, say)
            # The stub takes every array for its flag `allow_pickle`.
            np.savez_compressed(path, **kept)  # type: ignore[arg-type]


if __name__ == "__main__":
    main(*sys.argv[1:])
