"""How the core's functions are compiled, and where the machine code is kept."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba import config

OLD_SECONDS = 30 * 24 * 3600

Function = TypeVar("Function", bound=Callable[..., Any])


# All that compiled code depends on, below the package: its own sources, and the cards built into it.
SOURCES = ("core/*.py", "nn/*.py", "search/*.py", "bots/*.py", "data/splendor_*.csv", "data/marvel_*.csv")


def sources_digest() -> str:
    """A hash over everything that the compiled code depends on."""
    package = Path(__file__).parent.parent
    digest = hashlib.sha256()
    for path in sorted(path for pattern in SOURCES for path in package.glob(pattern)):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def cache_folder() -> Path:
    """The folder of compiled code for exactly these sources.

    numba's own cache does not notice an edit in a called function of another file; a folder named
    by the sources does.
    """
    if chosen := os.environ.get("CABOCHON_CACHE"):
        root = Path(chosen)
    elif sys.platform == "win32":
        root = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local")) / "cabochon"
    else:
        root = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "cabochon"
    return root / f"compiled-{sources_digest()}"


def _forget_old_code(root: Path) -> None:
    """Remove the compiled code of sources that are long gone."""
    for folder in root.glob("compiled-*"):
        if time.time() - folder.stat().st_mtime > OLD_SECONDS:
            shutil.rmtree(folder, ignore_errors=True)


def _writable_cache_folder() -> Path | None:
    """The cache folder, made if need be; None where this machine does not let us write one."""
    try:
        folder = cache_folder()
        if not folder.exists():
            folder.mkdir(parents=True, exist_ok=True)
            _forget_old_code(folder.parent)
    except (OSError, RuntimeError):
        return None
    return folder if os.access(folder, os.W_OK) else None


CACHE_FOLDER = _writable_cache_folder()


@contextlib.contextmanager
def _numba_caching_in(folder: Path) -> Iterator[None]:
    """Numba reads its cache folder when a function is decorated: set it for just that moment."""
    before = config.CACHE_DIR
    config.CACHE_DIR = str(folder)
    try:
        yield
    finally:
        config.CACHE_DIR = before


def jit(function: Function) -> Function:
    """Compile a function of the core for the CPU at its first call, without the GIL.

    With `NUMBA_DISABLE_JIT=1` the function stays plain Python. A CUDA kernel that calls it compiles
    it again, from the same source, as a device function.
    """
    options = {"nogil": True, "error_model": "numpy"}
    compiled: Function
    if CACHE_FOLDER is None:
        compiled = numba.njit(**options)(function)
    else:
        with _numba_caching_in(CACHE_FOLDER):
            compiled = numba.njit(cache=True, **options)(function)
    return compiled


def is_compiled() -> bool:
    """Whether machine code for these very sources is already on disk."""
    return CACHE_FOLDER is not None and any(CACHE_FOLDER.rglob("*.nbi"))
