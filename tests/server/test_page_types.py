"""The page's types, cards and tiles are those of the server."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import get_args

import pytest

from cabochon.bots.levels import LADDER
from cabochon.language import LANGUAGES
from cabochon.server.protocol import LevelName

ROOT = Path(__file__).parent.parent.parent


def load_tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("page_types", ROOT / "tools" / "page_types.py")
    assert spec is not None
    assert spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    return tool


@pytest.mark.parametrize("name", ["protocol.ts", "catalogue.ts", *(f"rules.{name}.json" for name in LANGUAGES)])
def test_generated_files_are_up_to_date(name: str) -> None:
    text = (ROOT / "web" / "src" / "generated" / name).read_text(encoding="utf-8")
    assert text == load_tool().files()[name], "out of date: run `python tools/page_types.py`"


def test_every_level_of_the_bots_can_be_asked_for() -> None:
    assert get_args(LevelName) == tuple(LADDER)
