"""What a seat or a spectator may know about a game.

For every view, this module removes the hidden cards from a copy of the state (`core.hidden_cards.hide`) and describes
only what is left.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np

from cabochon.core.cards import CARD_LIST, CARDS, COLOURS, LEVELS, MARVEL, TILE_LIST, VARIANTS, Card, Tile
from cabochon.core.components import COMPONENTS, LEVEL_STARTS, Components
from cabochon.core.hidden_cards import hide, level_of, write_public_facts
from cabochon.core.rules import begin
from cabochon.core.state import (
    NOTHING,
    PHASES,
    PLACES,
    SEATS,
    STATE_DTYPE,
    TILE_PLACES,
    TIME,
    UNKNOWN,
    Array,
    State,
    copy_state,
    new_state,
)
from cabochon.errors import NotationError
from cabochon.notation import PENDING_TEXTS, SOURCE_TEXTS, TOKEN_NAMES, WILD_NAMES, Move
from cabochon.options import PAYMENTS

ENDINGS = ("*", "won", "all passed", "no progress")  # in the order of the core's endings
_POINTS_TO_WIN = {name: int(COMPONENTS[index].points_to_win) for index, name in enumerate(VARIANTS)}


@dataclass(frozen=True)
class ReservedCard:
    """A card in a hand. `card` is None if the viewer may not know it; its level is public (RSV-9)."""

    level: int
    card: Card | None
    is_blind: bool


@dataclass(frozen=True)
class Price:
    """What a card costs a seat (BUY-2, BUY-3).

    `due` is the cost minus the bonuses. `missing` is the part of `due` that the seat's coloured tokens do not cover,
    and `wilds` the number of wilds needed for it. The card is affordable if the seat has that many wilds.
    """

    due: dict[str, int]
    missing: dict[str, int]
    wilds: int
    is_affordable: bool


@dataclass(frozen=True)
class SeatView:
    """One seat's side of the table."""

    seat: int
    name: str
    points: int
    tokens: dict[str, int]
    bonuses: dict[str, int]
    cards: tuple[Card, ...]
    reserved: tuple[ReservedCard, ...]
    tiles: tuple[Tile, ...]
    tags: int
    has_avengers_tile: bool
    qualifies: bool

    @property
    def wilds(self) -> int:
        """The number of wilds that the seat has: gold, or S.H.I.E.L.D."""
        return next(self.tokens[name] for name in WILD_NAMES if name in self.tokens)

    def price(self, card: Card) -> Price:
        """Return what a card costs this seat.

        >>> from cabochon.game import Game
        >>> view = Game("splendor", seed=7).view(0)
        >>> card = view.market[0][0]
        >>> card.cost
        (4, 0, 0, 0, 0)
        >>> view.seats[0].price(card).missing
        {'white': 4}
        """
        costs = zip(self.bonuses.items(), card.cost, strict=True)
        due = {colour: cost - bonus for (colour, bonus), cost in costs if cost > bonus}
        missing = {colour: count - self.tokens[colour] for colour, count in due.items() if count > self.tokens[colour]}
        wilds = sum(missing.values())
        return Price(due, missing, wilds, wilds <= self.wilds)


@dataclass(frozen=True)
class TileView:
    """A noble or location at its place; `owner` is None while it is on the table."""

    place: int
    tile: Tile
    owner: int | None


@dataclass(frozen=True)
class Turn:
    """The unfinished part of the current turn, and the counters towards a stalemate (STL-1).

    In the phase "pay", `buying` is the place of the card that is being paid for, and `wilds` are the wilds chosen so
    far in addition to those needed. In the phase "reveal", `pending` is the place of the reveal.
    """

    buying: str | None
    wilds: dict[str, int]
    pending: str | None
    is_wild_due: bool
    passes: int
    idle_turns: int


