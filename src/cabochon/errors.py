"""The exceptions. Each message says what was expected and what was given, and cites the rule that was broken."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
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
    """An option or argument is not valid."""


class NotationError(CabochonError):
    """A text is not a move or reveal of this game."""


class IllegalMoveError(CabochonError):
    """The move exists, but the rules do not allow it now."""


class IllegalRevealError(CabochonError):
    """The card or tile cannot be revealed now, or not at this place."""


class GameOverError(IllegalMoveError):
    """The game is over."""


class RecordError(CabochonError):
    """A record is damaged or breaks the rules. `line` is the line number, `game` the part that could be replayed."""

    def __init__(self, message: str, line: int, rule: str | None = None, game: Game | None = None) -> None:
        super().__init__(f"line {line}: {message}", rule)
        self.line = line
        self.game = game


@contextmanager
def needs_extra(extra: str, what: str) -> Iterator[None]:
    """Turn a failed import into an error that names the extra to install."""
    try:
        yield
    except ImportError as error:
        raise CabochonError(f"{what} needs more packages: pip install 'cabochon[{extra}]' ({error})") from error
