"""`cabochon arena`: a live table, results as JSON, records of all games, and a report."""

from __future__ import annotations

import json
import secrets
import time
from pathlib import Path

from rich.console import Group
from rich.table import Table
from rich.text import Text

from cabochon.arena.report import render
from cabochon.arena.standings import results, standings
from cabochon.arena.tournament import Plan, Played, is_online, run, schedule, seed_of
from cabochon.bots.protocol import close, start
from cabochon.bots.specs import parse_spec
from cabochon.cli.terminal import error_console, live_display, output_console, print_json, progress_bar, write_file
from cabochon.errors import CabochonError
from cabochon.jobs import Executor, new_executor


def standings_table(plan: Plan, played: list[Played]) -> Table:
    """Return a table of the bots, the best first."""
    table = Table(title=f"{plan.options.variant}, {plan.options.players} players, {len(played)} games")
    table.add_column("bot", overflow="fold")
    for column in ("games", "won", "95% interval", "rating", "points", "ms per move", "forfeits"):
        table.add_column(column, justify="right", no_wrap=True)
    for bot in sorted(standings(plan, played), key=lambda bot: -bot.win_rate):
        table.add_row(
            Text(bot.name),  # a command line may contain brackets, which rich would interpret
            str(bot.games),
            f"{100 * bot.win_rate:.1f}%",
            f"{100 * bot.low:.1f}-{100 * bot.high:.1f}",
            "" if bot.rating is None else f"{bot.rating:.1f}",
            f"{bot.mean_points:.1f}",
            f"{1000 * bot.seconds_per_move:.1f}",
            bot.forfeits_text,
        )
    return table


def chosen_seed(seed: int | None, folder: Path | None) -> int:
    """Return the given seed, the seed of the tournament to resume, or a new secret seed.

    A bot that could guess the seed would know all the cards.
    """
    if seed is None and folder is not None:
        seed = seed_of(folder)
    return secrets.randbits(63) if seed is None else seed


def hold(plan: Plan, folder: Path | None, workers: int | None, ray: str | None, as_json: bool) -> None:
    """Play a tournament, on the Ray cluster at an address if there is one, and show the result."""
    for name in plan.bots:  # compile once here instead of in every worker
        if not is_online(name):
            bot = parse_spec(name).make()
            start(bot, 0)
            close(bot)
    with new_executor(len(schedule(plan)), workers or (1 if plan.has_online_bots else None), ray) as players:
        played = _watch(plan, folder, players)
    played.sort(key=lambda one: one.pairing.index)
    result = results(plan, played)
    if folder is not None:
        write_file(folder / "results.json", json.dumps(result, indent=2) + "\n")
        write_file(folder / "games.cabochon", "\n".join(one.contest.record for one in played))
        write_file(folder / "report.html", render(plan, played))
        error_console().print(f"Results, records and a report are in {folder}.")
    if as_json:
        print_json(result)
    else:
        output_console().print(standings_table(plan, played))


def _watch(plan: Plan, folder: Path | None, executor: Executor) -> list[Played]:
    """Play, with a progress bar and the current standings on standard error."""
    progress = progress_bar()
    task = progress.add_task("games", total=len(schedule(plan)))
    played: list[Played] = []
    shown = 0.0
    try:
        with live_display(progress) as live:
            for one in run(plan, folder, executor):
                played.append(one)
                progress.update(task, completed=len(played))
                if time.monotonic() - shown > 1:  # the whole table is computed anew each time
                    live.update(Group(standings_table(plan, played), progress))
                    shown = time.monotonic()
    except (KeyboardInterrupt, CabochonError):
        kept = f"kept in {folder}; the same command resumes from there" if folder else "lost, without --output FOLDER"
        if played:
            error_console().print(f"Interrupted after {len(played)} games, which are {kept}.")
        raise
    return played