@dataclass(frozen=True)
class View:
    """Everything the viewer may know, and nothing more.

    `seat` is the seat whose turn it is. `legal_moves` are the legal moves of the viewer, empty unless the viewer
    decides. `state` has the same information as a core record, for bots and for learning.
    """

    variant: str
    players: int
    viewer: int | None
    seat: int
    round: int
    phase: str
    free_take: bool
    payment: str
    turn: Turn
    ending: str
    market: tuple[tuple[Card | None, ...], ...]  # [level][place]
    decks: tuple[int, ...]  # [level]: cards left
    supply: dict[str, int]
    tiles: tuple[TileView, ...]
    seats: tuple[SeatView, ...]
    legal_moves: tuple[Move, ...]
    commitment: str | None
    state: State = field(repr=False, compare=False)

    @property
    def points_to_win(self) -> int:
        """The number of points that ends the game (END-B1, END-M1)."""
        return _POINTS_TO_WIN[self.variant]

    def to_dict(self) -> dict[str, Any]:
        """Return the view as lists, dicts, strings and numbers, ready for JSON."""
        same = {name: value for name, value in vars(self).items() if name not in ("variant", "state")}
        return {
            "game": self.variant,
            **same,
            "turn": vars(self.turn) | {"wilds": dict(self.turn.wilds)},
            "market": [[card and card.number for card in row] for row in self.market],
            "decks": list(self.decks),
            "tiles": [{"place": tile.place, "tile": tile.tile.number, "owner": tile.owner} for tile in self.tiles],
            "seats": [_seat_dict(seat) for seat in self.seats],
            "legal_moves": [str(move) for move in self.legal_moves],
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> View:
        """Return the view that `to_dict` wrote; its exact inverse. Raises `NotationError` if the data is not a view."""
        try:
            view = _view_from(data)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise NotationError(f"expected a view as View.to_dict writes it; {error!r}") from error
        again = view.to_dict()
        if again != data:
            wrong = sorted(key for key in again.keys() | data.keys() if again.get(key) != data.get(key))
            raise NotationError(f"expected a view as View.to_dict writes it; invalid: {', '.join(wrong)}")
        return view

    def __str__(self) -> str:
        from cabochon.view_text import draw_table

        return draw_table(self)


def _seat_dict(seat: SeatView) -> dict[str, Any]:
    return {
        "seat": seat.seat,
        "name": seat.name,
        "points": seat.points,
        "tokens": seat.tokens,
        "bonuses": seat.bonuses,
        "cards": [card.number for card in seat.cards],
        "reserved": [
            {"level": held.level, "card": held.card and held.card.number, "blind": held.is_blind}
            for held in seat.reserved
        ],
        "tiles": [tile.number for tile in seat.tiles],
        "tags": seat.tags,
        "avengers_tile": seat.has_avengers_tile,
        "qualifies": seat.qualifies,
    }


def redacted(state: State, viewer: int | None) -> State:
    """Return a copy of the state without what the viewer may not know."""
    copy = copy_state(state)
    hide(copy, NOTHING if viewer is None else viewer)
    return copy


def _record_layout() -> tuple[struct.Struct, list[tuple[str, int, tuple[int, ...]]]]:
    """Return how to unpack a whole record: its format, and the name, start and shape of each field."""
    letters = {1: "b", 2: "h", 4: "i", 8: "q"}
    layout, fields, start = "=", [], 0
    for name, (kind, *_) in (STATE_DTYPE.fields or {}).items():
        count = int(np.prod(kind.shape))
        layout += f"{count}{letters[kind.base.itemsize]}"
        fields.append((name, start, kind.shape))
        start += count
    return struct.Struct(layout), fields


_LAYOUT, _FIELDS = _record_layout()


def _plain(state: State) -> SimpleNamespace:
    """Return the fields of a record as plain numbers and tuples; reading them from NumPy one by one is slow."""
    values = _LAYOUT.unpack(state.tobytes())
    plain: dict[str, Any] = {}
    for name, start, shape in _FIELDS:
        if not shape:
            plain[name] = values[start]
        elif len(shape) == 1:
            plain[name] = values[start : start + shape[0]]
        else:
            rows, columns = shape
            plain[name] = [values[start + row * columns : start + (row + 1) * columns] for row in range(rows)]
    return SimpleNamespace(**plain)


def views_of(
    state: State,
    viewers: Mapping[int | None, tuple[Move, ...]],
    names: tuple[str, ...],
    owners: Array,
    commitment: str | None,
) -> list[View]:
    """Return the views of several viewers, each with its legal moves; what all may know is described only once.

    `owners` [CARDS] is the seat that bought each card, or NOTHING.
    """
    sizes, qualified = np.zeros(LEVELS, dtype=np.int8), np.zeros(SEATS, dtype=np.int8)
    write_public_facts(state, COMPONENTS[state.variant], sizes, qualified)
    common: dict[str, Any] | None = None
    seats: dict[tuple[int, tuple[int, ...]], SeatView] = {}  # by what is shown of a hand: all else is public
    views = []
    for viewer, legal_moves in viewers.items():
        seen = redacted(state, viewer)
        plain = _plain(seen)
        common = common or _common_part(plain, sizes, commitment)
        for seat, hand in enumerate(plain.hand[: plain.players]):
            if (seat, hand) not in seats:
                seats[seat, hand] = _seat_view(plain, seat, names[seat], owners, bool(qualified[seat]))
        shown = tuple(seats[seat, plain.hand[seat]] for seat in range(plain.players))
        views.append(View(**common, viewer=viewer, seats=shown, legal_moves=legal_moves, state=seen))
    return views


def _common_part(plain: SimpleNamespace, sizes: Array, commitment: str | None) -> dict[str, Any]:
    """Return the fields of a view that are the same for every viewer."""
    variant = plain.variant
    token_names = TOKEN_NAMES[variant]
    market = tuple(None if card == NOTHING else CARD_LIST[variant][card] for card in plain.market)
    owners = [None if owner == NOTHING else owner for owner in plain.tile_owner]
    return {
        "variant": VARIANTS[variant],
        "players": plain.players,
        "seat": plain.seat,
        "round": plain.round_number,
        "phase": PHASES[plain.phase],
        "free_take": bool(plain.free_take),
        "payment": PAYMENTS[plain.automatic_payment],
        "ending": ENDINGS[plain.ending],
        "turn": Turn(
            buying=None if plain.buying == NOTHING else SOURCE_TEXTS[plain.buying],
            wilds={token_names[colour]: count for colour, count in enumerate(plain.wilds_chosen) if count},
            pending=None if plain.pending == NOTHING else PENDING_TEXTS[plain.pending],
            is_wild_due=bool(plain.wild_due),
            passes=plain.passes,
            idle_turns=plain.idle_turns,
        ),
        "market": tuple(market[level * PLACES : (level + 1) * PLACES] for level in range(LEVELS)),
        "decks": tuple(sizes.tolist()),
        "supply": _tokens(variant, plain.supply),
        "tiles": tuple(
            TileView(place, TILE_LIST[variant][tile], owners[place])
            for place, tile in enumerate(plain.tiles)
            if tile != NOTHING
        ),
        "commitment": commitment,
    }


def _tokens(variant: int, counts: tuple[int, ...]) -> dict[str, int]:
    shown = TIME + 1 if variant == MARVEL else TIME
    return dict(zip(TOKEN_NAMES[variant][:shown], counts, strict=False))


def _seat_view(plain: SimpleNamespace, seat: int, name: str, owners: Array, is_qualified: bool) -> SeatView:
    variant = plain.variant
    cards = CARD_LIST[variant]
    return SeatView(
        seat=seat,
        name=name,
        points=plain.points[seat],
        tokens=_tokens(variant, plain.tokens[seat]),
        bonuses=dict(zip(TOKEN_NAMES[variant][:COLOURS], plain.bonuses[seat], strict=True)),
        cards=tuple(cards[card] for card in np.flatnonzero(owners == seat).tolist()),
        reserved=tuple(
            ReservedCard(UNKNOWN - card + 1, None, bool(blind))
            if card <= UNKNOWN
            else ReservedCard(cards[card].level, cards[card], bool(blind))
            for card, blind in zip(plain.hand[seat], plain.blind[seat], strict=True)
            if card != NOTHING
        ),
        tiles=tuple(
            TILE_LIST[variant][tile] for tile, owner in zip(plain.tiles, plain.tile_owner, strict=True) if owner == seat
        ),
        tags=plain.tags[seat],
        has_avengers_tile=plain.avengers == seat,
        qualifies=is_qualified,
    )


def _view_from(data: dict[str, Any]) -> View:
    """Rebuild the core record from a description, and describe it again."""
    variant = VARIANTS.index(data["game"])
    names = TOKEN_NAMES[variant]
    players = data["players"]
    if type(players) is not int or not 2 <= players <= SEATS or len(data["seats"]) != players:
        raise ValueError("players must be 2 to 4, each with a seat")
    if type(data["round"]) is not int or data["round"] < 0:
        raise ValueError("round must be 0 or more")
    if type(data["seat"]) is not int or not 0 <= data["seat"] < players:
        raise ValueError("seat must be one of the seats")
    if data["viewer"] is not None and (type(data["viewer"]) is not int or not 0 <= data["viewer"] < players):
        raise ValueError("viewer must be one of the seats, or None")
    turn = data["turn"]
    state = new_state()
    begin(state, COMPONENTS[variant], players, int(data["free_take"]), PAYMENTS.index(data["payment"]))
    state.round_number = data["round"]
    state.seat = data["seat"]
    state.phase = PHASES.index(data["phase"])
    state.idle_turns = turn["idle_turns"]
    state.passes = turn["passes"]
    state.wild_due = int(turn["is_wild_due"])
    state.pending = NOTHING if turn["pending"] is None else PENDING_TEXTS.index(turn["pending"])
    state.buying = NOTHING if turn["buying"] is None else SOURCE_TEXTS.index(turn["buying"])
    for name, count in turn["wilds"].items():
        state.wilds_chosen[names.index(name)] = count
    for name, count in data["supply"].items():
        state.supply[names.index(name)] = count
    for tile in data["tiles"]:
        if not (0 <= tile["place"] < TILE_PLACES and 0 < tile["tile"] <= len(TILE_LIST[variant])):
            raise ValueError("a tile is not of this game")
        state.tiles[tile["place"]] = tile["tile"] - 1
        state.tile_owner[tile["place"]] = NOTHING if tile["owner"] is None else tile["owner"]
    owners = np.full(CARDS, NOTHING, dtype=np.int8)
    known = []
    for place, number in enumerate(number for row in data["market"] for number in row):
        if number is not None:
            state.market[place] = number - 1
            known.append(number - 1)
    for seat, side in enumerate(data["seats"]):
        known += _read_seat(state, COMPONENTS[variant], seat, side, owners)
    if len(set(known)) < len(known) or not all(type(card) is int and 0 <= card < CARDS for card in known):
        raise ValueError("a card is not of this game, or in two places")
    for card in known:
        level = level_of(card)
        state.deck[level] = int(state.deck[level]) & ~(1 << (card - LEVEL_STARTS[level]))
    moves = tuple(Move.from_text(text, data["game"]) for text in data["legal_moves"])
    seat_names = tuple(side["name"] for side in data["seats"])
    state.ending = ENDINGS.index(data["ending"])
    return views_of(state, {data["viewer"]: moves}, seat_names, owners, data["commitment"])[0]


def _read_seat(state: State, components: Components, seat: int, side: dict[str, Any], owners: Array) -> list[int]:
    """Fill in one seat's side of the table; return the cards that are known to be there."""
    names = TOKEN_NAMES[state.variant]
    for name, count in side["tokens"].items():
        state.tokens[seat, names.index(name)] = count
    for name, count in side["bonuses"].items():
        state.bonuses[seat, names.index(name)] = count
    state.points[seat] = side["points"]
    state.cards[seat] = len(side["cards"])
    state.tags[seat] = side["tags"]
    if side["avengers_tile"]:
        state.avengers = seat
    known = [number - 1 for number in side["cards"]]
    owners[known] = seat
    for place, held in enumerate(side["reserved"]):
        state.blind[seat, place] = int(held["blind"])
        if held["card"] is None:
            state.hand[seat, place] = UNKNOWN - (held["level"] - 1)
        else:
            state.hand[seat, place] = held["card"] - 1
            known.append(held["card"] - 1)
    return known
