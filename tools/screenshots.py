"""Take the screenshots of the page in `docs/screenshots`: the start and both games, in light and dark.

    python -m tools.screenshots

It starts a server, and plays the first half of a game of each kind against three bots.
"""

from __future__ import annotations

import base64
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page, ViewportSize

from tests.browser.driving import (
    QUICK,
    Clicker,
    RunningServer,
    chromium,
    keep_settings,
    open_game,
    sequence,
    wait_for_decision,
)

FOLDER = Path(__file__).parent.parent / "docs" / "screenshots"
GAMES = ("splendor", "marvel")
THEMES = ("light", "dark")
SIZES: tuple[ViewportSize, ...] = (
    {"width": 1440, "height": 900},
    {"width": 1024, "height": 768},
    {"width": 390, "height": 844},
)
TURNS = 17
RESERVING_TURNS = (6, 11)
QUALITY = 0.86
TO_WEBP = """async ([png, quality]) => {
    const image = new Image();
    image.src = `data:image/png;base64,${png}`;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.width, image.height];
    canvas.getContext("2d").drawImage(image, 0, 0);
    return canvas.toDataURL("image/webp", quality).split(",")[1];
}"""


class Camera:
    """Takes screenshots of a page and saves them as WebP, a third of the size of PNG."""

    def __init__(self, browser: Browser) -> None:
        self._darkroom = browser.new_page()

    def take(self, page: Page, name: str) -> None:
        """Take a screenshot of the visible part of the page."""
        png = base64.b64encode(page.screenshot()).decode()
        webp = self._darkroom.evaluate(TO_WEBP, [png, QUALITY])
        path = FOLDER / f"{name}.webp"
        path.write_bytes(base64.b64decode(webp))
        print(f"{path.relative_to(FOLDER.parent.parent)}  {path.stat().st_size / 1000:.0f} kB")


def choose_theme(page: Page, theme: str) -> None:
    """Show the page in the light or the dark theme."""
    page.evaluate("theme => { document.documentElement.dataset.mode = theme }", theme)


def reserve(page: Page) -> None:
    """Reserve a card, so that the screenshots show one in the hand."""
    before = sequence(page)
    page.locator("[data-place='2.2']").click(button="right")
    page.get_by_role("button", name="Reserve").first.click()
    page.locator(f".table:not([data-seq='{before}'])").wait_for()


def play_for_a_while(page: Page) -> None:
    """Play into the middle of a game, up to a decision of our own."""
    clicker = Clicker(page)
    turn = 0
    while True:
        phase = wait_for_decision(page)
        turn += phase == "act"
        if phase == "over" or turn > TURNS:
            return
        if phase == "act" and turn in RESERVING_TURNS:
            reserve(page)
        else:
            clicker.decide()


def picture_game(browser: Browser, camera: Camera, address: str, game: str) -> None:
    """Play a game for a while, and take its screenshots in every size and theme."""
    context = browser.new_context(viewport=SIZES[0], reduced_motion="reduce")
    page = context.new_page()
    keep_settings(page, {**QUICK, "opponents": "3", "level": "journeyman"})
    open_game(page, address, game)
    play_for_a_while(page)
    for size in SIZES:
        page.set_viewport_size(size)
        page.mouse.move(0, 0)
        for theme in THEMES:
            choose_theme(page, theme)
            page.wait_for_timeout(300)
            camera.take(page, f"{game}-{size['width']}-{theme}")
    context.close()


def picture_start(browser: Browser, camera: Camera, address: str) -> None:
    """Take the screenshots of the start."""
    context = browser.new_context(viewport=SIZES[0], reduced_motion="reduce")
    page = context.new_page()
    page.goto(address)
    page.locator("[data-game-choice]").first.wait_for()
    for theme in THEMES:
        choose_theme(page, theme)
        page.wait_for_timeout(300)
        camera.take(page, f"start-{theme}")
    context.close()


def main() -> None:
    """Take all screenshots."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, RunningServer(Path(folder)) as server, chromium() as browser:
        camera = Camera(browser)
        picture_start(browser, camera, server.address)
        for game in GAMES:
            picture_game(browser, camera, server.address, game)


if __name__ == "__main__":
    main()
