"""What one decision did, as data for logs and animations.

A step is made only of the move and of the viewer's own views before and after it, so it cannot contain anything that
the viewer may not know.
"""

from __future__ import annotations

from dataclasses import dataclass

from cabochon.core.cards import Card, Tile
from cabochon.notation import Move, place_text
from cabochon.view import View


@dataclass(frozen=True)
class Step:
    """One decision and its results, as far as the viewer may know.

    `card` is the card that is bought, being paid for or reserved, or None if the viewer may not know it. `level` is its
    level and `place` where it lay (`2.3`, `h1`, or `2` for the top of a deck); both are None if the move is not about a
    card. `gained` and `spent` are the tokens that the seat gained and spent. `revealed` is the card that was revealed,
    with its place in the market.
    """

    round: int
    seat: int
    move: Move
    place: str | None
    card: Card | None
    level: int | None
    is_card_bought: bool
    gained: dict[str, int]
    spent: dict[str, int]
    revealed: tuple[str, Card] | None
    tiles: tuple[Tile, ...]
    takes_avengers_tile: bool
    is_turn_over: bool

    @property
    def is_blind(self) -> bool:
        """Whether a card was drawn from the top of a deck, unseen by the others (RSV-1)."""
        return self.move.kind == "reserve" and self.place is not None and "." not in self.place


def step_of(move: Move, before: View, after: View) -> Step:
    """Return what the move did, from one viewer's views before and after it.

    >>> from cabochon.game import Game
    >>> game = Game("splendor", seed=7)
    >>> before = game.view(None)
    >>> step = step_of(game.play("reserve 2.3"), before, game.view(None))
    >>> step.gained, step.card == before.market[1][2], step.revealed[0], step.is_turn_over
    ({'gold': 1}, True, '2.3', True)
    """
    seat = before.seat
    then, now = before.seats[seat], after.seats[seat]
    bought = [card for card in now.cards if card not in then.cards]
    place = before.turn.buying if move.kind in ("wild", "pay") else move.place
    card, level = _card_at(place, before, after) if move.kind != "tile" else (None, None)
    changes = {token: count - then.tokens[token] for token, count in now.tokens.items()}
    return Step(
        round=before.round,
        seat=seat,
        move=move,
        place=place,
        card=bought[0] if bought else card,
        level=level,
        is_card_bought=bool(bought),
        gained={token: change for token, change in changes.items() if change > 0},
        spent={token: -change for token, change in changes.items() if change < 0},
        revealed=_revealed(before, after),
        tiles=tuple(tile for tile in now.tiles if tile not in then.tiles),
        takes_avengers_tile=now.has_avengers_tile and not then.has_avengers_tile,
        is_turn_over=after.phase == "over" or (after.round, after.seat) != (before.round, before.seat),
    )


def _card_at(place: str | None, before: View, after: View) -> tuple[Card | None, int | None]:
    if place is None:
        return None, None
    if place.startswith("h"):
        bought = before.seats[before.seat].reserved[int(place[1:]) - 1]
        return bought.card, bought.level
    level, _, number = place.partition(".")
    if number:
        return before.market[int(level) - 1][int(number) - 1], int(level)
    held = after.seats[before.seat].reserved[len(before.seats[before.seat].reserved) :]
    return held[0].card if held else None, int(level)  # in a game by hand it may not be drawn yet


def _revealed(before: View, after: View) -> tuple[str, Card] | None:
    """Return the place in the market where a card has appeared, and the card (CRD-3)."""
    for level, (row_before, row_after) in enumerate(zip(before.market, after.market, strict=True)):
        for number, (old, new) in enumerate(zip(row_before, row_after, strict=True)):
            if new is not None and new is not old:
                return place_text(level * len(row_after) + number), new
    return None
