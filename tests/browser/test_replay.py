"""Looking at games again: by keys, by the slider, through other eyes, from a file; and one's history."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect

from cabochon import Move, Options
from cabochon.server import protocol
from tests.browser.conftest import complaints, complaints_in_both_themes, fits
from tests.browser.driving import QUICK, RunningServer, keep_settings, sequence, synced
from tests.browser.test_languages import DESKTOP, FOREIGN, NARROW, Reader
from tests.playing import random_game
from tests.server.running import Client, Line, eager_move

PHONE: ViewportSize = {"width": 360, "height": 740}


@dataclass(frozen=True)
class Played:
    """Two games that Ada has finished against Bo, and how the server knows her."""

    tables: dict[str, str]
    cookies: dict[str, str]
    record: str


def play_out(*lines: Line) -> None:
    """Play all seats of a table to the end, each over its own line."""
    positions = [synced(line) for line in lines]
    while positions[0].outcome is None:
        mover = positions[0].view.seat
        lines[mover].play(positions[mover].seq, eager_move(positions[mover]))
        positions = [line.receive_moved(positions[0].seq + 1).position for line in lines]


@pytest.fixture(scope="package")
def played(server: RunningServer) -> Iterator[Played]:
    with Client(server.address, "Ada") as ada, Client(server.address, "Bo") as bo:
        tables = {}
        for game in ("splendor", "marvel"):
            tables[game] = ada.open_table("me", "open", game=game).id
            bo.join(tables[game])
            play_out(ada.line(tables[game]), bo.line(tables[game]))
        record = ada.http.get(f"/api/tables/{tables['splendor']}/record").text
        yield Played(tables, dict(ada.http.cookies.items()), record)


@pytest.fixture
def ada(context: BrowserContext, server: RunningServer, played: Played) -> Played:
    """Let the browser be Ada's."""
    context.add_cookies([{"name": n, "value": v, "url": server.address} for n, v in played.cookies.items()])
    return played


def open_replay(page: Page, server: RunningServer, table: str, fragment: str = "") -> int:
    """Go to the replay of a table; how many moves it has."""
    page.goto(f"{server.address}/replay/{table}{fragment}")
    expect(page.locator(".table")).to_be_visible()
    return int(page.get_by_role("slider").get_attribute("max") or "0")


def open_record(page: Page, server: RunningServer, record: str) -> None:
    page.goto(f"{server.address}/replay")
    page.set_input_files("input[type=file]", {"name": "a.txt", "mimeType": "text/plain", "buffer": record.encode()})


def analyse(page: Page) -> None:
    """Let the bot look at the game, and wait until it has."""
    page.locator(".tools [aria-expanded=false], .analysis .begin").first.press("Enter")
    expect(page.locator(".analysis td").first).to_have_text(re.compile("%"))
    expect(page.locator(".analysis .progress")).to_have_count(0)


def go_to_the_longest_line(page: Page, server: RunningServer, table: str) -> None:
    """In an open analysis, go to where the bot expected most after the better move, and wait until that is told."""
    told = page.request.get(f"{server.address}/api/tables/{table}/analysis").text()
    losses = [each for each in protocol.Analysis.model_validate_json(told).judgements if each.loss >= 0.01]
    longest = max(losses, key=lambda judgement: len(judgement.line))
    page.locator(".analysis input").fill(str(longest.seq))
    names = ["Ada", "Bo"]
    expect(page.locator(".analysis .expected")).to_contain_text([names[step.seat] for step in longest.line][-1])


