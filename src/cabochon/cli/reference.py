"""Print the rules by id, or an introduction to a game."""

from __future__ import annotations

from dataclasses import asdict
from itertools import groupby

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from cabochon.cli.terminal import output_console, print_json
from cabochon.core.cards import VARIANTS
from cabochon.errors import CabochonError
from cabochon.language import say, spoken_language
from cabochon.rulebook import Rule, rule, rules, topics


def show_rules(rule_id: str | None, game: str | None, as_json: bool) -> None:
    """Print one rule, or all of a game or of both."""
    _check_game(game)
    language, console = spoken_language(), output_console()
    if rule_id is not None:
        found = rule(rule_id, language)
        if as_json:
            print_json(asdict(found))
        else:
            _print_rules(console, [found])
        return
    chosen = [found for found in rules(language) if game is None or found.game in (game, "both")]
    if as_json:
        print_json([asdict(found) for found in chosen])
        return
    for section, in_section in groupby(chosen, key=lambda found: found.section):
        console.print(Text(section, style="bold"))
        _print_rules(console, list(in_section))
        console.print()


def show_introduction(game: str | None, as_json: bool) -> None:
    """Print what a new player needs to know, topic by topic."""
    _check_game(game)
    chosen = [topic for topic in topics(spoken_language()) if topic.game == (game or "splendor")]
    if as_json:
        print_json([asdict(topic) for topic in chosen])
        return
    console = output_console()
    for topic in chosen:
        console.print(Text(topic.title, style="bold"))
        for paragraph in topic.text:
            console.print(Padding(Text(paragraph), (0, 0, 0, 2)))
        if topic.example:
            example = Text(say("rules.example", example=topic.example), style="italic")
            console.print(Padding(example, (0, 0, 0, 2)))
        console.print(Padding(Text(" ".join(topic.rules), style="dim"), (0, 0, 1, 2)))


def _check_game(game: str | None) -> None:
    if game is not None and game not in VARIANTS:
        raise CabochonError(f"expected the game 'splendor' or 'marvel', got {game!r}")


def _print_rules(console: Console, shown: list[Rule]) -> None:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True, style="bold", min_width=6)
    table.add_column(no_wrap=True, style="dim", min_width=8)
    table.add_column()
    for found in shown:
        text = Text(found.text)
        if found.ruling:
            text += Text("\n" + say("rules.ruling", ruling=found.ruling), style="italic")
        table.add_row(found.id, say(f"rules.game.{found.game}"), text)
    console.print(table)
