"""Every example runs, shortened, and draws its curve."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.test_targets import ROOT, run_python

EXAMPLES = sorted(path.name for path in (ROOT / "examples").glob("train_*.py"))


def test_there_is_one_for_each_interface() -> None:
    assert [f"train_{name}.py" for name in ("batch", "gymnasium", "openspiel", "pettingzoo", "torch")] == EXAMPLES


@pytest.mark.parametrize("example", EXAMPLES)
def test_it_runs(example: str, tmp_path: Path) -> None:
    picture = tmp_path / "learning.svg"
    sizes = ["--updates", "2", "--steps", "4", "--evaluation-games", "4"]
    printed = run_python(["-W", "error", f"examples/{example}", "--game", "marvel", *sizes, "--picture", str(picture)])
    assert printed.startswith("marvel, ")
    assert len(printed.splitlines()) == 2
    assert "<polyline" in picture.read_text(encoding="utf-8")
