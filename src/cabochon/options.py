"""The options of a game."""

from __future__ import annotations

from dataclasses import dataclass

from cabochon.core.cards import VARIANTS
from cabochon.errors import OptionsError

PAYMENTS = ("choice", "automatic")


@dataclass(frozen=True)
class Options:
    """The game, the number of players and the house rules.

    `free_take` is the house rule of TRN-4. `payment` is "choice" (the player chooses which wilds to spend, BUY-3)
    or "automatic" (always the fewest). Raises `OptionsError` if a value is not valid.
    """

    variant: str = "splendor"
    players: int = 2
    free_take: bool = False
    payment: str = "choice"

    def __post_init__(self) -> None:
        if self.variant not in VARIANTS:
            raise OptionsError(f"expected the game 'splendor' or 'marvel', got {self.variant!r}")
        if type(self.players) is not int or not 2 <= self.players <= 4:
            raise OptionsError(f"expected 2 to 4 players, got {self.players!r}", "MAT-8")
        if type(self.free_take) is not bool:
            raise OptionsError(f"expected free_take to be True or False, got {self.free_take!r}", "TRN-4")
        if self.payment not in PAYMENTS:
            raise OptionsError(f"expected the payment 'choice' or 'automatic', got {self.payment!r}", "BUY-3")

    @property
    def core_arguments(self) -> tuple[int, int, int]:
        """The number of players and the house rules, as arguments for the functions of the core."""
        return self.players, int(self.free_take), int(self.payment == "automatic")
