"""What all commands share: the results on standard output, and what else a person sees on standard error."""

from __future__ import annotations

import io
import sys
from contextlib import AbstractContextManager

import pytest
from rich.text import Text

from cabochon.cli.terminal import live_display, progress_bar


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("display", [progress_bar, lambda: live_display(Text("99 games"))])
def test_results_go_to_a_file_while_a_terminal_shows_the_progress(
    display: type[AbstractContextManager[object]], monkeypatch: pytest.MonkeyPatch
) -> None:
    output, errors = io.StringIO(), Terminal()
    monkeypatch.setattr(sys, "stdout", output)
    monkeypatch.setattr(sys, "stderr", errors)
    with display():
        print("the result")
    assert output.getvalue() == "the result\n"
    assert "the result" not in errors.getvalue()
