"""The page in every language: nothing left in English, nothing cut off, on a desktop and on a phone."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from cabochon.bots.levels import LADDER
from cabochon.core.cards import VARIANTS
from cabochon.language import LANGUAGES
from tests.browser.conftest import complaints, fits
from tests.browser.driving import (
    PATIENCE,
    QUICK,
    Clicker,
    RunningServer,
    change_settings,
    keep_settings,
    open_game,
    wait_for_decision,
)
from tests.browser.staging import Change, StagedTable, Sync

MESSAGES = Path(__file__).parent.parent.parent / "web" / "src" / "messages"
FOREIGN = "it"  # to begin with: news of a move is in the language of its moment
DESKTOP = (1440, 900)
PHONE = (390, 844)
NARROW = (360, 740)

# Every text and label that a person or a screen reader gets, and what is cut off: of names only our own, the bots'.
SPOKEN = """() => {
  const spoken = [], cut = [], edges = new Map([[null, innerWidth]]);
  const edgeOf = (part) => {
    if (!edges.has(part)) {
      const edge = edgeOf(part.parentElement), isHiding = getComputedStyle(part).overflowX === "hidden";
      edges.set(part, isHiding ? Math.min(edge, part.getBoundingClientRect().right) : edge);
    }
    return edges.get(part);
  };
  for (const element of document.querySelectorAll("body *")) {
    for (const name of ["aria-label", "title", "placeholder"]) {
      if (element.hasAttribute(name)) spoken.push(element.getAttribute(name).trim());
    }
    if (!(element instanceof HTMLElement) || element.offsetParent === null) continue;
    const own = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE);
    const text = own.map((node) => node.textContent).join("").trim();
    if (text === "") continue;
    spoken.push(text);
    const style = getComputedStyle(element), box = element.getBoundingClientRect();
    const isHidden = box.width < 3 || style.clipPath !== "none";
    if (isHidden || "nickname" in element.dataset || style.display === "inline") continue;
    if (style.overflowX !== "visible" && element.scrollWidth > element.clientWidth + 1) cut.push(text);
    if (box.left < -1 || box.right > edgeOf(element.parentElement) + 1) cut.push(text);
  }
  return { spoken, cut };
}"""

# Whether all texts that are loaded by language are there in this one.
IS_SPOKEN = (
    "language => [...document.querySelectorAll('html, .guide [lang], article[lang]')]"
    ".every(part => part.lang === language)"
)


@cache
def texts(language: str) -> dict[str, list[str]]:
    """The messages of the page in a language, each in all its plural forms."""
    entries: dict[str, str | dict[str, str]] = json.loads((MESSAGES / f"{language}.json").read_text(encoding="utf-8"))
    return {key: [entry] if isinstance(entry, str) else list(entry.values()) for key, entry in entries.items()}


@cache
def english_only(language: str) -> list[re.Pattern[str]]:
    """The messages that only English has, with anything in the place of their parameters."""
    other = {text for forms in texts(language).values() for text in forms}
    patterns = []
    for forms in texts("en").values():
        for form in forms:
            words = re.sub(r"\{\w+\}", "", form)
            if len(re.findall(r"[a-z]{3,}", words)) >= 2 and form not in other:
                parts = [re.escape(part) for part in re.split(r"\{\w+\}", form)]
                patterns.append(re.compile(".+".join(parts)))
    return patterns


class Reader:
    """Reads an open page in all languages, in windows of these sizes, or in the window as it is."""

    def __init__(self, page: Page, *sizes: tuple[int, int]) -> None:
        self._page = page
        self._sizes = sizes

    def read(self, *languages: str) -> None:
        """Fail if something is in English or cut off in one of the languages, or wider than the window."""
        if not self._sizes:
            self._read_here(languages or LANGUAGES)
        for width, height in self._sizes:
            self._page.set_viewport_size({"width": width, "height": height})
            self._page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
            self._read_here(languages or LANGUAGES)

    def _read_here(self, languages: Iterable[str]) -> None:
        for language in languages:
            change_settings(self._page, language=language)
            if not self._page.evaluate(IS_SPOKEN, language):  # some texts are loaded when they are needed
                self._page.wait_for_function(IS_SPOKEN, arg=language)
            found: dict[str, Any] = self._page.evaluate(SPOKEN)
            assert found["spoken"] != []
            english = english_only(language)
            assert [text for text in found["spoken"] if any(words.fullmatch(text) for words in english)] == []
            assert found["cut"] == [], (language, self._page.viewport_size)
            assert fits(self._page)["across"], (language, self._page.viewport_size)

    def read_dialog(self) -> None:
        """Read a dialog that opens, and close it."""
        dialog = self._page.locator("dialog[open]")
        expect(dialog).to_be_visible()
        self.read()
        assert dialog.count() == 1
        self._page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)


def resize(page: Page, size: tuple[int, int]) -> None:
    """Give the page a window of this size."""
    page.set_viewport_size({"width": size[0], "height": size[1]})


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_begins_in_the_language_of_the_browser(browser: Browser, server: RunningServer, language: str) -> None:
    context = browser.new_context(locale=f"{language}-{language.upper()}")
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    page.goto(server.address)
    expect(page.locator("[data-game-choice]").first).to_be_visible()
    assert page.locator("html").get_attribute("lang") == language
    context.close()


@pytest.mark.parametrize(("game", "size"), [("marvel", DESKTOP), ("splendor", PHONE)], ids=["desktop", "phone"])
def test_a_game_in_every_language(page: Page, server: RunningServer, game: str, size: tuple[int, int]) -> None:
    """The table, the hints of the guide, and every sheet."""
    resize(page, size)
    keep_settings(page, {**QUICK, "opponents": "3", "guide": "on", "language": FOREIGN})
    reader = Reader(page)
    page.goto(server.address)
    expect(page.locator(f"[data-game-choice={game}]")).to_be_visible()
    reader.read()
    open_game(page, server.address, game)
    clicker, guide = Clicker(page), page.locator(".guide")
    wait_for_decision(page)
    expect(guide).to_be_visible()
    for _ in range(4):
        while guide.count() > 0:
            reader.read()
            guide.locator(".button").last.click()
        reader.read()
        clicker.decide()
        wait_for_decision(page)
    while guide.count() > 0:
        guide.locator(".button").last.click()
    seat = ".strip button" if size == PHONE else ".opponent .name"
    page.locator(".market [data-place]").first.click(button="right")
    reader.read_dialog()
    for opener in [
        ".deck",
        ".tile",
        seat,
        "header .button >> nth=0",
        "header .button >> nth=-1",
    ]:
        page.locator(opener).first.click()
        reader.read_dialog()
    page.locator("header .button").last.click()
    reader.read_dialog()
    for key in "?l":
        page.keyboard.press(key)
        reader.read_dialog()
    assert complaints(page) == []


def test_what_comes_after_a_game_in_every_language(page: Page, server: RunningServer) -> None:
    """The result, the replay with its moves and its proof, and the history, on a desktop and on a narrow phone."""
    resize(page, NARROW)
    keep_settings(page, {**QUICK, "language": FOREIGN})
    reader = Reader(page, DESKTOP, NARROW)
    open_game(page, server.address, "marvel")
    wait_for_decision(page)
    Clicker(page).decide()
    page.locator("header .button").first.click()
    page.locator("dialog[open] .button").last.click()
    expect(page.locator("dialog[open] table")).to_be_visible()
    reader.read()
    page.locator("dialog[open] a[href^='/replay/']:not([href$='#analysis'])").click()
    expect(page.locator(".controls")).to_be_visible()
    page.keyboard.press("End")
    reader.read()
    assert fits(page)["down"]
    for opener in [page.locator(".verdict"), page.locator("header .button").last]:
        opener.click()
        reader.read_dialog()
    page.goto(f"{server.address}/history")
    expect(page.locator("main table")).to_be_visible()
    reader.read()


@pytest.mark.parametrize("game", VARIANTS)
def test_the_longest_names_of_bots_fit(page: Page, server: RunningServer, game: str) -> None:
    """To one who looks on at four bots in the last round, with numbers after their levels and two digits of points."""

    def bots_in(language: str) -> tuple[Change, str]:
        """Four bots with the longest names in a language; and the first of these names."""
        names = {level: texts(language)[f"level.{level}"][0] for level in LADDER}
        levels = sorted(LADDER, key=lambda level: len(names[level]), reverse=True)[:4]

        def change(sync: Sync) -> None:
            info, position = sync["table"], sync["position"]
            for seat, level in zip(info["seats"], levels, strict=True):
                seat.update(kind="bot", level=level, name="Bot 4", is_you=False, is_yours=False)
            info["you"] = position["view"]["viewer"] = None
            position["legal"] = []
            for seat in position["view"]["seats"]:
                seat["points"] = 14
            position["progress"][0]["qualifies"] = True

        return change, f"{names[levels[0]]} 4"

    table = StagedTable(page, server, bots_in("en")[0], game=game, opponents=3)
    expect(page.locator("[data-nickname]")).to_have_count(0)
    reader = Reader(page, DESKTOP, (1024, 768), PHONE, NARROW, (320, 568), (720, 450))  # the last at 200% zoom
    for language in LANGUAGES:
        bots, longest = bots_in(language)
        table.show(bots)
        change_settings(page, language=language)
        expect(page.locator(".table")).to_contain_text(longest)
        expect(page.locator("header .last")).to_have_attribute("title", texts(language)["ceremony.last"][0])
        reader.read(language)


def test_the_language_can_be_switched_for_all_tabs(page: Page, server: RunningServer) -> None:
    other = page.context.new_page()
    other.goto(server.address)
    page.goto(server.address)
    page.get_by_role("button", name="Settings").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("group", name="Language")).to_be_visible()
    dialog.get_by_role("radio", name="Русский").check(force=True)
    expect(dialog.get_by_role("group", name="Язык")).to_be_visible()
    assert page.locator("html").get_attribute("lang") == "ru"
    expect(other.locator("html")).to_have_attribute("lang", "ru")
    page.reload()
    assert page.locator("html").get_attribute("lang") == "ru"


def test_bots_are_called_by_their_level_in_the_language_and_people_by_their_names(
    browser: Browser, server: RunningServer
) -> None:
    """In the waiting room and the lobby, at the table, in the log, the result, the history and the replay."""
    context = browser.new_context(viewport={"width": 1440, "height": 900}, reduced_motion="reduce", locale="de-DE")
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    keep_settings(page, QUICK)

    def check(*names: str) -> None:
        body = page.locator("body")
        for name in names:
            expect(body).to_contain_text(name)
        assert "Novice" not in body.inner_html()

    page.goto(f"{server.address}/new")
    page.get_by_label("Du", exact=True).fill("Expert 2")
    page.get_by_role("radio", name="3").check(force=True)
    page.get_by_role("combobox", name="Platz 2", exact=True).select_option("bot")
    page.get_by_role("radio", name="Alle").check(force=True)
    page.locator("[type=submit]").click()
    page.locator("ol [data-seat]").first.wait_for()
    check("Neuling", "Expert 2")
    link = page.url
    page.goto(f"{server.address}/lobby")
    check("Neuling", "Expert 2")
    page.goto(server.address)
    check("Gegner: Neuling")
    page.goto(link)
    page.locator("ol select").select_option("novice")
    wait_for_decision(page)
    check("Neuling", "Neuling 2", "Expert 2")
    Clicker(page).decide()
    wait_for_decision(page)
    expect(page.locator(".log")).to_contain_text("Neuling 2")
    page.get_by_role("button", name="Partie verlassen").click()
    page.get_by_role("dialog").get_by_role("button", name="Partie verlassen").click()
    expect(page.get_by_role("dialog").get_by_role("table")).to_be_visible()  # the bots play it to its end
    check("Neuling", "Neuling 2", "Expert 2")
    page.get_by_role("dialog").get_by_role("link", name="Wiederholung").click()
    expect(page.locator(".moves")).to_contain_text("Neuling 2")
    check("Neuling", "Neuling 2", "Expert 2")
    page.goto(f"{server.address}/history")
    check("Gegner: Neuling")
    context.close()
