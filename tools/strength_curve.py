"""How much stronger twice the thinking makes the search: play it against itself, and draw docs/doubling.svg.

Run as `python tools/strength_curve.py --games 400`; what was measured is kept in docs/doubling.json. Several runs may
be put together: `--part FILE` writes the counts to a file of their own, `--add FILE ...` draws what they have in sum.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import time
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from cabochon.arena.standings import wilson
from cabochon.arena.tournament import Pairing, Plan, play_pairing, schedule
from cabochon.game import Options

DOCS = Path(__file__).parent.parent / "docs"
NODES = (12, 25, 50, 100, 200, 400, 800)  # each against twice as many
VARIANTS = (("splendor", "#b08d57"), ("marvel", "#3b6ea5"))
WIDTH, HEIGHT, LEFT, BOTTOM = 640, 360, 60, 50


def plan_of(variant: str, nodes: int, games: int, seed: int) -> Plan:
    """Twice the nodes against so many."""
    return Plan((f"search:nodes={2 * nodes}", f"search:nodes={nodes}"), Options(variant, 2), games, seed=seed)


def _play(job: tuple[Plan, Pairing], deadline: float) -> dict[str, Any] | None:
    plan, pairing = job
    if time.monotonic() > deadline:
        return None
    contest = play_pairing(plan, pairing).contest
    stronger = pairing.seats.index(0)
    return {
        "game": plan.options.variant,
        "nodes": int(plan.bots[1].partition("=")[2]),
        "share": contest.shares[stronger],
        "seconds": contest.seconds[stronger],
        "decisions": contest.decisions[stronger],
    }


def measure(
    variants: Iterable[str], nodes: Iterable[int], games: int, workers: int, seed: int, seconds: float
) -> Iterator[dict[str, Any]]:
    """Play, deal by deal, until all games are done or the time is up."""
    plans = [plan_of(variant, each, games, seed) for variant in variants for each in nodes]
    deals = zip(*(schedule(plan) for plan in plans), strict=True)
    jobs = [(plan, pairing) for deal in deals for plan, pairing in zip(plans, deal, strict=True)]
    play = partial(_play, deadline=time.monotonic() + seconds)
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        for played in pool.imap_unordered(play, jobs):
            if played is not None:
                yield played


def add_up(games: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The sums over games, or over such sums, for each game and number of nodes."""
    sums: dict[tuple[str, int], dict[str, Any]] = {}
    for one in games:
        row = sums.setdefault(
            (one["game"], one["nodes"]),
            {"game": one["game"], "nodes": one["nodes"], "games": 0, "share": 0.0, "seconds": 0.0, "decisions": 0},
        )
        row["games"] += one.get("games", 1)
        for key in ("share", "seconds", "decisions"):
            row[key] += one[key]
    order = [variant for variant, _ in VARIANTS]
    return sorted(sums.values(), key=lambda row: (order.index(row["game"]), row["nodes"]))


def rates(sums: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The win rates with their 95% intervals."""
    rows = []
    for row in sums:
        low, high = wilson(row["share"], row["games"])
        rows.append(
            {
                "game": row["game"],
                "nodes": row["nodes"],
                "games": row["games"],
                "win_rate": row["share"] / row["games"],
                "low": low,
                "high": high,
                "seconds_per_move": row["seconds"] / max(1, row["decisions"]),
            }
        )
    return rows


def _y(rate: float) -> float:
    return HEIGHT - BOTTOM - (rate - 0.4) / 0.6 * (HEIGHT - BOTTOM - 20)


def draw(rows: list[dict[str, Any]]) -> str:
    """The win rates with their 95% intervals, a line for each game."""
    steps = sorted({int(row["nodes"]) for row in rows})

    def x_of(index: float) -> float:
        return LEFT + 50 + index * (WIDTH - LEFT - 110) / max(1, len(steps) - 1)

    parts = [
        f'<line x1="{LEFT}" x2="{WIDTH - 10}" y1="{_y(rate):.1f}" y2="{_y(rate):.1f}" stroke="#8888" '
        f'stroke-dasharray="{"none" if rate == 0.5 else "2 4"}"/>'
        f'<text x="{LEFT - 8}" y="{_y(rate) + 5:.1f}" text-anchor="end">{round(100 * rate)}%</text>'
        for rate in (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
    ]
    parts += [
        f'<text x="{x_of(index):.1f}" y="{HEIGHT - 24}" text-anchor="middle">{2 * nodes} : {nodes}</text>'
        for index, nodes in enumerate(steps)
    ]
    for offset, (variant, colour) in enumerate(VARIANTS):
        shown = [row for row in rows if row["game"] == variant]
        spots = [(x_of(steps.index(row["nodes"]) + 0.04 * (2 * offset - 1)), row) for row in shown]
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
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--nodes", type=int, nargs="+", default=NODES)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no further game after these")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--part", type=Path, help="write the counts here, and draw nothing")
    parser.add_argument("--add", type=Path, nargs="+", help="play nothing, and draw these counts")
    arguments = parser.parse_args()
    if arguments.add:
        sums = add_up(row for path in arguments.add for row in json.loads(path.read_text(encoding="utf-8")))
    else:
        variants = [variant for variant, _ in VARIANTS]
        sums = add_up(
            measure(variants, arguments.nodes, arguments.games, arguments.workers, arguments.seed, arguments.seconds)
        )
    rows = rates(sums)
    for row in rows:
        print(row, flush=True)
    if arguments.part:
        arguments.part.write_text(json.dumps(sums), encoding="utf-8")
        return
    (DOCS / "doubling.json").write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")
    (DOCS / "doubling.svg").write_text(draw(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
