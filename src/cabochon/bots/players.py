"""The built-in bots: random, greedy, search, policy and champion."""

from __future__ import annotations

import math
import time
from functools import cache

import numpy as np

from cabochon.bots.protocol import Analysis, Answer, BotError, Candidate, Limit
from cabochon.core.cards import VARIANTS
from cabochon.core.components import COMPONENTS
from cabochon.core.random import STREAM_DTYPE, STREAM_WORDS, next_word, random_below, seed_stream
from cabochon.core.state import PAY, PAY_DONE, Array, State, copy_state
from cabochon.game import Game
from cabochon.nn.network import Network, shipped_network
from cabochon.notation import Move
from cabochon.search.engine import SearchEngine, SearchResult
from cabochon.search.evaluators import Evaluator, HeuristicEvaluator, NetworkEvaluator
from cabochon.search.heuristic import heuristic_weights, new_buffers, value_actions
from cabochon.view import View

MAX_THREADS = 64
DEFAULT_LIMIT = Limit(seconds=1.0)


class SeededBot:
    """A bot whose random choices are determined by the seed of the game."""

    def __init__(self) -> None:
        self._stream = np.zeros(STREAM_WORDS, STREAM_DTYPE)
        seed_stream(self._stream, 0, 0)

    def start(self, seed: int) -> None:
        """Begin a game; the same seed gives the same choices."""
        seed_stream(self._stream, seed, 0)

    def _sample(self, odds: Array) -> int:
        """Draw an index in proportion to the odds."""
        point = self._random() * float(odds.sum())
        return min(int(np.searchsorted(np.cumsum(odds), point, side="right")), len(odds) - 1)

    def _random(self) -> float:
        """Return a random number from 0 to just below 1."""
        return next_word(self._stream) / 2**32


class TemperedBot(SeededBot):
    """A bot that plays its best move at temperature 0, and makes more errors at a higher temperature."""

    def __init__(self, temperature: float = 0.0) -> None:
        if not isinstance(temperature, int | float) or not 0 <= temperature < math.inf:
            raise BotError(f"expected a temperature of 0 or more, got {temperature!r}")
        self.temperature = temperature
        super().__init__()

    def _choose(self, scores: Array) -> int:
        """Return the index of the highest score, or draw one in proportion to exp(score / temperature)."""
        if self.temperature == 0:
            return int(np.argmax(scores))
        return self._sample(np.exp((scores - scores.max()) / self.temperature))


class RandomBot(SeededBot):
    """Plays a random legal move; all are equally likely."""

    def choose(self, view: View, limit: Limit) -> Move:
        """Return a random legal move."""
        return view.legal_moves[random_below(self._stream, len(view.legal_moves))]


class GreedyBot(TemperedBot):
    """Looks one turn ahead with the heuristic evaluation.

    `temperature` is in units of win probability. Above 0, the bot draws its move: the worse a move, the less likely.
    """

    def __init__(self, temperature: float = 0.0) -> None:
        super().__init__(temperature)
        self._buffers = new_buffers()

    def choose(self, view: View, limit: Limit) -> Answer:
        """Return the best move by the evaluation, or a move drawn by the temperature."""
        variant = VARIANTS.index(view.variant)
        buffers = self._buffers
        count = value_actions(
            view.state, COMPONENTS[variant], heuristic_weights(variant), buffers, buffers.actions, buffers.values
        )
        moves = [Move(int(action), view.variant) for action in buffers.actions[:count]]
        own = buffers.values[:count, view.seat]
        candidates = tuple(
            Candidate(moves[index], 1, tuple(buffers.values[index, : view.players].tolist()))
            for index in np.argsort(-own, kind="stable")
        )
        move = moves[self._choose(own)]
        return Answer(move, Analysis(candidates[0].values, candidates, (move,), count, 0.0))


