"""The page on a device: it can be installed, and opens without a line."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.conftest import complaints
from tests.browser.driving import QUICK, Clicker, RunningServer, keep_settings, open_game, wait_for_decision

# Click on the only notification. A click that no hand made may not move windows: what it would do is told instead.
CLICK = """
async () => {
  const [notification, ...more] = await registration.getNotifications();
  if (notification === undefined || more.length > 0) throw new Error(`expected 1 notification, found ${more.length}`);
  const event = new NotificationEvent("notificationclick", { notification });
  const done = [];
  WindowClient.prototype.focus = async function () { done.push(["focus", new URL(this.url).pathname]); };
  clients.openWindow = async (path) => { done.push(["open", path]); };
  const waits = [];
  event.waitUntil = (promise) => waits.push(promise);
  dispatchEvent(event);
  await Promise.all(waits);
  return { done, left: (await registration.getNotifications()).length };
}
"""
# To ask the browser for its notifications again and again would take those away that it is just about to show.
COUNT_SHOWN = """
() => {
  window.shown = [];
  const show = ServiceWorkerRegistration.prototype.showNotification;
  ServiceWorkerRegistration.prototype.showNotification = async function (title, options) {
    await show.call(this, title, options);
    window.shown.push(title);
  };
}
"""
ALL_KEPT = """
async () => {
  const kept = {};
  for (const name of await caches.keys()) {
    kept[name] = (await (await caches.open(name)).keys()).map((request) => new URL(request.url).pathname);
  }
  return kept;
}
"""


@pytest.fixture
def mortal(tmp_path: Path) -> Iterator[RunningServer]:
    """A server that a test may kill."""
    with RunningServer(tmp_path) as running:
        yield running


def settle(page: Page) -> None:
    """Wait until the service worker has kept the shell, and stands behind the page."""
    page.evaluate("async () => { await navigator.serviceWorker.ready }")
    page.wait_for_function("() => navigator.serviceWorker.controller !== null")


def manifest_of(server: RunningServer) -> dict[str, Any]:
    answer = httpx.get(f"{server.address}/manifest.webmanifest")
    assert answer.headers["content-type"] == "application/manifest+json"
    manifest: dict[str, Any] = answer.json()
    return manifest


def test_the_page_can_be_installed(page: Page, server: RunningServer) -> None:
    page.goto(server.address)
    settle(page)
    devtools = page.context.new_cdp_session(page)
    assert devtools.send("Page.getAppManifest")["errors"] == []
    errors = [error["errorId"] for error in devtools.send("Page.getInstallabilityErrors")["installabilityErrors"]]
    assert [error for error in errors if error != "in-incognito"] == []


def test_every_icon_has_the_size_that_the_manifest_tells(server: RunningServer) -> None:
    icons = manifest_of(server)["icons"]
    assert {icon["sizes"] for icon in icons} == {"any", "192x192", "512x512"}
    assert "maskable" in {icon.get("purpose") for icon in icons}
    for icon in icons:
        answer = httpx.get(server.address + icon["src"])
        assert answer.headers["content-type"].partition(";")[0] == icon["type"]
        if icon["type"] == "image/png":
            width, height = struct.unpack(">II", answer.content[16:24])
            assert f"{width}x{height}" == icon["sizes"]


def test_without_a_line_the_shell_opens_and_says_so(context: BrowserContext, mortal: RunningServer) -> None:
    page = context.new_page()  # the browser itself reports what it cannot reach
    page.goto(mortal.address)
    settle(page)
    mortal.kill()
    page.goto(f"{mortal.address}/history")
    expect(page.get_by_role("heading", name="Your games")).to_be_visible()
    expect(page.get_by_role("alert")).to_contain_text("The server is not responding")
    notice = page.get_by_role("status").filter(has_text="No connection")
    expect(notice).to_be_visible()
    assert complaints(page) == []
    page.goto(f"{mortal.address}/replay")
    expect(page.get_by_role("heading", name="Open a game record")).to_be_visible()
    expect(notice).to_be_visible()
    mortal.start()
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("heading", name="Open a game record")).to_be_visible()
    expect(notice).to_have_count(0)


def test_the_page_says_when_the_line_goes_and_comes(page: Page, server: RunningServer) -> None:
    page.goto(server.address)
    settle(page)
    page.context.set_offline(True)
    expect(page.get_by_text("No connection")).to_be_visible()
    page.context.set_offline(False)
    expect(page.get_by_text("No connection")).to_have_count(0)


def test_only_the_shell_is_kept(page: Page, server: RunningServer) -> None:
    open_game(page, server.address, "splendor")
    settle(page)
    wait_for_decision(page)
    page.reload()
    wait_for_decision(page)
    kept = page.evaluate(ALL_KEPT)
    assert len(kept) == 1
    (name,) = kept
    assert name.startswith("shell ")
    assert "/" in kept[name]
    assert any(path.startswith("/assets/index-") for path in kept[name])
    assert all(path == "/" or path.startswith("/assets/") or path.count("/") == 1 for path in kept[name])
    assert not any(path.startswith("/api") for path in kept[name])


def test_an_older_shell_is_forgotten(page: Page, server: RunningServer) -> None:
    page.goto(server.address)
    page.evaluate("caches.open('shell of yesterday').then(cache => cache.put('/', new Response('old')))")
    settle(page)
    page.evaluate("navigator.serviceWorker.getRegistration().then(registration => registration.unregister())")
    page.evaluate("caches.open('shell of yesterday').then(cache => cache.put('/', new Response('old')))")
    page.goto(server.address)
    settle(page)
    page.wait_for_function("() => caches.keys().then(names => !names.includes('shell of yesterday'))")


@pytest.mark.parametrize("is_still_there", [True, False])
def test_a_notification_leads_to_the_tab_of_its_table_or_opens_one(
    context: BrowserContext, page: Page, server: RunningServer, is_still_there: bool
) -> None:
    context.grant_permissions(["notifications"], origin=server.address)
    keep_settings(page, {**QUICK, "notify": "on"})
    page.goto(server.address)
    settle(page)
    open_game(page, server.address, "splendor")
    table = page.evaluate("location.pathname")
    wait_for_decision(page)
    page.evaluate("Object.defineProperty(document, 'hidden', { get: () => true })")
    page.evaluate(COUNT_SHOWN)
    Clicker(page).decide()
    wait_for_decision(page)
    page.wait_for_function("() => window.shown.length === 1")
    assert page.evaluate("window.shown") == ["It is your turn."]
    (worker,) = context.service_workers
    (context.new_page() if is_still_there else page).goto(f"{server.address}/rules")
    expected = ["focus", "/"] if is_still_there else ["open", table]  # a tab is known by where it began
    assert worker.evaluate(CLICK) == {"done": [expected], "left": 0}
