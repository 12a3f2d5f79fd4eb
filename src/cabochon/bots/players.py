"""The built-in bots behind the protocol: random, greedy, search."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from cabochon.bots.evaluation import greedy_weights, new_scratch, value_actions
from cabochon.bots.protocol import Analysis, Answer, BotError, Candidate, Limit
from cabochon.core.cards import VARIANTS
from cabochon.core.components import COMPONENTS
from cabochon.core.random import STREAM_DTYPE, STREAM_WORDS, next_word, random_below, seed_stream
from cabochon.core.state import ACTIONS, SEATS, State
from cabochon.game import Game
from cabochon.notation import Move
from cabochon.search.engine import SearchEngine, SearchResult
from cabochon.view import View


class RandomBot:
    """Any legal move, each as likely as the others."""

    def __init__(self) -> None:
        self._stream = np.zeros(STREAM_WORDS, dtype=STREAM_DTYPE)
        self.start(0)

    def start(self, seed: int) -> None:
        """Begin a game; the same seed makes the same choices."""
        seed_stream(self._stream, seed, 0)

    def choose(self, view: View, limit: Limit) -> Move:
        """A random legal move."""
        return view.legal_moves[random_below(self._stream, len(view.legal_moves))]


class GreedyBot:
    """One turn ahead by the tuned evaluation, at once.

    A `temperature` above 0 makes it err as people do: the worse a move, the less likely, and the more
    likely the higher the temperature, in units of winning probability.
    """

    def __init__(self, temperature: float = 0.0) -> None:
        if not isinstance(temperature, int | float) or not 0 <= temperature < math.inf:
            raise BotError(f"expected a temperature of 0 or more, got {temperature!r}")
        self.temperature = temperature
        self._scratch = new_scratch()
        self._values = np.zeros((ACTIONS, SEATS), dtype=np.float64)
        self._stream = np.zeros(STREAM_WORDS, dtype=STREAM_DTYPE)
        self.start(0)

    def start(self, seed: int) -> None:
        """Begin a game; the same seed makes the same choices."""
        seed_stream(self._stream, seed, 0)

    def choose(self, view: View, limit: Limit) -> Answer:
        """The move of the best expected position, or near it."""
        variant = VARIANTS.index(view.variant)
        weights = greedy_weights(variant)
        actions = self._scratch.actions
        count = value_actions(view.state, COMPONENTS[variant], weights, self._scratch, actions, self._values)
        own = self._values[:count, view.seat]
        best = int(np.argmax(own))
        chosen = self._erring_choice(own) if self.temperature > 0 else best
        candidates = tuple(
            Candidate(
                Move(int(actions[index]), view.variant),
                1,
                tuple(self._values[index, : view.players].tolist()),
            )
            for index in np.argsort(-own, kind="stable")
        )
        move = Move(int(actions[chosen]), view.variant)
        return Answer(move, Analysis(candidates[0].values, candidates, (move,), count, 0.0))

    def _erring_choice(self, own: np.ndarray[tuple[int], np.dtype[np.float64]]) -> int:
        weights = np.exp((own - own.max()) / self.temperature)
        point = next_word(self._stream) / 2**32 * float(weights.sum())
        return min(int(np.searchsorted(np.cumsum(weights), point, side="right")), len(own) - 1)


@cache
def _compile_search() -> None:
    """Think a little about a first position, so that nothing is compiled while a clock runs."""
    engine = SearchEngine(variant=0, players=2)
    for _ in range(2):  # the second time from the tree of the first
        engine.think(Game("splendor", seed=0).view(0).state, seconds=0.001)


class SearchBot:
    """Monte Carlo tree search over sampled futures, with the trained evaluation at its leaves."""

    def __init__(self, threads: int = 1) -> None:
        if type(threads) is not int or not 1 <= threads <= 64:
            raise BotError(f"expected 1 to 64 threads, got {threads!r}")
        self.threads = threads
        self._seed = 0
        self._engines: dict[tuple[str, int], SearchEngine] = {}

    def start(self, seed: int) -> None:
        """Begin a game; the same seed and node limit make the same choices, in one thread."""
        self._rehearse()
        self._seed = seed
        self._engines.clear()

    def _rehearse(self) -> None:
        """Have everything compiled before a clock runs."""
        _compile_search()

    def _new_engine(self, variant: int, players: int) -> SearchEngine:
        return SearchEngine(variant, players, threads=self.threads, seed=self._seed)

    def _position(self, view: View) -> State:
        """What is searched from: the view, or one that the engine knows better, with fewer moves or as many."""
        return view.state

    def choose(self, view: View, limit: Limit) -> Answer:
        """The move that the search answers with."""
        if limit.seconds is None and limit.nodes is None:
            limit = Limit(seconds=1.0)
        key = (view.variant, view.players)
        if key not in self._engines:
            variant = VARIANTS.index(view.variant)
            self._engines[key] = self._new_engine(variant, view.players)
        result = self._engines[key].think(self._position(view), seconds=limit.seconds, nodes=limit.nodes)
        return Answer(Move(result.action, view.variant), _analysis(result, view))


def _analysis(result: SearchResult, view: View) -> Analysis:
    order = np.lexsort((-result.visits, result.actions != result.action))  # the answer first, then by visits
    return Analysis(
        win_probabilities=tuple(result.win_probabilities.tolist()),
        candidates=tuple(
            Candidate(
                Move(int(result.actions[index]), view.variant),
                int(result.visits[index]),
                tuple(result.values[index].tolist()),
            )
            for index in order
        ),
        line=tuple(Move(action, view.variant) for action in result.line),
        nodes=result.nodes,
        seconds=result.seconds,
    )
