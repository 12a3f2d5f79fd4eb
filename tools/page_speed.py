"""Measure how fast the page is, in Chromium: how soon it can be used, how heavy it is, and whether it moves smoothly.

    python -m tools.page_speed [SLOWDOWN]

The browser's processor is slowed down, by default by a factor of 4. The server is warm, the browser's cache is empty.

Other programs make frames longer. So the processor time that the page's main thread uses in each frame is measured as
well, with the same slowdown.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from playwright.sync_api import Browser, Page, Request

from cabochon.server import protocol
from tests.browser.driving import (
    COLOURED,
    QUICK,
    RunningServer,
    chromium,
    fast_forward,
    keep_settings,
    open_game,
    sequence,
    wait_for_decision,
)

RUNS = 5
GAMES = ("splendor", "marvel")
TAKES = 2
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
# The browser's own record of what its threads did.
TRACED = ["devtools.timeline", "disabled-by-default-devtools.timeline"]


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


@dataclass(frozen=True)
class Frames:
    """The frames of some moves in milliseconds: how long each lasted, and how long the page itself was busy in each."""

    lengths: list[float]
    busy: list[float]


def busy_times(trace: bytes) -> list[float]:
    """The processor time of the page's main thread, from each frame to the next, in milliseconds."""
    events = json.loads(trace)["traceEvents"]
    main = {event["pid"]: event["tid"] for event in events if event["args"].get("name") == "CrRendererMain"}
    events = sorted((event for event in events if main.get(event["pid"]) == event["tid"]), key=lambda each: each["ts"])
    drawn = [event["ts"] for event in events if event["name"] == "FireAnimationFrame"]
    times: list[float] = []
    for task in (event for event in events if event["name"] == "RunTask" and "tdur" in event):
        if any(task["ts"] <= at <= task["ts"] + task["dur"] for at in drawn):
            times.append(0)
        if times:
            times[-1] += task["tdur"] / 1000
    return times


def watch(browser: Browser, page: Page, factor: float, act: Callable[[], None]) -> Frames:
    """Make a move, and watch the frames until it is our turn again."""
    before = sequence(page)
    slow_down(page, factor)
    browser.start_tracing(page=page, categories=TRACED)
    page.evaluate(WATCH_FRAMES)
    act()
    page.locator(f".table:not([data-seq='{before}'])").wait_for()
    wait_for_decision(page)
    lengths = page.evaluate("is_watching = false, frames_seen")
    busy = busy_times(browser.stop_tracing())
    slow_down(page, 1)
    return Frames(lengths, busy)


def click_all(page: Page, *selectors: str) -> Callable[[], None]:
    """Click on the first of each; a locator's click would run scripts in the page, whose frames would be counted."""
    boxes = [page.locator(selector).first.bounding_box() for selector in selectors]

    def click() -> None:
        for box in boxes:
            assert box is not None
            page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    return click


def can_buy(position: protocol.Position) -> bool:
    return any(move.kind == "buy" and "." in (move.place or "") for move in position.legal)


def measure_moves(browser: Browser, server: RunningServer, game: str, factor: float) -> dict[str, Frames]:
    """Take tokens, reserve a card and buy one of the market, with all animations."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    keep_settings(page, {**QUICK, "motion": "auto", "speed": "normal"})
    open_game(page, server.address, game)
    moves = {}
    for number in range(1, TAKES + 1):
        wait_for_decision(page)
        piles = [f".pile.open{COLOURED} >> nth={index}" for index in range(3)]
        moves[f"take {number}"] = watch(browser, page, factor, click_all(page, *piles))
    reserving = click_all(page, "button.pile[data-token=gold], button.pile[data-token=shield]", "[data-place='2.2']")
    moves["reserve"] = watch(browser, page, factor, reserving)
    fast_forward(server, page, until=can_buy)
    wait_for_decision(page)
    moves["buy"] = watch(browser, page, factor, click_all(page, ".market [data-place].open"))
    context.close()
    return moves


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
        print(
            f"Moves with all animations: frames, how many over {LONG_FRAME} ms, and the longest; then the page alone:"
        )
        for game in GAMES:
            for move, frames in measure_moves(browser, server, game, factor).items():
                print(f"  {game} {move:8}  {summary(frames.lengths)}  {summary(frames.busy)}")


def summary(times: list[float]) -> str:
    """How many frames there are, how many are long, and the longest."""
    return f"{len(times):4} {sum(time > LONG_FRAME for time in times):3} {max(times):5.0f} ms"


if __name__ == "__main__":
    main(*map(float, sys.argv[1:]))
