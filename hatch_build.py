"""Build the page into the wheel."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PageBuildHook(BuildHookInterface[Any]):
    """Install the page's packages and build it to `src/cabochon/server/static`, which the wheel includes."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build, except for an editable installation: there `make` builds what has changed."""
        if version == "editable":
            return
        npm = Path(self.root) / "tools" / "npm.py"
        for arguments in (["ci"], ["run", "build"]):
            subprocess.run([sys.executable, npm, *arguments], check=True)
