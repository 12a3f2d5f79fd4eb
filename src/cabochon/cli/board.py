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

from cabochon.core.cards import Card
from cabochon.core.state import TOKEN_LIMIT
from cabochon.language import local_name, say
from cabochon.notation import COLOUR_LETTERS, WILD_LETTER, variant_index
from cabochon.view import SeatView, View
from cabochon.view_text import token_letter

TITLES = {"splendor": "Splendor", "marvel": "Splendor: Marvel"}
LEVEL_NUMERALS = ("I", "II", "III")
TAG = "★"
NAME_WIDTH = 14

LETTER_STYLES = {
    "splendor": {
        "w": "#101010 on #f2efe6",
        "b": "#ffffff on #2457b3",
        "g": "#ffffff on #1c7d45",
        "r": "#ffffff on #b3202c",
        "k": "#ffffff on #5a534e",
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


def _styled(text: str, style: str) -> Text:
    """A text whose style does not extend to texts appended to it, unlike `Text(text, style)`."""
    return Text.assemble((text, style))


def chip(text: str, letter: str, variant: str) -> Text:
    """A few characters on the colour of a token."""
    return _styled(text, LETTER_STYLES[variant][letter])


def amounts(counts: tuple[int, ...], variant: str, between: str = " ") -> Text:
    """A cost or a need: each colour's count and letter on its colour."""
    letters = COLOUR_LETTERS[variant_index(variant)]
    chips = [chip(f"{count}{letter}", letter, variant) for count, letter in zip(counts, letters, strict=True) if count]
    return Text(between).join(chips) if chips else _styled(say("table.nothing"), "dim")


def board_owner(view: View) -> SeatView:
    """The seat whose prices are shown: the viewer, or for a spectator the seat to move."""
    return view.seats[view.seat if view.viewer is None else view.viewer]


def _points(points: int) -> Text:
    return _styled(say("table.points", count=points) if points else "", "bold")


def _card_head(card: Card, variant: str) -> Text:
    letter = token_letter(card.bonus, variant)
    parts = [chip(f" {letter} ", letter, variant), _points(card.points), _styled(TAG * card.tags, "bold")]
    return Text(" ").join(part for part in parts if part.plain)


def affordability(card: Card, seat: SeatView, variant: str) -> Text:
    """Whether the seat can buy the card, and if not, what is missing; `-1*` is what its wilds cover."""
    price = seat.price(card)
    if price.is_affordable:
        if price.wilds:
            return _styled(say("table.with_wilds", wilds=f"{price.wilds}{WILD_LETTER}"), "bold green")
        return _styled("✓", "bold green")
    missing = tuple(price.missing.get(colour, 0) for colour in seat.bonuses)
    text = _styled(say("table.lacks") + " ", "dim") + amounts(missing, variant)
    return text + _styled(f" -{seat.wilds}{WILD_LETTER}", "dim") if seat.wilds else text


def _short_affordability(card: Card, seat: SeatView) -> Text:
    price = seat.price(card)
    return _styled("✓", "bold green") if price.is_affordable else _styled(f"-{price.wilds - seat.wilds}", "dim")


def _card_cell(place: str, card: Card | None, view: View, density: Density, is_hidden: bool = False) -> RenderableType:
    label = _styled(place, "bold")
    hidden = _styled(f" {say('table.hidden')}" if is_hidden else "", "dim")
    if card is None:
        return label + _styled(f" {say('table.empty')}", "dim")
    owner = board_owner(view)
    name = Text(f" {local_name(card.name)}" if card.name else "")
    if density == Density.DENSE:
        letter = token_letter(card.bonus, view.variant)
        between = "" if card.name else " "
        price = amounts(card.cost, view.variant, between) + " " + _short_affordability(card, owner) + hidden
        if not card.name:
            return Group(label + " " + _card_head(card, view.variant), price)
        worth = Text(f"{card.points or ''}{TAG * card.tags} ".replace("  ", " "))
        return Group(label + name, chip(letter, letter, view.variant) + worth + price)
    lines = [
        _card_head(card, view.variant) + hidden,
        amounts(card.cost, view.variant),
        affordability(card, owner, view.variant),
    ]
    if density == Density.FRAMED:
        style = BORDER_STYLES[card.bonus]
        return Panel(Group(*lines), title=label + name, title_align="left", border_style=style, padding=(0, 1))
    return Group(label + name, *lines) if card.name else Group(label + " " + lines[0], *lines[1:])


def _market(view: View, density: Density) -> Table:
    table = Table.grid(expand=True, padding=(0, 1, 0, 0))
    table.add_column(width=4)
    for _ in range(4):
        table.add_column(ratio=1, no_wrap=True, overflow="ellipsis")
    for level in (3, 2, 1):
        left = view.decks[level - 1]
        deck = Group(_styled(LEVEL_NUMERALS[level - 1], "bold"), _styled(f"{left}", "dim"))
        if density != Density.DENSE:
            deck = Group(deck, _styled(say("table.left"), "dim"))
        cells = [
            _card_cell(f"{level}.{place}", card, view, density)
            for place, card in enumerate(view.market[level - 1], start=1)
        ]
        table.add_row(deck, *cells)
    hand = () if view.viewer is None else view.seats[view.viewer].reserved
    if hand:
        cells = [
            _card_cell(f"h{place}", held.card, view, density, held.is_blind and view.phase != "over")
            for place, held in enumerate(hand, start=1)
        ]
        table.add_row(_styled(say("table.hand"), "bold"), *cells)
    return table


def _header(view: View) -> Table:
    title = _styled(TITLES[view.variant], "bold") + Text(f" · {say('table.round', round=view.round)}")
    if view.phase == "over":
        title += Text(f" · {say('table.over')}")
    supply = _styled(say("table.supply") + " ", "dim") + Text(" ").join(
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
        label = _styled(f"{tile.place + 1}{name} ", "bold")
        if tile.owner is not None:
            parts.append(label + _styled(say("table.with", name=seat_name(_names(view), tile.owner)), "dim"))
            continue
        bonuses = zip(tile.tile.needs, owner.bonuses.values(), strict=True)
        lacking = sum(max(0, need - has) for need, has in bonuses)
        parts.append(label + amounts(tile.tile.needs, view.variant) + _styled(f" -{lacking}", "dim"))
    return _styled(say(f"table.tiles.{view.variant}") + " ", "dim") + Text("  ").join(parts)


def seat_name(names: tuple[str, ...], seat: int) -> str:
    """The name of a seat; with its number if another seat has the same name."""
    return names[seat] if names.count(names[seat]) == 1 else say("table.seat", name=names[seat], seat=seat + 1)


def _names(view: View) -> tuple[str, ...]:
    return tuple(seat.name for seat in view.seats)


def _avengers(view: View) -> Text:
    where = say("table.avengers.free")
    for seat in view.seats:
        if seat.has_avengers_tile:
            where = say("table.avengers.held", name=seat_name(_names(view), seat.seat), count=seat.tags)
    return _styled(say("table.avengers") + " ", "dim") + Text(where)


def missing_to_win(seat: SeatView, view: View) -> str:
    """What a seat still needs: points, and in Marvel a bonus of each colour and the Time Stone (END-M1)."""
    points = max(0, view.points_to_win - seat.points)
    parts = [say("table.points", count=points)] if points else []
    if view.variant == "marvel":
        letters = COLOUR_LETTERS[variant_index(view.variant)]
        parts.append("".join(letter for letter, count in zip(letters, seat.bonuses.values(), strict=True) if not count))
        parts.append("" if seat.tokens["time"] else "t")
    return " ".join(part for part in parts if part) or say("table.ready")


def _count(tokens: int) -> Text:
    return Text(str(tokens)) if tokens else _styled("·", "dim")


def _holding(bonuses: int, tokens: int) -> Text:
    """`2+1` for two bonuses and one token."""
    if not bonuses and not tokens:
        return _styled("·", "dim")
    return _styled(str(bonuses or " "), "bold") + Text(f"+{tokens}" if tokens else "")


def _seat_row(seat: SeatView, view: View) -> list[Text]:
    is_turn = seat.seat == view.seat and view.phase != "over"
    style = "bold" if is_turn else ""
    you = f" {say('table.you')}" if seat.seat == view.viewer else ""
    width = NAME_WIDTH - len(you)
    name = (seat.name if len(seat.name) <= width else seat.name[: width - 1] + "…") + you
    held = sum(seat.tokens.values())
    row = [
        _styled(f"{'▶' if is_turn else ' '} {seat.seat + 1} {name}", style),
        _styled(str(seat.points), "bold"),
        *(_holding(seat.bonuses[colour], seat.tokens[colour]) for colour in seat.bonuses),
        _count(seat.wilds),
    ]
    if view.variant == "marvel":
        row.append(_count(seat.tokens["time"]))
    row += [_styled(f"{held}/{TOKEN_LIMIT}", "bold red" if held > TOKEN_LIMIT else ""), Text(str(len(seat.cards)))]
    if view.variant == "marvel":
        row.append(Text(f"{seat.tags}{TAG if seat.has_avengers_tile else ''}"))
    row.append(_styled(missing_to_win(seat, view), "bold green" if seat.qualifies else ""))
    return row


def _seats(view: View) -> Table:
    table = Table(box=None, expand=True, padding=(0, 1, 0, 0), header_style="")
    table.add_column("  " + say("table.head.seat"), no_wrap=True)
    table.add_column(say("table.head.points"), justify="right")
    for letter in COLOUR_LETTERS[variant_index(view.variant)]:
        table.add_column(chip(f"{letter}  ", letter, view.variant), min_width=3)
    for letter in WILD_LETTER + ("t" if view.variant == "marvel" else ""):
        table.add_column(chip(letter, letter, view.variant))
    table.add_column(say("table.head.held"), justify="right")
    table.add_column(say("table.head.cards"), justify="right")
    if view.variant == "marvel":
        table.add_column(say("table.head.tags"), justify="right")
    table.add_column(say("table.head.to_win"), no_wrap=True)
    for seat in view.seats:
        table.add_row(*_seat_row(seat, view))
    return table


def _reserved(seat: SeatView, view: View) -> list[Text]:
    """The cards in a hand that is not the viewer's, on one line; the viewer's own lie below the market."""
    if seat.seat == view.viewer or not seat.reserved:
        return []
    cards = []
    for held in seat.reserved:
        if held.card is None:
            cards.append(Text(say("table.unseen", level=LEVEL_NUMERALS[held.level - 1])))
            continue
        letter = token_letter(held.card.bonus, view.variant)
        name = Text(f"{local_name(held.card.name)} " if held.card.name else "")
        worth = chip(f"{letter}{held.card.points or ''}", letter, view.variant)
        cards.append(name + worth + ": " + amounts(held.card.cost, view.variant))
    return [_styled(f"  {say('table.reserved', seat=seat.seat + 1)} ", "dim") + _styled(" · ", "dim").join(cards)]


def draw_table(view: View, density: Density = Density.PLAIN) -> Group:
    """The whole table as the viewer may see it."""
    parts: list[RenderableType] = [_header(view), _tiles(view)]
    if view.variant == "marvel" and density != Density.DENSE:  # the seats have a star for it too
        parts.append(_avengers(view))
    parts += [_market(view, density), _seats(view)]
    for seat in view.seats:
        parts += _reserved(seat, view)
    return Group(*parts)


def draw_to_fit(view: View, console: Console, other_lines: int) -> Group:
    """The roomiest table that leaves `other_lines` lines of the screen free."""
    if not console.is_terminal:
        return draw_table(view)
    for density in (Density.FRAMED, Density.PLAIN):
        table = draw_table(view, density)
        if density == Density.FRAMED and console.width < 100:
            continue
        if len(console.render_lines(table)) + other_lines <= console.height:
            return table
    return draw_table(view, Density.DENSE)


def colour_name(name: str, variant: str) -> str:
    """The name of a colour, a wild or the Time Stone."""
    return say(f"colour.{variant}.{name}")


def card_name(card: Card, variant: str) -> str:
    """A card in a sentence: its name, or its colour and level, and its points."""
    colour = colour_name(card.bonus, variant)
    plain = say("card.plain", colour=colour, level=card.level)
    named = say("card.named", name=local_name(card.name), colour=colour) if card.name else plain
    return say("card.worth", card=named, points=_points(card.points).plain) if card.points else named
