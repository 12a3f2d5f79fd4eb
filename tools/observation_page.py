"""Write docs/observation.md from the table of the observation in the core.

python tools/observation_page.py            write the page
python tools/observation_page.py --check    write nothing; fail if the page is not up to date
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from cabochon.core.observation import Part, observation_size, parts_of

PAGE = Path(__file__).resolve().parent.parent / "docs" / "observation.md"

HEAD = """# The observation

The observation is what a seat may know, as one row of integers. The row is the same in every environment, on the CPU
and on a GPU (`cabochon.core.observation.observe`). It contains nothing that is hidden from the seat: a state and the
seat's view of it give the same row, which a test checks throughout random games.

```pycon
>>> from cabochon.core.observation import parts_of
>>> from cabochon.envs import Batch
>>> row = Batch("splendor", players=2, games=1, seed=1, dtype="int8").observe()[0]
>>> part = next(part for part in parts_of(players=2) if part.name == "supply")
>>> row[part.start : part.start + part.size].tolist()
[4, 4, 4, 4, 4, 5, 0]

```

- **int8** rows contain the integers themselves, none of them negative. They are exact and a quarter of the size: use
  them in replay buffers.
- **float32** rows contain each integer multiplied by 1 / divisor from the tables below (`observation_scales(players)`),
  so most features lie between 0 and 1. These rows are also bit-identical on every machine.

The observer comes first, and the other seats follow in order of play, so that one network can play all seats. The size
depends only on the number of players: {} features with 2 players, {} with 3 and {} with 4.

Each other seat has a block of its own at the end, so the row for fewer players is the beginning of the row for more.
Both games use the same layout; features that exist only in Splendor: Marvel are 0 in Splendor. So one network can
handle both games.

A card is described by what is printed on it *and* by what it means right now: what remains to pay after bonuses, what
is missing after tokens, whether it can be bought, and how many points it would bring by the end of the turn. The row
omits which cards have been bought (bonuses, points and tags sum them up), who took which tiles (they count as points),
and which unseen cards are left, except for their number by level and colour.

Colours are in the order of the card data: white, blue, green, red, black, or yellow, purple, blue, red, orange. The 15
cards of the `card_` parts are the 12 market places, level by level, and then the three cards in hand.
"""
COLUMNS = """
| part | start | shape | largest | divisor | meaning |
|---|---|---|---|---|---|
"""
TAIL = """
## Versions

`OBSERVATION_VERSION` increases whenever the row of a state changes. The file of a network contains it.

| version | |
|---|---|
"""
VERSIONS = ("initial version",)  # what is new in each


def _row(part: Part) -> str:
    shape = " by ".join(map(str, part.shape))
    return f"| `{part.name}` | {part.start} | {shape} | {part.high} | {round(1 / part.scale)} | {part.meaning} |\n"


def markdown() -> str:
    """The whole page."""
    parts = parts_of(2)
    others = next(n for n, part in enumerate(parts) if part.name.startswith("next1_"))
    block = parts_of(3)[len(parts)].start - parts[others].start
    return (
        HEAD.format(*(observation_size(players) for players in (2, 3, 4)))
        + "\n## The table and the observer\n"
        + COLUMNS
        + "".join(map(_row, parts[:others]))
        + "\n## The other seats\n\n"
        + f"This is the block of the next seat. `next2_` and `next3_` follow, each {block} features further on.\n"
        + COLUMNS
        + "".join(map(_row, parts[others:]))
        + TAIL
        + "".join(f"| {number} | {news} |\n" for number, news in enumerate(VERSIONS, start=1))
    )


def is_up_to_date() -> bool:
    """Whether the page on disk is the one that would be written."""
    return PAGE.exists() and PAGE.read_text(encoding="utf-8") == markdown()


def main() -> int:
    """Write the page, or check it."""
    parser = argparse.ArgumentParser(description="Write docs/observation.md.")
    parser.add_argument("--check", action="store_true", help="only say whether the page is up to date")
    if parser.parse_args().check:
        if not is_up_to_date():
            print("docs/observation.md is not up to date: run `python tools/observation_page.py`", file=sys.stderr)
            return 1
        return 0
    PAGE.write_text(markdown(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
