"""What a seat, or a spectator, may know about a game: the one place where secrets are removed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cabochon.core.box import BOXES
from cabochon.core.cards import CARD_LIST, COLOURS, LEVELS, MARVEL, TILE_LIST, VARIANTS, Card, Tile
from cabochon.core.rules import qualifies, tiles_in_play
from cabochon.core.state import HAND, NOTHING, PHASES, PLACES, TIME, UNKNOWN, Array, State, copy_state
from cabochon.core.views import deck_size, hide, level_of
from cabochon.notation import TOKEN_NAMES, Move


@dataclass(frozen=True)
class ReservedCard:
    """A card in a hand. `card` is None where the viewer may not know it; its level is public (RSV-9)."""

    level: int
    card: Card | None
    is_blind: bool


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


@dataclass(frozen=True)
class TileView:
    """A noble or location in its place; `owner` is None while it lies on the table."""

    place: int
    tile: Tile
    owner: int | None


@dataclass(frozen=True)
class View:
    """Everything the viewer may know, and nothing more.

    `seat` is the seat whose turn it is. `legal_moves` are the viewer's own: empty unless the viewer is to
    decide. `pending` is the place that waits for a card, in the phase "reveal". `state` is the same
    knowledge as a core record, for bots and for learning.
    """

    variant: str
    players: int
    viewer: int | None
    seat: int
    round: int
    phase: str
    market: tuple[tuple[Card | None, ...], ...]  # [level][place]
    decks: tuple[int, ...]  # [level]: cards left
    supply: dict[str, int]
    tiles: tuple[TileView, ...]
    seats: tuple[SeatView, ...]
    legal_moves: tuple[Move, ...]
    commitment: str | None
    state: State = field(repr=False, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """The view as plain lists, dicts, texts and numbers, ready for JSON."""
        return {
            "game": self.variant,
            "players": self.players,
            "viewer": self.viewer,
            "seat": self.seat,
            "round": self.round,
            "phase": self.phase,
            "market": [[card and card.number for card in row] for row in self.market],
            "decks": list(self.decks),
            "supply": self.supply,
            "tiles": [
                {"place": tile.place, "tile": tile.tile.number, "owner": tile.owner} for tile in self.tiles
            ],
            "seats": [_seat_dict(seat) for seat in self.seats],
            "legal_moves": [str(move) for move in self.legal_moves],
            "commitment": self.commitment,
        }

    def __str__(self) -> str:
        from cabochon.table import draw_table

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
    """A copy of the state in which what the viewer may not know is blotted out."""
    copy = copy_state(state)
    hide(copy, NOTHING if viewer is None else viewer)
    return copy


def view_of(
    state: State,
    viewer: int | None,
    names: tuple[str, ...],
    owners: Array,
    legal_moves: tuple[Move, ...],
    commitment: str | None,
) -> View:
    """Describe a state to a viewer; `owners` [CARDS] is the seat that bought each card, or NOTHING."""
    state = redacted(state, viewer)
    variant = int(state.variant)
    cards = CARD_LIST[variant]
    return View(
        variant=VARIANTS[variant],
        players=int(state.players),
        viewer=viewer,
        seat=int(state.seat),
        round=int(state.round_number),
        phase=PHASES[state.phase],
        market=tuple(
            tuple(
                None if card == NOTHING else cards[card]
                for card in state.market[level * PLACES : (level + 1) * PLACES]
            )
            for level in range(LEVELS)
        ),
        decks=tuple(deck_size(state, level) for level in range(LEVELS)),
        supply=_tokens(state, state.supply),
        tiles=tuple(
            TileView(
                place=place,
                tile=TILE_LIST[variant][state.tiles[place]],
                owner=None if state.tile_owner[place] == NOTHING else int(state.tile_owner[place]),
            )
            for place in range(tiles_in_play(state, BOXES[variant]))
            if state.tiles[place] != NOTHING
        ),
        seats=tuple(_seat_view(state, seat, names[seat], owners) for seat in range(state.players)),
        legal_moves=legal_moves,
        commitment=commitment,
        state=state,
    )


def _tokens(state: State, counts: Array) -> dict[str, int]:
    names = TOKEN_NAMES[state.variant]
    shown = TIME + 1 if state.variant == MARVEL else TIME
    return {names[token]: int(counts[token]) for token in range(shown)}


def _seat_view(state: State, seat: int, name: str, owners: Array) -> SeatView:
    variant = int(state.variant)
    cards = CARD_LIST[variant]
    return SeatView(
        seat=seat,
        name=name,
        points=int(state.points[seat]),
        tokens=_tokens(state, state.tokens[seat]),
        bonuses={TOKEN_NAMES[variant][c]: int(state.bonuses[seat, c]) for c in range(COLOURS)},
        cards=tuple(cards[card] for card in np.flatnonzero(owners == seat)),
        reserved=tuple(
            ReservedCard(
                level=level_of(int(card)) + 1,
                card=None if card <= UNKNOWN else cards[card],
                is_blind=bool(state.blind[seat, place]),
            )
            for place, card in enumerate(state.hand[seat, :HAND])
            if card != NOTHING
        ),
        tiles=tuple(
            TILE_LIST[variant][tile]
            for tile, owner in zip(state.tiles, state.tile_owner, strict=True)
            if owner == seat
        ),
        tags=int(state.tags[seat]),
        has_avengers_tile=bool(state.avengers == seat),
        qualifies=bool(qualifies(state, BOXES[variant], seat)),
    )
