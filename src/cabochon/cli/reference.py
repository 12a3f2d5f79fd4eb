"""The rules by their ids, on the screen."""

from __future__ import annotations

from dataclasses import asdict
from itertools import groupby

from rich.console import Console
from rich.table import Table
from rich.text import Text

from cabochon.cli.terminal import output_console, print_json
from cabochon.errors import CabochonError
from cabochon.rulebook import Rule, rule, rules

GAMES = ("splendor", "marvel")


def show_rules(rule_id: str | None, game: str | None, as_json: bool) -> None:
    """Print one rule, or all of a game or of both."""
    if game is not None and game not in GAMES:
        raise CabochonError(f"expected the game 'splendor' or 'marvel', got {game!r}")
    if rule_id is not None:
        found = rule(rule_id)
        if as_json:
            print_json(asdict(found))
        else:
            _print_rules(output_console(), [found])
        return
    chosen = [found for found in rules() if game is None or found.game in (game, "both")]
    if as_json:
        print_json([asdict(found) for found in chosen])
        return
    console = output_console()
    for section, in_section in groupby(chosen, key=lambda found: found.section):
        console.print(Text(section, style="bold"))
        _print_rules(console, list(in_section))
        console.print()


def _print_rules(console: Console, shown: list[Rule]) -> None:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True, style="bold", min_width=6)
    table.add_column(no_wrap=True, style="dim", min_width=8)
    table.add_column()
    for found in shown:
        text = Text(found.text)
        if found.ruling:
            text += Text(f"\nRuling: {found.ruling}", style="italic")
        table.add_row(found.id, found.game, text)
    console.print(table)
