"""Splendor and Splendor: Marvel, complete and by the book.

>>> import cabochon
>>> game = cabochon.Game("marvel", players=3, seed=7)
>>> game.play("reserve 2.3")
Move('reserve 2.3', 'marvel')
>>> game.seat, game.phase
(1, 'act')
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from cabochon.errors import (
    CabochonError,
    GameOverError,
    IllegalMoveError,
    IllegalRevealError,
    NotationError,
    OptionsError,
    RecordError,
)
from cabochon.version import RULES_VERSION, __version__

if TYPE_CHECKING:
    from cabochon.core.cards import Card, Tile
    from cabochon.fair import commitment, seat_order
    from cabochon.game import Game
    from cabochon.notation import Move, Reveal
    from cabochon.options import Options
    from cabochon.outcome import Forfeit, Outcome, Termination
    from cabochon.position import Decision, Position
    from cabochon.record import Record, read_records
    from cabochon.steps import Step
    from cabochon.verification import Verification, verify
    from cabochon.view import Price, SeatView, TileView, View

# Names are imported when they are first used: numba takes a moment, and `cabochon --help` needs none of it.
_MODULES = {
    "core.cards": ("Card", "Tile"),
    "fair": ("commitment", "seat_order"),
    "game": ("Game",),
    "notation": ("Move", "Reveal"),
    "options": ("Options",),
    "outcome": ("Forfeit", "Outcome", "Termination"),
    "position": ("Decision", "Position"),
    "record": ("Record", "read_records"),
    "steps": ("Step",),
    "verification": ("Verification", "verify"),
    "view": ("Price", "SeatView", "TileView", "View"),
}
_HOME = {name: module for module, names in _MODULES.items() for name in names}

__all__ = ["RULES_VERSION", "Card", "Decision", "Forfeit", "Game", "Move", "Options", "Outcome", "Position", "Price"]
__all__ += ["Record", "Reveal", "SeatView", "Step", "Termination", "Tile", "TileView", "Verification", "View"]
__all__ += ["__version__", "commitment", "read_records", "seat_order", "verify"]
__all__ += ["CabochonError", "GameOverError", "IllegalMoveError", "IllegalRevealError"]
__all__ += ["NotationError", "OptionsError", "RecordError"]


def __getattr__(name: str) -> object:
    if name in _HOME:
        value = getattr(import_module(f"cabochon.{_HOME[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'cabochon' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
