"""The table fits: on a desktop nothing scrolls, on a phone nothing scrolls sideways and all is within reach."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, Request, expect

from tests.browser.conftest import fits
from tests.browser.driving import (
    QUICK,
    Clicker,
    RunningServer,
    fast_forward,
    keep_settings,
    open_game,
    wait_for_decision,
)
from tests.browser.staging import (
    StagedTable,
    full_seats,
    must_return,
    people_with_clocks,
    took_and_returned,
    turn_of_the_next,
)


@pytest.mark.parametrize("game", ["splendor", "marvel"])
def test_a_table_of_four_fits(page: Page, server: RunningServer, game: str) -> None:
    keep_settings(page, {**QUICK, "opponents": "3"})
    page.goto(server.address)
    page.get_by_role("radio", name="3").check(force=True)
    open_game(page, server.address, game)
    fast_forward(server, page, until=lambda position: position.view.round > 8)
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
    for size in 2 * [(360, 740), (844, 390), (720, 450)]:  # upright, sideways, and a small desktop at 200%
        page.set_viewport_size({"width": size[0], "height": size[1]})
        wait_for_decision(page)
        assert fits(page)["across"]
        expect(page.locator(".actions")).to_be_in_viewport(ratio=0.99)
        clicker.decide()
    page.set_viewport_size({"width": 360, "height": 740})
    wait_for_decision(page)
    page.locator(".strip button").first.click()
    assert fits(page)["across"]
    page.get_by_role("dialog").get_by_role("button", name="Close").click()
    for button in page.locator(".market button, .supply button, .actions button").all():
        box = button.bounding_box()
        assert box is not None
        assert box["width"] >= TOUCH
        assert box["height"] >= TOUCH


SIZES = [
    (320, 568),
    (360, 740),
    (390, 844),
    (768, 1024),
    (1024, 1366),
    (1440, 2560),
    (568, 320),
    (667, 375),
    (844, 390),
    (720, 450),  # 1440 x 900 at 200%
    (1024, 768),
    (1366, 650),
    (1440, 900),
    (1920, 1080),
    (2560, 1440),
]
TOUCH = 44
# How much of the width the market has on a desktop.
MARKET = {
    (1024, 768): (0.5, 0.6),
    (1366, 650): (0.55, 0.6),
    (1440, 900): (0.55, 0.6),
    (1920, 1080): (0.55, 0.6),
    (2560, 1440): (0.55, 0.6),
}

# How many things the seats have, and which of them, or of what they did, reach beyond their board.
PLACED = """() => {
  const placed = [...document.querySelectorAll(".own, .opponent, .glance")].flatMap((board) =>
    [...board.querySelectorAll(
      ".seat-mark, .clock, .points, .tokens, .bonus, .count, .held, .won > *, .last-move .token, .last-move .verb"
    )].filter((each) => each.getClientRects().length > 0).map((each) => ({ board, each })));
  const cut = placed.filter(({ board, each }) => {
    const edge = board.getBoundingClientRect(), { left, right, top, bottom } = each.getBoundingClientRect();
    return left < edge.left - 1 || right > edge.right + 1 || top < edge.top - 1 || bottom > edge.bottom + 1;
  });
  return { count: placed.length, cut: cut.map(({ board, each }) => `${each.className} of ${board.className}`) };
}"""

# Which of the main parts, and of the targets within them, cover each other or reach beyond the window.
COVERED = """() => {
  scrollTo(0, document.documentElement.scrollHeight);  // what sticks to the window lies in its place there
  const selector = ".market, .pile, .tile, .tiles .avengers, .own, .actions, .opponent, .glance, header, .log.panel";
  const boxes = (selector) =>
    [...document.querySelectorAll(selector)].map((part) => ({ part, box: part.getBoundingClientRect() }));
  const parts = boxes(selector), inside = boxes(".market > *");
  const name = ({ part, box }) => `${part.className || part.localName} ${Object.values(box.toJSON()).slice(0, 4)}`;
  const isLong = document.documentElement.scrollHeight > innerHeight;
  const beyond = [...parts, ...inside].filter(({ box }) =>
    box.left < -1 || box.right > innerWidth + 1 || (!isLong && (box.top < -1 || box.bottom > innerHeight + 1)));
  const covered = parts.flatMap((one, index) => parts.slice(index + 1)
    .filter((other) => !one.part.contains(other.part) && !other.part.contains(one.part))
    .filter(({ box }) => box.left < one.box.right - 1 && one.box.left < box.right - 1
      && box.top < one.box.bottom - 1 && one.box.top < box.bottom - 1)
    .map((other) => `${name(one)} and ${name(other)}`));
  scrollTo(0, 0);
  return [...beyond.map(name), ...covered];
}"""

# Which buttons and links are smaller than this.
SMALL = """(least) => [...document.querySelectorAll(".table :is(button, a)")]
  .map((target) => ({ target, box: target.getBoundingClientRect() }))
  .filter(({ box }) => box.width > 0 && (box.width < least - 0.5 || box.height < least - 0.5))
  .map(({ target, box }) => `${target.className} ${target.dataset.anchor} ${box.width} x ${box.height}`)"""

# What is to be seen of each opponent.
FACTS = """() => [...document.querySelectorAll(".opponent, .glance")].map((board) => {
  const count = (selector) =>
    [...board.querySelectorAll(selector)].filter((part) => part.getClientRects().length > 0).length;
  return [".seat-mark", ".name", ".clock", ".points", ".bonus", ".tokens", ".held"].map(count);
})"""


@pytest.mark.parametrize("game", ["splendor", "marvel"])
@pytest.mark.parametrize("opponents", [1, 3])
def test_a_full_table_fits(page: Page, server: RunningServer, game: str, opponents: int) -> None:
    """As much as anybody can have, at every size, whether another is to move or one must return tokens.

    Nothing is cut off or covered, only the smallest phone scrolls, fingers hit everything, and the market is large.
    """
    table = StagedTable(page, server, game=game, opponents=opponents)
    kinds_of_tokens = 6 if game == "splendor" else 7
    faults: list[str] = []
    for is_returning in (False, True):
        last = must_return if is_returning else turn_of_the_next
        table.show(full_seats, took_and_returned, people_with_clocks, last)
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            mode = "short" if width > height and width < 1000 else "phone" if width < 820 else "desktop"
            page.locator(f".table.{mode}").wait_for()
            page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
            placed = page.evaluate(PLACED)
            share = page.locator(".market").evaluate("market => market.offsetWidth / innerWidth")
            least, most = MARKET.get((width, height), (0.4, 1))
            turn = ".own.turn" if is_returning else ":is(.opponent, .glance).turn"
            targets = page.locator("button.tokens").evaluate_all("all => all.map(each => each.offsetWidth)")
            found = {
                "size": [way for way, is_whole in fits(page).items() if is_whole == (way == "down" and height == 568)],
                "cut": placed["cut"],
                "missing": placed["count"] < 9 * page.locator(".own, .opponent, .glance").count(),
                "covered": page.evaluate(COVERED),
                "small": page.evaluate(SMALL, 24 if mode == "desktop" else TOUCH),
                "facts": [facts for facts in page.evaluate(FACTS) if facts != [1, 1, 1, 1, 5, kinds_of_tokens, 3]],
                "whose turn": page.locator(turn).count() != 1,
                "market": not least <= share <= most,
                "small tokens": is_returning and (len(targets) != 6 or min(targets) < TOUCH),
            }
            faults += [f"{width} x {height}: {what}: {fault}" for what, fault in found.items() if fault]
    assert faults == [], "\n".join(faults)


# What a hint must not cover, but covers; what it is about has the ring around it.
COVERED_BY_HINT = """() => {
    const hint = document.querySelector(".guide").getBoundingClientRect();
    const isInside = hint.top >= 0 && hint.left >= 0 && hint.right <= innerWidth && hint.bottom <= innerHeight;
    const kept = [...document.querySelectorAll(".own, .actions, .spotlight")].filter(part => {
        const { top, bottom, left, right } = part.getBoundingClientRect();
        return top < hint.bottom && hint.top < bottom && left < hint.right && hint.left < right;
    });
    return [...(isInside ? [] : ["the edge"]), ...kept.map(part => part.className)];
}"""


@pytest.mark.parametrize("game", ["splendor", "marvel"])
def test_a_hint_covers_neither_ones_own_board_nor_what_it_is_about(
    page: Page, server: RunningServer, game: str
) -> None:
    keep_settings(page, {**QUICK, "guide": "on"})
    open_game(page, server.address, game)
    clicker, guide, ring = Clicker(page), page.locator(".guide.placed"), page.locator(".spotlight")
    sizes = [(844, 390), (1366, 650), (360, 740)]
    said: set[str] = set()
    for turn in range(5):
        wait_for_decision(page)
        if turn == 0:
            expect(guide).to_be_visible()  # its texts come when they are first needed
        while page.locator(".guide").count() > 0:
            text = guide.locator("p").inner_text()
            assert text not in said
            said.add(text)
            for width, height in sizes:
                page.set_viewport_size({"width": width, "height": height})
                page.wait_for_function(f"() => ({COVERED_BY_HINT})().length === 0")
                expect(ring).to_have_count(1)
            guide.get_by_role("button", name="Got it").click()
        clicker.decide()
    assert len(said) > 4


SHIFTS = """() => new Promise((resolve) => {
  const observer = new PerformanceObserver(() => undefined);
  observer.observe({ type: "layout-shift", buffered: true });
  requestAnimationFrame(() => setTimeout(() => {
    const shifts = observer.takeRecords().filter((shift) => !shift.hadRecentInput);
    resolve(shifts.reduce((sum, shift) => sum + shift.value, 0));
  }));
})"""


@pytest.mark.parametrize("language", ["en", "ru"])
def test_the_start_is_light_and_nothing_moves(page: Page, server: RunningServer, language: str) -> None:
    """All that is loaded for the start, with fonts: less than 250 kB over the line. Every letter is in our fonts."""
    keep_settings(page, {**QUICK, "language": language})
    requests: list[Request] = []
    page.on("requestfinished", lambda request: requests.append(request))
    page.goto(server.address)
    expect(page.locator("[data-game-choice]").first).to_be_visible()
    page.wait_for_load_state("networkidle")
    sizes = {request.url: request.sizes()["responseBodySize"] for request in requests}
    assert any(url.endswith(".js") for url in sizes)
    assert any(url.endswith(".woff2") for url in sizes)
    assert sum(sizes.values()) < 250_000, sizes
    assert page.evaluate(SHIFTS) == 0
    assert fonts_in(page, "body") == {"Alegreya", "Oswald", "Inter Tight"}


def fonts_in(page: Page, selector: str) -> set[str]:
    """The fonts in which the browser really sets a part of the page, and all that is in it."""
    devtools = page.context.new_cdp_session(page)
    devtools.send("DOM.enable")
    devtools.send("CSS.enable")
    root = devtools.send("DOM.getDocument", {"depth": -1})["root"]["nodeId"]
    nodes = devtools.send("DOM.querySelectorAll", {"nodeId": root, "selector": f"{selector} *"})["nodeIds"]
    used = [devtools.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"] for node in nodes]
    devtools.detach()
    return {font["familyName"].removesuffix(" Regular") for fonts in used for font in fonts}
