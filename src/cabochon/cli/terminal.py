"""Shared by all commands: consoles, progress bars, and files that are written whole or not at all."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from cabochon.errors import CabochonError
from cabochon.language import say


def output_console() -> Console:
    """The console for results. Each command makes a new one, so that it follows a replaced standard output."""
    return Console(highlight=False)


def error_console() -> Console:
    """The console for progress and notes, so that results can be piped."""
    return Console(stderr=True, highlight=False)


def is_interactive() -> bool:
    """Whether input and output are a terminal, so that a person can answer."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def print_json(value: Any) -> None:
    """One JSON value on standard output."""
    sys.stdout.write(json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def progress_bar() -> Progress:
    """A progress bar on standard error."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=error_console(),
    )


def announce_compilation(*functions: str) -> None:
    """Announce a wait if any of the functions, such as "rules.begin", has to be compiled first."""
    from numba import config

    from cabochon.core.compilation import CACHE_FOLDER, is_compiled

    has_code = is_compiled() and all(
        CACHE_FOLDER is not None and any(CACHE_FOLDER.rglob(f"{function}-*.nbi")) for function in functions
    )
    if not has_code and not config.DISABLE_JIT:
        error_console().print(say("terminal.compiling"))


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
    """Write a whole text file; raise an error in one line if that is impossible."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replaced_file(path) as file:
            file.write(text)
    except OSError as error:
        raise CabochonError(f"expected a file that can be written, got {str(path)!r}: {error.strerror}") from error
