"""Write docs/rules.md from the catalogue of rules and the tests that prove them.

python tools/rules_page.py            write the page
python tools/rules_page.py --check    write nothing; fail if the page is not up to date
"""

from __future__ import annotations

import argparse
import ast
import csv
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path, PurePosixPath

from cabochon.rulebook import rules

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "rules.md"
SOURCES = ROOT / "docs" / "rule_sources.csv"
MARK = "pytest.mark.proves"

_INTRODUCTION = """\
# The rules

Every rule of Splendor and Splendor: Marvel has an id, which error messages, tests and `cabochon rules` cite.
A ruling says how Cabochon plays where the rulebooks are silent or can be read in more than one way.

The source of a rule is a place in the rulebooks: the number of the book, the heading in it, and the sentence below that
heading, counted from 1. Numbers that the Spanish book leaves out follow the publisher's English text. A rule without a
source is a ruling.

| book | game | language |
| --- | --- | --- |
| 000 | Splendor: Marvel | Spanish |
| 001 | Splendor: Marvel | German |
| 002 | Splendor | Spanish |
| 003 | Splendor: Marvel | Russian |
| 004 | Splendor: Marvel | Italian |

`python tools/rules_page.py` writes this page from `src/cabochon/data/rules.csv`, `docs/rule_sources.csv` and the tests.
"""

_TURN_ORDER = """\
## Order of a turn

1. You choose one action.
2. If you buy, you pay, then you take the card, and then the green token and the Avengers tile if they are due.
   If you reserve a face-up card, you take it.
3. A new card fills the empty place, or you draw the unseen card.
4. If you reserve, you take the wild token.
5. You return the tokens beyond ten.
6. You take the noble or location you have earned; if you have earned several, you choose one.
7. The next seat follows. After the last seat of the round, the end of the game is checked first.
"""


def _proved_ids(function: ast.FunctionDef) -> Iterator[str]:
    """The rule ids in the marks of a test."""
    for decorator in function.decorator_list:
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == MARK:
            yield from (ast.literal_eval(argument) for argument in decorator.args)


def proofs() -> dict[str, list[str]]:
    """For each rule id the tests marked as its proof, as `path::test`, without running any."""
    found: dict[str, list[str]] = {}
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                for rule_id in _proved_ids(node):
                    test = f"{path.relative_to(ROOT).as_posix()}::{node.name}"
                    found.setdefault(rule_id, []).append(test)
    return found


def sources() -> dict[str, list[str]]:
    """For each rule id its places in the rulebooks, as `001 Spielende 2`."""
    with SOURCES.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {row.pop("id"): [f"{book} {place}" for book, place in row.items() if place] for row in rows}


def markdown(proofs: Mapping[str, Sequence[str]]) -> str:
    """Return all rules as a Markdown page; `proofs` maps a rule id to the tests that prove it, as `path::test`."""
    places = sources()
    parts = [_INTRODUCTION]
    for section, section_rules in groupby(rules(), key=lambda rule: rule.section):
        lines = [
            f"## {section}",
            "",
            "| id | game | rule | ruling | source | proved by |",
            "| --- | --- | --- | --- | --- | --- |",
        ]
        for rule in section_rules:
            tests = "<br>".join(_test_link(test) for test in proofs.get(rule.id, ()))
            source = "<br>".join(places[rule.id]) or "ruling"
            lines.append(f"| {rule.id} | {rule.game} | {rule.text} | {rule.ruling} | {source} | {tests} |")
        parts.append("\n".join(lines) + "\n")
    parts.append(_TURN_ORDER)
    return "\n".join(parts)


def _test_link(test: str) -> str:
    """Return a link from the page in docs/ to the file of the test."""
    path, _, name = test.partition("::")
    return f"[{PurePosixPath(path).stem}::{name}](../{path})"


def is_up_to_date() -> bool:
    """Whether the page on disk is the one that would be written."""
    return PAGE.exists() and PAGE.read_text(encoding="utf-8") == markdown(proofs())


def main() -> int:
    parser = argparse.ArgumentParser(description="Write docs/rules.md.")
    parser.add_argument("--check", action="store_true", help="only say whether the page is up to date")
    if parser.parse_args().check:
        if not is_up_to_date():
            print("docs/rules.md is not up to date: run `python tools/rules_page.py`", file=sys.stderr)
            return 1
        return 0
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(markdown(proofs()), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