def test_a_replay_is_walked_by_keys(page: Page, server: RunningServer, ada: Played) -> None:
    moves = open_replay(page, server, ada.tables["splendor"])
    expect(page.locator(".own")).to_contain_text("Ada")
    assert sequence(page) == 0
    expect(page.locator(".moves [aria-current=step]")).to_have_text("The deal")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    expect(page.locator(".table[data-seq='3']")).to_be_visible()
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".table[data-seq='2']")).to_be_visible()
    expect(page).to_have_url(re.compile(r"#move=2$"))
    page.keyboard.press("End")
    expect(page.locator(f".table[data-seq='{moves}'][data-phase=over]")).to_be_visible()
    expect(page.locator(".controls")).to_contain_text(re.compile("wins|share the victory"))
    page.keyboard.press("PageUp")
    assert sequence(page) < moves
    page.keyboard.press("Home")
    assert sequence(page) == 0
    page.keyboard.press("Space")
    expect(page.locator(".table[data-seq='2']")).to_be_visible()
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    analyse(page)
    page.keyboard.press("End")
    expect(page.locator(".analysis tbody")).to_contain_text("100%")
    page.get_by_role("button", name="Previous mistake").focus()
    page.keyboard.press("Enter")
    mistake = sequence(page)
    verdict = re.compile(r"Lost \d+%\. In the same position, the bot \w+ .* instead\.")
    expect(page.locator(".analysis .verdict")).to_have_text(verdict)
    expect(page.locator(".controls .caption")).to_contain_text(re.compile(r"lost \d+% · "))
    expect(page.locator(".better .frame").first).to_be_attached()
    expect(page.locator(".suggested").first).to_be_visible()
    chances = page.get_by_role("slider", name="Chance of winning, move by move")
    chances.focus()
    page.keyboard.press("ArrowLeft")
    assert sequence(page) == mistake - 1
    text = rf"Move {mistake - 1} of {moves}: Ada \d+% and Bo \d+%"
    assert re.fullmatch(text, chances.get_attribute("aria-valuetext") or "")
    plot = chances.bounding_box()
    assert plot is not None
    assert plot["width"] > 300
    assert plot["height"] > 150
    page.mouse.click(plot["x"] + plot["width"] / 2, plot["y"] + 20)
    assert abs(sequence(page) - moves / 2) <= 2
    expect(page.locator(".chart .round")).not_to_have_count(0)
    expect(page.locator(".chart .share")).to_have_text(["0%", "50%", "100%"])
    expect(page.locator(".moves .loss").first).to_have_text(re.compile(r"lost \d+%"))


def test_a_replay_is_walked_by_the_slider_the_buttons_and_the_list(
    page: Page, server: RunningServer, ada: Played
) -> None:
    moves = open_replay(page, server, ada.tables["marvel"])
    slider = page.get_by_role("slider")
    slider.fill("5")
    assert sequence(page) == 5
    slider.focus()
    page.keyboard.press("ArrowRight")
    assert sequence(page) == 6, "the slider alone hears its arrows"
    assert (slider.get_attribute("aria-valuetext") or "").startswith(f"Move 6 of {moves}: ")
    page.get_by_role("button", name="Previous move").click()
    assert sequence(page) == 5
    page.get_by_role("button", name="Go to the end").click()
    assert sequence(page) == moves
    turns = page.locator(".moves li button")
    turns.first.click()
    assert 1 <= sequence(page) < 6
    expect(turns.first).to_have_attribute("aria-current", "step")
    slider.fill(str(moves))
    expect(page.locator(".moves [aria-current=step]")).to_be_in_viewport(ratio=0.99)


def test_a_link_leads_to_a_moment(page: Page, server: RunningServer, ada: Played) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    open_replay(page, server, ada.tables["splendor"], "#move=7")
    assert sequence(page) == 7
    page.keyboard.press("ArrowRight")
    page.get_by_role("button", name="Copy link to this position").click()
    link = page.evaluate("navigator.clipboard.readText()")
    assert link == f"{server.address}/replay/{ada.tables['splendor']}#move=8"
    page.evaluate("location.hash = '#move=3'")
    expect(page.locator(".table[data-seq='3']")).to_be_visible()
    page.goto(server.address)
    page.goto(link)
    expect(page.locator(".table[data-seq='8']")).to_be_visible()


