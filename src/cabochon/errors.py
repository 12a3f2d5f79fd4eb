"""The errors: each says what was expected and what it got, and cites the rule it breaks."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cabochon.game import Game


class CabochonError(ValueError):
    """The base class of all errors of Cabochon; `rule` is the id of the broken rule, if any."""

    def __init__(self, message: str, rule: str | None = None) -> None:
        super().__init__(f"{message} [{rule}]" if rule else message)
        self.message = message
        self.rule = rule


class OptionsError(CabochonError):
    """These options are not valid."""


class NotationError(CabochonError):
    """A text is not a move or reveal of this game."""


class IllegalMoveError(CabochonError):
    """The move exists, but the rules do not allow it now."""


class IllegalRevealError(CabochonError):
    """The card or tile cannot be revealed here and now."""


class GameOverError(IllegalMoveError):
    """The game is over."""


class RecordError(CabochonError):
    """A record is damaged or false: `line` says where, and `game` is the part that could be replayed."""

    def __init__(self, message: str, line: int, rule: str | None = None, game: Game | None = None) -> None:
        super().__init__(f"line {line}: {message}", rule)
        self.line = line
        self.game = game
