"""What a network says of winning, fitted to what the champion's searches with it find.

Self-play learns what a position is worth to those who go on as its policy does, trying things out. A search asks for
what it is worth to those who search. So the champion plays against itself, and the seats' scores learn
what its searches found. All other weights stay as they are, the policy with them: this is a
logistic regression over the units of the last hidden layer, for which some ten thousand decisions are enough.

It needs neither PyTorch nor a GPU.
"""

from __future__ import annotations

import platform
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from cabochon.bots import network
from cabochon.bots.champion import NetworkEvaluation, settings_for
from cabochon.bots.evaluation import outcome_values
from cabochon.bots.search import SearchEngine
from cabochon.core.arrangement import arrange
from cabochon.core.box import BOXES
from cabochon.core.cards import VARIANTS
from cabochon.core.observation import observation_scales, observe
from cabochon.core.playout import processors
from cabochon.core.random import STREAM_DTYPE, STREAM_WORDS, seed_stream
from cabochon.core.rules import deal, play_action
from cabochon.core.state import ACTIONS, OVER, SEATS, Array, new_states
from cabochon.core.views import hide
from cabochon.train.origin import NETWORK, origin
from cabochon.workers import Workers

ASTRAY = 0.12  # of the moves, drawn by how often the search tried them: for games that differ
HELD_BACK = 12  # one game of so many is not learned from, and tells how good the fit is
EPOCHS = 8
LEAST_UPDATES = 200
MINIBATCH = 1024
RATE = 1e-3  # of Adam at first, falling evenly to 0
MEAN_DECAY, SQUARE_DECAY, EPSILON = 0.9, 0.999, 1e-8


class Lessons(NamedTuple):
    """Decisions, [n, ...] each; the seats begin with the one that decides."""

    features: Array
    values: Array  # each seat's probability of winning, by the search
    shares: Array  # of the victory in the end
    games: Array  # the number of its game


_load = cache(network.load)


def play(start: Path, variant: int, players: int, simulations: int, seed: int, number: int) -> Lessons:
    """A game of the champion against itself, by the network in the file."""
    net, box = _load(start, variant, players), BOXES[variant]
    chance = np.random.default_rng([seed, number])
    engine = SearchEngine(
        variant,
        players,
        seed=int(chance.integers(2**31)),
        settings=settings_for(variant),
        evaluations=[NetworkEvaluation(net)],
        tree_nodes=2 * simulations,
    )
    workspace = net.new_workspace(1)
    states, stream = new_states(2), np.zeros(STREAM_WORDS, STREAM_DTYPE)
    state, view = states[0], states[1]
    seed_stream(stream, int(chance.integers(2**31)), 0)
    deal(state, box, players, 0, 1, stream)
    features, values, seats = [], [], []
    while state.phase != OVER:
        seat = int(state.seat)
        states[1] = states[0]
        hide(view, seat)
        result = engine.think(view, nodes=simulations)
        arrange(view)
        observe(view, box, seat, workspace.features[0])
        features.append(workspace.features[0].astype(np.int8))
        values.append(np.roll(result.values[result.visits.argmax()], -seat))
        seats.append(seat)
        action = result.action
        if chance.random() < ASTRAY:
            action = int(chance.choice(result.actions, p=result.visits / result.visits.sum()))
        play_action(state, box, action, stream)
    won = np.zeros(SEATS)
    outcome_values(state, box, won)
    shares = [np.roll(won[:players], -seat) for seat in seats]
    return Lessons(np.array(features), np.array(values), np.array(shares), np.full(len(seats), number))


def collect(
    start: Path, variant: int, players: int, simulations: int, decisions: int, seed: int, say: Callable[[str], None]
) -> Lessons:
    """Whole games of at least so many decisions, on all processors; the same on any number of them."""
    games: list[Lessons] = []
    waiting: deque[Future[Lessons]] = deque()
    number = found = 0
    workers = processors()
    with Workers(workers) as pool:
        while found < decisions:
            while len(waiting) < 3 * workers:
                waiting.append(pool.submit(play, start, variant, players, simulations, seed, number))
                number += 1
            games.append(waiting.popleft().result())
            found += len(games[-1].games)
            if len(games) % 100 == 0:
                say(f"{len(games)} games, {found} decisions")
    return Lessons(*(np.concatenate(parts) for parts in zip(*games, strict=True)))


