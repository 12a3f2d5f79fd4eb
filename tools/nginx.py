"""Find nginx for the test of the deployment; unpack Debian's nginx to `build/nginx` if there is none.

    python tools/nginx.py    print its path, or why there is none

It is not installed, because that would also start it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "build" / "nginx"
PACKAGES = ("nginx", "nginx-light")  # one of them has the program, depending on the release of Debian
PATHS = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", str(FOLDER / "usr" / "sbin")])


def find() -> str | None:
    """Return the path of nginx, if it is there and works."""
    path = shutil.which("nginx", path=PATHS)
    if path is None or subprocess.run([path, "-v"], capture_output=True, check=False).returncode != 0:
        return None
    return path


def unpack() -> None:
    """Get the packages with apt, and unpack them."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for package in PACKAGES:
        download = ["apt-get", "download", "-q", package]
        if not _succeeds(download):
            _succeeds(["apt-get", "update", "-q"])  # fails if we are not root
            _succeeds(download)
    for archive in FOLDER.glob("*.deb"):
        _succeeds(["dpkg-deb", "--extract", str(archive), str(FOLDER)])


def _succeeds(command: list[str]) -> bool:
    return subprocess.run(command, cwd=FOLDER, capture_output=True, check=False).returncode == 0


def main() -> None:
    """Unpack nginx if necessary, and print its path."""
    if find() is None and shutil.which("apt-get") is not None:
        unpack()
    print(find() or "no nginx, and none could be unpacked: the test of the deployment uses a proxy of its own")


if __name__ == "__main__":
    main()
