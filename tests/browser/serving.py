"""The server of these tests, as a process of its own: `python -m tests.browser.serving PORT FOLDER`."""

from __future__ import annotations

import sys
from pathlib import Path

from cabochon.cli.serve import Listening, serve
from tests.server.running import settings_for

ANALYSIS_NODES = 16  # enough to find mistakes, and a whole game takes a second or two


def main(port: str, folder: str) -> None:
    """Serve until the process is killed."""
    settings = settings_for(Path(folder), bot_threads=1, analysis_nodes=ANALYSIS_NODES)
    serve(settings, Listening("127.0.0.1", int(port), False, "text", "warning", ""))


if __name__ == "__main__":
    main(*sys.argv[1:])
