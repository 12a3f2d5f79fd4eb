"""What must work on every device: a phone held upright or sideways, by touch, and a desktop, by mouse."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from cabochon.core.cards import VARIANTS
from tests.browser.conftest import DEVICES, complaints, context_on, fits
from tests.browser.driving import (
    QUICK,
    Clicker,
    RunningServer,
    change_settings,
    keep_settings,
    phase,
    sequence,
    sign_in,
    touch,
    touch_at,
    wait_for_decision,
    wait_for_sequence,
)
from tests.browser.staging import (
    StagedTable,
    Sync,
    affordable,
    everything_affordable,
    full_seats,
    out_of_time,
    people_with_clocks,
    turn_of_the_next,
    two_too_many,
)
from tests.server.running import Client

TARGET = 44


def use_tool(page: Page, name: str) -> None:
    """Use a tool of the table, which may be behind a button for all tools."""
    more = page.get_by_role("button", name="More", exact=True)
    if more.count() > 0:
        touch(more)
    touch(page.get_by_role("button", name=name, exact=True))


def close_dialog(page: Page) -> None:
    dialog = page.get_by_role("dialog")
    touch(dialog.get_by_role("button", name="Close", exact=True))
    expect(dialog).to_have_count(0)


@pytest.mark.parametrize("game", VARIANTS)
def test_every_card_deck_pile_and_tile_answers(device: Page, server: RunningServer, game: str) -> None:
    """The Avengers tile, too."""
    StagedTable(device, server, game=game)
    answers = {
        ".market [data-place], .deck, .tiles button": device.get_by_role("dialog"),
        "button.pile": device.locator(".pile.chosen, .actions.speaking"),
    }
    touched = 0
    for things, answer in answers.items():
        for thing in device.locator(things).all():
            touch(thing, force=True)
            expect(answer).to_have_count(1)
            touched += 1
            device.keyboard.press("Escape")
            expect(answer).to_have_count(0)
    assert touched == 12 + 3 + {"splendor": 3 + 6, "marvel": 3 + 7}[game]


def test_everything_about_every_opponent_is_visible_and_opens(device: Page, server: RunningServer) -> None:
    StagedTable(device, server, full_seats, people_with_clocks, turn_of_the_next, game="marvel", opponents=3)
    opponents = device.locator(".opponent, .glance")
    expect(opponents).to_have_count(3)
    expect(opponents.first).to_have_class(re.compile(r"\bturn\b"))
    expect(device.locator(".turn")).to_have_count(1)
    for opponent, name in zip(opponents.all(), ["Ben", "Cleo", "Dan"], strict=True):
        expect(opponent).to_contain_text(name)
        for fact in opponent.locator(".name, .points, .clock, .bonus, .tokens, .held").all():
            expect(fact).to_be_in_viewport(ratio=0.99)
        touch(opponent.locator(".name"))
        expect(device.get_by_role("dialog")).to_contain_text(name)
        close_dialog(device)


def test_a_loss_on_time_is_told_without_codes(device: Page, server: RunningServer) -> None:
    StagedTable(device, server).show(people_with_clocks, out_of_time)
    sentence = "Ada ran out of time. Ben wins."
    result = device.get_by_role("dialog")
    expect(result).to_contain_text(sentence)
    assert re.search(r"[A-Z]{3}-\w|Gauntlet|Tiles", result.inner_text()) is None
    touch(result.get_by_role("button", name="Look at the table").last)
    if device.locator("section.log").count() == 0:
        use_tool(device, "Log")
    expect(device.locator("section.log")).to_have_text(re.compile(rf"^(Log)?\s*{sentence}"))


def test_only_what_can_be_returned_is_lit(device: Page, server: RunningServer) -> None:
    StagedTable(device, server, affordable("1.1"), two_too_many)
    expect(device.locator(".own .tokens.open")).to_have_count(2)
    expect(device.locator(".open, .affordable")).to_have_count(2)
    for token in device.locator("button.tokens").all():
        box = token.bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) >= TARGET


def exhausted(sync: Sync) -> None:
    """A pile and a deck are empty."""
    view = sync["position"]["view"]
    view["supply"]["white"] = view["decks"][0] = 0
    sync["position"]["legal"] = [move for move in sync["position"]["legal"] if "white" not in move["tokens"]]


def test_what_cannot_be_done_says_why(device: Page, server: RunningServer) -> None:
    StagedTable(device, server, exhausted)
    change_settings(device, confirm="on")
    said = device.locator(".actions .said")
    touch(device.locator(".pile[data-token=white]"), force=True)
    expect(said).to_have_text("diamond: the pile is empty.")
    touch(device.locator(".deck[data-deck='1']"), force=True)
    expect(said).to_have_text("This deck is empty.")
    for token in ("blue", "red"):
        touch(device.locator(f".pile[data-token={token}]"))
    take_two = device.get_by_role("button", name="Take 2")
    expect(take_two).to_be_disabled()
    touch(take_two, force=True)
    expect(said).to_have_text("Take 3 tokens of 3 different colours.")


def beside(dialog: Locator, things: Locator) -> tuple[float, float]:
    """The middle of something that the dialog does not cover."""
    sheet = dialog.bounding_box()
    assert sheet is not None
    for thing in things.all():
        box = thing.bounding_box()
        assert box is not None
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        is_across = sheet["x"] <= x <= sheet["x"] + sheet["width"]
        if not (is_across and sheet["y"] <= y <= sheet["y"] + sheet["height"]):
            return x, y
    raise AssertionError("expected something beside the dialog")


def test_a_tap_beside_a_sheet_only_closes_it(device: Page, server: RunningServer) -> None:
    """It neither buys the card nor takes the token that lies there."""
    table = StagedTable(device, server, everything_affordable)
    deck = device.locator(".deck").last
    touch(deck)
    dialog = device.get_by_role("dialog")
    x, y = beside(dialog, device.locator(".market [data-place], button.pile"))
    touch_at(device, x, y)
    expect(dialog).to_have_count(0)
    touch(deck)
    expect(dialog).to_be_visible()  # by now, the first tap has done whatever it does
    expect(device.locator(".pile.chosen")).to_have_count(0)
    assert table.moves == []


def revealed(sync: Sync) -> None:
    """Another card is in the place of one that was reserved."""
    sync["position"]["view"]["market"][2][1] = 90


@pytest.mark.parametrize("name", DEVICES)
def test_a_tap_that_ends_an_animation_does_nothing_else(browser: Browser, server: RunningServer, name: str) -> None:
    """It may hit a card that was revealed in this moment, and that nobody has seen."""
    with context_on(browser, name) as context:  # its clock is stopped for good
        page = context.new_page()
        page.emulate_media(reduced_motion="no-preference")
        keep_settings(page, {**QUICK, "motion": "auto"})
        table = StagedTable(page, server, turn_of_the_next)
        page.clock.install()
        page.clock.pause_at(page.evaluate("Date.now() + 1000"))  # what flies stays in the air
        reveal = {"place": "3.2", "card": 90}
        table.play(
            1, "reserve", revealed, everything_affordable, place="3.2", card=80, gained={"gold": 1}, revealed=reveal
        )
        flights = page.locator(".flight")
        flights.first.wait_for()
        box = page.locator("[data-place='3.1']").bounding_box()
        assert box is not None
        touch_at(page, box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        expect(flights).to_have_count(0)
        touch(page.locator(".deck").last)
        expect(page.get_by_role("dialog")).to_have_count(1)
        assert table.moves == []


def open_table(page: Page, server: RunningServer, other: str) -> None:
    """Open a table at which Ada begins and the other is a bot of this level, or somebody at the same device."""
    with Client(server.address, "Ada") as ada:
        table = ada.open_table("me", other).id
        sign_in(page.context, ada, server.address)
    page.goto(f"{server.address}/t/{table}")
    wait_for_decision(page)


def test_against_bots_one_goes_back_to_the_beginning_and_practises(device: Page, server: RunningServer) -> None:
    open_table(device, server, "novice")
    clicker, undo = Clicker(device), device.get_by_role("button", name="Undo")
    first = wait_for_decision(device)
    beginning = device.locator(".own").inner_text()
    for _ in range(2):
        wait_for_decision(device)
        clicker.decide()
    wait_for_decision(device)
    expect(device.get_by_role("button", name="Practice")).to_have_count(0)
    while undo.count() > 0:
        seq = sequence(device)
        touch(undo)
        wait_for_sequence(device, seq + 1)
        wait_for_decision(device)
    assert (phase(device), device.locator(".own").inner_text()) == (first, beginning)
    if device.locator("section.log").count() == 0:
        use_tool(device, "Log")
    expect(device.locator("section.log li").first).to_contain_text("went back")
    if device.get_by_role("dialog").count() > 0:
        close_dialog(device)
    touch(device.get_by_role("button", name="Practice"))
    expect(device.get_by_role("dialog")).to_contain_text("does not count in your statistics")
    close_dialog(device)
    clicker.decide()
    expect(undo).to_be_visible()


def test_a_shared_device_is_covered_only_if_there_is_something_to_hide(device: Page, server: RunningServer) -> None:
    def button(name: str) -> Locator:
        return device.get_by_role("button", name=name)

    def take_three() -> None:
        for token in ("white", "blue", "green"):
            touch(device.locator(f".pile[data-token={token}]"))

    open_table(device, server, "Ben")
    own, cover = device.locator(".own .name"), device.get_by_role("heading", name="Pass the device to")
    expect(device.get_by_text("Ada: your turn").first).to_be_visible()
    assert complaints(device) == []
    take_three()
    expect(own).to_have_text("Ben")  # there is nothing to hide, so nothing is covered
    expect(cover).to_have_count(0)
    wait_for_decision(device)
    touch(button("Back to Ada"))
    expect(own).to_have_text("Ada")
    touch(button("Undo"))
    wait_for_decision(device)
    expect(own).to_have_text("Ada")
    take_three()
    expect(own).to_have_text("Ben")

    wait_for_decision(device)
    deck = device.locator(".deck").first
    touch(device.locator(".pile[data-token=gold]"))
    touch(deck)
    expect(device.get_by_role("status").filter(has_text="Reserving: Level 3 deck")).to_be_visible()
    touch(button("Undo"))  # while it is held back
    expect(device.locator(".deck.chosen")).to_have_count(0)
    touch(deck)
    touch(button("Reserve and take gold"))
    touch(deck)  # at once
    expect(cover).to_have_text("Pass the device to Ada")
    expect(device.locator(".table")).to_have_count(0)
    assert complaints(device) == []
    touch(button("Look at the table again"))
    expect(device.locator(".own [data-place='h1']")).to_be_visible()
    touch(button("Pass the device to Ada"))
    touch(button("I am Ada"))
    wait_for_decision(device)
    expect(own).to_have_text("Ada")
    expect(device.locator(":is(.opponent, .glance) .held")).to_have_count(1)
    expect(device.locator(":is(.opponent, .glance) [data-place]")).to_have_count(0)
    expect(button("Back to Ben")).to_have_count(0)
    assert fits(device) == {"across": True, "down": True}
    device.reload()
    wait_for_decision(device)
    expect(own).to_have_text("Ada")  # who holds no such card

    take_three()
    expect(cover).to_have_text("Pass the device to Ben")
    expect(device.locator(".table")).to_have_count(0)
    device.reload()
    expect(cover).to_have_text("Pass the device to Ben")
    expect(device.locator(".table")).to_have_count(0)
