"""Measure how fast the page is, in Chromium: how soon it can be used, how heavy it is, and whether it moves smoothly.

    python -m tools.page_speed [SLOWDOWN]

The browser's processor is slowed down, by default by a factor of 4. The server is warm, the browser's cache is empty.
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from playwright.sync_api import Browser, Page, Request

from tests.browser.driving import QUICK, RunningServer, chromium, keep_settings, open_game, sequence, wait_for_decision

RUNS = 5
MOVES = 4
LONG_FRAME = 50  # milliseconds
# Collects what the browser reports about its own speed; long tasks are those over 50 ms.
OBSERVE = """
window.speed = { paint: 0, busyUntil: 0, shift: 0 };
new PerformanceObserver((list) => {
    for (const entry of list.getEntries())
        if (entry.name === "first-contentful-paint") speed.paint = entry.startTime;
}).observe({ type: "paint", buffered: true });
new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) speed.busyUntil = entry.startTime + entry.duration;
}).observe({ type: "longtask", buffered: true });
new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) speed.shift += entry.value;
}).observe({ type: "layout-shift", buffered: true });
"""
# Notes the length of every frame until it is told to stop.
WATCH_FRAMES = """
window.frames_seen = [];
window.is_watching = true;
(function watch(before) {
    requestAnimationFrame((now) => {
        if (before !== null) frames_seen.push(now - before);
        if (is_watching) watch(now);
    });
})(null);
"""
# Where the middle of each pile is from which a coloured token can be taken.
MIDDLES = """
piles => piles.filter(pile => pile.dataset.token !== "gold").map(pile => {
    const { left, top, width, height } = pile.getBoundingClientRect();
    return [left + width / 2, top + height / 2];
})
"""


@dataclass(frozen=True)
class Opening:
    """One opening of the start page: milliseconds, bytes over the line, and how far things jumped.

    It is interactive when a game can be chosen and the last long task is over.
    """

    paint: float
    interactive: float
    size: int
    shift: float


def slow_down(page: Page, factor: float) -> None:
    """Slow down the processor for this page."""
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": factor})


def measure_opening(browser: Browser, address: str, factor: float) -> Opening:
    """Open the start page with an empty cache."""
    context = browser.new_context()
    page = context.new_page()
    requests: list[Request] = []
    page.on("requestfinished", lambda request: requests.append(request))
    page.add_init_script(OBSERVE)
    slow_down(page, factor)
    page.goto(address)
    page.locator("[data-game-choice]:enabled").first.wait_for()
    usable = page.evaluate("performance.now()")
    page.wait_for_load_state("networkidle")
    speed = page.evaluate("speed")
    size = sum(request.sizes()["responseBodySize"] for request in requests)
    context.close()
    return Opening(speed["paint"], max(usable, speed["busyUntil"]), size, speed["shift"])


def measure_moves(browser: Browser, address: str, factor: float) -> list[float]:
    """Take tokens a few times with all animations, and return the length of every frame in milliseconds."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    keep_settings(page, {**QUICK, "motion": "auto", "speed": "normal"})
    open_game(page, address, "splendor")
    wait_for_decision(page)
    slow_down(page, factor)
    frames: list[float] = []
    for _ in range(MOVES):
        before = sequence(page)
        middles = page.locator(".pile.open").evaluate_all(MIDDLES)[:3]
        page.evaluate(WATCH_FRAMES)
        for x, y in middles:
            page.mouse.click(x, y)  # a locator's click runs scripts in the page, and their frames would be counted
        page.locator(f".table:not([data-seq='{before}'])").wait_for()
        wait_for_decision(page)
        frames += page.evaluate("is_watching = false, frames_seen")
    context.close()
    return frames


def main(factor: float = 4.0) -> None:
    """Measure and print everything."""
    with tempfile.TemporaryDirectory() as folder, RunningServer(Path(folder)) as server, chromium() as browser:
        measure_opening(browser, server.address, factor)  # so that the server is warm
        openings = [measure_opening(browser, server.address, factor) for _ in range(RUNS)]
        print(f"The start page, processor slowed down {factor:g} times, median of {RUNS}:")
        print(f"  first contentful paint  {median(each.paint for each in openings):.0f} ms")
        print(f"  time to interactive     {median(each.interactive for each in openings):.0f} ms")
        print(f"  compressed size         {median(each.size for each in openings) / 1000:.0f} kB")
        print(f"  layout shift            {max(each.shift for each in openings):.3f}")
        frames = measure_moves(browser, server.address, factor)
        late = [frame for frame in frames if frame > LONG_FRAME]
        print(f"Moves with all animations, {len(frames)} frames:")
        print(f"  longest frame           {max(frames):.0f} ms")
        print(f"  frames over {LONG_FRAME} ms       {len(late)}")


if __name__ == "__main__":
    main(*map(float, sys.argv[1:]))