def _last_units(features: Array, players: int, matrices: list[tuple[Array, Array]]) -> Array:
    """What the last hidden layer makes of the features, with a 1 for the biases."""
    rows = []
    for part in np.array_split(features, len(features) // 4096 + 1):
        activity = part * observation_scales(players)
        for weights, biases in matrices[:-1]:
            activity = np.maximum(activity @ weights + biases, 0)
        rows.append(np.hstack([activity, np.ones((len(activity), 1), activity.dtype)]))
    return np.concatenate(rows).astype(np.float32)


def _chances(units: Array, weights: Array) -> Array:
    scores = units @ weights
    odds = np.exp(scores - scores.max(axis=1, keepdims=True))
    chances: Array = odds / odds.sum(axis=1, keepdims=True)
    return chances


def fit(units: Array, values: Array, weights: Array, seed: int) -> Array:
    """The weights [units, players] from these on, so that the softmax comes near the values."""
    chance = np.random.default_rng(seed)
    weights = weights.copy()
    means, squares = np.zeros_like(weights), np.zeros_like(weights)
    updates = max(LEAST_UPDATES, EPOCHS * len(units) // MINIBATCH)
    for step in range(updates):
        rows = chance.integers(0, len(units), MINIBATCH)
        gradient = units[rows].T @ (_chances(units[rows], weights) - values[rows]) / MINIBATCH
        means += (1 - MEAN_DECAY) * (gradient - means)
        squares += (1 - SQUARE_DECAY) * (gradient**2 - squares)
        mean = means / (1 - MEAN_DECAY ** (step + 1))
        square = squares / (1 - SQUARE_DECAY ** (step + 1))
        weights -= RATE * (1 - step / updates) * mean / (np.sqrt(square) + EPSILON)
    return weights


def _distance(first: Array, second: Array) -> float:
    """The mean square of how far the probabilities of the seat that decides are apart."""
    return round(float(np.mean((first[:, 0] - second[:, 0]) ** 2)), 5)


def fit_values(
    start: Path, folder: Path, simulations: int, decisions: int, seed: int, command: str, say: Callable[[str], None]
) -> network.Network:
    """Fit the values of a network; the new one goes into the folder, and says in `about` how well it fits."""
    began = time.perf_counter()
    about, matrices = network.read(start)
    variant, players = VARIANTS.index(about["game"]), int(about["players"])
    _load(start, variant, players)  # refused here, if it is for other rules
    lessons = collect(start, variant, players, simulations, decisions, seed, say)
    units = _last_units(lessons.features, players, matrices)
    weights, biases = matrices[-1]
    before = np.vstack([weights[:, ACTIONS:], biases[None, ACTIONS:]])
    is_held_back = lessons.games % HELD_BACK == 0
    after = fit(units[~is_held_back], lessons.values[~is_held_back], before, seed)
    tried, found, shares = units[is_held_back], lessons.values[is_held_back], lessons.shares[is_held_back]
    distances = {
        "from_searches": [_distance(_chances(tried, each), found) for each in (before, after)],
        "from_ends": [_distance(_chances(tried, each), shares) for each in (before, after)],
        "searches_from_ends": _distance(found, shares),
    }
    last = np.hstack([weights[:, :ACTIONS], after[:-1]]), np.concatenate([biases[:ACTIONS], after[-1]])
    made = {
        **origin(command, time.perf_counter() - began, platform.machine(), about),
        "decisions": len(lessons.games),
        "games": len(set(lessons.games.tolist())),
        "settings": {"simulations": simulations, "seed": seed},
        "distances": distances,
    }
    folder.mkdir(parents=True, exist_ok=True)
    network.save(folder / NETWORK, variant, players, [*matrices[:-1], last], made, lessons.features)
    return network.load(folder / NETWORK, variant, players)
