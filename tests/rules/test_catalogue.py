"""The catalogue of rules, its page, and every place that cites it agree."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import pytest

from cabochon import CabochonError
from cabochon.rulebook import rule, rules
from tools.rules_page import ROOT, is_up_to_date, markdown, proofs, sources

IDS = [rule.id for rule in rules()]
PROOFS = proofs()
PREFIXES = "|".join(sorted({rule_id.partition("-")[0] for rule_id in IDS}))
NO_RULE = "TRN-99"  # what tests ask for to be told that there is no such rule
CITATION = re.compile(rf"\b(?:{PREFIXES})-[A-Z]?[0-9]+\b")


def _cited_files() -> Iterator[Path]:
    for folder, pattern in (("src", "*.py"), ("tests", "*.py"), ("tools", "*.py"), ("docs", "*.md")):
        yield from (ROOT / folder).rglob(pattern)


def test_ids_are_well_formed_and_unique() -> None:
    assert len(IDS) == len(set(IDS)) == 80
    assert NO_RULE not in IDS
    assert all(re.fullmatch(r"[A-Z]{3}-[BM]?[1-9][0-9]?", rule_id) for rule_id in IDS)


def test_every_rule_is_a_sentence_for_a_game() -> None:
    for entry in rules():
        assert entry.game in ("splendor", "marvel", "both")
        assert entry.text.endswith(".")
        assert not entry.ruling or entry.ruling.endswith(".")
        assert "|" not in entry.text + entry.ruling


def test_sections_come_one_after_the_other() -> None:
    sections = [section for section, _ in groupby(rules(), key=lambda entry: entry.section)]
    assert sections == [
        "Material",
        "Setup",
        "A turn",
        "Token limit",
        "Cards, reserving, buying",
        "Nobles and locations",
        "Time Stone and Avengers",
        "The end",
    ]


def test_every_rule_has_a_source_or_is_a_ruling() -> None:
    places = sources()
    assert list(places) == IDS
    assert [entry.id for entry in rules() if not places[entry.id] and not entry.ruling] == []
    form = re.compile(r"00[0-4] .+ \d+(; .+ \d+)?")
    assert all(form.fullmatch(place) for found in places.values() for place in found)


@pytest.mark.parametrize("rule_id", IDS)
def test_every_rule_is_proved(rule_id: str) -> None:
    assert PROOFS.get(rule_id), f"no test is marked with proves({rule_id!r})"


def test_every_cited_rule_exists() -> None:
    unknown = {
        f"{path.relative_to(ROOT)}: {citation}"
        for path in _cited_files()
        for citation in CITATION.findall(path.read_text(encoding="utf-8"))
        if citation not in [*IDS, NO_RULE]
    }
    assert not unknown
    assert set(PROOFS) <= set(IDS)


def test_the_page_is_up_to_date() -> None:
    assert is_up_to_date(), "run `python tools/rules_page.py`"


def test_the_page_shows_rules_rulings_and_proofs() -> None:
    page = markdown({"TRN-5": ["tests/rules/test_turn.py::test_a", "tests/rules/test_turn.py::test_b"]})
    row = next(line for line in page.splitlines() if line.startswith("| TRN-5 |"))

    assert rule("TRN-5").text in row
    assert "[test_turn::test_a](../tests/rules/test_turn.py)<br>[test_turn::test_b]" in row
    assert rule("BUY-3").ruling in page
    assert all(f"| {rule_id} |" in page for rule_id in IDS)


def test_a_rule_is_found_by_its_id() -> None:
    assert rule("END-M1").game == "marvel"
    assert rule(" end-m1 ") is rule("END-M1")


def test_an_unknown_id_is_refused_with_close_ones() -> None:
    with pytest.raises(CabochonError, match=r"expected the id of a rule, such as TRN-5, .*got 'TRM-5'"):
        rule("TRM-5")
    with pytest.raises(CabochonError, match=r"such as TRN-1, .*got 'what'"):
        rule("what")


def test_the_rulebook_loads_without_the_compiler() -> None:
    code = "import sys, cabochon.rulebook; cabochon.rulebook.rules(); print('numba' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout == "False\n"
