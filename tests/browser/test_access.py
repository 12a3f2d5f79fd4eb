"""axe-core finds nothing to complain about, on every screen, in both games, light and dark."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import complaints, complaints_in_both_themes
from tests.browser.driving import RunningServer, open_game, wait_for_decision


@pytest.mark.parametrize("game", ["splendor", "marvel"])
def test_no_complaints(page: Page, server: RunningServer, game: str) -> None:
    page.goto(server.address)
    page.locator(f"[data-game-choice={game}]").hover()
    assert complaints_in_both_themes(page) == [], "start"
    page.get_by_role("button", name="Settings").click()
    assert complaints_in_both_themes(page, "dialog") == [], "settings"
    page.keyboard.press("Escape")

    open_game(page, server.address, game)
    wait_for_decision(page)
    assert complaints_in_both_themes(page) == [], "table"
    page.locator(".pile.open").first.click()
    assert complaints_in_both_themes(page) == [], "choosing tokens"
    page.keyboard.press("Escape")
    for name, opener in {
        "a card": "[data-place='3.1']",
        "a deck": ".deck >> nth=0",
        "a tile": ".tile >> nth=0",
        "a seat": ".opponent .name >> nth=0",
        **({"the Avengers tile": "button.avengers"} if game == "marvel" else {}),
    }.items():
        page.locator(opener).click()
        expect(page.get_by_role("dialog")).to_be_visible()
        assert complaints_in_both_themes(page, "dialog") == [], name
        page.keyboard.press("Escape")
    for name, key in {"keys": "?", "log": "l"}.items():
        page.keyboard.press(key)
        expect(page.get_by_role("dialog")).to_be_visible()
        assert complaints_in_both_themes(page, "dialog") == [], name
        page.keyboard.press("Escape")
    page.set_viewport_size({"width": 360, "height": 740})
    assert complaints_in_both_themes(page) == [], "phone"


@pytest.mark.parametrize("path", ["/claim", "/elsewhere"])
def test_no_complaints_about_lesser_screens(page: Page, server: RunningServer, path: str) -> None:
    page.goto(server.address + path)
    expect(page.locator("main").get_by_role("link", name="Back to home")).to_be_visible()
    assert complaints(page) == []
