"""Shared by all commands: consoles, progress bars, and files that are written whole or not at all."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from rich.console import Console, RenderableType
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from cabochon.errors import CabochonError
from cabochon.language import say


def output_console() -> Console:
    """Return a new console for results, which writes to the current standard output."""
    return Console(highlight=False)


def error_console() -> Console:
    """Return a console for progress and notes on standard error, so that results can be piped."""
    return Console(stderr=True, highlight=False)


def is_interactive() -> bool:
    """Return whether input and output are a terminal, so that a person can answer."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def print_json(value: object) -> None:
    """Print one JSON value on standard output."""
    sys.stdout.write(json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def progress_bar() -> Progress:
    """Return a progress bar on standard error."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=error_console(), redirect_stdout=_shows_results())


def live_display(shown: RenderableType) -> Live:
    """Return a display on standard error that changes while a command runs, and disappears at its end."""
    return Live(shown, console=error_console(), transient=True, redirect_stdout=_shows_results())


def _shows_results() -> bool:
    """Whether results go to a terminal, where they must not mix with the progress; a file must receive them itself."""
    return sys.stdout.isatty()


class CompilationNotice(logging.Handler):
    """Prints one line when the first function is compiled: that takes seconds."""

    is_printed = False

    def emit(self, record: logging.LogRecord) -> None:
        """Print the line, once."""
        if not self.is_printed:
            self.is_printed = True
            error_console().print(say("terminal.compiling"))


_compilation_notice = CompilationNotice()


def announce_compilation() -> None:
    """Print a line on standard error if this process has to compile something."""
    logger = logging.getLogger("cabochon.core.compilation")  # by name: importing it takes long
    logger.setLevel(logging.INFO)
    logger.addHandler(_compilation_notice)  # has no effect the second time


@contextlib.contextmanager
def replaced_file(path: Path) -> Iterator[TextIO]:
    """A file that replaces `path` once it is complete; after an error `path` is unchanged."""
    if path.exists() and not path.is_file():  # a device or a pipe cannot be replaced
        with path.open("w", encoding="utf-8") as file:
            yield file
        return
    path = path.resolve()
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with temporary.open("w", encoding="utf-8") as file:
            yield file
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def write_file(path: Path, text: str) -> None:
    """Write a text file; raise `CabochonError` if that fails."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replaced_file(path) as file:
            file.write(text)
    except OSError as error:
        raise CabochonError(f"expected a writable file, got {str(path)!r}: {error.strerror}") from error
