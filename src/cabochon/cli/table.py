"""A view of the table, drawn with rich: supply and tiles above, the market in the middle, the seats below.

A colour is always written with its letter in the notation as well, so that the table reads the same
without colours.
"""

from __future__ import annotations

from enum import IntEnum

from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from cabochon.core.cards import COLOUR_NAMES, Card, Tile
from cabochon.notation import COLOUR_LETTERS, WILD_LETTER, variant_index
from cabochon.table import bonus_letter, token_letter
from cabochon.view import SeatView, View

TITLES = {"splendor": "Splendor", "marvel": "Splendor: Marvel"}
POINTS_TO_WIN = {"splendor": 15, "marvel": 16}  # END-B1, END-M1
LEVEL_NUMERALS = ("I", "II", "III")
TAG = "★"
NAME_WIDTH = 16

LETTER_STYLES = {
    "splendor": {
        "w": "#101010 on #f2efe6",
        "b": "#ffffff on #2457b3",
        "g": "#ffffff on #1c7d45",
        "r": "#ffffff on #b3202c",
        "k": "#ffffff on #3c3836",
        "*": "#101010 on #e0b43c",
    },
    "marvel": {
        "y": "#101010 on #f2d024",
        "p": "#ffffff on #7a35b0",
        "b": "#ffffff on #2457b3",
        "r": "#ffffff on #b3202c",
        "o": "#101010 on #f08a24",
        "*": "#101010 on #b8bcc2",
        "t": "#ffffff on #1c7d45",
    },
}
BORDER_STYLES = {
    "white": "#f2efe6",
    "blue": "#5b8def",
    "green": "#3cb371",
    "red": "#e0525d",
    "black": "#8a8580",
    "yellow": "#f2d024",
    "purple": "#b06ee6",
    "orange": "#f08a24",
}


class Density(IntEnum):
    """How much room the cards of the market get."""

    DENSE = 0  # two lines a card
    PLAIN = 1  # three lines, four with a name
    FRAMED = 2  # each in a frame


def chip(text: str, letter: str, variant: str) -> Text:
    """A few characters on the colour of a token."""
    return Text(text, style=LETTER_STYLES[variant][letter])


def amounts(counts: tuple[int, ...], variant: str, nothing: str = "nothing") -> Text:
    """A cost or a need: each colour's count and letter on its colour."""
    letters = COLOUR_LETTERS[variant_index(variant)]
    chips = [chip(f"{count}{letter}", letter, variant) for count, letter in zip(counts, letters, strict=True) if count]
    return Text(" ").join(chips) if chips else Text(nothing, style="dim")


def missing_amounts(card: Card, seat: SeatView) -> tuple[int, ...]:
    """What the seat's bonuses and coloured tokens leave open of the card's cost, by colour (BUY-2)."""
    return tuple(
        max(0, cost - seat.bonuses[colour] - seat.tokens[colour])
        for cost, colour in zip(card.cost, seat.bonuses, strict=True)
    )


def wild_count(seat: SeatView) -> int:
    """The wilds of a seat: gold, or S.H.I.E.L.D."""
    return next(count for name, count in seat.tokens.items() if name in ("gold", "shield"))


def _lacking_bonuses(tile: Tile, seat: SeatView) -> int:
    return sum(max(0, need - has) for need, has in zip(tile.needs, seat.bonuses.values(), strict=True))


def board_owner(view: View) -> SeatView:
    """The seat for whom costs are marked: the viewer, or for a spectator the one to move."""
    return view.seats[view.seat if view.viewer is None else view.viewer]


def _points(points: int) -> Text:
    return Text(f"{points} pt{'s' if points != 1 else ''}" if points else "", style="bold")


def _card_head(card: Card, variant: str) -> Text:
    """Its bonus, its points and its Avengers tags."""
    letter = bonus_letter(card, variant)
    parts = [chip(f" {letter} ", letter, variant), _points(card.points), Text(TAG * card.tags, style="bold")]
    return Text(" ").join(part for part in parts if part.plain)


def affordability(card: Card, seat: SeatView, variant: str) -> Text:
    """Whether the seat can buy the card, and if not, what is missing; `-1*` is what its wilds cover."""
    missing = missing_amounts(card, seat)
    wilds = wild_count(seat)
    if sum(missing) <= wilds:
        if sum(missing):
            return Text(f"✓ with {sum(missing)}{WILD_LETTER}", style="bold green")
        return Text("✓", style="bold green")
    text = Text("lacks ", style="dim") + amounts(missing, variant)
    return text + Text(f" -{wilds}{WILD_LETTER}", style="dim") if wilds else text


