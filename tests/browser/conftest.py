"""One server for all tests of a process, a browser for those of a file, and a fresh person for each test."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, ViewportSize, expect

from tests.browser.driving import QUICK, RunningServer, chromium, keep_settings

DESKTOP: ViewportSize = {"width": 1440, "height": 900}
PATIENCE = 120_000  # milliseconds: where nothing is compiled yet, the first move of a bot takes long

expect.set_options(timeout=PATIENCE)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    with RunningServer(tmp_path_factory.mktemp("server")) as running:
        yield running


@pytest.fixture(scope="module")  # while it runs, so does an event loop, and tests elsewhere have their own
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """The browser of a person who has never been here."""
    context = browser.new_context(viewport=DESKTOP, reduced_motion="reduce")
    context.set_default_timeout(PATIENCE)
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """A page on which nothing moves and bots answer at once; nothing may go wrong in it unnoticed."""
    page = context.new_page()
    keep_settings(page, QUICK)
    faults: list[str] = []

    def listen(message: ConsoleMessage) -> None:
        # A line that breaks is reported by the browser itself; that is what some tests are about.
        if message.type in ("error", "warning") and "WebSocket" not in message.text:
            faults.append(message.text)

    page.on("console", listen)
    page.on("pageerror", lambda error: faults.append(str(error)))
    yield page
    assert faults == []


def fits(page: Page) -> dict[str, bool]:
    """Whether the page is no wider and no higher than the window."""
    width, height = page.evaluate(
        "[document.documentElement.scrollWidth - innerWidth, document.documentElement.scrollHeight - innerHeight]"
    )
    return {"across": width <= 0, "down": height <= 0}


AXE = Path(__file__).parent.parent.parent / "web" / "node_modules" / "axe-core" / "axe.min.js"


def complaints(page: Page, part: str = "html") -> list[str]:
    """What axe-core finds in a part of the page: the rule, and the first element that breaks it."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("part => axe.run(part, { resultTypes: ['violations'] })", part)
    return [
        f"{violation['id']}: {violation['help']}: {json.dumps(violation['nodes'][0]['html'])[:300]}"
        for violation in found["violations"]
    ]
