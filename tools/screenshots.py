"""Take the screenshots of the page in `docs/screenshots`.

    python -m tools.screenshots            all of them
    python -m tools.screenshots marvel-4   only those whose names contain this

It starts a server and plays both games against bots. A sheet shows one moment of a game in six sizes, or dialogs and
screens in three, light and dark, at half the size; the pictures of the README have their full size.
"""

from __future__ import annotations

import base64
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Browser, Page, ViewportSize

from cabochon.server import protocol
from tests.browser.driving import (
    QUICK,
    RunningServer,
    change_settings,
    chromium,
    fast_forward,
    keep_settings,
    open_game,
    sign_in,
    take,
    wait_for_decision,
)
from tests.browser.staging import StagedTable, affordable, paying, people_with_clocks, took_and_returned
from tests.server.running import Client

FOLDER = Path(__file__).parent.parent / "docs" / "screenshots"
GAMES = ("splendor", "marvel")
THEMES = ("light", "dark")
PHONE: ViewportSize = {"width": 390, "height": 844}
SIDEWAYS: ViewportSize = {"width": 844, "height": 390}
DESKTOP: ViewportSize = {"width": 1440, "height": 900}
SIZES: tuple[ViewportSize, ...] = (
    {"width": 1920, "height": 1080},
    DESKTOP,
    PHONE,
    {"width": 1366, "height": 650},
    {"width": 1024, "height": 768},
    SIDEWAYS,
)
README_SIZES = (DESKTOP, PHONE)
DIALOG_SIZES = (*README_SIZES, SIDEWAYS)
QUALITY = 0.8
SHEET_QUALITY = 0.6  # there are many
SHEET_WIDTH = 1928
SHEET_SCALE = 0.5
GAP = 8
# Draws pictures side by side, in rows as wide as the sheet, and returns the sheet as WebP.
DRAW = """async ([pictures, sheetWidth, scale, gap, quality]) => {
    const images = await Promise.all(pictures.map(async (png) => {
        const image = new Image();
        image.src = `data:image/png;base64,${png}`;
        await image.decode();
        return image;
    }));
    const places = [];
    let x = 0, y = 0, row = 0, widest = 0;
    for (const image of images) {
        const [width, height] = [image.width * scale, image.height * scale];
        if (x > 0 && x + width > sheetWidth) [x, y, row] = [0, y + row + gap, 0];
        places.push([image, x, y, width, height]);
        widest = Math.max(widest, x + width);
        [x, row] = [x + width + gap, Math.max(row, height)];
    }
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [widest, y + row];
    const context = canvas.getContext("2d");
    context.imageSmoothingQuality = "high";
    for (const place of places) context.drawImage(...place);
    return canvas.toDataURL("image/webp", quality).split(",")[1];
}"""


@dataclass
class Camera:
    """Takes screenshots, and saves them as WebP, a third of the size of PNG."""

    darkroom: Page
    taken: list[str] = field(default_factory=list)

    def take(self, page: Page) -> None:
        """Take a screenshot of the visible part of the page."""
        self.taken.append(base64.b64encode(page.screenshot(animations="disabled")).decode())

    def take_themes(self, page: Page) -> None:
        """Take one in each theme."""
        for theme in THEMES:
            change_settings(page, theme=theme)
            self.take(page)

    def take_sizes(self, page: Page, sizes: Iterable[ViewportSize] = DIALOG_SIZES) -> None:
        """Take one of each size in each theme."""
        for size in sizes:
            page.set_viewport_size(size)
            self.take_themes(page)

    def save(self, name: str, scale: float = SHEET_SCALE) -> None:
        """Save what was taken since the last time as one picture."""
        quality = QUALITY if scale == 1 else SHEET_QUALITY
        webp = self.darkroom.evaluate(DRAW, [self.taken, SHEET_WIDTH, scale, GAP, quality])
        self.taken.clear()
        path = FOLDER / f"{name}.webp"
        path.write_bytes(base64.b64decode(webp))
        print(f"{path.relative_to(FOLDER.parent.parent)}  {path.stat().st_size / 1000:.0f} kB", flush=True)


@dataclass(frozen=True)
class Studio:
    """A server, a browser and a camera."""

    server: RunningServer
    browser: Browser
    camera: Camera
    wanted: str

    def is_wanted(self, *names: str) -> bool:
        """Whether any of these pictures is to be taken."""
        return any(self.wanted in name for name in names)

    @contextmanager
    def person(self, **settings: str) -> Iterator[Page]:
        """The page of somebody who is here for the first time."""
        context = self.browser.new_context(viewport=DESKTOP, reduced_motion="reduce")
        page = context.new_page()
        keep_settings(page, {**QUICK, "level": "journeyman", **settings})
        yield page
        context.close()


