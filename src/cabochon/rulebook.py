"""The rules by their ids: what an error, a test and the rule reference cite."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib import resources
from itertools import groupby
from pathlib import PurePosixPath

from cabochon.errors import CabochonError

_INTRODUCTION = """\
# The rules

Every rule of Splendor and Splendor: Marvel has an id, which error messages, tests and `cabochon rules` cite.
A ruling says how Cabochon plays where the rulebooks are silent, or can be read in more than one way.

This page is written by `python tools/rules_page.py` from `src/cabochon/data/rules.csv` and the tests.
"""

_TURN_ORDER = """\
## The order within a turn

1. The one action.
2. Buying: the payment, then the card, then its green token and the Avengers tile if they are due.
   Reserving: the card.
3. The new card for the empty place, or the card drawn unseen.
4. Reserving: the wild token.
5. The return of the tokens beyond ten.
6. The noble or location that is due, or the choice among several.
7. The next seat; after the last seat of the round, the test whether the game is over.
"""


@dataclass(frozen=True)
class Rule:
    """One rule, in a sentence for players; `game` is "splendor", "marvel" or "both".

    `ruling` says how we play where the rulebooks leave it open; it is empty where they do not.
    """

    id: str
    game: str
    section: str
    text: str
    ruling: str


@cache
def rules() -> tuple[Rule, ...]:
    """Every rule of both games, in the order of a rulebook."""
    text = resources.files("cabochon").joinpath("data", "rules.csv").read_text(encoding="utf-8")
    return tuple(Rule(**row) for row in csv.DictReader(text.splitlines()))


def rule(rule_id: str) -> Rule:
    """The rule with this id, in capitals or not.

    >>> rule("trn-5").game
    'both'
    """
    by_id = {rule.id: rule for rule in rules()}
    found = by_id.get(rule_id.strip().upper())
    if found is None:
        close = get_close_matches(rule_id.strip().upper(), by_id, n=3) or ["TRN-1", "BUY-2", "END-M1"]
        raise CabochonError(f"expected the id of a rule, such as {', '.join(close)}; got {rule_id!r}")
    return found


def markdown(proofs: Mapping[str, Sequence[str]]) -> str:
    """All rules as a page; `proofs` has, for a rule id, the tests that prove it, as `path::test`."""
    parts = [_INTRODUCTION]
    for section, section_rules in groupby(rules(), key=lambda rule: rule.section):
        lines = [
            f"## {section}",
            "",
            "| id | game | rule | ruling | proved by |",
            "| --- | --- | --- | --- | --- |",
        ]
        for rule in section_rules:
            tests = "<br>".join(_test_link(test) for test in proofs.get(rule.id, ()))
            lines.append(f"| {rule.id} | {rule.game} | {rule.text} | {rule.ruling} | {tests} |")
        parts.append("\n".join(lines) + "\n")
    parts.append(_TURN_ORDER)
    return "\n".join(parts)


def _test_link(test: str) -> str:
    """A link from the page in docs/ to the file of the test."""
    path, _, name = test.partition("::")
    return f"[{PurePosixPath(path).stem}::{name}](../{path})"
