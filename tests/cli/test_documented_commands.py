"""The commands in the documentation: each is one that `cabochon` understands."""

from __future__ import annotations

import contextlib
import re
import shlex
from collections.abc import Iterator

import pytest
import typer
from typer.core import TyperGroup

from cabochon.cli import app
from tests.test_targets import ROOT

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`(cabochon [a-z][^`\n]*)`")


def commands() -> Iterator[tuple[str, str]]:
    """Each command line of the documentation, with its page."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        lines = "\n".join(BLOCK.findall(text)).replace("\\\n", " ").splitlines() + INLINE.findall(text)
        for line in dict.fromkeys(lines):
            if "cabochon " in line and "..." not in line:
                yield page.name, line.strip()


def arguments(line: str) -> list[str] | None:
    """The arguments of the call of `cabochon` in a line, without what the shell takes for itself."""
    words = shlex.split(line, comments=True)
    for number, word in enumerate(words):
        if word == "cabochon":
            rest = words[number + 1 :]
            end = next((i for i, found in enumerate(rest) if found in ("|", ">", "&&", ";", "&")), len(rest))
            return rest[:end]
        if "=" not in word:
            return None
    return None


CALLS = [(page, line, called) for page, line in commands() if (called := arguments(line)) is not None]


@pytest.mark.parametrize(("page", "line", "called"), CALLS, ids=[f"{page}: {line}" for page, line, _ in CALLS])
def test_a_documented_command_exists(page: str, line: str, called: list[str]) -> None:
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    name, *rest = called
    context = group.make_context("cabochon", [name])
    command = group.get_command(context, name)
    assert command is not None
    if rest:  # the bare name of a command is only a mention
        with contextlib.suppress(typer.Exit):  # --help
            command.make_context(name, ["7" if word == "N" else word for word in rest], parent=context)
