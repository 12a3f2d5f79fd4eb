"""Games against bots, by clicking, and what comes after."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from cabochon import Game
from tests.browser.conftest import complaints
from tests.browser.driving import (
    PATIENCE,
    Clicker,
    RunningServer,
    fast_forward,
    open_game,
    phase,
    sequence,
    synced,
    wait_for_decision,
    wait_for_sequence,
)
from tests.server.running import Client, eager_move


@pytest.mark.parametrize("game", ["splendor", "marvel"])
def test_a_game_to_its_end_by_clicking(page: Page, server: RunningServer, game: str) -> None:
    """The first and the last rounds by clicking; those between them, which are alike, over a socket."""
    address = open_game(page, server.address, game)
    clicker = Clicker(page)
    for _ in range(3):
        wait_for_decision(page)
        clicker.decide()
    fast_forward(server, page, until=lambda position: max(seat.points for seat in position.view.seats) >= 12)
    clicker.play_to_the_end()

    result = page.get_by_role("dialog")
    expect(result.locator("tbody tr")).to_have_count(2)
    expect(result.locator(".why .rule")).to_be_visible()
    assert complaints(page) == []
    record = page.request.get(result.locator("a[download]").evaluate("link => link.href"))
    assert record.ok
    assert Game.from_record(record.text()).is_over

    result.get_by_role("button", name="Play again").click()
    page.wait_for_url(lambda url: "/t/" in url and url != address)
    assert wait_for_decision(page) == "act"
    expect(page.get_by_text("Round 1", exact=True).first).to_be_visible()


def test_a_reload_in_the_middle_loses_nothing(page: Page, server: RunningServer) -> None:
    open_game(page, server.address, "splendor")
    clicker = Clicker(page)
    for _ in range(3):
        wait_for_decision(page)
        clicker.decide()
    wait_for_decision(page)
    shown = sequence(page)
    log = page.locator(".log").inner_text()
    board = page.locator(".own").inner_text()

    page.reload()
    assert wait_for_decision(page) == "act"
    assert sequence(page) == shown
    assert page.locator(".log").inner_text() == log
    assert page.locator(".own").inner_text() == board


def test_a_game_is_resumed_from_the_start(page: Page, server: RunningServer) -> None:
    address = open_game(page, server.address, "marvel")
    page.get_by_role("link", name="Cabochon").click()
    page.get_by_role("link", name="Splendor: Marvel").click()
    assert page.url == address
    wait_for_decision(page)


def test_a_choice_of_tokens_can_be_given_up(page: Page, server: RunningServer) -> None:
    open_game(page, server.address, "splendor")
    wait_for_decision(page)
    piles = page.locator("button.pile")
    held = page.locator(".own .limit").first
    had = held.inner_text()
    for index in range(2):
        piles.nth(index).click()
    expect(page.locator(".pile.chosen")).to_have_count(2)
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator(".pile.chosen")).to_have_count(0)
    assert held.inner_text() == had


def test_a_take_can_be_undone_until_the_next_has_decided(page: Page, server: RunningServer) -> None:
    def take_three() -> None:
        for index in range(3):
            page.locator("button.pile").nth(index).click()
        expect(page.locator(".own").get_by_text("3 of 10 tokens")).to_be_visible()

    with Client(server.address, "Bo") as bo:
        table = bo.open_table("open", "me", game="marvel").id
        page.goto(f"{server.address}/t/{table}")
        page.get_by_label("Your name").fill("Ana")
        page.locator("form").get_by_role("button", name="Sit here").click()
        assert wait_for_decision(page) == "act"
        take_three()
        page.get_by_role("button", name="Undo").click()
        expect(page.locator(".own").get_by_text("0 of 10 tokens")).to_be_visible()
        assert wait_for_decision(page) == "act"
        take_three()
        expect(page.get_by_role("button", name="Undo")).to_be_visible()
        line = bo.line(table)
        position = synced(line)
        line.play(position.seq, eager_move(position))
        wait_for_sequence(page, position.seq + 1)
        expect(page.get_by_role("button", name="Undo")).to_have_count(0)


def test_a_card_that_cannot_be_bought_says_what_is_missing(page: Page, server: RunningServer) -> None:
    open_game(page, server.address, "splendor")
    wait_for_decision(page)
    page.locator("[data-place='3.1']").click()
    sheet = page.get_by_role("dialog")
    expect(sheet.get_by_text("You still need")).to_be_visible()
    expect(sheet.get_by_role("button", name="Buy")).to_have_count(0)
    page.keyboard.press("Escape")
    expect(sheet).to_have_count(0)


def test_a_refusal_leads_to_its_rule(page: Page, server: RunningServer) -> None:
    """The page offers nothing that is against the rules: a move is changed on its way."""

    def connect(socket: WebSocketRoute) -> None:
        line = socket.connect_to_server()
        line.on_message(socket.send)
        socket.on_message(lambda message: line.send(re.sub('"move":"[^"]*"', '"move":"buy 3.1"', str(message))))

    page.route_web_socket("**/socket*", connect)
    open_game(page, server.address, "marvel")
    wait_for_decision(page)
    page.locator(".deck.open").first.click()
    page.locator("dialog[open] .button-primary").click()
    refusal = page.get_by_role("alert")
    expect(refusal).to_contain_text("BUY-2")
    assert complaints(page) == []
    with page.context.expect_page() as opened:
        refusal.get_by_role("link", name="BUY-2").click()
    rules = opened.value
    assert rules.url == f"{server.address}/rules/marvel#BUY-2"
    expect(rules.locator("#BUY-2")).to_be_focused()
    expect(rules.locator("#BUY-2")).to_be_in_viewport()


def test_reserving_takes_gold_and_fills_the_hand(page: Page, server: RunningServer) -> None:
    open_game(page, server.address, "splendor")
    wait_for_decision(page)
    before = sequence(page)
    page.locator("[data-place='2.2']").click()
    page.get_by_role("button", name="Reserve and take gold").click()
    page.locator(f".table:not([data-seq='{before}'])").wait_for()
    expect(page.locator(".own [data-place='h1']")).to_be_visible()
    expect(page.locator(".own").get_by_text("1 of 3 reserved")).to_be_visible()


def test_an_address_without_a_table_says_so(page: Page, server: RunningServer) -> None:
    page.goto(f"{server.address}/t/nowhere")
    expect(page.get_by_text("This table does not exist.")).to_be_visible()
    page.get_by_role("link", name="Back to home").click()
    expect(page.locator("[data-game-choice]").first).to_be_visible()


def test_another_device_takes_over_by_a_private_link(page: Page, server: RunningServer) -> None:
    address = open_game(page, server.address, "splendor")
    page.get_by_role("button", name="Settings").click()
    page.get_by_role("button", name="Create private link").click()
    link = page.get_by_label("Play on another device", exact=True).input_value()
    assert complaints(page, "dialog") == []

    browser = page.context.browser
    assert browser is not None
    other = browser.new_context()
    try:
        other.set_default_timeout(PATIENCE)
        tablet = other.new_page()
        tablet.goto(link)
        tablet.get_by_role("link", name="Splendor").click()
        assert tablet.url == address
        expect(tablet.get_by_text("Watching")).to_have_count(0)
        assert wait_for_decision(tablet) == "act"
        assert phase(page) == "act"
    finally:
        other.close()
