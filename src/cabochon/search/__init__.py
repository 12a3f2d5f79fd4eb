"""Monte Carlo tree search: the tree, one simulation, the evaluators of its positions, and the engine."""

from cabochon.search.engine import SearchEngine, SearchResult
from cabochon.search.evaluators import EvaluationBatch, Evaluator, HeuristicEvaluator, NetworkEvaluator
from cabochon.search.mcts import SearchSettings

__all__ = [
    "EvaluationBatch",
    "Evaluator",
    "HeuristicEvaluator",
    "NetworkEvaluator",
    "SearchEngine",
    "SearchResult",
    "SearchSettings",
]
