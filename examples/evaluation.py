"""Measure a network by its win rate against random players, and draw its learning curve."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from learner import Network

from cabochon.envs import Batch

WIDTH, HEIGHT, MARGIN = 640, 320, 50


def win_rate(network: Network, variant: str, games: int) -> float:
    """Return the share of games that the network wins against `random`, from both seats; a tie counts as half."""
    batch = Batch(variant, players=2, games=games, seed=1000, restart=False)
    own_seats = np.arange(games) % 2
    while not batch.dones.all():
        own = network.best(batch.observe(), batch.masks)
        batch.step(np.where(batch.seats == own_seats, own, batch.sample()))
    values = batch.values[np.arange(games), own_seats]
    return float((values.mean() + 1) / 2)


def read_arguments(description: str | None, updates: int, steps: int) -> argparse.Namespace:
    """Return the options that all examples have."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--game", default="splendor", choices=("splendor", "marvel"))
    parser.add_argument("--updates", type=int, default=updates)
    parser.add_argument("--steps", type=int, default=steps, help="steps per rollout, before each update")
    parser.add_argument("--evaluation-games", type=int, default=400, help="games per point of the curve")
    parser.add_argument("--picture", type=Path, default=Path("learning.svg"), help="file for the learning curve")
    return parser.parse_args()


class Curve:
    """The learning curve: win rates, which are printed at once and drawn at the end."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.points: list[tuple[int, float]] = []

    def add(self, decisions: int, rate: float) -> None:
        """Add and print the win rate after this many decisions."""
        self.points.append((decisions, rate))
        print(f"{self.title}: after {decisions:,} decisions it wins {rate:.1%} against random", flush=True)

    def draw(self, path: Path) -> None:
        """Write the learning curve as SVG."""
        most = max(decisions for decisions, _ in self.points) or 1

        def place(decisions: float, rate: float) -> str:
            x = MARGIN + decisions / most * (WIDTH - 2 * MARGIN)
            y = HEIGHT - MARGIN - rate * (HEIGHT - 2 * MARGIN)
            return f"{x:.1f},{y:.1f}"

        lines = []
        for rate in (0.0, 0.25, 0.5, 0.75, 1.0):
            x, y = place(0, rate).split(",")
            lines.append(
                f'<line x1="{x}" x2="{WIDTH - MARGIN}" y1="{y}" y2="{y}" stroke="#8884"/>'
                f'<text x="{MARGIN - 8}" y="{float(y) + 4}" text-anchor="end">{rate:.0%}</text>'
            )
        lines.append(
            f'<polyline points="{" ".join(place(*point) for point in self.points)}" fill="none" '
            f'stroke="#3b6ea5" stroke-width="2"/>'
            f'<text x="{WIDTH / 2}" y="{HEIGHT - 12}" text-anchor="middle">{most:,} decisions</text>'
            f'<text x="{WIDTH / 2}" y="24" text-anchor="middle">{self.title}: games won against random</text>'
        )
        path.write_text(
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}">'
            f"<style>text{{font:13px Georgia,serif;fill:#777}}</style>{''.join(lines)}</svg>\n",
            encoding="utf-8",
        )
