"""Positions that a test sets up: the page receives them in the place of the server's."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from datetime import datetime, timedelta
from typing import Any

from playwright.sync_api import Page, WebSocketRoute

from cabochon.core.cards import CARD_LIST, COLOUR_NAMES, VARIANTS
from tests.browser.driving import RunningServer, sign_in, wait_for_sequence
from tests.server.running import Client

NOW = "2026-01-01T00:00:00Z"
NOTHING_HAPPENED: dict[str, Any] = {
    "round": 1,
    "move": "",
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
}
RETURNS = 2  # tokens, where there are two too many

Sync = dict[str, Any]
Change = Callable[[Sync], None]


class StagedTable:
    """A table against bots at which the page shows what a test sets up. Whatever move the page sends is played.

    The viewer has the first seat, and the turn.
    """

    def __init__(
        self, page: Page, server: RunningServer, *changes: Change, game: str = "splendor", opponents: int = 1
    ) -> None:
        self.page = page
        self.moves: list[str] = []
        self._changes = changes
        self._first: Sync = {}
        self._sync: Sync = {}
        page.route_web_socket("**/socket*", self._connect)
        with Client(server.address, "Ada") as ada:
            self.id = ada.open_table("me", *opponents * ["novice"], game=game).id
            sign_in(page.context, ada, server.address)
        page.goto(f"{server.address}/t/{self.id}")
        page.locator(".table").wait_for()

    def show(self, *changes: Change) -> None:
        """Show the first position of the game with these changes, as if the page had missed what was in between."""
        self._changes = changes
        self.moves.clear()
        self._send()
        wait_for_sequence(self.page, self._sync["position"]["seq"])

    def play(self, seat: int, kind: str, *changes: Change, **step: Any) -> None:
        """Let a seat play a move of this kind. The changes make the position after it."""
        for change in changes:
            change(self._sync)
        position = self._sync["position"]
        position["seq"] += 1
        event = {**NOTHING_HAPPENED, "type": "step", "seq": position["seq"], "seat": seat, "kind": kind, **step}
        self._socket.send(json.dumps({"type": "moved", "now": NOW, "event": event, "position": position}))

    def _connect(self, socket: WebSocketRoute) -> None:
        self._socket = socket
        line = socket.connect_to_server()

        def down(message: str | bytes) -> None:
            told = json.loads(message)
            if told["type"] == "sync":
                self._first = told
                self._send()

        def up(message: str | bytes) -> None:
            asked = json.loads(message)
            if asked["type"] == "play":
                self.moves.append(asked["move"])
                self._answer(asked["move"])

        line.on_message(down)
        socket.on_message(up)

    def _send(self) -> None:
        known = self._sync["position"]["seq"] if self._sync else 0
        self._sync = sync = deepcopy(self._first)
        sync["events"] = []
        for change in self._changes:
            change(sync)
        for seq, event in enumerate(sync["events"], start=known + 1):
            event["seq"] = seq
        sync["position"]["seq"] = known + max(1, len(sync["events"]))
        self._socket.send(json.dumps(sync))

    def _answer(self, move: str) -> None:
        """The move was played. It is still the viewer's turn if it must be paid, or if more must be returned."""
        kind = move.split()[0]
        if kind == "buy":
            self.play(0, kind, paying(move.split()[1]), move=move)
        elif kind == "return" and len(self.moves) < RETURNS:
            self.play(0, kind, move=move)
        else:
            self.play(0, kind, turn_of_the_next, move=move)


def legal_move(kind: str, *tokens: str, place: str | None = None) -> dict[str, Any]:
    """A move that the page may send."""
    text = " ".join([kind, *([place] if place else []), *(["+".join(tokens)] if tokens else [])])
    return {"move": text, "kind": kind, "tokens": list(tokens), "place": place}


def own_seat(sync: Sync) -> dict[str, Any]:
    """The seat of the viewer."""
    view = sync["position"]["view"]
    seat: dict[str, Any] = view["seats"][view["viewer"]]
    return seat


def affordable(place: str, wilds: int = 0) -> Change:
    """The viewer has exactly the tokens for a card, but wilds in the place of some, and then one wild more."""

    def change(sync: Sync) -> None:
        position = sync["position"]
        game = VARIANTS.index(position["view"]["game"])
        price = next(each for each in position["prices"] if each["place"] == place)
        cost = dict(zip(COLOUR_NAMES[game], CARD_LIST[game][price["card"] - 1].cost, strict=True))
        due = {colour: count for colour, count in cost.items() if count}
        dearest = max(due, key=lambda colour: due[colour])
        missing = {dearest: wilds} if wilds else {}
        price.update(due=due, missing=missing, wilds=wilds, is_affordable=True)
        wild = "gold" if game == 0 else "shield"
        tokens = {colour: count - missing.get(colour, 0) for colour, count in due.items()}
        own_seat(sync)["tokens"].update(tokens | ({wild: wilds + 1} if wilds else {}))
        position["legal"].append(legal_move("buy", place=place))

    return change


