"""Compile functions with numba, cache the machine code on disk, and log when compilation is needed."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba import config
from numba.core import event

OLD_SECONDS = 30 * 24 * 3600

logger = logging.getLogger(__name__)

Function = TypeVar("Function", bound=Callable[..., object])

# Everything that compiled code depends on, below the package: its sources, and the cards built into it.
SOURCES = (
    "core/*.py",
    "nn/*.py",
    "search/*.py",
    "train/batched_search.py",
    "data/splendor_*.csv",
    "data/marvel_*.csv",
)


def sources_digest() -> str:
    """Return a hash of everything that the compiled code depends on."""
    package = Path(__file__).parent.parent
    digest = hashlib.sha256()
    for path in sorted(path for pattern in SOURCES for path in package.glob(pattern)):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def cache_folder() -> Path:
    """Return the folder of compiled code for exactly these sources.

    numba's cache does not notice an edit to a called function in another file, so the folder is named by a hash of
    all sources.
    """
    if chosen := os.environ.get("CABOCHON_CACHE"):
        root = Path(chosen)
    elif sys.platform == "win32":
        root = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local")) / "cabochon"
    else:
        root = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "cabochon"
    return root / f"compiled-{sources_digest()}"


def _writable_cache_folder() -> Path | None:
    """Create the cache folder if necessary, and remove old ones; return None if it cannot be written."""
    try:
        folder = cache_folder()
        if not folder.exists():
            folder.mkdir(parents=True, exist_ok=True)
            for other in folder.parent.glob("compiled-*"):
                if time.time() - other.stat().st_mtime > OLD_SECONDS:
                    shutil.rmtree(other, ignore_errors=True)
    except (OSError, RuntimeError):
        return None
    return folder if os.access(folder, os.W_OK) else None


CACHE_FOLDER = _writable_cache_folder()


@contextlib.contextmanager
def temporarily(owner: Any, name: str, value: object) -> Iterator[None]:
    """Set an attribute for the duration of a `with` block."""
    before = getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, before)


def jit(function: Function) -> Function:
    """Compile a function for the CPU at its first call; it releases the GIL.

    With `NUMBA_DISABLE_JIT=1` the function stays plain Python. A CUDA kernel that calls it compiles it again, from the
    same source, as a device function.
    """
    # numba reads its cache folder when a function is decorated.
    with temporarily(config, "CACHE_DIR", str(CACHE_FOLDER or config.CACHE_DIR)):
        decorate = numba.njit(cache=CACHE_FOLDER is not None, nogil=True, error_model="numpy")
        return cast("Function", decorate(function))


class _CompilationLog(event.Listener):  # type: ignore[misc]  # numba has no types
    """Logs every function that numba compiles because its cache does not have it."""

    def on_start(self, compilation: Any) -> None:
        logger.info("compiling %s", compilation.data["dispatcher"].py_func.__qualname__)

    def on_end(self, compilation: Any) -> None:
        pass


event.register("numba:compile", _CompilationLog())
