"""How many taps the moves take on a phone. The page is told of positions in which each of them is due."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import Browser, FloatRect, Page, WebSocketRoute, expect

from tests.browser.driving import PATIENCE, QUICK, RunningServer, keep_settings, open_game

NOW = "2026-01-01T00:00:00Z"

Position = dict[str, Any]


def pile(token: str) -> str:
    return f".pile[data-token={token}]"


def own_token(token: str) -> str:
    return f".own .tokens[data-token={token}]"


def give(position: Position, **tokens: int) -> None:
    position["view"]["seats"][position["view"]["viewer"]]["tokens"].update(tokens)


def at_the_start(position: Position) -> None:
    """As it is at the start, whatever a bot took before: tokens can be taken, and cards reserved."""
    for tokens in (["white", "white"], ["white", "blue", "red"]):
        move = {"move": f"take {'+'.join(tokens)}", "kind": "take", "tokens": tokens, "place": None}
        position["legal"].append(move)


def everything_affordable(position: Position) -> None:
    """Every card of the market can be bought."""
    for price in position["prices"]:
        price.update(due={}, missing={}, wilds=0, is_affordable=True)
        place = price["place"]
        position["legal"].append({"move": f"buy {place}", "kind": "buy", "tokens": [], "place": place})


def others_turn(position: Position) -> None:
    position["view"]["seat"], position["legal"] = 1 - position["view"]["viewer"], []


def affordable(position: Position, wilds: int) -> None:
    """The card at 1.1 costs 3 diamonds, of which gold pays so many, and there is more gold."""
    give(position, white=3 - wilds, gold=wilds + 1)
    for price in position["prices"]:
        if price["place"] == "1.1":
            missing = {"white": wilds} if wilds else {}
            price.update(due={"white": 3}, missing=missing, wilds=wilds, is_affordable=True)
    position["legal"].append({"move": "buy 1.1", "kind": "buy", "tokens": [], "place": "1.1"})


def without_gold(position: Position) -> None:
    affordable(position, wilds=0)
    give(position, gold=0)


def with_gold(position: Position) -> None:
    affordable(position, wilds=1)


def two_too_many(position: Position) -> None:
    give(position, white=6, blue=6)
    position["view"]["phase"] = "return"
    position["legal"] = [
        {"move": f"return {token[0]}", "kind": "return", "tokens": [token], "place": None}
        for token in ("white", "blue")
    ]


TO_RETURN = 2  # tokens


class Told:
    """A line on which the page is told of another position than there is, and on which its moves are answered."""

    def __init__(self, page: Page, change: Callable[[Position], None]) -> None:
        self.moves: list[str] = []
        self._change = change
        page.route_web_socket("**/socket*", self._connect)

    def _connect(self, socket: WebSocketRoute) -> None:
        line = socket.connect_to_server()
        self._socket = socket

        def down(message: str | bytes) -> None:
            told = json.loads(message)
            if told["type"] == "sync":
                self._position = told["position"]
                self._change(self._position)
                socket.send(json.dumps(told))

        def up(message: str | bytes) -> None:
            asked = json.loads(message)
            if asked["type"] == "play":
                self.moves.append(asked["move"])
                self._answer(asked["seq"] + 1, asked["move"])

        line.on_message(down)
        socket.on_message(up)

    def _answer(self, seq: int, move: str) -> None:
        """The move was played. It is still one's turn if it is to be paid, or if more is to be returned."""
        position = self._position
        kind = move.split()[0]
        view, viewer = position["view"], position["view"]["viewer"]
        if kind == "buy":
            view["phase"], view["turn"]["buying"] = "pay", "1.1"
            position["legal"] = [
                {"move": "wild w", "kind": "wild", "tokens": ["white"], "place": None},
                {"move": "pay", "kind": "pay", "tokens": [], "place": None},
            ]
        elif kind != "return" or len(self.moves) == TO_RETURN:
            others_turn(position)
        self.tell(seq, viewer, {"move": move, "kind": kind})

    def tell(self, seq: int, seat: int, changes: dict[str, Any]) -> None:
        """A seat made a step, which differs from one that changes nothing."""
        self._position["seq"] = seq
        step = {
            "type": "step",
            "seq": seq,
            "round": 1,
            "seat": seat,
            "move": "",
            "kind": "take",
            "place": None,
            "card": None,
            "level": None,
            "is_card_bought": False,
            "gained": {},
            "spent": {},
            "revealed": None,
            "tiles": [],
            "takes_avengers_tile": False,
            "is_turn_over": False,
            "at": NOW,
            **changes,
        }
        self._socket.send(json.dumps({"type": "moved", "now": NOW, "event": step, "position": self._position}))

    def reveal_and_call(self) -> None:
        """The other seat reserves a card, another one is revealed in its place, and it is one's turn."""
        position = self._position
        view = position["view"]
        before, view["market"][2][1] = view["market"][2][1], 90
        other, view["seat"] = view["seat"], view["viewer"]
        everything_affordable(position)
        self.tell(
            position["seq"] + 1,
            other,
            {
                "kind": "reserve",
                "place": "3.2",
                "card": before,
                "gained": {"gold": 1},
                "revealed": {"place": "3.2", "card": view["market"][2][1]},
            },
        )


