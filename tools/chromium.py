"""Find Chromium for the browser tests and screenshots; install Debian's Chromium if there is none.

python tools/chromium.py    print its path
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
# As root Chromium has no sandbox; the rest keeps it from calling home, which a closed network would only slow down.
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    # The suggestions below the address bar are pages of their own, which every new window would start.
    "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup",
)


def find() -> str | None:
    """Return the path of Chromium if it is on the PATH."""
    return next((path for name in NAMES if (path := shutil.which(name)) is not None), None)


def install() -> None:
    """Install Debian's Chromium, with sudo if we are not root."""
    apt = shutil.which("apt-get")
    sudo = shutil.which("sudo")
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    if apt is None or not (is_root or sudo):
        sys.exit(
            f"expected one of {', '.join(NAMES)} on the PATH, found none, and without "
            f"{'apt-get' if apt is None else 'root or sudo'} it cannot be installed automatically: "
            f"please install Chromium"
        )
    command = [apt] if is_root else ["sudo", apt]
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for arguments in (["update", "-q"], ["install", "-q", "-y", "--no-install-recommends", "chromium"]):
        done = subprocess.run([*command, *arguments], stdout=sys.stderr, env=environment, check=False)
        if done.returncode != 0:
            sys.exit(
                f"{' '.join([*command, *arguments])} failed with status {done.returncode}: please install Chromium"
            )


def main() -> None:
    """Install Chromium if necessary, and print its path."""
    if find() is None:
        install()
    print(find())


if __name__ == "__main__":
    main()