def _short_affordability(card: Card, seat: SeatView) -> Text:
    short = sum(missing_amounts(card, seat)) - wild_count(seat)
    return Text("✓", style="bold green") if short <= 0 else Text(f"-{short}", style="dim")


def _card_cell(place: str, card: Card | None, view: View, density: Density) -> RenderableType:
    label = Text(place, style="bold")
    if card is None:
        return label + Text(" empty", style="dim")
    owner = board_owner(view)
    name = Text(f" {card.name}" if card.name else "")
    if density == Density.DENSE:
        letter = bonus_letter(card, view.variant)
        price = amounts(card.cost, view.variant) + " " + _short_affordability(card, owner)
        if not card.name:
            return Group(label + " " + _card_head(card, view.variant), price)
        worth = Text(f"{card.points or ''}{TAG * card.tags} ".replace("  ", " "))
        return Group(label + name, chip(letter, letter, view.variant) + worth + price)
    lines = [
        _card_head(card, view.variant),
        amounts(card.cost, view.variant),
        affordability(card, owner, view.variant),
    ]
    if density == Density.FRAMED:
        return Panel(
            Group(*lines),
            title=label + name,
            title_align="left",
            border_style=BORDER_STYLES[card.bonus],
            padding=(0, 1),
        )
    if card.name:
        return Group(label + name, *lines)
    return Group(label + " " + lines[0], *lines[1:])


def _market(view: View, density: Density) -> Table:
    table = Table.grid(expand=True, padding=(0, 1, 0, 0))
    table.add_column(width=4)
    for _ in range(4):
        table.add_column(ratio=1, no_wrap=True, overflow="ellipsis")
    for level in (3, 2, 1):
        left = view.decks[level - 1]
        deck = Group(Text(LEVEL_NUMERALS[level - 1], style="bold"), Text(f"{left}", style="dim"))
        if density != Density.DENSE:
            deck = Group(deck, Text("left", style="dim"))
        cells = [
            _card_cell(f"{level}.{place}", card, view, density)
            for place, card in enumerate(view.market[level - 1], start=1)
        ]
        table.add_row(deck, *cells)
    return table


def _header(view: View) -> Table:
    title = Text(TITLES[view.variant], style="bold") + Text(f" · round {view.round}")
    if view.phase == "over":
        title += Text(" · the game is over")
    supply = Text("Supply ", style="dim") + Text(" ").join(
        chip(f"{token_letter(name, view.variant)}{count}", token_letter(name, view.variant), view.variant)
        for name, count in view.supply.items()
    )
    table = Table.grid(expand=True)
    table.add_column()
    table.add_column(justify="right")
    table.add_row(title, supply)
    return table


def _tiles(view: View) -> Text:
    """The tiles in play; `-4` is how many bonuses of the right colours the viewer still lacks."""
    owner = board_owner(view)
    parts = []
    for tile in view.tiles:
        name = f" {tile.tile.name.partition(',')[0]}" if tile.tile.name else ""
        label = Text(f"{tile.place + 1}{name} ", style="bold")
        if tile.owner is not None:
            parts.append(label + Text(f"with {view.seats[tile.owner].name}", style="dim"))
            continue
        lacking = _lacking_bonuses(tile.tile, owner)
        parts.append(label + amounts(tile.tile.needs, view.variant) + Text(f" -{lacking}", style="dim"))
    kind = "Locations" if view.variant == "marvel" else "Nobles"
    return Text(f"{kind}, 3 pts: ", style="dim") + Text("  ").join(parts)


def _avengers(view: View) -> Text:
    holder = next((seat for seat in view.seats if seat.has_avengers_tile), None)
    where = f"with {holder.name}, who has {holder.tags} tags" if holder else "for the first with 3 tags"
    return Text("Avengers tile, 3 pts: ", style="dim") + Text(where)


def missing_to_win(seat: SeatView, view: View) -> str:
    """What a seat still needs: points, and in Marvel a bonus of each colour and the Time Stone (END-M1)."""
    points = max(0, POINTS_TO_WIN[view.variant] - seat.points)
    parts = [f"{points} pt{'s' if points != 1 else ''}"] if points else []
    if view.variant == "marvel":
        letters = COLOUR_LETTERS[variant_index(view.variant)]
        parts.append("".join(letter for letter, count in zip(letters, seat.bonuses.values(), strict=True) if not count))
        parts.append("" if seat.tokens["time"] else "time")
    return " ".join(part for part in parts if part) or "ready"


