"""The plot of a run: strength, entropy and losses over the number of decisions."""

from __future__ import annotations

from html import escape
from typing import Any

WIDTH, PLOT, LEFT, HEIGHT, GAP = 760, 620, 70, 150, 56
COLOURS = ("#3b6ea5", "#b08d57", "#2f7d5b")


def _axis(top: float, low: float, high: float, title: str) -> list[str]:
    marks = [f'<text x="{LEFT}" y="{top - 10}" class="title">{escape(title)}</text>']
    for part in range(5):
        y = top + HEIGHT * (1 - part / 4)
        value = low + (high - low) * part / 4
        marks.append(
            f'<line x1="{LEFT}" x2="{LEFT + PLOT}" y1="{y:.1f}" y2="{y:.1f}"/>'
            f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{value:.3g}</text>'
        )
    return marks


def _curve(points: list[tuple[float, float]], most: float, top: float, low: float, high: float, colour: str) -> str:
    spots = " ".join(
        f"{LEFT + PLOT * x / most:.1f},{top + HEIGHT * (1 - (min(max(y, low), high) - low) / (high - low)):.1f}"
        for x, y in points
    )
    return f'<polyline points="{spots}" fill="none" stroke="{colour}" stroke-width="2"/>'


def draw(log: list[dict[str, Any]], title: str) -> str:
    """An SVG of a run's log, whose rows have `decisions` and some of the metrics or the results of a trial."""
    most = max((row["decisions"] for row in log), default=1) or 1
    panels: list[tuple[str, dict[str, str], float | None, float | None]] = [
        ("games won by the policy without search", {"greedy": "against greedy", "random": "against random"}, 0.0, 1.0),
        ("entropy of the policy, in nats", {"entropy": "entropy"}, 0.0, None),
        ("cross entropy of the policy with its teacher's, in nats", {"taught_loss": "policy"}, None, None),
        ("cross entropy of the values, in nats", {"value_loss": "values"}, None, None),
    ]
    parts = []
    top = 70.0
    for name, curves, low, high in panels:
        series = {key: [(row["decisions"], row[key]) for row in log if row.get(key) is not None] for key in curves}
        found = [y for points in series.values() for _, y in points]
        if not found:
            continue
        bottom = min(found) if low is None else low
        ceiling = max(found) if high is None else high
        ceiling = ceiling if ceiling > bottom else bottom + 1
        parts += _axis(top, bottom, ceiling, name)
        for index, (key, points) in enumerate(series.items()):
            parts.append(_curve(points, most, top, bottom, ceiling, COLOURS[index]))
            if len(curves) > 1:
                parts.append(
                    f'<text x="{LEFT + PLOT - 8}" y="{top + HEIGHT - 12 - 18 * index:.1f}" text-anchor="end" '
                    f'style="fill:{COLOURS[index]}">{escape(curves[key])}</text>'
                )
        top += HEIGHT + GAP
    for part in range(5):
        x = LEFT + PLOT * part / 4
        parts.append(
            f'<text x="{x:.1f}" y="{top - GAP + 20:.1f}" text-anchor="middle">{most * part / 4 / 1e6:.4g}</text>'
        )
    parts.append(f'<text x="{LEFT + PLOT / 2}" y="{top - GAP + 42:.1f}" text-anchor="middle">million decisions</text>')
    height = top - GAP + 56
    style = (
        "text{font:13px Georgia,serif;fill:#20242c}.title{font-size:15px}line{stroke:#d9d2c3}"
        "@media(prefers-color-scheme:dark){text{fill:#ece7db}line{stroke:#363b47}}"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" role="img" '
        f'aria-label="{escape(title)}"><style>{style}</style>'
        f'<text x="{LEFT}" y="28" style="font-size:18px">{escape(title)}</text>{"".join(parts)}</svg>\n'
    )
