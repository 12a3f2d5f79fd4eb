"""`cabochon analyse`: every decision with the best move, and what the played move lost."""

from __future__ import annotations

import json
import sys
from functools import partial
from pathlib import Path
from typing import Any

from rich.markup import escape
from rich.table import Table
from rich.text import Text

from cabochon.analysis import Judgement, analyse, decisions
from cabochon.cli.board import seat_name
from cabochon.cli.replay import load_game, title
from cabochon.cli.terminal import live_display, output_console, progress_bar
from cabochon.errors import OptionsError
from cabochon.game import Game
from cabochon.jobs import new_executor
from cabochon.language import decimal, say
from cabochon.record import read_records

WORST = 3  # worst moves listed for each seat
WORTH_NAMING = 0.01  # win probability: a move that lost less is not listed
GREAT = 0.1


def show_analysis(path: Path, number: int, bot: str, seat: int | None, as_json: bool) -> None:
    """Analyse the decisions of all seats, or of one counted from 1, and print the result."""
    game, fault = load_game(path, number)
    if fault is not None:
        raise fault
    seats = _seats(game, seat)
    if as_json:
        for judgement in analyse(game, bot, seats=seats):
            _print_line(judgement.to_dict())
        return
    found = _watched(game, bot, seats)
    _print_analysis(game, seats, found)


def show_analyses(path: Path, bot: str, seat: int | None, workers: int | None, ray: str | None, as_json: bool) -> None:
    """Analyse all games of a file, several at a time, and print the results in the order of the games."""
    games = [Game.from_record(record) for record in read_records(path)]
    jobs = [(game.record(), _seats(game, seat)) for game in games]
    with new_executor(len(jobs), workers, ray) as analysts, progress_bar() as bar:
        results = analysts.in_order(partial(_analysis, bot), jobs)
        tracked = bar.track(results, total=len(games), description=escape(bot))
        for number, (game, (_, seats), found) in enumerate(zip(games, jobs, tracked, strict=True), start=1):
            if as_json:
                for judgement in found:
                    _print_line({"game": number, **judgement.to_dict()})
            else:
                _print_analysis(game, seats, found)


def _analysis(bot: str, job: tuple[str, list[int]]) -> list[Judgement]:
    record, seats = job
    return list(analyse(record, bot, seats=seats))


def _seats(game: Game, seat: int | None) -> list[int]:
    if seat is not None and not 1 <= seat <= game.players:
        raise OptionsError(f"expected a seat from 1 to {game.players}, got {seat}")
    return list(range(game.players)) if seat is None else [seat - 1]


def _print_line(value: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


def _print_analysis(game: Game, seats: list[int], found: list[Judgement]) -> None:
    console = output_console()
    console.print(title(game), soft_wrap=True)
    console.print(_table(game, found))
    for seat in seats:
        _print_summary(game, seat, [judgement for judgement in found if judgement.seat == seat])


def _watched(game: Game, bot: str, seats: list[int]) -> list[Judgement]:
    progress = progress_bar()
    task = progress.add_task(escape(bot), total=sum(decision.seat in seats for decision in decisions(game)))
    found = []
    with live_display(progress):
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
