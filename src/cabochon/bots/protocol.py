"""The protocol of a bot: it receives a seat's view and a limit, and returns a move.

To write a bot, write a class with one method. It sees what its seat may know, and nothing else:

    class Hoarder:
        def choose(self, view, limit):
            return next((move for move in view.legal_moves if move.kind == "reserve"), view.legal_moves[0])

On the command line, its name is `module:Hoarder`, or the name of its entry point in the group `cabochon.bots`.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from cabochon.errors import CabochonError
from cabochon.notation import Move
from cabochon.view import View


class BotError(CabochonError):
    """A bot does not exist, cannot be created, or has failed."""


@dataclass(frozen=True)
class Limit:
    """How long a bot may search for one decision: in seconds, in nodes, or both. None means no limit."""

    seconds: float | None = None
    nodes: int | None = None


@dataclass(frozen=True)
class Candidate:
    """A move that the bot considered: its visits, and the win probability of each seat after it."""

    move: Move
    visits: int
    values: tuple[float, ...]


@dataclass(frozen=True)
class Analysis:
    """How a bot evaluates a position; `line` is the play it expects, up to the next unknown card."""

    win_probabilities: tuple[float, ...]
    candidates: tuple[Candidate, ...]
    line: tuple[Move, ...]
    nodes: int
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Return the analysis as lists, dicts, strings and numbers, ready for JSON."""
        candidates = [{"move": str(c.move), "visits": c.visits, "values": list(c.values)} for c in self.candidates]
        return {
            "win_probabilities": list(self.win_probabilities),
            "candidates": candidates,
            "line": [str(move) for move in self.line],
            "nodes": self.nodes,
            "seconds": self.seconds,
        }


@dataclass(frozen=True)
class Answer:
    """A move, and the analysis that led to it, if there is one."""

    move: Move
    analysis: Analysis | None = None


@runtime_checkable
class Bot(Protocol):
    """The one method that a bot must have.

    It may also have `start(seed: int)`, called before each game with a seed that makes its choices repeatable, and
    `close()`, called when the bot is no longer needed.
    """

    def choose(self, view: View, limit: Limit) -> Answer | Move | str:
        """Return one of `view.legal_moves`: as a `Move`, as its text, or in an `Answer` with an analysis."""


def start(bot: Bot, seed: int) -> None:
    """Call the bot's `start`, if it has one."""
    if hasattr(bot, "start"):
        bot.start(seed)


def close(bot: Bot) -> None:
    """Call the bot's `close`, if it has one."""
    if hasattr(bot, "close"):
        bot.close()


def answer_of(answer: object, view: View) -> Answer:
    """Return a bot's answer as an `Answer` with a legal move; raise `BotError` if it is not one."""
    if isinstance(answer, str):
        answer = Move.from_text(answer, view.variant)
    if isinstance(answer, Move):
        answer = Answer(answer)
    if not isinstance(answer, Answer):
        raise BotError(f"expected a Move, a text or an Answer, got {answer!r}")
    if answer.move not in view.legal_moves:
        raise BotError(f"expected one of {len(view.legal_moves)} legal moves, got {str(answer.move)!r}")
    return answer


def parameters_of(factory: Any) -> list[str]:
    """Return the names of the parameters of a bot's constructor."""
    return [
        name
        for name, parameter in inspect.signature(factory).parameters.items()
        if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
    ]
