"""Everything by keyboard alone."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.driving import (
    COLOURED,
    MOST_TURNS,
    QUICK,
    RunningServer,
    fast_forward,
    has_touch,
    keep_settings,
    phase,
    sequence,
    wait_for_decision,
)
from tests.browser.staging import StagedTable


def focused(page: Page, attribute: str) -> str | None:
    value: str | None = page.evaluate("name => document.activeElement?.getAttribute(name)", attribute)
    return value


def press_until(page: Page, key: str, attribute: str, value: str) -> None:
    """Press a key until the focus is on the element that has this attribute."""
    for _ in range(40):
        if focused(page, attribute) == value:
            return
        page.keyboard.press(key)
    raise AssertionError(f"expected {key} to lead to {attribute}={value}")


class Keys:
    """Plays with the keys alone: buys if it can, else takes tokens, else reserves, else passes."""

    def __init__(self, page: Page) -> None:
        self._page = page

    def decide(self) -> None:
        """Make the decision that is due; the focus stays somewhere on the table."""
        page = self._page
        before = sequence(page)
        {"act": self._act, "return": self._return, "tile": self._tile}[phase(page)]()
        page.locator(f".table:not([data-seq='{before}'])").wait_for()
        if wait_for_decision(page) != "over":
            assert page.evaluate("document.activeElement !== document.body")

    def go_to(self, place: str) -> None:
        """Move the focus to a card, by its place in the market (2.3) or in the hand (h1)."""
        page = self._page
        if place.startswith("h"):
            page.keyboard.press("h")
            press_until(page, "ArrowRight", "data-place", place)
            return
        page.keyboard.press("m")
        level, column = place.split(".")
        for _ in range(10):
            now, over = (focused(page, "data-place") or "").split(".")
            if (now, over) == (level, column):
                return
            if now != level:
                page.keyboard.press("ArrowUp" if int(now) < int(level) else "ArrowDown")
            else:
                page.keyboard.press("ArrowRight" if int(over) < int(column) else "ArrowLeft")
        raise AssertionError(f"expected the arrows to lead to {place}, got to {focused(page, 'data-place')}")

    def _act(self) -> None:
        page = self._page
        cards = page.locator("[data-place].open")
        before = sequence(page)
        table = page.locator(f".table[data-seq='{before}'][data-phase=act]")
        piles = table.locator(f".pile.open:not(.chosen){COLOURED}")
        self.go_to("1.1")
        if cards.count() > 0:
            self.go_to(cards.first.get_attribute("data-place") or "")
            page.keyboard.press("b")
        elif piles.count() > 0:
            while piles.count() > 0:
                page.keyboard.press(piles.first.get_attribute("aria-keyshortcuts") or "")
            if table.locator(".actions .button-primary").count() > 0:
                page.keyboard.press("c")
        elif page.locator(".deck.open").count() > 0:
            page.keyboard.press("r")
        else:
            page.keyboard.press("c")

    def _return(self) -> None:
        page = self._page
        tokens = page.locator(f".table[data-seq='{sequence(page)}'] .tokens.open")
        while tokens.count() > 0:
            name = tokens.first.get_attribute("data-token")
            pile = page.locator(f".pile[data-token={name}]")
            page.keyboard.press(pile.get_attribute("aria-keyshortcuts") or "")

    def _tile(self) -> None:
        page = self._page
        page.keyboard.press("t")
        press_until(
            page, "ArrowRight", "data-anchor", page.locator(".tile.open").last.get_attribute("data-anchor") or ""
        )
        page.keyboard.press("Enter")


class PlainKeys:
    """Plays without shortcuts, by Tab, the arrows and Enter alone; decides as `Clicker` does."""

    def __init__(self, page: Page) -> None:
        self._page = page

    def decide(self) -> None:
        """Make the decision that is due."""
        page = self._page
        before = sequence(page)
        table = page.locator(f".table[data-seq='{before}']")
        piles = table.locator(f"button.pile.open:not(.chosen){COLOURED}")
        now = phase(page)
        if now == "return":
            self._press_all(table.locator("button.tokens.open"))
        elif now == "tile":
            self._press(page.locator(".tile.open").first)
        elif page.locator("[data-place].open").count() > 0:
            self._press(page.locator("[data-place].open").first)
        elif piles.count() > 0:
            self._press_all(piles)
            if table.locator(".actions .button-primary").count() > 0:
                self._press(page.locator(".actions .button-primary"))
        elif page.locator(".deck.open").count() > 0:
            self._press(page.locator("button.pile.open"))
            self._press(page.locator(".deck.open").first)
        else:
            self._press(page.locator(".actions .button-primary"))
        page.locator(f".table:not([data-seq='{before}'])").wait_for()

    def _press_all(self, buttons: Locator) -> None:
        while buttons.count() > 0:
            self._press(buttons.first)

    def _press(self, button: Locator) -> None:
        """Go to a button, and press it."""
        for _ in range(80):
            key = button.evaluate(NEXT_KEY)
            self._page.keyboard.press(key)
            if key == "Enter":
                return
        raise AssertionError(f"expected Tab and the arrows to lead to {button}")


# The key that leads nearer to a button: an arrow where it is in the same group as what has the focus.
NEXT_KEY = """(button) => {
    const focused = document.activeElement;
    if (focused === button) return "Enter";
    if (focused === document.body || !focused.closest("section, .hand")?.contains(button)) return "Tab";
    if (focused.tabIndex !== 0 || !focused.matches("button")) return "Tab";
    const { x, y } = focused.getBoundingClientRect(), goal = button.getBoundingClientRect();
    if (Math.abs(goal.y - y) > 12) return goal.y > y ? "ArrowDown" : "ArrowUp";
    return goal.x > x ? "ArrowRight" : "ArrowLeft";
}"""


@pytest.mark.parametrize(("game", "shortcuts"), [("splendor", "off"), ("marvel", "on")])
def test_a_game_is_played_from_its_start_to_the_next_with_keys(
    page: Page, server: RunningServer, game: str, shortcuts: str
) -> None:
    keep_settings(page, {**QUICK, "shortcuts": shortcuts})
    page.goto(server.address)
    expect(page.locator("[data-game-choice]").first).to_be_visible()
    press_until(page, "Tab", "data-game-choice", game)
    page.keyboard.press("Enter")
    keys = Keys(page) if shortcuts == "on" else PlainKeys(page)
    for _ in range(2):
        wait_for_decision(page)
        keys.decide()
    fast_forward(server, page, until=lambda position: max(seat.points for seat in position.view.seats) >= 14)
    for _ in range(MOST_TURNS):
        if wait_for_decision(page) == "over":
            break
        keys.decide()
    result, before = page.get_by_role("dialog"), page.url
    expect(result.locator("tbody tr")).to_have_count(2)
    page.keyboard.press("Escape")
    expect(result).to_have_count(0)
    show = page.get_by_role("button", name="Show the result")
    for _ in range(40):
        if show.evaluate("button => button === document.activeElement"):
            break
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Play again")).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: "/t/" in url and url != before)
    assert wait_for_decision(page) == "act"


def test_every_key_does_what_the_list_says(page: Page, server: RunningServer) -> None:
    page.goto(server.address)
    expect(page.locator("[data-game-choice]").first).to_be_visible()
    press_until(page, "Tab", "data-game-choice", "splendor")
    page.keyboard.press("Enter")
    wait_for_decision(page)

    before = sequence(page)
    for key in "12":
        page.keyboard.press(key)
    expect(page.locator(".pile.chosen")).to_have_count(2)
    page.keyboard.press("Escape")
    expect(page.locator(".pile.chosen")).to_have_count(0)
    for key in "123":
        page.keyboard.press(key)
    page.locator(f".table:not([data-seq='{before}'])").wait_for()
    wait_for_decision(page)

    page.keyboard.press("m")
    press_until(page, "ArrowDown", "data-place", "1.1")
    press_until(page, "ArrowUp", "data-place", "3.1")
    press_until(page, "ArrowRight", "data-place", "3.3")
    for key in ("i", "Enter"):
        page.keyboard.press(key)
        expect(page.get_by_role("dialog")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)
        assert focused(page, "data-place") == "3.3"
    page.keyboard.press("b")
    expect(page.get_by_role("status").filter(has_text="You still need")).to_be_visible()
    page.keyboard.press("g")
    expect(page.locator("[data-place='3.3'].goal")).to_be_visible()
    page.reload()
    wait_for_decision(page)
    page.keyboard.press("m")
    press_until(page, "ArrowUp", "data-place", "3.1")
    press_until(page, "ArrowRight", "data-place", "3.3")
    expect(page.locator("[data-place='3.3'].goal")).to_be_visible()
    page.keyboard.press("g")
    expect(page.locator(".goal")).to_have_count(0)

    page.keyboard.press("6")
    expect(page.locator(".pile[data-token=gold].chosen")).to_be_visible()
    before = sequence(page)
    page.keyboard.press("Enter")
    page.locator(f".table:not([data-seq='{before}'])").wait_for()
    expect(page.locator(".own [data-place=h1]")).to_be_visible()
    assert focused(page, "data-place") == "3.3"
    wait_for_decision(page)
    before = sequence(page)
    press_until(page, "ArrowLeft", "data-deck", "3")
    page.keyboard.press("r")
    page.locator(f".table:not([data-seq='{before}'])").wait_for()
    expect(page.locator(".own [data-place=h2]")).to_be_visible()
    page.keyboard.press("h")
    assert focused(page, "data-place") in ("h1", "h2")
    page.keyboard.press("t")
    assert (focused(page, "data-anchor") or "").startswith("tile:")
    page.keyboard.press("p")
    assert (focused(page, "data-anchor") or "").startswith("pile:")

    page.keyboard.press("?")
    expect(page.get_by_role("heading", name="Keyboard shortcuts")).to_be_visible()
    page.keyboard.press("Escape")


def go_round(page: Page, key: str) -> set[str]:
    """Press a key until the focus leaves the page for the frame of the browser; the things on which it stopped."""
    seen: set[str] = set()
    for _ in range(60):
        page.keyboard.press(key)
        if page.evaluate("document.activeElement === document.body"):
            return seen
        seen.add((focused(page, "data-anchor") or "").partition(":")[0])
        outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline != "none", page.evaluate("document.activeElement.outerHTML.slice(0, 200)")
    raise AssertionError(f"expected {key} to lead out of the page, it stays among {seen}")


def test_the_tab_key_goes_round_the_table(device: Page, server: RunningServer) -> None:
    """On each device, and on a desktop at 200%."""
    StagedTable(device, server, game="marvel")
    for is_zoomed in (False, True):
        if is_zoomed and has_touch(device):
            break
        if is_zoomed:
            device.set_viewport_size({"width": 720, "height": 450})
        go_round(device, "Tab")  # from wherever the focus was
        assert go_round(device, "Tab") >= {"tile", "deck", "pile"}
        assert go_round(device, "Shift+Tab") >= {"tile", "deck", "pile"}


def test_what_happens_is_said(page: Page, server: RunningServer) -> None:
    page.goto(server.address)
    page.locator("[data-game-choice=splendor]").click()
    wait_for_decision(page)
    page.keyboard.press("p")
    for key in "123":
        page.keyboard.press(key)
    wait_for_decision(page)
    expect(page.locator("[aria-live=polite]")).to_contain_text("It is your turn.")