def test_a_game_is_seen_through_other_eyes(page: Page, server: RunningServer) -> None:
    game = random_game(Options("splendor", 3), 12)
    texts = [text for text in game.texts if "=" not in text]
    drawn = next(number for number, text in enumerate(texts, start=1) if re.fullmatch(r"reserve \d", text))
    seat = [event.seat for event in game.events if isinstance(event.what, Move)][drawn - 1]
    open_record(page, server, game.record())
    page.get_by_role("slider").fill(str(drawn))
    hidden = page.get_by_role("img", name=re.compile("hidden"))
    expect(hidden).to_have_count(0)
    page.get_by_label("Point of view").select_option(label=f"As Seat {(seat + 1) % 3 + 1} saw it")
    expect(hidden).to_have_count(1)
    assert sequence(page) == drawn
    page.get_by_label("Point of view").select_option(label=f"As Seat {seat + 1} saw it")
    expect(hidden).to_have_count(0)
    expect(page.get_by_role("img", name="Only you can see this card")).to_have_count(1)


def test_the_deal_is_verified_in_the_page(page: Page, server: RunningServer, ada: Played) -> None:
    open_replay(page, server, ada.tables["marvel"])
    page.get_by_role("button", name="Verified", exact=True).click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text(re.compile(r"Verified: all \d+ cards and tiles match the seed"))
    expect(dialog).to_contain_text("SHA-256")

    other_seed = re.sub(r'\[Seed "(.*)"\]', lambda found: f'[Seed "{found[1][::-1]}"]', ada.record)
    open_record(page, server, other_seed)
    page.get_by_role("button", name="Not verified").click()
    expect(page.get_by_role("dialog")).to_contain_text("the fingerprint does not match the seed")


def test_a_tampered_record_is_refused_with_line_and_rule(
    context: BrowserContext, server: RunningServer, played: Played
) -> None:
    page = context.new_page()  # the browser itself reports an answer that is no success
    lines = played.record.splitlines()
    turn = next(number for number, line in enumerate(lines) if line.startswith("1.1 "))
    lines[turn] = "1.1 buy 3.1"
    open_record(page, server, "\n".join(lines))
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text(f"Line {turn + 1}")
    expect(alert).to_contain_text("BUY-2")
    assert complaints(page) == []
    open_record(page, server, "x" * 200_000)
    expect(page.get_by_role("alert")).to_contain_text("too large")


