"""With all animations: what flies lands, what is drawn late is drawn, and the focus stays."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from cabochon.core.cards import VARIANTS
from cabochon.server import protocol
from tests.browser.driving import QUICK, RunningServer, keep_settings, sequence, sign_in, synced, wait_for_decision
from tests.server.running import Client

# Keeps the kinds of what has flown; it may have landed before a test looks.
WATCH_FLIGHTS = """() => {
  window.flown = 0;
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes)
      for (const node of addedNodes) if (node instanceof Element && node.matches(".flight")) window.flown += 1;
  }).observe(document.body, { childList: true, subtree: true });
}"""


def check_drawn(page: Page, position: protocol.Position) -> None:
    """Check that the table shows a position as the server has it."""
    view = position.view
    for token, left in view.supply.items():
        expect(page.locator(f"button.pile[data-token={token}]")).to_have_attribute(
            "aria-label", re.compile(rf": {left} left")
        )
    for level, left in enumerate(view.decks, start=1):
        expect(page.locator(f".deck[data-deck='{level}']")).to_have_attribute("aria-label", re.compile(f"{left} cards"))
    for seat, board in zip(view.seats, (".own", ".opponent"), strict=True):
        for token, count in seat.tokens.items():
            tokens = page.locator(f"{board} .tokens[data-anchor='seat:{seat.seat}:token:{token}']")
            expect(tokens).to_have_text(str(count))
        expect(page.locator(f"{board} .held")).to_have_count(len(seat.reserved))
    expect(page.locator(".log li")).to_have_count(position.seq)
    expect(page.locator(".flight, .away")).to_have_count(0)


@pytest.mark.parametrize("game", VARIANTS)
def test_moves_are_drawn_to_their_end_and_keep_the_focus(page: Page, server: RunningServer, game: str) -> None:
    page.emulate_media(reduced_motion="no-preference")
    keep_settings(page, {**QUICK, "motion": "auto"})
    with Client(server.address, "Ada") as ada:
        table = ada.open_table("me", "novice", game=game).id
        sign_in(page.context, ada, server.address)
        page.goto(f"{server.address}/t/{table}")
        wait_for_decision(page)
        page.evaluate(WATCH_FLIGHTS)
        for group, keys, focused in (("p", "123", "pile:"), ("m", "r", "place:"), ("h", "345", "seat:0:h1")):
            before = sequence(page)
            page.keyboard.press(group)
            for key in keys:
                page.keyboard.press(key)
            page.locator(f".table:not([data-seq='{before}'])").wait_for()
            assert wait_for_decision(page) == "act"
            check_drawn(page, synced(ada.line(table)))
            assert page.evaluate("window.flown") > 0
            page.evaluate("window.flown = 0")
            assert focused in str(page.evaluate("document.activeElement.dataset.anchor")), keys
