"""How much stronger twice the thinking makes the search: play it against itself, and draw docs/doubling.svg.

Run as `python tools/strength_curve.py --games 100`; what was measured is kept in docs/doubling.json.
"""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
from typing import Any

from cabochon.arena.standings import results
from cabochon.arena.tournament import Plan, run
from cabochon.game import Options

DOCS = Path(__file__).parent.parent / "docs"
NODES = (25, 50, 100, 200, 400)
VARIANTS = (("splendor", "#b08d57"), ("marvel", "#3b6ea5"))
WIDTH, HEIGHT, LEFT, BOTTOM = 640, 360, 60, 50


def measure(variant: str, nodes: int, games: int, workers: int) -> dict[str, Any]:
    """The win rate of twice the nodes against so many."""
    plan = Plan((f"search:nodes={2 * nodes}", f"search:nodes={nodes}"), Options(variant, 2), games, seed=1)
    bot = results(plan, list(run(plan, workers=workers)))["bots"][0]
    kept = ("games", "win_rate", "low", "high", "seconds_per_move")
    return {"game": variant, "nodes": nodes, **{key: bot[key] for key in kept}}


def _x(index: float) -> float:
    return LEFT + 50 + index * (WIDTH - LEFT - 110) / (len(NODES) - 2)


def _y(rate: float) -> float:
    return HEIGHT - BOTTOM - (rate - 0.4) / 0.6 * (HEIGHT - BOTTOM - 20)


def draw(rows: list[dict[str, Any]]) -> str:
    """The win rates with their 95% intervals, a line for each game."""
    parts = [
        f'<line x1="{LEFT}" x2="{WIDTH - 10}" y1="{_y(rate):.1f}" y2="{_y(rate):.1f}" stroke="#8888" '
        f'stroke-dasharray="{"none" if rate == 0.5 else "2 4"}"/>'
        f'<text x="{LEFT - 8}" y="{_y(rate) + 5:.1f}" text-anchor="end">{round(100 * rate)}%</text>'
        for rate in (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
    ]
    parts += [
        f'<text x="{_x(index):.1f}" y="{HEIGHT - 24}" text-anchor="middle">{2 * nodes} against {nodes}</text>'
        for index, nodes in enumerate(NODES[:-1])
    ]
    for offset, (variant, colour) in enumerate(VARIANTS):
        shown = [row for row in rows if row["game"] == variant]
        spots = [(_x(NODES.index(row["nodes"]) + 0.04 * (2 * offset - 1)), row) for row in shown]
        line = " ".join(f"{x:.1f},{_y(row['win_rate']):.1f}" for x, row in spots)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        for x, row in spots:
            parts.append(
                f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{_y(row["low"]):.1f}" y2="{_y(row["high"]):.1f}" '
                f'stroke="{colour}"/><circle cx="{x:.1f}" cy="{_y(row["win_rate"]):.1f}" r="4" fill="{colour}"/>'
            )
        parts.append(
            f'<text x="{WIDTH - 20}" y="{24 + 18 * offset}" text-anchor="end" style="fill:{colour}">{variant}</text>'
        )
    style = "text{font:13px Georgia,serif;fill:#777}"
    title = f'<text x="{WIDTH / 2}" y="{HEIGHT - 6}" text-anchor="middle">simulations a decision</text>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"><style>{style}</style>'
        f"{''.join(parts)}{title}</svg>\n"
    )


def main() -> None:
    """Measure and draw."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    arguments = parser.parse_args()
    rows = []
    for variant, _ in VARIANTS:
        for nodes in NODES[:-1]:
            rows.append(measure(variant, nodes, arguments.games, arguments.workers))
            print(rows[-1], flush=True)
    (DOCS / "doubling.json").write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")
    (DOCS / "doubling.svg").write_text(draw(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
