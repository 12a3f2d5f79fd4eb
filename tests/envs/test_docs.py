"""The pages about the environments: their code runs, and the table of the observation is that of the core."""

from __future__ import annotations

import re

import pytest

from cabochon.core.observation import OBSERVATION_VERSION
from tests.test_targets import ROOT
from tools.observation_page import VERSIONS, is_up_to_date

PAGES = ("environments", "pettingzoo", "gymnasium", "openspiel")


@pytest.mark.parametrize("page", PAGES)
def test_the_code_of_a_page_runs(page: str) -> None:
    text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(blocks) == 1
    exec(compile(blocks[0], f"docs/{page}.md", "exec"), {})


def test_the_page_of_the_observation_is_up_to_date() -> None:
    assert is_up_to_date(), "run `python tools/observation_page.py`"
    assert len(VERSIONS) == OBSERVATION_VERSION, "say what is new in tools/observation_page.py"
