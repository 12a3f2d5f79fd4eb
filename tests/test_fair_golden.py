"""Golden deals, from which the page's own verification is tested too (`web/src/lib/fair.test.ts`).

Written by `python -m tests.test_fair_golden` to tests/data/fair.json.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from cabochon import Options, verify
from cabochon.fair import pick, seed_bytes
from tests.playing import random_game

FILE = Path(__file__).parent / "data" / "fair.json"
GAMES = [(Options("splendor", 2), 11), (Options("splendor", 4), 12), (Options("marvel", 3), 13)]
# The last numbers of outcomes leave so many words over that some draws need further attempts.
OUTCOMES = (1, 2, 10, 39, 40, 90, 2**32 + 1, 2**63 + 1)


def golden() -> dict[str, Any]:
    """Draws with their outcomes, and the records of whole games."""
    draws = [
        {
            "seed": seed_bytes(seed).hex(),
            "stream": stream,
            "draw": draw,
            "outcomes": str(outcomes),
            "outcome": str(pick(seed_bytes(seed), stream, draw, outcomes)),
        }
        for seed, stream in ((0, "level 1"), (2**255 + 7, "tiles"), (12345, "seats"))
        for draw, outcomes in enumerate(OUTCOMES)
    ]
    return {"draws": draws, "records": [random_game(options, seed).record() for options, seed in GAMES]}


def text() -> str:
    return json.dumps(golden(), indent=1) + "\n"


def test_the_golden_deals_are_what_the_library_deals() -> None:
    assert FILE.read_text(encoding="utf-8") == text(), "out of date: run `python -m tests.test_fair_golden`"


def test_the_golden_records_are_true() -> None:
    for record in golden()["records"]:
        assert verify(record).is_true


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
