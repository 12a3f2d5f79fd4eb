"""What every command shares: consoles, progress, and files that are written whole or not at all."""

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
    """Where results go. Made anew for each command, so that it follows a replaced standard output."""
    return Console(highlight=False)


def error_console() -> Console:
    """Where progress and notes go, so that results can be piped."""
    return Console(stderr=True, highlight=False)


def is_interactive() -> bool:
    """Whether a person sits at the keyboard and sees the output."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def print_json(value: Any) -> None:
    """One JSON value on standard output."""
    sys.stdout.write(json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def progress_bar() -> Progress:
    """A bar on standard error that counts done of all."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=error_console(),
    )


def announce_compilation(*functions: str) -> None:
    """Say what takes so long, if any of the functions, such as "rules.begin", has no machine code yet."""
    from numba import config

    from cabochon.core.compilation import CACHE_FOLDER, is_compiled

    has_code = is_compiled() and all(
        CACHE_FOLDER is not None and any(CACHE_FOLDER.rglob(f"{function}-*.nbi")) for function in functions
    )
    if not has_code and not config.DISABLE_JIT:
        error_console().print(say("terminal.compiling"))


@contextlib.contextmanager
def replaced_file(path: Path) -> Iterator[TextIO]:
    """A file that takes the place of `path` when all of it is written, and leaves `path` alone otherwise."""
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
    """Write a text file at once, or say in one line why it cannot be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replaced_file(path) as file:
            file.write(text)
    except OSError as error:
        raise CabochonError(f"expected a file that can be written, got {str(path)!r}: {error.strerror}") from error
