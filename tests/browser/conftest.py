"""One server and one browser for all these tests in a process, and a new person for each test."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, ViewportSize, expect

from tests.browser.driving import PATIENCE, QUICK, RunningServer, change_settings, chromium, keep_settings

DESKTOP: ViewportSize = {"width": 1440, "height": 900}

expect.set_options(timeout=PATIENCE)


@pytest.fixture(scope="package")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    with RunningServer(tmp_path_factory.mktemp("server")) as running:
        yield running


@pytest.fixture(scope="package")  # not "session": Playwright has an event loop, and tests elsewhere start their own
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """The browser of a person who is here for the first time."""
    context = browser.new_context(viewport=DESKTOP, reduced_motion="reduce")
    context.set_default_timeout(PATIENCE)
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """A page without animations or pauses. The test fails if it logs an error or a warning."""
    page = context.new_page()
    keep_settings(page, QUICK)
    with without_faults(page):
        yield page


@contextmanager
def without_faults(page: Page) -> Iterator[None]:
    """Fail if the page logs an error or a warning."""
    faults: list[str] = []

    def listen(message: ConsoleMessage) -> None:
        # The browser itself reports a broken connection, which some tests are about.
        if message.type in ("error", "warning") and "WebSocket" not in message.text:
            faults.append(message.text)

    page.on("console", listen)
    page.on("pageerror", lambda error: faults.append(error.stack or str(error)))
    yield
    assert faults == []


@dataclass(frozen=True)
class Device:
    """What somebody may hold."""

    size: ViewportSize
    has_touch: bool


DEVICES = {
    "phone": Device({"width": 390, "height": 844}, has_touch=True),
    "sideways": Device({"width": 844, "height": 390}, has_touch=True),
    "desktop": Device(DESKTOP, has_touch=False),
}


@contextmanager
def context_on(browser: Browser, name: str) -> Iterator[BrowserContext]:
    """The browser of a device."""
    device = DEVICES[name]
    context = browser.new_context(
        viewport=device.size, has_touch=device.has_touch, is_mobile=device.has_touch, reduced_motion="reduce"
    )
    context.set_default_timeout(PATIENCE)
    yield context
    context.close()


@pytest.fixture(scope="module", params=DEVICES)
def device_context(browser: Browser, request: pytest.FixtureRequest) -> Iterator[BrowserContext]:
    """The browser of each device. One is enough for all tests of a module, as they leave nothing in it."""
    with context_on(browser, request.param) as context:
        yield context


@pytest.fixture
def device(device_context: BrowserContext) -> Iterator[Page]:
    """The page of a new person on each of the devices: a phone upright, a phone sideways, and a desktop."""
    page = device_context.new_page()
    keep_settings(page, QUICK)
    with without_faults(page):
        yield page
        page.evaluate("localStorage.clear()")
    page.close()
    device_context.clear_cookies()


@pytest.fixture
def finger(browser: Browser) -> Iterator[Page]:
    """The page of a new person with a touch screen, to be looked at in `FINGER_SIZES`."""
    with context_on(browser, "phone") as context:
        page = context.new_page()
        keep_settings(page, QUICK)
        with without_faults(page):
            yield page


FINGER_SIZES: list[ViewportSize] = [
    {"width": 390, "height": 844},
    {"width": 844, "height": 390},
    {"width": 568, "height": 320},
    {"width": 1024, "height": 768},
]
FINGER = 44
# Whatever can be touched and is smaller than a finger, one of each kind. A link in a sentence is as high as its line,
# and the cards of another seat are larger in the dialog of the seat, which its name opens.
SMALL_TARGETS = """(least) => {
  const targets = [...document.querySelectorAll("a[href], button, select, input, textarea, summary, [role=slider]")];
  const small = targets.map((target) => {
    const isBox = target.matches("[type=radio], [type=checkbox]");
    const touched = isBox ? target.closest("label") ?? target : target;
    const { width, height } = touched.getBoundingClientRect();
    return { touched, width, height };
  }).filter(({ touched, width, height }) => {
    const style = getComputedStyle(touched);
    const isHidden = width < 3 || style.visibility === "hidden" || touched.closest(".visually-hidden") !== null;
    const isLargerElsewhere = touched.matches(".opponent .held") && width >= 24;
    const isLarge = isHidden || isLargerElsewhere || style.display === "inline";
    return !isLarge && Math.min(width, height) < least - 0.5;
  });
  const kinds = new Map(small.map((each) => [`${each.touched.localName}.${each.touched.className}`, each]));
  return [...kinds.values()].map(({ touched, width, height }) =>
    `${Math.round(width)} x ${Math.round(height)}: ${touched.outerHTML.replace(/\\s+/g, " ").slice(0, 160)}`);
}"""


def small_targets(page: Page) -> list[str]:
    """What is smaller than a finger in the whole page, with its dialog, at any of the sizes."""
    small = []
    for size in FINGER_SIZES:
        page.set_viewport_size(size)
        page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        small += [f"{size['width']}: {target}" for target in page.evaluate(SMALL_TARGETS, FINGER)]
    return small


def fits(page: Page) -> dict[str, bool]:
    """Whether the page is no wider and no higher than the window."""
    width, height = page.evaluate(
        "[document.documentElement.scrollWidth - innerWidth, document.documentElement.scrollHeight - innerHeight]"
    )
    return {"across": width <= 0, "down": height <= 0}


ALL_RULES = {"rules": {"target-size": {"enabled": True}}}  # which axe-core leaves out by default
AXE = Path(__file__).parent.parent.parent / "web" / "node_modules" / "axe-core" / "axe.min.js"


def complaints(page: Page, part: str = "html", rule: str | None = None) -> list[str]:
    """What axe-core finds in a part of the page: each rule that is broken, or one, and what breaks it first."""
    if page.evaluate("typeof axe") == "undefined":
        page.evaluate(AXE.read_text(encoding="utf-8"))
    violations = page.evaluate(
        "([part, options]) => axe.run(part, options).then(found => found.violations)",
        [part, {"resultTypes": ["violations"], **(ALL_RULES if rule is None else {"runOnly": [rule]})}],
    )
    return [
        f"{violation['id']}: {violation['help']}: {json.dumps(violation['nodes'][0]['html'])[:300]}"
        for violation in violations
    ]


def complaints_in_both_themes(page: Page, part: str = "html") -> list[str]:
    """The same in light and dark. The themes differ in colours alone, so all other rules are asked for once."""
    change_settings(page, theme="dark")
    in_the_dark = complaints(page, part, "color-contrast")
    change_settings(page, theme="light")
    return in_the_dark + complaints(page, part)