@contextmanager
def phone_told(
    browser: Browser, server: RunningServer, change: Callable[[Position], None], motion: str = "off"
) -> Iterator[tuple[Page, Told]]:
    """A phone at a table of two, and what it is told."""
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    keep_settings(page, {**QUICK, "motion": motion})
    open_game(page, server.address, "splendor")
    page.locator(".table:not([data-phase=wait])").wait_for()
    told = Told(page, change)
    page.reload()
    page.locator(".table").wait_for()
    yield page, told
    context.close()


@pytest.mark.parametrize(
    ("change", "taps", "moves"),
    [
        pytest.param(at_the_start, [pile("white"), pile("red"), pile("blue")], ["take"], id="take three"),
        pytest.param(at_the_start, [pile("white"), pile("white")], ["take"], id="take two"),
        pytest.param(without_gold, ["[data-place='1.1']"], ["buy", "pay"], id="buy without gold"),
        pytest.param(with_gold, ["[data-place='1.1']"], ["buy", "pay"], id="buy with gold"),
        pytest.param(at_the_start, [pile("gold"), "[data-place='2.2']"], ["reserve"], id="reserve"),
        pytest.param(two_too_many, [own_token("white"), own_token("blue")], ["return", "return"], id="return two"),
    ],
)
def test_a_move_takes_so_many_taps(
    browser: Browser, server: RunningServer, change: Callable[[Position], None], taps: list[str], moves: list[str]
) -> None:
    with phone_told(browser, server, change) as (page, told):
        for tap in taps:
            assert told.moves == []
            page.locator(tap).tap()
        page.locator(".table[data-phase=wait]").wait_for()
        expect(page.get_by_role("dialog")).to_have_count(0)
        while len(told.moves) < len(moves):
            page.wait_for_timeout(10)
        assert [move.split()[0] for move in told.moves] == moves


def tap(page: Page, box: FloatRect | None) -> None:
    """Tap the middle of a box, whatever is there."""
    assert box is not None
    page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def test_a_tap_beside_a_dialog_closes_it_and_touches_nothing_beneath(browser: Browser, server: RunningServer) -> None:
    with phone_told(browser, server, everything_affordable) as (page, told):
        card = page.locator("[data-place='3.2']").bounding_box()
        page.locator("[data-deck='1']").tap()
        dialog = page.get_by_role("dialog")
        sheet = dialog.bounding_box()
        assert card is not None
        assert sheet is not None
        assert card["y"] + card["height"] < sheet["y"]
        tap(page, card)
        expect(dialog).to_have_count(0)
        page.locator("[data-deck='1']").tap()  # a move would have been sent by now
        expect(dialog).to_have_count(1)
        assert told.moves == []


def test_a_tap_that_ends_an_animation_does_nothing_else(browser: Browser, server: RunningServer) -> None:
    """It may hit a card that was revealed in this moment, and that nobody has seen."""
    with phone_told(browser, server, others_turn, motion="auto") as (page, told):
        page.clock.install()
        page.clock.pause_at(page.evaluate("Date.now() + 1000"))  # what flies stays in the air
        told.reveal_and_call()
        page.locator(".flight").first.wait_for()
        tap(page, page.locator("[data-place='3.1']").bounding_box())
        expect(page.locator(".flight")).to_have_count(0)
        page.locator("[data-deck='1']").tap()
        expect(page.get_by_role("dialog")).to_have_count(1)
        assert told.moves == []
