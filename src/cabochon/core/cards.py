"""The cards and tiles of both games, as printed, read once from `cabochon/data`."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from importlib import resources

SPLENDOR = 0
MARVEL = 1
VARIANTS = ("splendor", "marvel")

LEVELS = 3
COLOURS = 5
COLOUR_NAMES = (("white", "blue", "green", "red", "black"), ("yellow", "purple", "blue", "red", "orange"))


@dataclass(frozen=True)
class Card:
    """One development or character card, as printed (CRD-1)."""

    number: int
    level: int
    name: str | None
    bonus: str
    points: int
    cost: tuple[int, ...]
    tags: int


@dataclass(frozen=True)
class Tile:
    """One noble, or one face of a location tile; two faces of one tile share `sheet`."""

    number: int
    name: str | None
    sheet: int
    points: int
    needs: tuple[int, ...]


def _rows(file_name: str) -> list[dict[str, str]]:
    text = resources.files("cabochon").joinpath("data", file_name).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


def _amounts(row: dict[str, str], variant: int) -> tuple[int, ...]:
    return tuple(int(row[colour]) for colour in COLOUR_NAMES[variant])


def _read_cards(variant: int) -> tuple[Card, ...]:
    return tuple(
        Card(
            number=int(row["id"]),
            level=int(row["level"]),
            name=row.get("name"),
            bonus=row["bonus"],
            points=int(row["points"]),
            cost=_amounts(row, variant),
            tags=int(row.get("avengers", "0")),
        )
        for row in _rows(f"{VARIANTS[variant]}_cards.csv")
    )


def _read_tiles(variant: int) -> tuple[Tile, ...]:
    file_name = ("splendor_nobles.csv", "marvel_locations.csv")[variant]
    return tuple(
        Tile(
            number=int(row["id"]),
            name=row.get("name"),
            sheet=int(row.get("tile", row["id"])),
            points=int(row["points"]),
            needs=_amounts(row, variant),
        )
        for row in _rows(file_name)
    )


CARD_LIST = tuple(_read_cards(variant) for variant in (SPLENDOR, MARVEL))
TILE_LIST = tuple(_read_tiles(variant) for variant in (SPLENDOR, MARVEL))
CARDS = len(CARD_LIST[SPLENDOR])
TILES = max(len(tiles) for tiles in TILE_LIST)