class SearchBot:
    """Searches a tree with the heuristic evaluation."""

    def __init__(self, threads: int = 1) -> None:
        if type(threads) is not int or not 1 <= threads <= MAX_THREADS:
            raise BotError(f"expected 1 to {MAX_THREADS} threads, got {threads!r}")
        self.threads = threads
        self._seed = 0
        self._engines: dict[tuple[int, int], SearchEngine] = {}

    def start(self, seed: int) -> None:
        """Begin a game; the same seed, node limit and number of threads give the same choices."""
        self._warm_up()
        self._seed = seed
        self._engines.clear()

    @classmethod
    @cache
    def _warm_up(cls) -> None:
        """Search a first position, so that nothing is compiled while a clock runs."""
        engine = cls().engine(0, 2)
        for _ in range(2):  # the second time from the tree of the first
            engine.search(Game("splendor", seed=0).view(0).state, seconds=0.001)

    def choose(self, view: View, limit: Limit) -> Answer:
        """Return the best move by the search."""
        if limit.seconds is None and limit.nodes is None:
            limit = DEFAULT_LIMIT
        engine = self.engine(VARIANTS.index(view.variant), view.players)
        result = engine.search(self._position(view), seconds=limit.seconds, nodes=limit.nodes)
        return Answer(Move(result.action, view.variant), _analysis(result, view))

    def engine(self, variant: int, players: int) -> SearchEngine:
        """Return the engine for a game and number of players; it lasts until the next `start`."""
        if (variant, players) not in self._engines:
            evaluators = [self._new_evaluator(variant, players) for _ in range(self.threads)]
            self._engines[variant, players] = SearchEngine(variant, players, evaluators, seed=self._seed)
        return self._engines[variant, players]

    def _new_evaluator(self, variant: int, players: int) -> Evaluator:
        return HeuristicEvaluator(variant)

    def _position(self, view: View) -> State:
        """Return the state to search: the view, or a simpler one whose moves are legal in the view too."""
        return view.state


def _analysis(result: SearchResult, view: View) -> Analysis:
    order = np.lexsort((-result.visits, result.actions != result.action))  # the answer first, then by visits
    found = zip(result.actions[order], result.visits[order], result.values[order], strict=True)
    candidates = tuple(
        Candidate(Move(int(action), view.variant), int(visits), tuple(values.tolist()))
        for action, visits, values in found
    )
    win_probabilities = tuple(result.win_probabilities.tolist())
    line = tuple(Move(action, view.variant) for action in result.line)
    return Analysis(win_probabilities, candidates, line, result.nodes, result.seconds)


def as_trained(view: State) -> State:
    """Return a view as the networks know it: with automatic payments and without the house rule, as in training."""
    state = copy_state(view)
    state.automatic_payment = 1
    state.free_take = 0
    return state


class PolicyBot(TemperedBot):
    """Plays the most probable move of the network's policy, without search.

    With a `temperature` above 0, it draws the move from the policy's probabilities to the power 1 / temperature.
    """

    def choose(self, view: View, limit: Limit) -> Answer:
        """Return the network's choice; a choice of payment is always the default one."""
        started = time.perf_counter()
        network = shipped_network(VARIANTS.index(view.variant), view.players)
        action, values = self._choose_action(network, as_trained(view.state))
        move = Move(PAY_DONE if view.state.phase == PAY else action, view.variant)
        win_probabilities = tuple(values.tolist())
        candidates = (Candidate(move, 1, win_probabilities),)
        return Answer(move, Analysis(win_probabilities, candidates, (move,), 1, time.perf_counter() - started))

    def _choose_action(self, network: Network, state: State) -> tuple[int, Array]:
        """Return an action, and the win probability of each seat [players]."""
        actions, policy, values = network.evaluate(state)
        return int(actions[self._choose(np.log(np.maximum(policy, 1e-30)))]), values


class ChampionBot(SearchBot):
    """Searches a tree with the network."""

    def choose(self, view: View, limit: Limit) -> Answer:
        """Return the best move by the search; a choice of payment is always the default one."""
        if view.state.phase == PAY:
            return Answer(Move(PAY_DONE, view.variant))
        return super().choose(view, limit)

    def _new_evaluator(self, variant: int, players: int) -> Evaluator:
        return NetworkEvaluator(shipped_network(variant, players))

    def _position(self, view: View) -> State:
        return as_trained(view.state)
