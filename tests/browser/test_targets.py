"""On a touch screen, everything that can be touched is as large as a finger, on every screen and in every dialog."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.conftest import small_targets
from tests.browser.driving import QUICK, RunningServer, change_settings, keep_settings
from tests.browser.staging import (
    StagedTable,
    affordable,
    full_seats,
    must_return,
    out_of_time,
    paying,
    people_with_clocks,
    turn_of_the_next,
)


class Ruler:
    """Collects what is too small on each screen."""

    def __init__(self, page: Page) -> None:
        self.found: list[str] = []
        self._page = page

    def measure(self, where: str) -> None:
        self.found += [f"{where}: {target}" for target in small_targets(self._page)]

    def measure_dialog(self, where: str) -> None:
        """Measure a dialog that opens, and close it."""
        dialog = self._page.get_by_role("dialog")
        expect(dialog).to_be_visible()
        self.measure(where)
        self._page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)


def test_screens(finger: Page, server: RunningServer) -> None:
    ruler = Ruler(finger)
    finger.goto(server.address)
    finger.get_by_role("button", name="All levels").click()
    ruler.measure("start")
    finger.get_by_role("button", name="Settings").click()
    ruler.measure_dialog("settings")
    for path in ("/lobby", "/history", "/rules/splendor", "/replay", "/claim", "/elsewhere", "/new"):
        finger.goto(server.address + path)
        expect(finger.locator("main")).to_be_visible()
        finger.wait_for_load_state("networkidle")
        if path == "/new":
            finger.get_by_text("House rules").click()
            finger.get_by_role("radio", name="Seconds per turn").check(force=True)
            finger.get_by_role("radio", name="Everyone").check(force=True)
        ruler.measure(path)
    finger.locator("[type=submit]").click()
    expect(finger.get_by_role("heading", name="Waiting for players")).to_be_visible()
    ruler.measure("waiting room")
    room = finger.url
    for path in ("", "/lobby"):
        finger.goto(server.address + path)
        expect(finger.locator("main li").first).to_be_visible()
        ruler.measure(f"{path} with a table")
    finger.goto(room)
    finger.get_by_role("button", name="Close the table").click()
    expect(finger.get_by_role("link", name="Open a table")).to_be_visible()  # others expect an empty lobby
    assert ruler.found == [], "\n".join(ruler.found)


def test_a_table_and_its_dialogs(finger: Page, server: RunningServer) -> None:
    """Marvel's, which has all that Splendor's has, and more."""
    keep_settings(finger, {**QUICK, "confirm": "on"})
    ruler = Ruler(finger)
    table = StagedTable(finger, server, people_with_clocks, game="marvel", opponents=3)
    for name, opener in {
        "a card": "[data-place='2.2']",
        "a deck": ".deck >> nth=0",
        "a tile": "button.tile >> nth=0",
        "a seat": ".opponent .name >> nth=0",
        "the Avengers": "button.avengers",
    }.items():
        finger.locator(opener).press("Enter")
        ruler.measure_dialog(name)
    for name, tool in {"phrases": "Say something", "leaving": "Leave the game", "keys": "Keyboard shortcuts"}.items():
        finger.get_by_role("button", name=tool).press("Enter")
        ruler.measure_dialog(name)
    finger.locator("button.pile").first.press("Enter")
    ruler.measure("choosing tokens")
    table.show(full_seats, people_with_clocks, turn_of_the_next)
    ruler.measure("a full table")
    table.show(full_seats, must_return)
    ruler.measure("returning")
    table.show(affordable("1.1", wilds=1), paying("1.1"))
    expect(finger.locator(".pay-sheet")).to_be_visible()
    ruler.measure("paying")
    change_settings(finger, guide="on")
    table.show()
    expect(finger.locator(".guide.placed")).to_be_visible()
    ruler.measure("a hint")
    table.show(people_with_clocks, out_of_time)
    ruler.measure_dialog("the result")
    assert ruler.found == [], "\n".join(ruler.found)
