"""What can go wrong, each with the rule it breaks, what was expected, and what came."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cabochon.game import Game


class CabochonError(ValueError):
    """The base of all errors raised on purpose; `rule` is the id of the rule it rests on, if any."""

    def __init__(self, message: str, rule: str | None = None) -> None:
        super().__init__(f"{message} [{rule}]" if rule else message)
        self.message = message
        self.rule = rule


class OptionsError(CabochonError):
    """A game cannot be set up like this."""


class NotationError(CabochonError):
    """A text is no move or reveal of this game."""


class IllegalMoveError(CabochonError):
    """The move exists, but the rules do not allow it now."""


class IllegalRevealError(CabochonError):
    """The card or tile cannot come up here and now."""


class GameOverError(IllegalMoveError):
    """There is nothing left to play."""


class RecordError(CabochonError):
    """A record that is damaged or untrue: `line` says where, `game` is what could be replayed before it."""

    def __init__(self, message: str, line: int, rule: str | None = None, game: Game | None = None) -> None:
        super().__init__(f"line {line}: {message}", rule)
        self.line = line
        self.game = game
