from __future__ import annotations

from pathlib import Path

import pytest

from cabochon import Game, Options
from cabochon.cli.play import bot
from cabochon.cli.simulation import random_game


@pytest.fixture(scope="session", autouse=True)
def _compiled() -> None:
    """Everything is compiled before the first test, so that no command says that it compiles."""
    bots = {seat: bot(name, seed=1) for seat, name in enumerate(("journeyman", "random"))}
    for variant in ("splendor", "marvel"):
        game = Game(variant, seed=1)
        while game.round < 3:
            game.play(bots[game.seat](game.view(game.seat)))
    random_game(Options(), 1)


@pytest.fixture(autouse=True)
def _plain_terminal(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """80 columns, no colours, English, and a games folder of its own."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LINES", "24")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


@pytest.fixture
def record(game: Game, tmp_path: Path) -> Path:
    """A file of the record of the `game` that a module of tests has."""
    path = tmp_path / "game.txt"
    path.write_text(game.record())
    return path
