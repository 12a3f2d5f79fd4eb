"""The report of a tournament: one HTML file with charts."""

from __future__ import annotations

from html import escape

from cabochon.arena.standings import BotStanding, standings
from cabochon.arena.tournament import Plan, Played

WIDTH = 720
BAR = 34
LABEL = 190
COLOURS = ("#b08d57", "#3b6ea5", "#2f7d5b", "#b23a48", "#6b4e9b", "#c7752b", "#4f6d7a", "#8c5e58")

STYLE = """
:root { color-scheme: light dark; --ink: #20242c; --paper: #faf8f3; --line: #d9d2c3; --soft: #6c7280; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #ece7db; --paper: #15181f; --line: #363b47; --soft: #a3a9b5; }
}
body { font: 16px/1.5 Georgia, 'Times New Roman', serif; color: var(--ink); background: var(--paper);
  max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-weight: normal; border-bottom: 1px solid var(--line); padding-bottom: .4rem; }
h2 { font-weight: normal; margin-top: 2rem; }
p.facts, figcaption { color: var(--soft); }
figure { margin: 1rem 0; }
svg { max-width: 100%; height: auto; font: 14px Georgia, serif; }
svg text { fill: var(--ink); } svg .soft { fill: var(--soft); } svg line { stroke: var(--line); }
svg .whisker { stroke: var(--ink); stroke-width: 1.5; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: .35rem .7rem; border-bottom: 1px solid var(--line); }
th:first-child, td:first-child { text-align: left; }
th { font-weight: normal; color: var(--soft); }
"""


def _percent(value: float) -> str:
    return f"{100 * value:.1f}%"


def _draw_win_rates(bots: list[BotStanding], share: float) -> str:
    """Draw the win rates as bars with their 95% intervals, and a line at an equal share."""
    plot = WIDTH - LABEL - 90
    rows = []
    for index, bot in enumerate(bots):
        y = 24 + index * BAR
        x, low, high = (LABEL + plot * value for value in (bot.win_rate, bot.low, bot.high))
        rows.append(
            f'<text x="{LABEL - 10}" y="{y + 15}" text-anchor="end">{escape(bot.name)}</text>'
            f'<rect x="{LABEL}" y="{y}" width="{x - LABEL:.1f}" height="20" rx="2" '
            f'fill="{COLOURS[index % len(COLOURS)]}"/>'
            f'<line class="whisker" x1="{low:.1f}" x2="{high:.1f}" y1="{y + 10}" y2="{y + 10}"/>'
            f'<text class="soft" x="{max(high, x) + 8:.1f}" y="{y + 15}">{_percent(bot.win_rate)}</text>'
        )
    height = 24 + len(bots) * BAR + 8
    even = LABEL + plot * share
    return (
        f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="Win rates">'
        f'<line x1="{even:.1f}" x2="{even:.1f}" y1="18" y2="{height}" stroke-dasharray="4 4"/>'
        f'<text class="soft" x="{even:.1f}" y="12" text-anchor="middle">an equal share</text>{"".join(rows)}</svg>'
    )


def _draw_histogram(values: list[int], label: str) -> str:
    if not values:
        return ""
    low, high = min(values), max(values)
    step = max(1, (high - low + 1) // 24 + ((high - low + 1) % 24 > 0))
    counts = [0] * ((high - low) // step + 1)
    for value in values:
        counts[(value - low) // step] += 1
    width = (WIDTH - 40) / len(counts)
    bars = []
    for index, count in enumerate(counts):
        height = 120 * count / max(counts)
        x = 20 + index * width
        bars.append(
            f'<rect x="{x:.1f}" y="{130 - height:.1f}" width="{max(1.0, width - 2):.1f}" height="{height:.1f}" '
            f'fill="{COLOURS[1]}"><title>{low + index * step}: {count}</title></rect>'
            f'<text class="soft" x="{x + width / 2:.1f}" y="148" text-anchor="middle">{low + index * step}</text>'
        )
    return f'<svg viewBox="0 0 {WIDTH} 156" role="img" aria-label="{escape(label)}">{"".join(bars)}</svg>'


def _table(head: list[str], rows: list[list[str]]) -> str:
    cells = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<div class="scroll"><table><thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table></div>'


def _standings_table(bots: list[BotStanding]) -> str:
    rows = [
        [
            bot.name,
            str(bot.games),
            f"{_percent(bot.win_rate)} ({_percent(bot.low)} to {_percent(bot.high)})",
            "" if bot.rating is None else f"{bot.rating:.1f} ± {bot.rating_sigma:.1f}",
            f"{bot.mean_place:.2f}",
            f"{bot.mean_points:.1f}",
            f"{1000 * bot.seconds_per_move:.1f} ms",
            bot.forfeits_text,
        ]
        for bot in bots
    ]
    head = ["bot", "games", "won (95% interval)", "rating", "place", "points", "time per move", "forfeits"]
    return _table(head, rows)


def _against_table(bots: list[BotStanding]) -> str:
    names = [bot.name for bot in bots]
    rows = [
        [bot.name, *(_percent(bot.against[rival].score) if rival in bot.against else "-" for rival in names)]
        for bot in bots
    ]
    return _table(["placed ahead of", *names], rows)


def render(plan: Plan, played: list[Played]) -> str:
    """Return the report as a self-contained HTML page."""
    bots = sorted(standings(plan, played), key=lambda bot: -bot.win_rate)
    game = "Splendor: Marvel" if plan.options.variant == "marvel" else "Splendor"
    title = f"{game}, {plan.options.players} players"
    rounds = [one.contest.rounds for one in played]
    winners = [
        points for one in played for points, share in zip(one.contest.points, one.contest.shares, strict=True) if share
    ]
    deals = "every order of seats, deals of a server" if plan.has_online_bots else "every deal in every order of seats"
    facts = (
        f"{len(played)} games, {deals}, seed {plan.seed}. "
        f"A game lasted {sum(rounds) / max(1, len(rounds)):.1f} rounds on average."
    )
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{STYLE}</style></head><body>'
        f'<h1>{escape(title)}</h1><p class="facts">{escape(facts)}</p>'
        f"<h2>Games won</h2><figure>{_draw_win_rates(bots, 1 / plan.options.players)}</figure>{_standings_table(bots)}"
        f"<h2>Head to head</h2>{_against_table(bots)}"
        f"<h2>Length</h2><figure>{_draw_histogram(rounds, 'Rounds per game')}"
        f"<figcaption>Rounds per game</figcaption></figure>"
        f"<h2>Winning points</h2><figure>{_draw_histogram(winners, 'Points of the winners')}"
        f"<figcaption>Points of the winners</figcaption></figure></body></html>\n"
    )