def _holding(bonuses: int, tokens: int) -> Text:
    """`2+1` for two bonuses and one token."""
    if not bonuses and not tokens:
        return Text("·", style="dim")
    return Text(str(bonuses or " "), style="bold") + Text(f"+{tokens}" if tokens else "")


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"


def _seat_row(seat: SeatView, view: View) -> list[Text]:
    is_turn = seat.seat == view.seat and view.phase != "over"
    style = "bold" if is_turn else ""
    you = " (you)" if seat.seat == view.viewer and seat.name != "You" else ""
    name = _cut(seat.name, NAME_WIDTH - len(you)) + you
    held = sum(seat.tokens.values())
    row = [
        Text(f"{'▶' if is_turn else ' '} {seat.seat + 1} {name}", style=style),
        Text(str(seat.points), style="bold"),
        *(_holding(seat.bonuses[colour], seat.tokens[colour]) for colour in seat.bonuses),
        _holding(0, wild_count(seat)),
    ]
    if view.variant == "marvel":
        row.append(_holding(0, seat.tokens["time"]))
    row.append(Text(f"{held}/10", style="bold red" if held > 10 else ""))
    row.append(Text(str(len(seat.cards))))
    if view.variant == "marvel":
        row.append(Text(f"{seat.tags}{TAG if seat.has_avengers_tile else ''}"))
    row.append(Text(missing_to_win(seat, view), style="bold green" if seat.qualifies else ""))
    return row


def _seats(view: View) -> Table:
    table = Table(box=None, expand=True, padding=(0, 1, 0, 0), header_style="dim")
    table.add_column("  Seat, bonuses+tokens", no_wrap=True)
    table.add_column("Pts", justify="right")
    letters = COLOUR_LETTERS[variant_index(view.variant)] + WILD_LETTER
    for letter in letters + ("t" if view.variant == "marvel" else ""):
        table.add_column(chip(f" {letter} ", letter, view.variant), min_width=3)
    table.add_column("Held", justify="right")
    table.add_column("Cards", justify="right")
    if view.variant == "marvel":
        table.add_column("Tags", justify="right")
    table.add_column("To win", no_wrap=True)
    for seat in view.seats:
        table.add_row(*_seat_row(seat, view))
    return table


def _known_card(card: Card, variant: str) -> Text:
    name = Text(f"{card.name} " if card.name else "")
    return name + _card_head(card, variant) + Text(" for ", style="dim") + amounts(card.cost, variant)


def _reserved(seat: SeatView, view: View) -> list[Text]:
    """The viewer's own cards a line each, with what is missing; the others' on one line."""
    if seat.seat == view.viewer:
        return [
            Text(f"  h{place} ", style="bold")
            + _known_card(held.card, view.variant)
            + "  "
            + affordability(held.card, seat, view.variant)
            + Text("  only you know it" if held.is_blind and view.phase != "over" else "", style="dim")
            for place, held in enumerate(seat.reserved, start=1)
            if held.card
        ]
    if not seat.reserved:
        return []
    cards = [
        _known_card(held.card, view.variant) if held.card else Text(f"level {LEVEL_NUMERALS[held.level - 1]} unseen")
        for held in seat.reserved
    ]
    return [Text(f"  {seat.name} reserved ", style="dim") + Text(" · ", style="dim").join(cards)]


def draw_table(view: View, density: Density = Density.PLAIN) -> Group:
    """The whole table as the viewer may see it."""
    parts: list[RenderableType] = [_header(view), _tiles(view)]
    if view.variant == "marvel":
        parts.append(_avengers(view))
    parts += [_market(view, density), _seats(view)]
    for seat in view.seats:
        parts += _reserved(seat, view)
    return Group(*parts)


def draw_to_fit(view: View, console: Console, other_lines: int) -> Group:
    """The roomiest table that leaves so many lines of the screen for other things."""
    if not console.is_terminal:
        return draw_table(view)
    for density in (Density.FRAMED, Density.PLAIN):
        table = draw_table(view, density)
        if density == Density.FRAMED and console.width < 100:
            continue
        if len(console.render_lines(table)) + other_lines <= console.height:
            return table
    return draw_table(view, Density.DENSE)


def card_name(card: Card, variant: str) -> str:
    """A card in a sentence: its name, or its colour and level, and its points."""
    index = variant_index(variant)
    colour = COLOUR_NAMES[index][COLOUR_LETTERS[index].index(bonus_letter(card, variant))]
    named = f"{card.name} ({colour})" if card.name else f"a {colour} card of level {card.level}"
    return f"{named}, {card.points} pts" if card.points else named
