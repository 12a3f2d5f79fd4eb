from __future__ import annotations

from pathlib import Path

import pytest

from cabochon import Game
from cabochon.cli.terminal import CompilationNotice


@pytest.fixture(autouse=True)
def _no_compilation_notice(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a command prints does not depend on what is compiled already."""
    monkeypatch.setattr(CompilationNotice, "is_printed", True)


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