def is_early(position: protocol.Position) -> bool:
    return position.view.round >= 3


def is_midgame(position: protocol.Position) -> bool:
    return max(seat.points for seat in position.view.seats) >= 7


def is_over(position: protocol.Position) -> bool:
    return position.outcome is not None


# How each dialog is opened, from a desktop.
DIALOGS: dict[str, Callable[[Page], None]] = {
    "a card": lambda page: page.locator("[data-place='2.2']").click(button="right"),
    "a deck": lambda page: page.locator(".deck").first.click(),
    "a tile": lambda page: page.locator("button.tile").first.click(),
    "the Avengers": lambda page: page.locator("button.avengers").click(),
    "a seat": lambda page: page.locator(".opponent .name").first.click(),
    "the log": lambda page: page.keyboard.press("l"),
    "the keys": lambda page: page.keyboard.press("?"),
    "the settings": lambda page: page.get_by_role("button", name="Settings").click(),
    "leaving": lambda page: page.get_by_role("button", name="Leave the game").click(),
}
MARVEL_ONLY = {"the Avengers"}
MOMENTS: dict[str, Callable[[protocol.Position], bool]] = {"early": is_early, "middle": is_midgame, "end": is_over}


def picture_game(studio: Studio, game: str, players: int) -> None:
    """Play a game, and take a sheet of its beginning, its middle and its end."""
    names = {moment: f"{game}-{players}-{moment}" for moment in MOMENTS}
    readme = [f"{game}-{size['width']}-{theme}" for size in README_SIZES for theme in THEMES]
    if not studio.is_wanted(*names.values(), *(readme if players == 4 else [])):
        return
    camera = studio.camera
    with studio.person(opponents=str(players - 1)) as page:
        open_game(page, studio.server.address, game)
        for moment, until in MOMENTS.items():
            fast_forward(studio.server, page, until=until)
            wait_for_decision(page)
            if studio.is_wanted(names[moment]):
                camera.take_sizes(page, SIZES)
                camera.save(names[moment])
            if moment == "middle" and players == 4 and studio.is_wanted(*readme):
                for size in README_SIZES:
                    page.set_viewport_size(size)
                    for theme in THEMES:
                        change_settings(page, theme=theme)
                        camera.take(page)
                        camera.save(f"{game}-{size['width']}-{theme}", scale=1)
            page.set_viewport_size(DESKTOP)


def picture_dialogs(studio: Studio, game: str) -> None:
    """Take a sheet of every dialog at the table."""
    name = f"{game}-dialogs"
    if not studio.is_wanted(name):
        return
    with studio.person(confirm="on") as page:
        open_game(page, studio.server.address, game)
        fast_forward(studio.server, page, until=is_midgame)
        wait_for_decision(page)
        for label, opener in DIALOGS.items():
            if label in MARVEL_ONLY and game != "marvel":
                continue
            for size in DIALOG_SIZES:
                page.set_viewport_size(DESKTOP)
                opener(page)
                page.get_by_role("dialog").first.wait_for()
                page.set_viewport_size(size)
                studio.camera.take_themes(page)
                page.keyboard.press("Escape")
        page.set_viewport_size(SIDEWAYS)
        page.get_by_role("button", name="More", exact=True).press("Enter")
        studio.camera.take_themes(page)
    with studio.person() as page:
        StagedTable(page, studio.server, people_with_clocks, took_and_returned, game=game)
        page.get_by_role("button", name="Say something").press("Enter")
        studio.camera.take_sizes(page)
    studio.camera.save(name, scale=0.4)


def picture_payment(studio: Studio) -> None:
    """Take a sheet of the payment with gold."""
    if not studio.is_wanted("payment"):
        return
    with studio.person() as page:
        StagedTable(page, studio.server, affordable("1.1", wilds=1), paying("1.1"))
        page.locator(".pay-sheet").wait_for()
        studio.camera.take_sizes(page)
        studio.camera.save("payment")


