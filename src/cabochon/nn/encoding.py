"""The encoding of a position: the observation of a seat as entities, each with its own row of features.

The entities are the tokens of the transformer (`nn.transformer`); a token is a game piece here, hence the name. Every
card, tile and seat is an entity, and so is the table itself. All have the same columns of features: each kind uses its
own and leaves the others at 0. An entity whose row is all 0 is absent, such as an empty place in the market.

The heads read each score at the entity that it is about: the score of buying a card at that card, the score of a seat's
victory at that seat, and everything else at the table.
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
_TO_ANOTHER = ("price", "short", "affordable", "gain", "qualifies")  # features of a card for another seat
_HELD = ("level", "points", "tags", "bonus", "cost", "bought")  # features of a card in another seat's hand
_SEAT = (
    *("tokens", "bonuses", "points", "tags", "tags_missing", "avengers"),
    *("colours_missing", "qualifies", "decides", "turn_to_come"),
)
_TABLE = (
    *("phase", "own_seat", "round", "idle_turns", "passes"),
    *("free_take", "automatic_payment", "supply", "full_piles", "deck", "unseen"),
)

ENTITIES_VERSION = 1  # raised whenever the entities, their columns or the columns of the heads change

# The output columns of the heads at an entity; those of the actions about the table follow.
BUY_COLUMN, RESERVE_COLUMN, TILE_COLUMN, VALUE_COLUMN, TABLE_COLUMNS = range(5)

Row = dict[str, int]  # from the name of a column to the index of an entity's feature in the observation


@dataclass(frozen=True)
class Encoding:
    """How a game with some number of players becomes E entities of T types, with F features each."""

    features: Array  # [E, F] the index of each feature in the observation, or the observation's length for none
    columns: tuple[str, ...]  # [F] the names of the features
    types: Array  # [E] the type of each entity: those of one type differ only in their features
    type_names: tuple[str, ...]  # [T]
    output_entities: Array  # [ACTIONS + players] the entity at which the score of an action or a seat is read
    output_columns: Array  # [ACTIONS + players] and the output column
    outputs: int  # how many output columns there are


def _name_features(kind: str, named: list[tuple[str, Array]]) -> Row:
    return {
        f"{kind} {name} {number}": int(index) for name, indices in named for number, index in enumerate(indices.ravel())
    }


@cache
def encoding_for(players: int) -> Encoding:
    """The encoding of a game with so many players."""
    where = {part.name: part.start + np.arange(part.size).reshape(part.shape) for part in parts_of(players)}
    size = sum(indices.size for indices in where.values())
    others = [f"next{seat}" for seat in range(1, players)]
    rows: list[tuple[str, Row]] = []  # the type of each entity and its features

    for card in range(CARDS_SHOWN):
        named = [(name, where[f"card_{name}"][card]) for name in _CARD]
        if card < MARKET:
            named += [
                (f"{other} {name}", where[f"{other}_card_{name}"][card]) for other in others for name in _TO_ANOTHER
            ]
            rows.append((f"level {card // PLACES}", _name_features("card", named)))
        else:
            named += [("blind", where["hand_blind"][card - MARKET]), ("level", where["hand_level"][card - MARKET])]
            rows.append(("hand", _name_features("card", named)))
    for other in others:
        for place in range(HAND):
            named = [(name, where[f"{other}_hand_{name}"][place]) for name in _HELD]
            named += [(name, where[f"{other}_card_{name}"][MARKET + place]) for name in _TO_ANOTHER]
            rows.append((f"{other} hand", _name_features("held", named)))
    first_tile = len(rows)
    for place in range(TILE_PLACES):
        named = [(name, where[name][place]) for name in ("tiles", "tile_needs", "tile_missing")]
        named += [(f"{other} missing", where[f"{other}_tile_missing"][place]) for other in others]
        rows.append(("tile", _name_features("tile", named)))
    first_seat = len(rows)
    for whose in ("own", *others):
        named = [(name, where[f"{whose}_{name}"]) for name in _SEAT]
        rows.append((f"{whose} seat", _name_features("seat", named)))
    rows.append(("table", _name_features("table", [(name, where[name]) for name in _TABLE])))

    columns = tuple(dict.fromkeys(column for _, features in rows for column in features))
    type_names = tuple(dict.fromkeys(type_name for type_name, _ in rows))
    output_entities, output_columns, outputs = _outputs(players, first_tile, first_seat, len(rows) - 1)
    return Encoding(
        features=np.array([[features.get(column, size) for column in columns] for _, features in rows]),
        columns=columns,
        types=np.array([type_names.index(type_name) for type_name, _ in rows]),
        type_names=type_names,
        output_entities=output_entities,
        output_columns=output_columns,
        outputs=outputs,
    )


def _outputs(players: int, first_tile: int, first_seat: int, table: int) -> tuple[Array, Array, int]:
    """The entity and the output column of each action and seat, and the number of output columns."""
    entities = np.full(ACTIONS + players, table)
    columns = np.zeros(ACTIONS + players, np.int64)
    about_table = [*range(BUY), *range(RESERVE_BLIND, CHOOSE_TILE)]
    columns[about_table] = TABLE_COLUMNS + np.arange(len(about_table))
    columns[PAY_WILD : PAY_DONE + 1] = columns[PASS]  # payments are automatic, so these logits are never used
    for first, end, column, entity in (
        (BUY, RESERVE, BUY_COLUMN, 0),
        (RESERVE, RESERVE_BLIND, RESERVE_COLUMN, 0),
        (CHOOSE_TILE, PAY_WILD, TILE_COLUMN, first_tile),
        (ACTIONS, ACTIONS + players, VALUE_COLUMN, first_seat),
    ):
        entities[first:end], columns[first:end] = entity + np.arange(end - first), column
    return entities, columns, TABLE_COLUMNS + len(about_table)
