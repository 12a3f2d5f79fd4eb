"""Everything by keyboard alone."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.driving import RunningServer, sequence, wait_for_decision


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


def test_a_game_is_started_and_played_with_keys(page: Page, server: RunningServer) -> None:
    page.goto(server.address)
    expect(page.locator("[data-game-choice]").first).to_be_visible()
    press_until(page, "Tab", "data-game-choice", "splendor")
    page.keyboard.press("Enter")
    wait_for_decision(page)

    before = sequence(page)
    for key in "123":
        page.keyboard.press(key)
    expect(page.locator(".pile.chosen")).to_have_count(3)
    page.keyboard.press("Escape")
    expect(page.locator(".pile.chosen")).to_have_count(0)
    for key in "123":
        page.keyboard.press(key)
    page.keyboard.press("c")
    page.locator(f".table:not([data-seq='{before}'])").wait_for()
    wait_for_decision(page)

    page.keyboard.press("m")
    press_until(page, "ArrowDown", "data-place", "1.1")
    press_until(page, "ArrowRight", "data-place", "1.3")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert focused(page, "data-place") == "1.3"

    before = sequence(page)
    page.keyboard.press("r")
    page.locator(f".table:not([data-seq='{before}'])").wait_for()
    expect(page.locator(".own [data-place=h1]")).to_be_visible()

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


def test_the_tab_key_goes_round_the_table(page: Page, server: RunningServer) -> None:
    page.goto(server.address)
    page.locator("[data-game-choice=marvel]").press("Enter")
    wait_for_decision(page)
    for width, height in [(1440, 900), (720, 450), (390, 844)]:
        page.set_viewport_size({"width": width, "height": height})
        go_round(page, "Tab")  # from wherever the focus was
        assert go_round(page, "Tab") >= {"tile", "deck", "pile"}, (width, height)
        assert go_round(page, "Shift+Tab") >= {"tile", "deck", "pile"}, (width, height)


def test_what_happens_is_said(page: Page, server: RunningServer) -> None:
    page.goto(server.address)
    page.locator("[data-game-choice=splendor]").click()
    wait_for_decision(page)
    page.keyboard.press("p")
    for key in "123":
        page.keyboard.press(key)
    page.get_by_role("button", name="Take 1 diamond, 1 sapphire, 1 emerald").click()
    wait_for_decision(page)
    expect(page.locator("[aria-live=polite]")).to_contain_text("It is your turn.")
