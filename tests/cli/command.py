"""Running the command in this process, with typed keys in and both outputs back."""

from __future__ import annotations

import contextlib
import io
import sys
from dataclasses import dataclass
from unittest import mock

from cabochon import Game, Move
from cabochon.cli import main


@dataclass(frozen=True)
class Result:
    status: int
    output: str
    errors: str


def run(*arguments: str, keys: str = "") -> Result:
    output, errors = io.StringIO(), io.StringIO()
    with (
        mock.patch.object(sys, "stdin", io.StringIO(keys)),
        contextlib.redirect_stdout(output),
        contextlib.redirect_stderr(errors),
    ):
        status = main(list(arguments))
    return Result(status, output.getvalue(), errors.getvalue())


def open_moves(game: Game) -> list[Move]:
    """The legal moves but for those that draw a card unseen, where there are others."""
    moves = game.legal_moves
    return [m for m in moves if m.kind != "reserve" or "." in (m.place or "")] or moves


def eager_move(game: Game) -> Move:
    """A move that brings the game on: buy the dearest card, else what comes first."""
    moves = open_moves(game)
    return next((m for m in reversed(moves) if m.kind in ("buy", "pay")), moves[len(game.moves) % len(moves)])
