"""A lock that one process holds at a time. It ends with its process, however that ends."""

import os
import socket
import sys
from contextlib import suppress
from pathlib import Path

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

LOCKED_BYTE = 1 << 30  # on Windows: nobody can read what is locked, so it is behind the text


class LockedError(Exception):
    """Somebody else has the lock; the message says who."""


class FileLock:
    """A lock on a file, which stays when the lock ends: whether it exists says nothing.

    The file has a text with the process that had the lock last.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor: int | None = None

    @property
    def is_held(self) -> bool:
        """Whether this object has the lock."""
        return self._descriptor is not None

    def acquire(self) -> None:
        """Take the lock, or raise `LockedError` if somebody else has it, even another object of this process."""
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            if not _lock(descriptor):
                raise LockedError(os.read(descriptor, 256).decode(errors="replace").strip() or "another process")
            with suppress(OSError):  # a full disk
                os.ftruncate(descriptor, 0)
                os.write(descriptor, f"process {os.getpid()} on {socket.gethostname()}\n".encode())
        except BaseException:
            os.close(descriptor)
            raise
        self._descriptor = descriptor

    def release(self) -> None:
        """Give the lock back, if this object has it."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def _lock(descriptor: int) -> bool:
    """Lock a file without waiting; return whether it worked."""
    try:
        if sys.platform == "win32":
            os.lseek(descriptor, LOCKED_BYTE, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
            os.lseek(descriptor, 0, os.SEEK_SET)
        else:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True
