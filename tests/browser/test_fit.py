"""The table fits: on a desktop nothing scrolls, on a phone nothing scrolls sideways and all is within reach."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, Request, expect

from tests.browser.conftest import fits
from tests.browser.driving import QUICK, Clicker, RunningServer, keep_settings, open_game, wait_for_decision


@pytest.mark.parametrize("game", ["splendor", "marvel"])
def test_a_table_of_four_fits(page: Page, server: RunningServer, game: str) -> None:
    keep_settings(page, {**QUICK, "opponents": "3"})
    page.goto(server.address)
    page.get_by_role("radio", name="3").check(force=True)
    open_game(page, server.address, game)
    clicker = Clicker(page)
    for _ in range(8):
        wait_for_decision(page)
        clicker.decide()
    wait_for_decision(page)
    for width, height in [(1440, 900), (1024, 768), (1280, 720), (1920, 1080)]:
        page.set_viewport_size({"width": width, "height": height})
        assert fits(page) == {"across": True, "down": True}, f"{width} x {height}"
        for selector in [".market", ".tiles", ".supply", ".own", ".actions", ".opponent >> nth=2"]:
            expect(page.locator(selector)).to_be_in_viewport(ratio=0.99)
        for part in page.locator(".own, .opponent, .actions").all():
            assert part.evaluate("part => part.scrollHeight <= part.clientHeight + 1"), f"{width} x {height}"
            assert part.evaluate("part => part.scrollWidth <= part.clientWidth + 1"), f"{width} x {height}"


@pytest.mark.parametrize("game", ["splendor", "marvel"])
def test_a_phone_can_be_played_on(page: Page, server: RunningServer, game: str) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    keep_settings(page, QUICK)
    page.goto(server.address)
    assert fits(page)["across"]
    page.get_by_role("radio", name="3").check(force=True)
    open_game(page, server.address, game)
    clicker = Clicker(page)
    for _ in range(6):
        wait_for_decision(page)
        assert fits(page)["across"]
        expect(page.locator(".actions")).to_be_in_viewport(ratio=0.99)
        clicker.decide()
    wait_for_decision(page)
    page.locator(".strip button").first.click()
    assert fits(page)["across"]
    page.get_by_role("dialog").get_by_role("button", name="Close").click()
    for button in page.locator(".market button, .pile, .actions button").all():
        box = button.bounding_box()
        assert box is not None
        assert box["width"] >= 36
        assert box["height"] >= 36


def test_the_first_paint_is_light(page: Page, server: RunningServer) -> None:
    """What is loaded until the start can be seen: at most 300 kB over the line."""
    requests: list[Request] = []
    page.on("requestfinished", lambda request: requests.append(request))
    page.goto(server.address)
    expect(page.locator("[data-game-choice]").first).to_be_visible()
    page.wait_for_load_state("networkidle")
    sizes = {request.url: request.sizes()["responseBodySize"] for request in requests}
    assert any(url.endswith(".js") for url in sizes)
    assert sum(sizes.values()) < 300_000, sizes