def everything_affordable(sync: Sync) -> None:
    """Every card of the market costs nothing, and it is the viewer's turn."""
    position = sync["position"]
    position["view"]["seat"] = position["view"]["viewer"]
    for price in position["prices"]:
        price.update(due={}, missing={}, wilds=0, is_affordable=True)
        position["legal"].append(legal_move("buy", place=price["place"]))


def paying(place: str) -> Change:
    """The viewer must pay for the card at a place."""

    def change(sync: Sync) -> None:
        position = sync["position"]
        due = next(price["due"] for price in position["prices"] if price["place"] == place)
        position["view"]["phase"], position["view"]["turn"]["buying"] = "pay", place
        position["legal"] = [legal_move("wild", colour) for colour in due] + [legal_move("pay")]

    return change


def two_too_many(sync: Sync) -> None:
    """The viewer has twelve tokens, of two colours."""
    view = sync["position"]["view"]
    colours = list(view["supply"])[:2]
    own_seat(sync)["tokens"].update(dict.fromkeys(colours, 6))
    view["phase"] = "return"
    sync["position"]["legal"] = [legal_move("return", colour) for colour in colours]


def full_seats(sync: Sync) -> None:
    """Everybody has as much as anybody can: tokens and bonuses of all colours, reserved cards, and tiles."""
    view = sync["position"]["view"]
    cards = CARD_LIST[VARIANTS.index(view["game"])]
    for number, seat in enumerate(view["seats"]):
        seat["points"] = 14
        seat["tokens"] = {token: 1 + place % 2 for place, token in enumerate(seat["tokens"])}
        seat["bonuses"] = {colour: 3 + place % 2 for place, colour in enumerate(seat["bonuses"])}
        seat["cards"] = [
            number
            for colour, count in seat["bonuses"].items()
            for number in [card.number for card in cards if card.bonus == colour][:count]
        ]
        is_own = number == view["viewer"]
        seat["reserved"] = [
            {"level": level, "card": 10 * level if is_own else None, "blind": True} for level in (1, 2, 3)
        ]
        seat["tiles"] = [place["tile"] for place in view["tiles"][number::2]] if number < 2 else []
        seat["avengers_tile"] = is_own and view["game"] == "marvel"
    for number, place in enumerate(view["tiles"]):
        place["owner"] = number % 2


def took_and_returned(sync: Sync) -> None:
    """In the round before, everybody took three tokens and returned as many."""
    view = sync["position"]["view"]
    three = dict.fromkeys(list(view["supply"])[:3], 1)
    sync["events"] = [
        {
            **NOTHING_HAPPENED,
            "type": "step",
            "seat": seat,
            "kind": kind,
            "gained": three if kind == "take" else {},
            "spent": three if kind == "return" else {},
            "is_turn_over": kind == "return",
        }
        for seat in range(view["players"])
        for kind in ("take", "return")
    ]


def must_return(sync: Sync) -> None:
    """The viewer has two of every token, and must return some."""
    view = sync["position"]["view"]
    view["phase"] = "return"
    seat = own_seat(sync)
    seat["tokens"] = dict.fromkeys(seat["tokens"], 2)
    sync["position"]["legal"] = [legal_move("return", token) for token in seat["tokens"] if token != "time"]


def people_with_clocks(sync: Sync) -> None:
    """All seats are people's, each with the longest live clock that the page offers."""
    info, position = sync["table"], sync["position"]
    turn, reserve = 300, 3600
    info["clock"] = {"kind": "live", "move_seconds": turn, "reserve_seconds": reserve}
    for seat, name in zip(info["seats"], ["Ada", "Ben", "Cleo", "Dan"], strict=False):
        seat.update(kind="person", level=None, name=name, is_connected=True)
    now = datetime.fromisoformat(sync["now"])
    position["clock"] = {
        "seat": position["view"]["seat"],
        "reserve_from": (now + timedelta(seconds=turn)).isoformat(),
        "deadline": (now + timedelta(seconds=turn + reserve)).isoformat(),
        "reserves": [float(reserve)] * len(info["seats"]),
    }


def turn_of_the_next(sync: Sync) -> None:
    """The second seat is to move."""
    position = sync["position"]
    position["view"]["seat"], position["legal"] = 1, []


def out_of_time(sync: Sync) -> None:
    """The viewer ran out of time, and the second seat has won."""
    info, position = sync["table"], sync["position"]
    seats = len(info["seats"])
    info["status"] = "over"
    sync["events"] = [{"type": "left", "seat": 0, "reason": "clock", "level": None, "at": NOW}]
    position["view"]["phase"], position["legal"] = "over", []
    position["outcome"] = {
        "places": [seats, *range(1, seats)],
        "winners": [1],
        "points": [0] * seats,
        "cards": [0] * seats,
        "reason": "forfeit",
        "termination": "timeout",
        "seat": 0,
        "detail": "ran out of time",
        "rule": "RNK-1",
        "seed": "5eed",
    }
