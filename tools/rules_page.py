"""Write docs/rules.md from the catalogue of rules and the tests that prove them.

python tools/rules_page.py            write the page
python tools/rules_page.py --check    write nothing; fail if the page is not up to date
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections.abc import Iterator
from pathlib import Path

from cabochon.rulebook import markdown

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "rules.md"
MARK = "pytest.mark.proves"


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
