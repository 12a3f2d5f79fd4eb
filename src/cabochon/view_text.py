"""A view as plain text that a person can play from."""

from __future__ import annotations

from cabochon.core.cards import Card, Tile
from cabochon.core.rules import AVENGERS_POINTS, FIRST_TAGS
from cabochon.notation import COLOUR_LETTERS, TOKEN_NAMES, WILD_LETTER, variant_index
from cabochon.view import SeatView, View

CARD_WIDTH = 25


def amounts_text(amounts: tuple[int, ...], variant: str) -> str:
    """Return a cost in letters: `3w 2g`."""
    letters = COLOUR_LETTERS[variant_index(variant)]
    return " ".join(f"{amount}{letters[i]}" for i, amount in enumerate(amounts) if amount) or "nothing"


def token_letter(name: str, variant: str) -> str:
    """Return the letter of a token in the notation: `w` for white, `*` for a wild, `t` for time."""
    letters = COLOUR_LETTERS[variant_index(variant)] + WILD_LETTER + "t"
    return letters[TOKEN_NAMES[variant_index(variant)].index(name)]


def tokens_text(tokens: dict[str, int], variant: str) -> str:
    """Return tokens with their numbers: `w4 b4 g4 r4 k4 *5`."""
    return " ".join(f"{token_letter(name, variant)}{count}" for name, count in tokens.items())


def card_text(card: Card, variant: str) -> str:
    """Return a card: its points, its bonus, its Avengers tags as stars, and after the colon its cost."""
    return f"{card.points}pt {token_letter(card.bonus, variant)}{'★' * card.tags}: {amounts_text(card.cost, variant)}"


def tile_text(tile: Tile, variant: str) -> str:
    """Return a noble or location: its points, its name if it has one, and the bonuses it needs."""
    name = f" {tile.name}" if tile.name else ""
    return f"{tile.points}pt{name}: {amounts_text(tile.needs, variant)}"


def _seat_lines(seat: SeatView, view: View) -> list[str]:
    arrow = ">" if seat.seat == view.seat and view.phase != "over" else " "
    you = " (you)" if seat.seat == view.viewer else ""
    held = sum(seat.tokens.values())
    lines = [
        f"{arrow} {seat.seat + 1} {seat.name}{you}: {seat.points} points, {len(seat.cards)} cards",
        f"    tokens {tokens_text(seat.tokens, view.variant)} ({held} of 10)"
        f"   bonuses {tokens_text(seat.bonuses, view.variant)}",
    ]
    if view.variant == "marvel":
        avengers = ", the Avengers tile" if seat.has_avengers_tile else ""
        ready = ", ready for the Gauntlet" if seat.qualifies else ""
        lines.append(f"    tags {seat.tags}{avengers}{ready}")
    for place, reserved in enumerate(seat.reserved, start=1):
        shown = card_text(reserved.card, view.variant) if reserved.card else "unknown"
        name = f"  {reserved.card.name}" if reserved.card and reserved.card.name else ""
        lines.append(f"    h{place} level {reserved.level}  {shown}{name}")
    lines += [f"    has {tile_text(tile, view.variant)}" for tile in seat.tiles]
    return lines


def _columns(cells: list[str]) -> str:
    return "   ".join(f"{cell:{CARD_WIDTH}}" for cell in cells).rstrip()


def draw_table(view: View) -> str:
    """Return the whole table, as the viewer may see it."""
    lines = [f"{view.variant}, round {view.round}, {view.phase}"]
    if view.phase != "over":
        lines[0] += f", seat {view.seat + 1} to play"
    lines.append("supply " + tokens_text(view.supply, view.variant))
    lines += [
        f"tile {tile.place + 1}  {tile_text(tile.tile, view.variant)}" for tile in view.tiles if tile.owner is None
    ]
    if view.variant == "marvel" and not any(seat.has_avengers_tile for seat in view.seats):
        lines.append(f"Avengers tile  {AVENGERS_POINTS}pt: {FIRST_TAGS} tags")
    for level in (3, 2, 1):
        row = view.market[level - 1]
        cells = [
            f"{level}.{place} {card_text(card, view.variant) if card else '(empty)'}"
            for place, card in enumerate(row, start=1)
        ]
        lines.append(f"level {level}, {view.decks[level - 1]:2} left   {_columns(cells)}")
        if view.variant == "marvel":
            lines.append(" " * 18 + _columns([f"    {card.name or ''}" if card else "    " for card in row]))
    for seat in view.seats:
        lines += _seat_lines(seat, view)
    if view.legal_moves:
        lines.append("moves: " + ", ".join(str(move) for move in view.legal_moves))
    return "\n".join(lines)
