"""The observation of a seat as the things on the table, each with its own row of features.

A network with attention looks at every card, tile and seat by itself, with the same weights for all of a kind, and
then lets them look at each other (`nn.transformer`). What it has to say of an action it says at the thing that the
action is about.

All pieces have one row of features, in which every kind has columns of its own; the others are 0. A piece whose row is
0 throughout is not there: an empty place.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from cabochon.core.observation import CARDS_SHOWN, parts_of
from cabochon.core.state import (
    ACTIONS,
    BUY,
    CHOOSE_TILE,
    HAND,
    MARKET,
    PASS,
    PAY_DONE,
    PAY_WILD,
    PLACES,
    RESERVE,
    RESERVE_BLIND,
    TILE_PLACES,
    Array,
)

_CARD = ("points", "tags", "bonus", "cost", "price", "missing", "short", "affordable", "gain", "qualifies", "bought")
_TO_ANOTHER = ("price", "short", "affordable", "gain", "qualifies")  # what a card is to another seat
_HELD = ("level", "points", "tags", "bonus", "cost", "bought")  # what is known of a card in another's hand
_SEAT = (
    "tokens",
    "bonuses",
    "points",
    "tags",
    "tags_missing",
    "avengers",
    "colours_missing",
    "qualifies",
    "decides",
    "turn_to_come",
)
_TABLE = (
    "phase",
    "own_seat",
    "round",
    "idle_turns",
    "passes",
    "free_take",
    "automatic_payment",
    "supply",
    "full_piles",
    "deck",
    "unseen",
)

PIECES_VERSION = 1  # raised whenever pieces, their columns or what is said at them change

# The columns of what is said at a piece; those of the actions about the table follow.
BUYING = 0
RESERVING = 1
TAKING_TILE = 2
WINNING = 3
ABOUT_TABLE = 4

Row = dict[str, int]  # the places in the observation of a piece's features, by the name of their column


@dataclass(frozen=True)
class Pieces:
    """The pieces of a game with so many players: [P] of them, of G groups, with rows of F features."""

    features: Array  # [P, F] the place of each feature in the observation, or its length where there is none
    columns: tuple[str, ...]  # [F] what they are called
    groups: Array  # [P] to which group a piece belongs: alike but for their features
    group_names: tuple[str, ...]  # [G]
    output_pieces: Array  # [ACTIONS + players] at which piece an action's or a seat's score is said
    output_columns: Array  # [ACTIONS + players] in which column
    said: int  # how many columns there are


def _kept(kind: str, name: str, places: Array) -> Row:
    return {f"{kind} {name} {number}": int(place) for number, place in enumerate(places.ravel())}


@cache
def pieces_of(players: int) -> Pieces:
    """The pieces of a game with so many players."""
    where = {part.name: part.start + np.arange(part.size).reshape(part.shape) for part in parts_of(players)}
    size = sum(places.size for places in where.values())
    others = [f"next{seat}" for seat in range(1, players)]
    rows: list[tuple[str, Row]] = []  # the group of each piece, and its features

    def row(kind: str, named: list[tuple[str, Array]]) -> Row:
        return {key: place for name, places in named for key, place in _kept(kind, name, places).items()}

    for card in range(CARDS_SHOWN):
        named = [(name, where[f"card_{name}"][card]) for name in _CARD]
        if card < MARKET:
            named += [
                (f"{other} {name}", where[f"{other}_card_{name}"][card]) for other in others for name in _TO_ANOTHER
            ]
            rows.append((f"level {card // PLACES}", row("card", named)))
        else:
            named += [("blind", where["hand_blind"][card - MARKET]), ("level", where["hand_level"][card - MARKET])]
            rows.append(("hand", row("card", named)))
    for other in others:
        for place in range(HAND):
            named = [(name, where[f"{other}_hand_{name}"][place]) for name in _HELD]
            named += [(name, where[f"{other}_card_{name}"][MARKET + place]) for name in _TO_ANOTHER]
            rows.append((f"{other} hand", row("held", named)))
    first_tile = len(rows)
    for place in range(TILE_PLACES):
        named = [(name, where[name][place]) for name in ("tiles", "tile_needs", "tile_missing")]
        named += [(f"{other} missing", where[f"{other}_tile_missing"][place]) for other in others]
        rows.append(("tile", row("tile", named)))
    first_seat = len(rows)
    for whose in ("own", *others):
        rows.append((f"{whose} seat", row("seat", [(name, where[f"{whose}_{name}"]) for name in _SEAT])))
    rows.append(("table", row("table", [(name, where[name]) for name in _TABLE])))

    columns = tuple(dict.fromkeys(column for _, features in rows for column in features))
    features = np.array([[row.get(column, size) for column in columns] for _, row in rows])
    group_names = tuple(dict.fromkeys(group for group, _ in rows))
    groups = np.array([group_names.index(group) for group, _ in rows])

    output_pieces = np.full(ACTIONS + players, len(rows) - 1)
    output_columns = np.zeros(ACTIONS + players, np.int64)
    said = ABOUT_TABLE
    for action in range(ACTIONS):
        if BUY <= action < RESERVE:
            output_pieces[action], output_columns[action] = action - BUY, BUYING
        elif RESERVE <= action < RESERVE_BLIND:
            output_pieces[action], output_columns[action] = action - RESERVE, RESERVING
        elif CHOOSE_TILE <= action < PAY_WILD:
            output_pieces[action], output_columns[action] = first_tile + action - CHOOSE_TILE, TAKING_TILE
        elif PAY_WILD <= action <= PAY_DONE:
            output_columns[action] = output_columns[PASS]  # payments are by default, and never asked about
        else:
            output_columns[action] = said
            said += 1
    for seat in range(players):
        output_pieces[ACTIONS + seat], output_columns[ACTIONS + seat] = first_seat + seat, WINNING
    return Pieces(features, columns, groups, group_names, output_pieces, output_columns, said)
