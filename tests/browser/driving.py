"""A real server, a real browser, and a player who sees only the page."""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType

from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect, sync_playwright

from cabochon.server import protocol
from tests.server.running import Client, Line, eager_move
from tools.chromium import ARGUMENTS, find

START_SECONDS = 300.0  # the machine may be busy
PATIENCE = 300_000  # milliseconds; a test that passes never waits for it
PORTS = range(10_000, 32_768)  # below those that the system gives to outgoing connections
QUICK = {"motion": "off", "speed": "fast", "sound": "off", "level": "novice", "opponents": "1"}
MOST_TURNS = 200
COLOURED = ":not([data-token=gold], [data-token=shield])"


def _free_port() -> int:
    """A port that stays free while the server restarts."""
    for port in random.sample(PORTS, 100):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise RuntimeError("expected a free port, found none")


class RunningServer:
    """A server in its own process; it can be killed and started again on the same database."""

    def __init__(self, folder: Path) -> None:
        self.port = _free_port()
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        """Where the page is."""
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start the process and wait until it answers."""
        command = [sys.executable, "-m", "tests.browser.serving", str(self.port), str(self._folder)]
        with (self._folder / "server.log").open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log)
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                with urllib.request.urlopen(f"{self.address}/readyz", timeout=START_SECONDS):
                    return
            except (urllib.error.URLError, ConnectionError, TimeoutError) as error:
                if self._process.poll() is not None or time.monotonic() > deadline:
                    text = (self._folder / "server.log").read_text(encoding="utf-8")
                    raise RuntimeError(f"expected the server to answer at {self.address}, got:\n{text}") from error
                time.sleep(0.05)

    def kill(self) -> None:
        """End the process as a power cut would."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL if os.name == "posix" else signal.SIGTERM)
            self._process.wait()
            self._process = None

    def __enter__(self) -> RunningServer:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()


@contextmanager
def chromium() -> Iterator[Browser]:
    """Debian's Chromium, without a window."""
    path = find()
    if path is None:
        raise RuntimeError("expected Chromium on the PATH, found none; `python tools/chromium.py` installs it")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        yield browser
        browser.close()


def keep_settings(page: Page, settings: dict[str, str]) -> None:
    """Let the page find these settings, as if they had been chosen before; a later call wins."""
    text = json.dumps(json.dumps(settings))
    page.add_init_script(
        f"if (location.origin !== 'null' && !localStorage.getItem({text})) {{"
        f" localStorage.setItem({text}, 'done'); localStorage.setItem('cabochon.settings', {text}); }}"
    )


def change_settings(page: Page, **settings: str) -> None:
    """Change settings of an open page, as another tab of the same browser would."""
    page.evaluate(
        """changes => {
            const key = "cabochon.settings", kept = JSON.parse(localStorage.getItem(key));
            const newValue = JSON.stringify({ ...kept, ...changes });
            localStorage.setItem(key, newValue);
            dispatchEvent(new StorageEvent("storage", { key, newValue }));
        }""",
        settings,
    )


def open_game(page: Page, address: str, game: str) -> str:
    """Start a game with one click, and return the address of its table."""
    page.goto(address)
    page.locator(f"[data-game-choice={game}]").click()
    expect(page.locator(".table")).to_be_visible()
    return page.url


def sign_in(context: BrowserContext, client: Client, address: str) -> None:
    """Let a browser be the client's."""
    context.add_cookies([{"name": n, "value": v, "url": address} for n, v in client.http.cookies.items()])


def has_touch(page: Page) -> bool:
    """Whether the device has a touch screen."""
    return bool(page.evaluate("navigator.maxTouchPoints > 0"))


def touch(locator: Locator, force: bool = False) -> None:
    """Tap on something where there is a touch screen, and click on it elsewhere; with force, even if it is disabled."""
    if has_touch(locator.page):
        locator.tap(force=force)
    else:
        locator.click(force=force)


def touch_at(page: Page, x: float, y: float) -> None:
    """Tap or click on a point, whatever is there."""
    if has_touch(page):
        page.touchscreen.tap(x, y)
    else:
        page.mouse.click(x, y)


