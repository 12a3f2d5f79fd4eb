"""Measure how much stronger a bot gets with more simulations: play it against itself with fewer, and draw its Elo.

    python tools/strength_curve.py play champion search --seconds 500 --seed 1 --output part-1.json
    python tools/strength_curve.py draw docs/elo.svg part-1.json part-2.json

`play` plays a chain of numbers of simulations, each against the previous one; 0 stands for the bot `policy`. `draw`
finds the Elo that fits all matches best. It adds up parts with different seeds and with other chains, and saves the sum
beside the picture.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise, takewhile
from pathlib import Path
from typing import NamedTuple

import numpy as np

from cabochon.arena.standings import wilson
from cabochon.arena.tournament import Pairing, Plan, play_pairing, schedule
from cabochon.game import Options
from cabochon.jobs import Executor, new_executor

NODES = (0, 25, 50, 100, 200, 400, 800, 1600, 3200)
OVERHEAD = 100  # the fixed time of a decision, in simulations
COLOURS = {"splendor": "#b08d57", "marvel": "#3b6ea5"}
DASHES = ("none", "6 4", "2 3")  # of the first bot in a picture, the second, the third
WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 640, 360, 60, 20, 50


class Match(NamedTuple):
    """What a bot with `nodes` simulations won against itself with fewer, or against `policy`."""

    bot: str
    game: str
    nodes: int
    against: int  # simulations of the opponent; 0 for `policy`
    games: int
    won: float  # a shared victory counts as half


class Point(NamedTuple):
    """A point on a curve: the Elo above the first point, and half the width of the 95% interval."""

    nodes: int
    elo: float
    spread: float


def _spec(bot: str, nodes: int) -> str:
    return f"{bot}:nodes={nodes}" if nodes else "policy"


class Deal(NamedTuple):
    """One deal of a match, in both orders of the seats."""

    match: Match
    plan: Plan
    pairings: tuple[Pairing, ...]


def deals(bots: Iterable[str], chain: Sequence[int], games: int, seed: int) -> list[Deal]:
    """Return all deals of all steps, in the order in which to play them.

    Steps that take longer come less often, by the root of their time: this makes the sum over all steps most precise.
    """
    found: list[tuple[float, Deal]] = []
    for bot in bots:
        for against, nodes in pairwise(chain):
            for game in COLOURS:
                match = Match(bot, game, nodes, against, 0, 0.0)
                plan = Plan((_spec(bot, nodes), _spec(bot, against)), Options(game, 2), games, seed=seed)
                pairings = iter(schedule(plan))
                for number, both in enumerate(zip(pairings, pairings, strict=True), start=1):
                    found.append((number * math.sqrt(OVERHEAD + nodes + against), Deal(match, plan, both)))
    return [deal for _, deal in sorted(found, key=lambda each: each[0])]


def play_deal(deal: Deal) -> Match:
    """Play both games of a deal."""
    won = 0.0
    for pairing in deal.pairings:
        contest = play_pairing(deal.plan, pairing).contest
        if contest.forfeit is not None:
            raise RuntimeError(f"expected a game without a forfeit, got {contest.forfeit}")
        won += contest.shares[pairing.seats.index(0)]
    return deal.match._replace(games=len(deal.pairings), won=won)


def play(waiting: Sequence[Deal], executor: Executor, seconds: float) -> Iterator[Match]:
    """Play until all deals are done or the time is up."""
    deadline = time.monotonic() + seconds
    for deal in {deal.match.bot: deal for deal in reversed(waiting)}.values():
        play_deal(deal)  # so that all is compiled before the processes part
    yield from executor.as_completed(play_deal, takewhile(lambda _: time.monotonic() < deadline, waiting))


def add_up(matches: Iterable[Match]) -> list[Match]:
    """Return one match for each step, in the order of bots, games and simulations."""
    sums: dict[tuple[str, str, int, int], Match] = {}
    for match in matches:
        so_far = sums.get(match[:4], match._replace(games=0, won=0.0))
        sums[match[:4]] = so_far._replace(games=so_far.games + match.games, won=so_far.won + match.won)
    order = list(COLOURS)
    return sorted(sums.values(), key=lambda match: (match.bot, order.index(match.game), match.nodes, match.against))


def elo_difference(won: float, games: int) -> tuple[float, float]:
    """Return the difference in Elo that a result implies, and half the width of its 95% interval.

    Wilson's interval is symmetric in Elo. A bot that won or lost all games counts as half a game short of that, because
    the difference would be infinite otherwise.
    """
    rate = min(max(won, 0.5), games - 0.5) / games
    low, high = (400 * math.log10(bound / (1 - bound)) for bound in wilson(rate * games, games))
    return (low + high) / 2, (high - low) / 2


def curve(matches: Sequence[Match]) -> list[Point]:
    """Return the Elo of each number of simulations above the smallest one: the fit to all matches of a bot in a game.

    For a chain these are the sums along the chain, and the intervals add up in quadrature.
    """
    least, *others = sorted({number for match in matches for number in (match.nodes, match.against)})
    differences, spreads = np.array([elo_difference(match.won, match.games) for match in matches]).T
    signs = np.array([[(match.nodes == n) - float(match.against == n) for n in others] for match in matches])
    weighted = signs / spreads[:, None]
    if np.linalg.matrix_rank(weighted) < len(others):
        raise ValueError(f"expected matches that lead from {least} to {', '.join(map(str, others))} simulations")
    covariance = np.linalg.inv(weighted.T @ weighted)
    elo = covariance @ weighted.T @ (differences / spreads)
    points = zip(others, elo.tolist(), np.sqrt(np.diag(covariance)).tolist(), strict=True)
    return [Point(least, 0.0, 0.0), *(Point(*point) for point in points)]


def _groups(matches: Iterable[Match]) -> dict[tuple[str, str], list[Match]]:
    groups: dict[tuple[str, str], list[Match]] = {}
    for match in matches:
        groups.setdefault((match.bot, match.game), []).append(match)
    return groups


class Mark(NamedTuple):
    """A point in a picture with its interval."""

    x: float
    y: float
    low: float
    high: float


def _picture(
    series: dict[tuple[str, str], list[Mark]],
    y_of: Callable[[float], float],
    lines: dict[float, str],
    base: float,
    labels: dict[float, str],
    title: str,
) -> str:
    """Draw a line with intervals for each bot and game, over horizontal lines at some values; `base` is solid."""
    parts = [
        f'<line x1="{LEFT}" x2="{WIDTH - 10}" y1="{y_of(value):.1f}" y2="{y_of(value):.1f}" stroke="#8888" '
        f'stroke-dasharray="{"none" if value == base else "2 4"}"/>'
        f'<text x="{LEFT - 8}" y="{y_of(value) + 5:.1f}" text-anchor="end">{text}</text>'
        for value, text in lines.items()
    ]
    parts += [f'<text x="{x:.1f}" y="{HEIGHT - 24}" text-anchor="middle">{text}</text>' for x, text in labels.items()]
    bots = list(dict.fromkeys(bot for bot, _ in series))
    for index, ((bot, game), marks) in enumerate(series.items()):
        colour = COLOURS[game]
        offset = 3.0 * (2 * index + 1 - len(series))  # otherwise their intervals would hide each other
        spots = " ".join(f"{mark.x + offset:.1f},{y_of(mark.y):.1f}" for mark in marks)
        parts.append(
            f'<polyline points="{spots}" fill="none" stroke="{colour}" stroke-width="2" '
            f'stroke-dasharray="{DASHES[bots.index(bot)]}"/>'
        )
        parts += [
            f'<line x1="{mark.x + offset:.1f}" x2="{mark.x + offset:.1f}" y1="{y_of(mark.low):.1f}" '
            f'y2="{y_of(mark.high):.1f}" stroke="{colour}"/>'
            f'<circle cx="{mark.x + offset:.1f}" cy="{y_of(mark.y):.1f}" r="4" fill="{colour}"/>'
            for mark in marks
        ]
        name = f"{bot}, {game}" if len(bots) > 1 else game
        dash = f' stroke-dasharray="{DASHES[bots.index(bot)]}"'
        y = TOP + 6 + 18 * index
        parts.append(
            f'<line x1="{LEFT + 14}" x2="{LEFT + 44}" y1="{y}" y2="{y}" stroke="{colour}" stroke-width="2"{dash}/>'
            f'<text x="{LEFT + 52}" y="{y + 4}" style="fill:{colour}">{name}</text>'
        )
    style = "text{font:13px Georgia,serif;fill:#777}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{title}">'
        f"<style>{style}</style>{''.join(parts)}"
        f'<text x="{WIDTH / 2}" y="{HEIGHT - 6}" text-anchor="middle">{title}</text></svg>\n'
    )


def draw_elo(matches: Sequence[Match]) -> str:
    """Draw the Elo over the simulations; `policy` is a champion without any simulations."""
    curves = {key: curve(group) for key, group in _groups(matches).items()}
    starts = {points[0].nodes for points in curves.values()}
    shown = {
        (bot, game): [point for point in points if point.nodes or bot == "champion"]
        for (bot, game), points in curves.items()
    }
    numbers = sorted({point.nodes for points in shown.values() for point in points})
    least = min(filter(None, numbers))
    first = math.log2(min(numbers) or least / 2)  # `policy` is drawn at half of the smallest number
    last = math.log2(max(numbers))

    def x_of(nodes: int) -> float:
        return LEFT + 40 + (math.log2(nodes or least / 2) - first) / (last - first) * (WIDTH - LEFT - 80)

    series = {
        key: [Mark(x_of(nodes), elo, elo - spread, elo + spread) for nodes, elo, spread in points]
        for key, points in shown.items()
    }
    bottom = math.floor(min(mark.low for marks in series.values() for mark in marks) / 100)
    top = math.ceil(max(mark.high for marks in series.values() for mark in marks) / 100)
    zero = "policy" if starts == {0} else f"{least} simulations" if starts == {least} else "where each bot begins"
    return _picture(
        series,
        lambda elo: HEIGHT - BOTTOM - (elo / 100 - bottom) / (top - bottom) * (HEIGHT - BOTTOM - TOP),
        {100.0 * hundred: str(100 * hundred) for hundred in range(bottom, top + 1)},
        0.0,
        {x_of(nodes): str(nodes or "policy") for nodes in numbers},
        f"Elo above {zero}, by simulations a decision",
    )


def read(path: Path) -> list[Match]:
    """Read the matches of a part, or of a sum of parts."""
    return [Match(**row) for row in json.loads(path.read_text(encoding="utf-8"))]


def write(path: Path, matches: Iterable[Match]) -> None:
    """Write the matches as JSON, one per line."""
    lines = ",\n".join("  " + json.dumps(match._asdict()) for match in matches)
    path.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


def main() -> None:
    """Play matches, or draw their results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    playing = commands.add_parser("play", help="play the steps of a chain")
    playing.add_argument("bots", nargs="+", help="bots: champion, search, or any bot that takes nodes")
    playing.add_argument(
        "--nodes", type=int, nargs="+", default=NODES, help="numbers of simulations in the chain; 0 is the bot `policy`"
    )
    playing.add_argument("--games", type=int, default=2000, help="maximum number of games per step")
    playing.add_argument("--seed", type=int, default=1)
    playing.add_argument("--seconds", type=float, default=math.inf, help="take no further deal after this many seconds")
    playing.add_argument("--workers", type=int, help="number of simultaneous deals; by default, one per core")
    playing.add_argument("--ray", metavar="ADDRESS", help="Ray cluster, as HOST:PORT or auto")
    playing.add_argument("--output", type=Path, required=True, help="file for the results")
    drawing = commands.add_parser("draw", help="draw results, and save their sum beside the picture")
    drawing.add_argument("picture", type=Path)
    drawing.add_argument("parts", type=Path, nargs="+")
    arguments = parser.parse_args()
    if arguments.command == "play":
        matches: list[Match] = []
        waiting = deals(arguments.bots, arguments.nodes, arguments.games, arguments.seed)
        with new_executor(len(waiting), arguments.workers, arguments.ray) as players:
            for match in play(waiting, players, arguments.seconds):
                matches = add_up([*matches, match])
                write(arguments.output, matches)
    else:
        matches = add_up(match for part in arguments.parts for match in read(part))
        write(arguments.picture.with_suffix(".json"), matches)
        arguments.picture.write_text(draw_elo(matches), encoding="utf-8")
    for match in matches:
        low, high = wilson(match.won, match.games)
        difference, spread = elo_difference(match.won, match.games)
        print(
            f"{match.game}, {_spec(match.bot, match.nodes)} against {_spec(match.bot, match.against)}: "
            f"won {match.won:g} of {match.games} ({low:.1%} to {high:.1%}), Elo {difference:+.0f} ± {spread:.0f}"
        )


if __name__ == "__main__":
    main()
