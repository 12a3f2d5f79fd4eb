"""Stepping through the record of a game."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from pathlib import Path

from rich.console import Console
from rich.text import Text

from cabochon.cli.board import TITLES, draw_to_fit, seat_name
from cabochon.cli.move_log import MoveLog
from cabochon.cli.play import ranking
from cabochon.cli.terminal import error_console, is_interactive, output_console
from cabochon.errors import OptionsError, RecordError
from cabochon.game import Game
from cabochon.language import say
from cabochon.position import Decision, Position
from cabochon.record import read_records
from cabochon.view import View


def load_game(path: Path, number: int) -> tuple[Game, RecordError | None]:
    """Return the game, or as much of it as can be replayed, and the error in the rest."""
    record = next(islice(read_records(path), number - 1, number), None)
    if record is None:
        found = sum(1 for _ in read_records(path))
        raise OptionsError(f"expected a game number from 1 to {found}, got {number}")
    try:
        return Game.from_record(record), None
    except RecordError as fault:
        if fault.game is None or not fault.game.events:
            raise
        return fault.game, fault


def replay(path: Path, number: int) -> bool:
    """Show a record step by step, or all of it without a terminal; return whether it is undamaged."""
    game, fault = load_game(path, number)
    console = output_console()
    if is_interactive():
        _step_through(console, game, fault)
    else:
        _print_all(console, game)
    if fault is not None:
        error_console().print(Text(f"{say('replay.damaged')} {fault}", style="red"), soft_wrap=True)
    return fault is None


def title(game: Game) -> Text:
    """Which game it is, and who sits where."""
    names = ", ".join(f"{seat + 1} {name}" for seat, name in enumerate(game.names))
    return Text(f"{TITLES[game.variant]}, {game.date}: {names}", style="bold")


def _spectator_view(position: Position) -> View:
    """A spectator's view that also shows what the seat to move knows."""
    return replace(position.view(position.seat), viewer=None)


def _print_all(console: Console, game: Game) -> None:
    console.print(title(game), soft_wrap=True)
    for turn in MoveLog().turns(game):
        sentence = turn.sentence(seat_name(game.names, turn.seat), game.variant, knows_drawn=True)
        console.print(Text(f"{turn.round}.{turn.seat + 1} {sentence}"), soft_wrap=True)
    console.print(draw_to_fit(_spectator_view(game), console, other_lines=0))
    if game.outcome is not None:
        console.print(ranking(game))


def _step_through(console: Console, game: Game, fault: RecordError | None) -> None:
    decisions = list(game.decisions())
    last = len(decisions)
    step = 0
    while True:
        _show(console, game, decisions, step)
        if step == last and fault is not None:
            console.print(Text(f"{say('replay.damaged')} {fault}", style="red"), soft_wrap=True)
        try:
            answer = input(say("replay.prompt") + "> ").strip().lower()
        except (EOFError, KeyboardInterrupt):
            console.print()
            return
        if answer in ("q", "quit"):
            return
        if answer in ("", "n"):
            step = min(last, step + 1)
        elif answer == "p":
            step = max(0, step - 1)
        elif answer.isdecimal():
            step = min(last, int(answer))


def _show(console: Console, game: Game, decisions: list[Decision], step: int) -> None:
    is_last = step == len(decisions)
    console.clear()
    console.print(draw_to_fit(_spectator_view(game if is_last else decisions[step].before), console, other_lines=4))
    what = say("replay.step", step=step, steps=len(decisions))
    if step:
        decision = decisions[step - 1]
        name = seat_name(game.names, decision.seat)
        what += ": " + say("replay.played", name=name, move=str(decision.move))
    else:
        what += f": {say('replay.deal')} {title(game).plain}"
    console.print(Text(what, style="bold"), soft_wrap=True)
    if is_last and game.outcome is not None:
        console.print(ranking(game))
