"""axe-core finds nothing to complain about, on every screen, in both games, light and dark."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import complaints_in_both_themes
from tests.browser.driving import RunningServer, change_settings, open_game, wait_for_decision


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
    page.set_viewport_size({"width": 844, "height": 390})
    assert complaints_in_both_themes(page) == [], "phone sideways"
    page.get_by_role("button", name="More", exact=True).press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    assert complaints_in_both_themes(page, "dialog") == [], "tools"
    page.keyboard.press("Escape")
    change_settings(page, guide="on")
    expect(page.locator(".guide.placed")).to_be_visible()
    assert complaints_in_both_themes(page) == [], "hint"


@pytest.mark.parametrize("game", ["splendor", "marvel"])
def test_no_complaints_about_the_other_screens(page: Page, server: RunningServer, game: str) -> None:
    """Each with and without something in it; the replay and the history of somebody who played are in test_replay."""
    page.goto(server.address)
    page.get_by_role("button", name="All levels").click()
    assert complaints_in_both_themes(page) == [], "all levels"
    for path in ["/lobby", "/history", f"/rules/{game}", "/replay", "/claim", "/elsewhere", "/new"]:
        page.goto(server.address + path)
        expect(page.locator("main")).to_be_visible()
        page.wait_for_load_state("networkidle")
        assert complaints_in_both_themes(page) == [], path
    page.get_by_text("Splendor: Marvel" if game == "marvel" else "Splendor", exact=True).click()
    page.get_by_role("radio", name="Everyone").check(force=True)
    page.locator("select").first.select_option("open")
    page.locator("[type=submit]").click()
    expect(page.get_by_role("heading", name="Waiting for players")).to_be_visible()
    assert complaints_in_both_themes(page) == [], "waiting room"
    room = page.url
    page.goto(f"{server.address}/lobby")
    expect(page.locator("main li").first).to_be_visible()
    assert complaints_in_both_themes(page) == [], "lobby"
    page.goto(server.address)
    expect(page.get_by_role("region", name="Continue playing")).to_be_visible()
    assert complaints_in_both_themes(page) == [], "start with a table that waits"
    page.goto(room)
    page.get_by_role("button", name="Close the table").click()
    expect(page.get_by_role("link", name="Open a table")).to_be_visible()  # others expect an empty lobby
    assert complaints_in_both_themes(page) == [], "closed table"