def test_a_record_can_be_dropped_and_downloaded(page: Page, server: RunningServer, ada: Played, tmp_path: Path) -> None:
    page.goto(f"{server.address}/replay")
    dropped = page.evaluate_handle(
        "text => { const data = new DataTransfer(); data.items.add(new File([text], 'game.txt')); return data; }",
        ada.record,
    )
    page.dispatch_event(".drop", "drop", {"dataTransfer": dropped})
    expect(page.locator(".table")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download record").click()
    download.value.save_as(tmp_path / "again.txt")
    assert (tmp_path / "again.txt").read_text(encoding="utf-8") == ada.record
    page.get_by_role("button", name="Close the record").click()
    expect(page.get_by_role("heading", name="Open a game record")).to_be_visible()


def test_a_finished_table_leads_to_its_replay_and_the_menu_to_the_history(
    page: Page, server: RunningServer, ada: Played
) -> None:
    page.goto(f"{server.address}/t/{ada.tables['splendor']}")
    page.get_by_role("link", name="Watch the replay").click()
    expect(page.get_by_role("slider")).to_be_visible()
    page.goto(server.address)
    page.get_by_role("button", name="Settings").click()
    page.get_by_role("dialog").get_by_role("link", name="Your games").click()
    expect(page.locator("tbody tr")).to_have_count(2)
    expect(page.locator("tbody")).to_contain_text("Bo")
    expect(page.locator("main li")).to_have_count(2)
    page.locator("main li a").first.click()
    expect(page).to_have_url(re.compile(f"/replay/{ada.tables['marvel']}"))
    expect(page.get_by_role("slider")).to_be_visible()


def test_a_game_that_goes_on_is_not_shown(context: BrowserContext, server: RunningServer) -> None:
    page = context.new_page()
    with Client(server.address, "Bo") as bo:
        table = bo.open_table("me", "novice").id
        page.goto(f"{server.address}/replay/{table}")
        expect(page.get_by_role("alert")).to_contain_text("still in progress")
        page.get_by_role("link", name="Go to the table").click()
        expect(page.locator(".table")).to_be_visible()


def test_nobody_has_a_history_yet(page: Page, server: RunningServer) -> None:
    page.goto(f"{server.address}/history")
    expect(page.get_by_text("No finished games yet")).to_be_visible()


def test_no_complaints_and_no_sideways_scroll(page: Page, server: RunningServer, ada: Played) -> None:
    for game in ("splendor", "marvel"):
        page.set_viewport_size({"width": 1440, "height": 900})
        open_replay(page, server, ada.tables[game], "#move=30")
        expect(page.get_by_role("button", name="Verified", exact=True)).to_be_visible()
        assert complaints_in_both_themes(page) == [], f"replay of {game}"
        assert fits(page) == {"across": True, "down": True}
        analyse(page)
        go_to_the_longest_line(page, server, ada.tables[game])
        assert complaints_in_both_themes(page) == [], f"analysis of {game}"
        assert fits(page) == {"across": True, "down": True}
        page.set_viewport_size(PHONE)
        page.get_by_role("button", name="Analyse the game").click()
        expect(page.get_by_role("dialog")).to_be_visible()
        assert complaints_in_both_themes(page) == [], f"analysis of {game} on a phone"
        assert fits(page)["across"]
        page.keyboard.press("Escape")
        assert complaints_in_both_themes(page) == [], f"replay of {game} on a phone"
        assert fits(page)["across"]
        for opener in (".verdict", "button:has([aria-label=Moves])"):
            page.locator(opener).click()
            expect(page.get_by_role("dialog")).to_be_visible()
            assert complaints_in_both_themes(page) == [], opener
            assert fits(page)["across"]
            page.keyboard.press("Escape")
    for path in ("/history", "/replay"):
        page.goto(server.address + path)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        if path == "/history":
            expect(page.locator("main li")).to_have_count(2)
        assert complaints_in_both_themes(page) == [], path
        assert fits(page)["across"]


# Which targets are smaller than a finger needs; what an opponent has is larger in the dialog about the seat.
SMALL = """() => [...document.querySelectorAll(
    ":is(.table, dialog) :is(button:not(.opponent *), a, input, select, summary)")]
  .map((target) => ({ target, box: target.getBoundingClientRect() }))
  .filter(({ box }) => box.width > 0 && (box.width < 43.5 || box.height < 43.5))
  .map(({ target, box }) => `${target.localName} ${target.className} ${box.width} x ${box.height}`)"""


def test_fingers_hit_everything_after_a_game(browser: Browser, server: RunningServer, played: Played) -> None:
    context = browser.new_context(viewport={"width": 844, "height": 390}, has_touch=True, reduced_motion="reduce")
    context.add_cookies([{"name": n, "value": v, "url": server.address} for n, v in played.cookies.items()])
    page = context.new_page()
    keep_settings(page, QUICK)
    page.goto(f"{server.address}/t/{played.tables['splendor']}")
    expect(page.get_by_role("dialog")).to_be_visible()
    assert page.evaluate(SMALL) == [], "the end of a game"
    for width, height in [(844, 390), (568, 320), (390, 844), (1180, 820)]:
        page.set_viewport_size({"width": width, "height": height})
        open_replay(page, server, played.tables["splendor"])
        assert page.evaluate(SMALL) == [], f"{width} x {height}"
        assert fits(page)["across"]
        controls = page.locator(".controls")
        assert controls.evaluate("controls => controls.scrollHeight - controls.parentElement.clientHeight") <= 1
    context.close()


def test_replays_and_history_in_every_language(page: Page, server: RunningServer, ada: Played) -> None:
    keep_settings(page, {**QUICK, "language": FOREIGN})
    reader = Reader(page, DESKTOP, NARROW)
    page.set_viewport_size(PHONE)
    open_replay(page, server, ada.tables["marvel"], "#move=12")
    expect(page.locator(".verdict.good")).to_be_visible()
    reader.read()
    for opener in (".verdict", ".tools button:last-child"):
        page.locator(opener).click()
        reader.read_dialog()
    analyse(page)
    go_to_the_longest_line(page, server, ada.tables["marvel"])
    reader.read_dialog()
    page.goto(f"{server.address}/history")
    expect(page.locator("main li")).to_have_count(2)
    reader.read()
    page.goto(f"{server.address}/replay")
    expect(page.locator(".drop")).to_be_visible()
    reader.read()
