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

What a seat may know, as one row of whole numbers: the same for every environment, on the CPU and on a GPU
(`cabochon.core.observation.observe`). It reads nothing that is hidden from the seat: the row of a state and the row of
the seat's view of it are equal, which a test checks along random games.

- **int8** rows hold the numbers as they are, none below 0. They are exact, four times smaller, and the form to keep
  in a replay buffer.
- **float32** rows hold each number multiplied by one over the divisor below (`observation_scales(players)`), so that
  most lie between 0 and 1. It is one multiplication on every target, and so the bytes are the same too.

The observer comes first and the other seats follow in the order of play, so that one network serves all seats. The size
depends on the number of players alone: {sizes}.

What belongs to the other seats comes last, a block each, so that the row for fewer players is the beginning of the row
for more. Both games have the same row, and what only Splendor: Marvel has is 0 in Splendor: a few zeros are cheaper
than two layouts, and a network can move from one game to the other.

A card is described by what is printed on it *and* by what it means just now: what is left to pay after bonuses, what is
missing after tokens, whether it can be bought, what it would bring by the end of the turn. A network could work these
out by itself, and need not. What is left out: which cards have been bought (bonuses, points
and tags sum them up), which tiles were taken by whom (they are points), and which of the unseen cards are still to come
beyond their number by level and colour.

"Colour" is the order of the data: white, blue, green, red, black, or yellow, purple, blue, red, orange. The 15 cards
of the `card_` parts are the 12 market places, level by level, and then the three cards in hand.
"""
COLUMNS = """
| part | from | shape | largest | divisor | meaning |
|---|---|---|---|---|---|
"""
TAIL = """
## Versions

`OBSERVATION_VERSION` is raised whenever a row of the same state changes; networks keep it with their weights.

| version | |
|---|---|
"""
VERSIONS = ("the first",)  # what is new in each


def _row(part: Part) -> str:
    shape = " by ".join(map(str, part.shape))
    return f"| `{part.name}` | {part.start} | {shape} | {part.high} | {round(1 / part.scale)} | {part.meaning} |\n"


def markdown() -> str:
    """The whole page."""
    parts = parts_of(2)
    others = next(n for n, part in enumerate(parts) if part.name.startswith("next1_"))
    block = parts_of(3)[len(parts)].start - parts[others].start
    sizes = ", ".join(f"{observation_size(players)} features for {players}" for players in (2, 3, 4))
    return (
        HEAD.format(sizes=sizes)
        + "\n## The table and the observer\n"
        + COLUMNS
        + "".join(map(_row, parts[:others]))
        + f"\n## Each other seat\n\nThe next seat's block; `next2_` and `next3_` follow, each {block} further.\n"
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