def phase(page: Page) -> str:
    """What is to be decided here: act, pay, return or tile; wait, or over."""
    return page.locator(".table").get_attribute("data-phase") or ""


def sequence(page: Page) -> int:
    """How many entries of the log the page shows."""
    return int(page.locator(".table").get_attribute("data-seq") or "-1")


def wait_for_decision(page: Page) -> str:
    """Wait until it is ours to decide, or the game is over."""
    page.locator(".table:not([data-phase=wait])").wait_for()
    return phase(page)


def wait_for_sequence(page: Page, seq: int) -> None:
    """Wait until the page shows at least this many entries of the log."""
    page.wait_for_function("seq => Number(document.querySelector('.table')?.dataset.seq ?? -1) >= seq", arg=seq)


def synced(line: Line) -> protocol.Position:
    """The position in the first message of a line."""
    message = line.receive()
    assert isinstance(message, protocol.Sync)
    return message.position


def fast_forward(server: RunningServer, *pages: Page, until: Callable[[protocol.Position], bool]) -> None:
    """Play for these people over sockets until the game is there. Their pages leave the table for this time."""
    address = pages[0].url
    for page in pages:
        page.goto("about:blank")  # to show every move costs far more than to make it
    with ExitStack() as stack:
        lines = []
        for page in pages:
            client = stack.enter_context(Client(server.address))
            client.http.cookies.update({each["name"]: each["value"] for each in page.context.cookies(server.address)})
            lines.append(client.line(address.rpartition("/")[2]))
        positions = [synced(line) for line in lines]
        while not until(positions[0]):
            for line, position in zip(lines, positions, strict=True):
                if position.legal:
                    line.play(position.seq, eager_move(position))
            positions = [
                line.receive_moved(position.seq + 1).position for line, position in zip(lines, positions, strict=True)
            ]
    for page in pages:
        page.goto(address)
        wait_for_sequence(page, positions[0].seq)


def take(page: Page) -> None:
    """Take tokens, each from another pile. The last of them sends the move, unless there could be more of them."""
    before = sequence(page)
    deciding = page.locator(f".table[data-seq='{before}'][data-phase=act]")
    piles = deciding.locator(f".pile.open:not(.chosen){COLOURED}")
    while piles.count() > 0:
        touch(piles.first)
    shorter = deciding.locator(".actions .button-primary")
    if shorter.count() > 0:
        touch(shorter)


def choose(thing: Locator) -> None:
    """Touch a card or deck; among people the move is held back for a moment, and a key sends it at once."""
    touch(thing)
    thing.page.keyboard.press("c")


class Clicker:
    """Plays by taps or clicks: buys the dearest card that is offered, else takes tokens, else reserves, else passes."""

    def __init__(self, page: Page) -> None:
        self._page = page

    def decide(self) -> None:
        """Make the decision that is due."""
        before = sequence(self._page)
        {"act": self._act, "pay": self._pay, "return": self._return, "tile": self._tile}[phase(self._page)]()
        self._page.locator(f".table:not([data-seq='{before}'])").wait_for()

    def play_to_the_end(self) -> None:
        """Decide until the game is over."""
        for _ in range(MOST_TURNS):
            if wait_for_decision(self._page) == "over":
                return
            self.decide()
        raise AssertionError(f"expected the game to end within {MOST_TURNS} decisions")

    def _primary(self) -> Locator:
        return self._page.locator("dialog[open] .button-primary, .actions .button-primary").last

    def _act(self) -> None:
        page = self._page
        cards = page.locator("[data-place].open")
        piles = page.locator(f".pile.open{COLOURED}")
        if cards.count() > 0:
            choose(cards.first)
        elif piles.count() > 0:
            take(page)
        elif page.locator(".deck.open").count() > 0:
            touch(page.locator(".pile.open"))
            choose(page.locator(".deck.open").first)
        else:
            touch(self._primary())

    def _pay(self) -> None:
        touch(self._primary())

    def _return(self) -> None:
        before = sequence(self._page)
        tokens = self._page.locator(f".table[data-seq='{before}'] .tokens.open")
        while tokens.count() > 0:
            touch(tokens.first)

    def _tile(self) -> None:
        touch(self._page.locator(".tile.open").first)
