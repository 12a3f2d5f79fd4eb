"""What a bot is: it gets a seat's view and a limit, and answers with a move.

A bot of one's own is a class with one method; it sees what its seat may know, and nothing else:

    class Hoarder:
        def choose(self, view, limit):
            return next((move for move in view.legal_moves if move.kind == "reserve"), view.legal_moves[0])

It is named `module:Hoarder` on the command line, or by an entry point of the group `cabochon.bots`.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from cabochon.errors import CabochonError
from cabochon.notation import Move
from cabochon.view import View


class BotError(CabochonError):
    """A bot that cannot be had, or does not do what a bot must."""


@dataclass(frozen=True)
class Limit:
    """How long a bot may think about one decision: seconds, nodes, or both; None is no limit of that kind."""

    seconds: float | None = None
    nodes: int | None = None


@dataclass(frozen=True)
class Candidate:
    """A move that was looked at: how often, and each seat's probability of winning after it."""

    move: Move
    visits: int
    values: tuple[float, ...]


@dataclass(frozen=True)
class Analysis:
    """What a bot thinks of a position; `line` is the play it expects, up to the next unknown card."""

    win_probabilities: tuple[float, ...]
    candidates: tuple[Candidate, ...]
    line: tuple[Move, ...]
    nodes: int
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """The analysis as plain lists, dicts, texts and numbers, ready for JSON."""
        return {
            "win_probabilities": list(self.win_probabilities),
            "candidates": [
                {"move": str(c.move), "visits": c.visits, "values": list(c.values)} for c in self.candidates
            ],
            "line": [str(move) for move in self.line],
            "nodes": self.nodes,
            "seconds": self.seconds,
        }


@dataclass(frozen=True)
class Answer:
    """A move, with the analysis that led to it where there is one."""

    move: Move
    analysis: Analysis | None = None


@runtime_checkable
class Bot(Protocol):
    """The one method a bot must have.

    It may also have `start(seed: int)`, called before each game and to be followed for repeatable play,
    and `close()`, called when it is no longer needed.
    """

    def choose(self, view: View, limit: Limit) -> Answer | Move | str:
        """Answer with one of `view.legal_moves`."""


def start(bot: Bot, seed: int) -> None:
    """Tell a bot that a game begins, if it wants to know."""
    if hasattr(bot, "start"):
        bot.start(seed)


def close(bot: Bot) -> None:
    """Tell a bot that it is no longer needed, if it wants to know."""
    if hasattr(bot, "close"):
        bot.close()


def answer_of(answer: object, view: View) -> Answer:
    """What a bot answered, as an `Answer` with a legal move."""
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
    """The names of the parameters that a bot can be made with."""
    return [
        name
        for name, parameter in inspect.signature(factory).parameters.items()
        if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
    ]
