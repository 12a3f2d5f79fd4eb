"""Stepping through the record of a game."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from pathlib import Path

from rich.console import Console
from rich.text import Text

from cabochon.cli.board import TITLES, draw_to_fit, seat_name
from cabochon.cli.play import ranking
from cabochon.cli.story import Story, apply_event
from cabochon.cli.terminal import error_console, is_interactive, output_console
from cabochon.errors import OptionsError, RecordError
from cabochon.game import Game
from cabochon.language import say
from cabochon.notation import Move
from cabochon.record import read_records
from cabochon.view import View


def load_game(path: Path, number: int) -> tuple[Game, RecordError | None]:
    """The game, or as much of it as could be replayed, and what is wrong with the rest."""
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
    """Show a record step by step, or all of it where nobody can answer; whether the record is whole."""
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


def _open_view(game: Game) -> View:
    """What the seat to move knows, looked at from outside."""
    return replace(game.view(game.seat), viewer=None)


def _print_all(console: Console, game: Game) -> None:
    console.print(title(game), soft_wrap=True)
    for turn in Story(game).turns(game):
        sentence = turn.sentence(seat_name(game.names, turn.seat), game.variant, knows_drawn=True)
        console.print(Text(f"{turn.round}.{turn.seat + 1} {sentence}"), soft_wrap=True)
    console.print(draw_to_fit(_open_view(game), console, other_lines=0))
    if game.is_over:
        console.print(ranking(game))


def _positions(game: Game) -> list[Game]:
    """The game after the deal, and then after each decision and its reveals."""
    walk = Game.by_hand(game.options, names=game.names, date=game.date)
    positions = []
    for event in game.events:
        if isinstance(event.what, Move):
            positions.append(walk.copy())
        apply_event(walk, event)
    return [*positions, walk]


def _step_through(console: Console, game: Game, fault: RecordError | None) -> None:
    positions = _positions(game)
    last = len(positions) - 1
    step = 0
    while True:
        _show(console, game, positions, step, fault)
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


def _show(console: Console, game: Game, positions: list[Game], step: int, fault: RecordError | None) -> None:
    position = positions[step]
    console.clear()
    console.print(draw_to_fit(_open_view(position), console, other_lines=4))
    what = say("replay.step", step=step, steps=len(positions) - 1)
    if step:
        last = game.moves[step - 1]
        name = seat_name(game.names, positions[step - 1].seat)
        what += ": " + say("replay.played", name=name, move=str(last))
    else:
        what += f": {say('replay.deal')} {title(game).plain}"
    console.print(Text(what, style="bold"), soft_wrap=True)
    if step == len(positions) - 1:
        if position.is_over:
            console.print(ranking(position))
        if fault is not None:
            console.print(Text(f"{say('replay.damaged')} {fault}", style="red"), soft_wrap=True)
