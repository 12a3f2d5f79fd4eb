"""A line that drops: the page says so, comes back by itself, and catches up."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.driving import Clicker, RunningServer, open_game, sequence, wait_for_decision


@pytest.fixture
def mortal(tmp_path: Path) -> Iterator[RunningServer]:
    """A server that a test may kill."""
    with RunningServer(tmp_path) as running:
        yield running


def test_a_killed_server_comes_back_and_the_game_goes_on(page: Page, mortal: RunningServer) -> None:
    open_game(page, mortal.address, "splendor")
    clicker = Clicker(page)
    wait_for_decision(page)
    clicker.decide()
    wait_for_decision(page)
    shown = sequence(page)

    mortal.kill()
    expect(page.get_by_text("No connection")).to_be_visible()
    assert page.locator(".table").get_attribute("data-phase") == "wait"
    mortal.start()
    expect(page.get_by_text("No connection")).to_have_count(0)
    assert wait_for_decision(page) == "act"
    assert sequence(page) == shown
    clicker.decide()


def test_what_was_missed_is_caught_up(page: Page, server: RunningServer) -> None:
    address = open_game(page, server.address, "splendor")
    wait_for_decision(page)
    page.context.set_offline(True)
    page.evaluate("dispatchEvent(new Event('offline'))")
    other = page.context.new_page()
    other.goto("about:blank")
    page.context.set_offline(False)
    other.goto(address)
    wait_for_decision(other)
    Clicker(other).decide()
    wait_for_decision(other)
    page.locator(f".table[data-seq='{sequence(other)}']").wait_for()
    other.close()