def picture_notices(studio: Studio, game: str) -> None:
    """Take a sheet of a hint, the mark of a practice game, whose turn it is at a shared device, and the hand-over."""
    name = f"{game}-notices"
    if not studio.is_wanted(name):
        return
    camera = studio.camera
    with studio.person(guide="on") as page:
        StagedTable(page, studio.server, game=game)
        page.locator(".guide.placed").wait_for()
        camera.take_sizes(page)
    with studio.person() as page:
        open_game(page, studio.server.address, game)
        wait_for_decision(page)
        take(page)
        wait_for_decision(page)
        page.get_by_role("button", name="Undo").click()
        page.get_by_role("button", name="Practice").click()
        camera.take_sizes(page)
    with studio.person() as page:
        with Client(studio.server.address, "Ada") as ada:
            table = ada.open_table("me", "Ben", game=game).id
            sign_in(page.context, ada, studio.server.address)
        page.goto(f"{studio.server.address}/t/{table}")
        page.locator(".turn-banner").wait_for()
        camera.take_sizes(page)
        page.set_viewport_size(DESKTOP)
        page.locator(".deck").first.click()
        page.get_by_role("dialog").get_by_role("button", name="Reserve").click()
        page.keyboard.press("c")  # at once
        page.get_by_role("heading", name="Pass the device to Ben").wait_for()
        camera.take_sizes(page)
    camera.save(name, scale=0.4)


def picture_replay(studio: Studio, game: str) -> None:
    """Take a sheet of a replay with its analysis, its moves and its fairness."""
    name = f"{game}-replay"
    if not studio.is_wanted(name):
        return
    with studio.person(opponents="2") as page:
        open_game(page, studio.server.address, game)
        fast_forward(studio.server, page, until=is_over)
        replay = page.url.replace("/t/", "/replay/")
        for size in DIALOG_SIZES:
            page.set_viewport_size(size)
            page.goto("about:blank")  # otherwise, only the fragment of the address might change
            page.goto(f"{replay}#analysis")
            page.locator(".analysis td", has_text="%").first.wait_for()
            page.locator(".analysis .progress").wait_for(state="detached")
            studio.camera.take_themes(page)
            page.keyboard.press("Escape")
            if size is SIDEWAYS:
                page.get_by_role("button", name="Replay tools").press("Enter")
                studio.camera.take_themes(page)
            page.locator("button.verdict").press("Enter")
            studio.camera.take_themes(page)
            page.keyboard.press("Escape")
            moves = page.locator("header").get_by_role("button", name="Moves")
            if moves.count() > 0:
                moves.press("Enter")
                studio.camera.take_themes(page)
        studio.camera.save(name, scale=0.4)


def picture_start(studio: Studio) -> None:
    """Take a sheet of the start, as it is for a newcomer."""
    if not studio.is_wanted("start"):
        return
    with studio.person(level="apprentice") as page:
        page.goto(studio.server.address)
        page.locator("[data-game-choice]").first.wait_for()
        studio.camera.take_sizes(page, SIZES)
        studio.camera.save("start")


def picture_screens(studio: Studio) -> None:
    """Take a sheet of each of the other screens: of somebody who has finished a game, and opens a table for people."""
    names = ("levels", "new-table", "waiting-room", "lobby", "history", "rules", "claim")
    if not studio.is_wanted(*names):
        return
    address, camera = studio.server.address, studio.camera
    with studio.person() as page:
        page.goto(address)
        page.get_by_role("button", name="All levels").click()
        camera.take_sizes(page)
        camera.save("levels")
        open_game(page, address, "splendor")
        fast_forward(studio.server, page, until=is_over)
        page.goto(f"{address}/new")
        page.get_by_text("House rules").click()
        page.get_by_role("radio", name="Seconds per turn").check(force=True)
        page.get_by_role("radio", name="Everyone").check(force=True)
        camera.take_sizes(page)
        camera.save("new-table")
        page.get_by_role("button", name="Open a table").click()
        page.get_by_role("heading", name="Waiting for players").wait_for()
        camera.take_sizes(page)
        camera.save("waiting-room")
        for name, path in {
            "lobby": "/lobby",
            "history": "/history",
            "rules": "/rules/splendor",
            "claim": "/claim#key",
        }.items():
            page.goto(address + path)
            page.locator("main").wait_for()
            page.wait_for_load_state("networkidle")
            camera.take_sizes(page)
            camera.save(name)


def main(wanted: str = "") -> None:
    """Take the screenshots whose names contain a text."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, RunningServer(Path(folder)) as server, chromium() as browser:
        studio = Studio(server, browser, Camera(browser.new_page()), wanted)
        picture_start(studio)
        picture_screens(studio)
        picture_payment(studio)
        for game in GAMES:
            picture_dialogs(studio, game)
            picture_notices(studio, game)
            picture_replay(studio, game)
            for players in (2, 4):
                picture_game(studio, game, players)


if __name__ == "__main__":
    main(*sys.argv[1:])
