"""`cabochon analyse`: every decision with the best move, and what the played move lost."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from rich.live import Live
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from cabochon.analysis import Judgement, analyse, decisions
from cabochon.cli.board import seat_name
from cabochon.cli.replay import load_game, title
from cabochon.cli.terminal import error_console, output_console, progress_bar
from cabochon.errors import OptionsError
from cabochon.game import Game
from cabochon.language import decimal, say

WORST = 3  # worst moves listed for each seat
WORTH_NAMING = 0.01  # win probability: a move that lost less is not listed
GREAT = 0.1


def show_analysis(path: Path, number: int, bot: str, seat: int | None, as_json: bool) -> None:
    """Analyse the decisions of all seats, or of one counted from 1, and print the result."""
    game, fault = load_game(path, number)
    if fault is not None:
        raise fault
    if seat is not None and not 1 <= seat <= game.players:
        raise OptionsError(f"expected a seat from 1 to {game.players}, got {seat}")
    seats = list(range(game.players)) if seat is None else [seat - 1]
    if as_json:
        for judgement in analyse(game, bot, seats=seats):
            sys.stdout.write(json.dumps(judgement.to_dict()) + "\n")
            sys.stdout.flush()
        return
    found = _watched(game, bot, seats)
    console = output_console()
    console.print(title(game), soft_wrap=True)
    console.print(_table(game, found))
    for one in seats:
        _print_summary(game, one, [judgement for judgement in found if judgement.seat == one])


def _watched(game: Game, bot: str, seats: list[int]) -> list[Judgement]:
    progress = progress_bar()
    task = progress.add_task(escape(bot), total=sum(decision.seat in seats for decision in decisions(game)))
    found = []
    with Live(progress, console=error_console(), transient=True):
        for judgement in analyse(game, bot, seats=seats):
            found.append(judgement)
            progress.advance(task)
    return found


def _percent(share: float) -> str:
    return decimal(100 * share)


def _turn(judgement: Judgement) -> str:
    return f"{judgement.round}.{judgement.seat + 1}"


def _table(game: Game, judgements: list[Judgement]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column(say("analysis.turn"), justify="right", no_wrap=True)
    table.add_column(say("result.player"), overflow="ellipsis", no_wrap=True)
    for column in ("played", "better"):
        table.add_column(say(f"analysis.{column}"), no_wrap=True)
    for column in ("chance", "loss"):
        table.add_column(say(f"analysis.{column}"), justify="right", no_wrap=True)
    for judgement in judgements:
        is_best = judgement.played == judgement.best
        table.add_row(
            _turn(judgement),
            Text(seat_name(game.names, judgement.seat)),
            str(judgement.played),
            "=" if is_best else str(judgement.best),
            _percent(judgement.win_probability),
            "" if is_best else _percent(judgement.loss),
            style="bold red" if judgement.loss >= GREAT else "",
        )
    return table


def _print_summary(game: Game, seat: int, judgements: list[Judgement]) -> None:
    mean = sum(judgement.loss for judgement in judgements) / max(1, len(judgements))
    name = seat_name(game.names, seat)
    console = output_console()
    line = say("analysis.average", name=name, loss=_percent(mean), count=len(judgements))
    console.print(Text(line, style="bold"), soft_wrap=True)
    for judgement in sorted(judgements, key=lambda judgement: -judgement.loss)[:WORST]:
        if judgement.loss >= WORTH_NAMING:
            moves = {"played": str(judgement.played), "better": str(judgement.best)}
            line = say("analysis.worse", turn=_turn(judgement), loss=_percent(judgement.loss), **moves)
            console.print(Text(f"  {line}"), soft_wrap=True)
