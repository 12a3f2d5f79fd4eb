"""Imports point one way: each part may use those before it in this list, and none after it."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "src" / "cabochon"
ORDER = [
    "version",
    "errors",
    "language",
    "workers",
    "rulebook",
    "core.compilation",
    "core.cards",
    "core.state",
    "core.components",
    "core.random",
    "core.rules",
    "core.hidden_cards",
    "core.canonical",
    "core.replay",
    "core.observation",
    "core.lockstep",
    "core.playout",
    "jobs",
    "core.perft",
    "core.invariants",
    "core.cuda_kernels",
    "notation",
    "fair",
    "options",
    "outcome",
    "view",
    "view_text",
    "steps",
    "illegal_moves",
    "position",
    "record",
    "game",
    "game_records",
    "verification",
    "nn",
    "search",
    "bots",
    "analysis",
    "arena",
    "envs",
    "train",
    "server.settings",
    "server.names",
    "server.protocol",
    "server.errors",
    "server.clocks",
    "server.timeline",
    "server.messages",
    "server.telemetry",
    "server.repeated",
    "server.rate_limits",
    "server.http_protocol",
    "server.schema",
    "server.file_lock",
    "server.migrations",
    "server.database",
    "server.stored_settings",
    "server.live_settings",
    "server.personal_data",
    "server.notifications",
    "server.processes",
    "server.presence",
    "server.shared_limits",
    "server.guests",
    "server.seats",
    "server.table_store",
    "server.administration",
    "server.table_plans",
    "server.leases",
    "server.game_log",
    "server.running_games",
    "server.history",
    "server.lobby",
    "server.bot_workers",
    "server.broadcast",
    "server.bot_turns",
    "server.drivers",
    "server.changes",
    "server.live_table",
    "server.table_registry",
    "server.scheduler",
    "server.follower",
    "server.peer",
    "server.sockets",
    "server.bans",
    "server.replays",
    "server.analysis_store",
    "server.analysis_worker",
    "server.analyses",
    "server.measurements",
    "server.page",
    "server.security",
    "server.precompilation",
    "server.services",
    "server.authentication",
    "server.routes",
    "server.app",
    "loadtest",
    "cli",
    "__main__",
]
# A type in an error, the text of a view, and records: used when the program runs, never when it loads.
LATE = {("errors", "game"), ("view", "view_text"), ("game", "game_records")}


def part_of(name: str) -> str | None:
    """The part that a dotted module name belongs to."""
    for part in sorted(ORDER, key=len, reverse=True):
        if name == part or name.startswith(part + "."):
            return part
    return None


def imports_of(path: Path) -> list[str]:
    """The modules of the package that a file names in an import, wherever in the file."""
    names = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("cabochon"):
            names += [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names += [alias.name for alias in node.names if alias.name.startswith("cabochon")]
    return [name.removeprefix("cabochon.") for name in names]


MODULES = sorted(path for path in PACKAGE.rglob("*.py") if path.relative_to(PACKAGE) not in (Path("__init__.py"),))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_one_way(path: Path) -> None:
    name = ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__")
    if name in ("core", "server"):
        assert imports_of(path) == []
        return
    part = part_of(name)
    assert part is not None, f"{name} has no place in the order"
    for imported in imports_of(path):
        other = part_of(imported)
        assert other is not None, f"{name} imports {imported}, which has no place in the order"
        if (part, other) not in LATE and other != part:
            assert ORDER.index(other) < ORDER.index(part), f"{name} must not import {imported}"


def test_the_library_needs_numpy_and_numba_alone() -> None:
    program = (
        "import sys; import cabochon; game = cabochon.Game('marvel', seed=1); game.play('reserve 1'); "
        "print(sorted({name.partition('.')[0] for name in sys.modules} & "
        "{'typer', 'rich', 'click', 'torch', 'fastapi', 'pydantic', 'cuda', 'numba_cuda'}))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
