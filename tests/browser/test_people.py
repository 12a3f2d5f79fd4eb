"""People who play each other: by link, from the lobby, with a reload, as bots' neighbours and as spectators."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Protocol

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from tests.browser.conftest import DESKTOP, complaints, fits
from tests.browser.driving import (
    PATIENCE,
    QUICK,
    Clicker,
    RunningServer,
    change_settings,
    fast_forward,
    keep_settings,
    phase,
    sequence,
    take,
    wait_for_decision,
)
from tests.browser.test_languages import DESKTOP as DESKTOP_SIZE
from tests.browser.test_languages import FOREIGN, Reader, resize
from tests.server.running import Client

PHONE = (360, 740)


class Newcomer(Protocol):
    """Somebody who was never here before, with a browser of their own."""

    def __call__(self, address: str) -> Page: ...


@pytest.fixture
def newcomer(browser: Browser) -> Iterator[Newcomer]:
    contexts: list[BrowserContext] = []

    def come(address: str) -> Page:
        context = browser.new_context(viewport=DESKTOP, reduced_motion="reduce")
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        page = context.new_page()
        keep_settings(page, QUICK)
        page.goto(address)
        return page

    yield come
    for context in contexts:
        context.close()


def open_table(page: Page, address: str, name: str, players: int = 2, bots: int = 0, public: bool = False) -> str:
    """Open a table for people by the form, and return its link."""
    page.goto(f"{address}/new")
    page.get_by_label("You", exact=True).fill(name)
    page.get_by_role("radio", name=str(players)).check(force=True)
    for seat in range(players - bots + 1, players + 1):
        page.get_by_role("combobox", name=f"Seat {seat}", exact=True).select_option("bot")
        page.get_by_label(f"Level of the bot in seat {seat}").select_option("novice")
    if public:
        page.get_by_role("radio", name="Everyone").check(force=True)
    page.get_by_role("button", name="Open a table").click()
    expect(page.get_by_role("heading", name="Waiting for players")).to_be_visible()
    return page.get_by_role("textbox", name="Invite by link").input_value()


def sit_down(page: Page, name: str) -> None:
    """Type a name, and sit down on the first free seat."""
    page.get_by_label("Your name").fill(name)
    page.locator("form").get_by_role("button", name="Sit here").click()


def turns(*pages: Page) -> None:
    """Let whoever is to decide decide once."""
    for page in pages:
        page.locator(".table").wait_for()
    for _ in range(PATIENCE // 50):
        for page in pages:
            if page.locator(".table:not([data-phase=wait])").count() > 0:
                if phase(page) != "over":
                    Clicker(page).decide()
                return
        pages[0].wait_for_timeout(50)
    raise AssertionError("expected one of the pages to have a decision to make")


def test_two_play_by_link_through_a_reload(page: Page, server: RunningServer, newcomer: Newcomer) -> None:
    link = open_table(page, server.address, "Ana")
    assert complaints(page) == []
    guest = newcomer(link)
    expect(guest.get_by_text("1 seat is free.")).to_be_visible()
    assert complaints(guest) == []
    sit_down(guest, "Ben")
    for other, name in [(page, "Ben"), (guest, "Ana")]:
        expect(other.locator(".opponent").get_by_text(name)).to_be_visible()
    for _ in range(4):
        turns(page, guest)
    shown = max(sequence(page), sequence(guest))
    for other in (page, guest):
        other.locator(f".table[data-seq='{shown}']").wait_for()
        expect(other).to_have_title("Cabochon" if phase(other) == "wait" else "Your turn · Cabochon")
    guest.reload()
    guest.locator(f".table[data-seq='{shown}']").wait_for()
    expect(guest.get_by_text("Watching")).to_have_count(0)

    waiting, moving = (page, guest) if phase(page) == "wait" else (guest, page)
    waiting.locator(".pile[data-token=gold]").click()
    waiting.locator(".deck").last.click()
    expect(waiting.locator(".deck.planned")).to_have_count(1)
    expect(waiting.get_by_text("Planned reservation: Level 1 deck")).to_be_visible()
    expect(waiting.locator(".own [data-place^=h]")).to_have_count(0)
    turns(moving)
    expect(waiting.locator(".own [data-place=h1]")).to_be_visible()  # it was sent when the turn came
    assert fits(page) == {"across": True, "down": True}


def test_what_is_said_is_heard_unless_it_is_muted(page: Page, server: RunningServer, newcomer: Newcomer) -> None:
    guest = newcomer(open_table(page, server.address, "Ana"))
    sit_down(guest, "Ben")
    page.get_by_role("button", name="Say something").click()
    assert complaints(page, "dialog") == []
    page.get_by_role("button", name="Good luck!").click()
    expect(guest.get_by_text("Ana: Good luck!")).to_be_attached()
    guest.get_by_role("button", name="Say something").click()
    guest.get_by_role("radio", name="Mute").check(force=True)
    guest.get_by_role("button", name="Applause").click()
    for other in (page, guest):
        expect(other.get_by_text("Ben: Applause")).to_be_attached()
        assert complaints(other) == []
    page.get_by_role("button", name="Say something").click()
    page.get_by_role("button", name="Heart").click()
    expect(page.get_by_text("Ana: Heart")).to_be_attached()
    turns(page, guest)  # what was said before has come by now
    expect(guest.get_by_text("Ana: Heart")).to_have_count(0)


def test_four_play_by_link_with_a_reload_and_a_spectator(page: Page, server: RunningServer, newcomer: Newcomer) -> None:
    link = open_table(page, server.address, "Ana", players=4)
    guests = [newcomer(link) for _ in range(3)]
    for guest, name in zip(guests, ["Ben", "Cleo", "Dan"], strict=True):
        sit_down(guest, name)
    for _ in range(3):
        turns(page, *guests)
    spectator = newcomer(link)
    expect(spectator.get_by_text("Watching")).to_be_visible()
    guests[1].reload()
    for _ in range(3):
        turns(page, *guests)
    everybody = [page, *guests, spectator]
    last = max(sequence(other) for other in everybody)
    assert last >= 6
    for other in everybody:
        other.locator(f".table[data-seq='{last}']").wait_for()
    assert [other.locator(".own .name").inner_text() for other in [page, *guests]] == ["Ana", "Ben", "Cleo", "Dan"]
    expect(spectator.get_by_text("Watching")).to_be_visible()
    assert fits(page) == {"across": True, "down": True}


def test_a_bot_takes_over_from_one_who_leaves_and_a_spectator_looks_on(
    page: Page, server: RunningServer, newcomer: Newcomer
) -> None:
    link = open_table(page, server.address, "Ana", players=3, bots=1)
    guest = newcomer(link)
    sit_down(guest, "Ben")
    turns(page, guest)
    spectator = newcomer(link)
    expect(spectator.get_by_text("Watching")).to_be_visible()
    expect(spectator.get_by_role("button", name="Leave the game")).to_have_count(0)
    expect(page.get_by_label("1 person is watching")).to_be_visible()
    assert complaints(spectator) == []

    guest.get_by_role("button", name="Leave the game").click()
    assert complaints(guest, "dialog") == []
    guest.get_by_role("dialog").get_by_role("button", name="Leave the game").click()
    expect(guest.get_by_text("Watching")).to_be_visible()
    expect(page.get_by_label("a bot has taken over")).to_be_visible()
    for _ in range(2):
        turns(page)
    wait_for_decision(page)
    spectator.locator(f".table[data-seq='{sequence(page)}']").wait_for()


def test_with_two_players_who_leaves_has_lost(page: Page, server: RunningServer, newcomer: Newcomer) -> None:
    guest = newcomer(open_table(page, server.address, "Ana"))
    sit_down(guest, "Ben")
    turns(page, guest)
    guest.context.close()
    expect(page.get_by_label("not connected")).to_be_visible()
    page.get_by_role("button", name="Leave the game").click()
    page.get_by_role("button", name="Stay").click()
    page.get_by_role("button", name="Leave the game").click()
    page.get_by_role("dialog").get_by_role("button", name="Leave the game").click()
    expect(page.get_by_role("heading", name="Ben won")).to_be_visible()
    expect(page.get_by_role("button", name="Play again")).to_be_focused()
    ending_is_told(page, "Ana left the game. Ben wins.")


def ending_is_told(page: Page, sentence: str) -> None:
    """Check that the result and the log say how the game ended, without codes."""
    result = page.get_by_role("dialog")
    expect(result).to_contain_text(sentence)
    assert re.search(r"[A-Z]{3}-\w", result.inner_text()) is None
    assert complaints(page, "dialog") == []
    result.get_by_role("button", name="Look at the table").last.click()
    expect(page.locator("section.log")).to_have_text(re.compile(rf"^(Log)?\s*{sentence}"))
    page.get_by_role("button", name="Show the result").click()


def open_clocked_table(page: Page, address: str, seconds: int, *others: dict[str, str], game: str = "marvel") -> str:
    """Open a table with so many seconds for each turn, at which Ana begins, and return its link."""
    page.goto(address)
    page.request.put(f"{address}/api/me", data={"nickname": "Ana"}, headers={"Origin": address})
    answer = page.request.post(
        f"{address}/api/tables",
        data={
            "game": game,
            "seats": [{"kind": "me"}, *others],
            "order": "given",
            "clock": {"kind": "live", "move_seconds": seconds, "reserve_seconds": 0},
        },
        headers={"Origin": address},
    )
    return f"{address}/t/{answer.json()['id']}"


def test_of_two_whose_clock_runs_out_has_lost(page: Page, server: RunningServer, newcomer: Newcomer) -> None:
    link = open_clocked_table(page, server.address, 5, {"kind": "open"}, game="splendor")
    page.goto(link)
    guest = newcomer(link)
    sit_down(guest, "Ben")
    expect(page.get_by_role("heading", name="Ben won")).to_be_visible()
    expect(guest.get_by_role("heading", name="You won!")).to_be_visible()
    expect(guest.get_by_role("link", name="See the turning point")).to_have_count(0)
    ending_is_told(page, "Ana ran out of time. Ben wins.")
    page.get_by_role("link", name="See the turning point").click()
    expect(page).to_have_url(re.compile(r"/replay/"))
    expect(page.get_by_text("Ana ran out of time. Ben wins.").first).to_be_visible()


def test_a_clock_says_when_time_is_short(page: Page, server: RunningServer, newcomer: Newcomer) -> None:
    page.clock.install()
    link = open_clocked_table(page, server.address, 3600, {"kind": "open"})
    page.goto(link)
    sit_down(newcomer(link), "Ben")
    expect(page.get_by_role("timer")).to_have_count(2)
    expect(page.locator(".clock.short")).to_have_count(0)
    page.clock.fast_forward("59:55")
    expect(page.locator(".clock.short")).to_have_count(1)
    assert complaints(page) == []
    assert fits(page) == {"across": True, "down": True}


def test_of_three_a_bot_plays_on_for_whose_clock_runs_out(
    page: Page, server: RunningServer, newcomer: Newcomer
) -> None:
    seconds = 15  # for Ana to let pass, and for Ben, with whom the game goes on, to make his move
    link = open_clocked_table(page, server.address, seconds, {"kind": "open"}, {"kind": "bot", "level": "novice"})
    page.goto(link)
    guest = newcomer(link)
    sit_down(guest, "Ben")
    assert wait_for_decision(guest) == "act"  # which a bot did for Ana
    assert sequence(guest) >= 2  # she left, and it moved
    expect(guest.get_by_label("a bot has taken over")).to_be_visible()
    expect(guest.locator("[aria-live=polite]")).not_to_be_empty()
    Clicker(guest).decide()
    expect(page.get_by_text("Watching")).to_be_visible()
    expect(page.get_by_role("dialog")).to_have_count(0)  # the game goes on


def test_a_clock_of_days_says_until_when_and_so_after_a_reload(
    page: Page, server: RunningServer, newcomer: Newcomer
) -> None:
    page.goto(f"{server.address}/new")
    page.get_by_label("You", exact=True).fill("Ana")
    page.get_by_role("radio", name="Days per turn").check(force=True)
    page.get_by_label("Time per turn").select_option("3 days")
    expect(page.get_by_text("If you leave or run out of time, you lose.")).to_be_visible()
    page.get_by_role("button", name="Open a table").click()
    expect(page.get_by_text("Clock: 3 days per turn")).to_be_visible()
    guest = newcomer(page.url)
    expect(guest.get_by_text("Clock: 3 days per turn")).to_be_visible()
    began = datetime.now()
    sit_down(guest, "Ben")

    def deadline(of: Page) -> datetime:
        """Until when the one who is to move has time: both are shown one clock, at the seat that it runs for."""
        expect(of.locator(".clock")).to_have_count(1)
        expect(of.locator(f"{'.opponent' if phase(of) == 'wait' else '.own'} .clock")).to_be_visible()
        return datetime.strptime(" ".join(of.locator(".clock").inner_text().split()), "%b %d, %Y, %I:%M %p")

    for other in (page, guest):
        other.locator(".table").wait_for()
    told = deadline(page)
    assert began - timedelta(minutes=1) <= told - timedelta(days=3) <= datetime.now()
    assert deadline(guest) == told
    assert complaints(page) == []
    guest.reload()
    guest.locator(".table").wait_for()
    assert deadline(guest) == told
    for _ in range(2):  # it is the other's clock then, and one's own again
        turns(page, guest)
        seen = max(sequence(page), sequence(guest))
        for other in (page, guest):
            other.locator(f".table[data-seq='{seen}']").wait_for()
            assert deadline(other) >= told
    guest.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    assert deadline_is_whole(guest)
    assert fits(guest)["across"]


def deadline_is_whole(page: Page) -> bool:
    """Whether the clock of days can be read to its end."""
    return bool(page.locator(".clock").evaluate("clock => clock.getBoundingClientRect().right <= innerWidth"))


def beginner(*pages: Page) -> Page:
    """Whose move is the first of a game that begins."""
    for page in pages:
        page.locator(".table[data-seq='0']").wait_for()
    while not (first := [page for page in pages if phase(page) == "act"]):  # the line to the table may still open
        pages[0].wait_for_timeout(50)
    assert len(first) == 1
    return first[0]


def decline_on_the_start_page(page: Page, address: str, host: str) -> None:
    """Find the table that waits for one, and decline by keyboard."""
    page.goto(address)
    button = page.get_by_role("button", name=f"Decline: Splendor, against {host}")
    expect(button).to_have_text("Decline")
    assert complaints(page) == []
    for width, height in (PHONE, DESKTOP_SIZE):
        page.set_viewport_size({"width": width, "height": height})
        assert fits(page)["across"]
    page.get_by_role("link", name=f"against {host}").focus()
    page.keyboard.press("Tab")
    expect(button).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_text(f"Declined: Splendor, against {host}.")).to_be_visible()
    expect(button).to_have_count(0)
    expect(page.get_by_role("link", name=f"against {host}")).to_have_count(0)


def test_two_play_to_the_end_and_again_whatever_they_are_called(
    page: Page, server: RunningServer, newcomer: Newcomer
) -> None:
    """Names of markup are names wherever they are shown; and in the next game the other begins."""
    names = ["<img src=x onerror=a()>", "<b>Ben</b><script>"]
    link = open_table(page, server.address, names[0], public=True)
    guest = newcomer(f"{server.address}/lobby")
    expect(guest.get_by_role("link", name=f"opened by {names[0]}")).to_be_visible()
    guest.goto(link)
    sit_down(guest, names[1])
    expect(page.locator(".opponent .name")).to_have_text(names[1])
    expect(guest.locator(".opponent .name")).to_have_text(names[0])

    def check(part: Locator) -> None:
        """Whether both names stand there as they were typed, and nothing came of them."""
        for name in names:
            expect(part).to_contain_text(name)
        assert part.page.locator("img, #app script").count() == 0

    began = beginner(page, guest)
    for _ in range(4):
        turns(page, guest)
    check(page.locator(".log"))
    fast_forward(server, page, guest, until=lambda position: max(seat.points for seat in position.view.seats) >= 12)
    while page.locator(".table[data-phase=over]").count() == 0:
        turns(page, guest)
    for other in (page, guest):
        check(other.get_by_role("dialog").get_by_role("table"))
    guest.get_by_role("button", name="Look at the table").last.click()
    page.get_by_role("button", name="Play again").click()
    expect(page.get_by_text(f"reserved for {names[1]}")).to_be_visible()
    assert complaints(page) == []
    expect(guest.get_by_role("button", name="Join the next game")).to_be_visible()
    assert complaints(guest) == []
    decline_on_the_start_page(guest, server.address, names[0])
    expect(page.get_by_text(f"reserved for {names[1]}")).to_have_count(0)
    expect(page.locator("[data-seat].open")).to_contain_text("free")
    guest.goto(link)
    guest.get_by_role("button", name="Look at the table").last.click()
    guest.get_by_role("button", name="Join the next game").click()
    assert beginner(page, guest) is not began
    turns(page, guest)
    guest.goto(link.replace("/t/", "/replay/"))
    expect(guest.get_by_role("slider")).to_be_visible()
    guest.keyboard.press("End")
    check(guest.locator(".moves"))
    check(guest.get_by_label("Point of view"))


@pytest.mark.parametrize("paying", ["Players choose tokens", "Wilds only when needed"])
def test_the_hosts_house_rules_hold_at_the_table(page: Page, server: RunningServer, paying: str) -> None:
    """Fewer tokens may be taken; and who has gold, buys a card and confirms it is asked about the gold, or is not."""
    page.goto(f"{server.address}/new")
    page.get_by_role("combobox", name="Seat 2", exact=True).select_option("bot")
    page.get_by_label("Level of the bot in seat 2").select_option("novice")
    page.get_by_text("House rules").click()
    page.get_by_label("Players may choose to take fewer tokens").check()
    page.get_by_role("radio", name=paying).check(force=True)
    page.get_by_role("button", name="Open a table").click()
    wait_for_decision(page)
    before = sequence(page)
    page.locator(".pile.open").first.click()
    page.get_by_role("button", name="Take 1").click()
    page.locator(f".table:not([data-seq='{before}'])").wait_for()
    wait_for_decision(page)
    expect(page.locator(".own").get_by_text("1 of 10 tokens")).to_be_visible()
    page.locator(".deck.open").first.click()
    page.get_by_role("button", name="Reserve and take gold").click()
    gold = page.locator(".own").get_by_label("1 gold", exact=True)
    expect(gold).to_be_visible()
    wait_for_decision(page)
    payable = page.locator("[data-place].open:not([aria-label*=gold])")  # without the gold, so there is a choice
    while payable.count() == 0:
        if phase(page) == "act":
            before = sequence(page)
            take(page)
            page.locator(f".table:not([data-seq='{before}'])").wait_for()
        else:
            Clicker(page).decide()
        wait_for_decision(page)
    expect(gold).to_be_visible()
    before = sequence(page)
    change_settings(page, confirm="on")
    payable.first.click()
    page.get_by_role("button", name="Buy", exact=True).click()
    if paying == "Players choose tokens":
        expect(page.get_by_role("heading", name="Payment")).to_be_visible()
        assert complaints(page) == []
    page.locator(f".table:not([data-seq='{before}'])").wait_for()
    assert (phase(page) == "pay") == (paying == "Players choose tokens")


def test_the_host_changes_seats(page: Page, server: RunningServer, newcomer: Newcomer) -> None:
    link = open_table(page, server.address, "Ana", players=3)
    guest = newcomer(link)
    sit_down(guest, "Ben")
    page.get_by_role("button", name="Remove Ben").click()
    expect(guest.get_by_label("Your name")).to_be_visible()
    guest.get_by_role("button", name="Sit here: seat").last.click()
    expect(page.get_by_role("button", name="Remove Ben")).to_be_visible()
    guest.get_by_role("button", name="Stand up").click()
    expect(page.get_by_role("button", name="Remove Ben")).to_have_count(0)  # or the bot might fill the table
    page.get_by_label("to a bot").first.select_option("novice")
    expect(page.get_by_role("button", name="Open seat")).to_have_count(1)
    expect(guest.get_by_text("1 seat is free.")).to_be_visible()
    page.get_by_role("button", name="Close the table").click()
    for other in (page, guest):
        expect(other.get_by_text("This table was closed.")).to_be_visible()
    assert complaints(page) == []


def test_a_public_table_is_in_the_lobby_until_it_is_full(page: Page, server: RunningServer, newcomer: Newcomer) -> None:
    stranger = newcomer(f"{server.address}/lobby")
    expect(stranger.get_by_text("No tables are waiting for players.")).to_be_visible()
    assert complaints(stranger) == []
    open_table(page, server.address, "Ana", players=3, bots=1, public=True)
    stranger.get_by_role("link", name="opened by Ana").click()
    sit_down(stranger, "Cleo")
    turns(page, stranger)
    stranger.goto(f"{server.address}/lobby")
    expect(stranger.get_by_text("No tables are waiting for players.")).to_be_visible()


def test_the_screens_before_a_game_fit_on_a_phone(page: Page, server: RunningServer) -> None:
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    page.goto(f"{server.address}/new")
    page.get_by_role("radio", name="4").check(force=True)
    page.get_by_role("radio", name="Seconds per turn").check(force=True)
    page.get_by_text("House rules").click()
    assert fits(page)["across"]
    assert complaints(page) == []
    page.get_by_role("button", name="Open a table").click()
    expect(page.get_by_role("heading", name="Waiting for players")).to_be_visible()
    assert fits(page)["across"]
    page.goto(f"{server.address}/lobby")
    assert fits(page)["across"]


def test_in_a_rematch_at_one_device_the_other_begins(page: Page, server: RunningServer) -> None:
    page.goto(f"{server.address}/new")
    page.get_by_label("You", exact=True).fill("Ana")
    page.get_by_role("combobox", name="Seat 2", exact=True).select_option("here")
    page.get_by_label("Name of the player in seat 2").fill("Ben")
    page.get_by_text("House rules").click()
    page.get_by_role("radio", name="As listed").check(force=True)
    assert complaints(page) == []
    page.get_by_role("button", name="Open a table").click()
    wait_for_decision(page)
    page.locator(".deck.open").first.click()
    page.get_by_role("button", name="Reserve and take gold").click()
    page.keyboard.press("c")  # at once
    page.get_by_role("button", name="I am Ben").click()
    wait_for_decision(page)
    page.get_by_role("button", name="Leave the game").click()
    page.get_by_role("dialog").get_by_role("button", name="Leave the game").click()
    expect(page.get_by_role("heading", name="Ana won")).to_be_visible()
    before = page.url
    page.get_by_role("button", name="Play again").click()

    expect(page.get_by_text("Ben: your turn").first).to_be_visible()
    assert page.url != before
    wait_for_decision(page)
    expect(page.get_by_text("Round 1", exact=True).first).to_be_visible()
    expect(page.locator(".own .name")).to_have_text("Ben")
    expect(page.locator(".own [data-place^=h]")).to_have_count(0)
    expect(page.locator(".opponent").get_by_label("hidden")).to_have_count(0)
    page.locator(".deck.open").first.click()
    page.get_by_role("button", name="Reserve and take gold").click()
    page.keyboard.press("c")  # at once
    page.get_by_role("button", name="I am Ana").click()
    wait_for_decision(page)
    expect(page.locator(".own .name")).to_have_text("Ana")


@pytest.mark.parametrize("game", ["splendor", "marvel"])
def test_the_rules_are_found_by_id_and_by_words(page: Page, server: RunningServer, game: str) -> None:
    page.goto(f"{server.address}/rules/{game}#TRN-4")
    expect(page.locator("#TRN-4")).to_be_focused()
    assert complaints(page) == []
    page.get_by_label("Search the rules").fill("return excess")
    expect(page.get_by_text("1 topic", exact=True).or_(page.get_by_text("2 topics", exact=True))).to_be_visible()
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    assert fits(page)["across"]


@pytest.mark.parametrize(("game", "goal"), [("Splendor", "Reach 15"), ("Splendor: Marvel", "the Time Stone")])
def test_a_first_game_has_a_guide_that_can_be_switched_off(
    page: Page, server: RunningServer, game: str, goal: str
) -> None:
    page.goto(server.address)
    page.get_by_role("button", name=f"Play {game}", exact=True).click()
    wait_for_decision(page)
    guide, ring = page.get_by_role("region", name="Guide"), page.locator(".spotlight")
    expect(guide).to_contain_text(goal)
    expect(page.locator(".opponent")).to_have_count(1)
    assert page.locator(".guide code").count() == 0
    guide.get_by_role("button", name="Got it").click()
    expect(guide).to_contain_text("this is what it costs")
    expect(guide.get_by_role("link", name="Why?")).to_have_attribute("href", re.compile("^/rules/.*#CRD-1$"))
    assert complaints(page) == []
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    assert fits(page)["across"]
    guide.get_by_role("button", name="No more hints").click()
    expect(guide).to_have_count(0)
    expect(ring).to_have_count(0)
    page.get_by_role("button", name="Settings").click()
    page.get_by_role("dialog").get_by_role("group", name="Guide").get_by_text("On", exact=True).click()
    page.keyboard.press("Escape")
    expect(guide).to_contain_text(goal)
    page.goto(server.address)
    expect(page.locator("[data-game-choice]").first).to_be_visible()
    expect(page.get_by_role("button", name="No, thanks")).to_have_count(0)


def test_the_screens_for_people_in_every_language(page: Page, server: RunningServer) -> None:
    resize(page, PHONE)
    keep_settings(page, {**QUICK, "language": FOREIGN})
    reader = Reader(page, DESKTOP_SIZE, PHONE)
    with Client(server.address, "Bo") as bo:
        for path in ["/lobby", "/rules/splendor", "/rules/marvel", "/elsewhere"]:
            page.goto(server.address + path)
            expect(page.locator("h1")).to_be_visible()
            page.wait_for_load_state("networkidle")
            reader.read()
        page.goto(f"{server.address}/new")
        page.locator("select").first.select_option("here")
        page.locator("input[value=live]").check(force=True)
        page.locator("summary").click()
        reader.read()
        page.locator("[type=submit]").click()
        page.locator(".turn-banner").wait_for()
        reader.read()
        page.locator(".deck.open").first.click()
        page.locator("dialog .button-primary").click()
        page.locator("main .button-primary").wait_for()
        reader.read()
        page.locator("main .button-primary").click()
        wait_for_decision(page)
        reader.read()
        page.goto(f"{server.address}/new")
        page.locator("[type=submit]").click()
        page.locator("ol [data-seat]").first.wait_for()
        reader.read()
        bo.join(page.url.rpartition("/")[2])
        page.locator(".table").wait_for()
        reader.read()
        for size in (DESKTOP_SIZE, PHONE):
            resize(page, size)
            for number in range(2):  # what can be said, and leaving
                page.locator("header .button").nth(number).click()
                Reader(page).read_dialog()
