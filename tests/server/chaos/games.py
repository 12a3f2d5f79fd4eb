"""The games that go on meanwhile, and what must be true of them afterwards."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin

from cabochon.loadtest.players import Observations, Opening, Player, socket_address
from cabochon.server.timeline import Entry, Timeline
from tests.server.storage import Storage

THINK = 1.5  # seconds before a move of a person, on average
NOT_ANY_MORE = 1e9
BOT, OPEN = {"kind": "bot", "level": "novice"}, {"kind": "open"}
PLENTY = {"kind": "live", "move_seconds": 60, "reserve_seconds": 600}
LITTLE = {"kind": "live", "move_seconds": 5, "reserve_seconds": 10}
# The people, the bots, the clock, and whether the first person falls asleep.
KINDS: list[tuple[int, int, dict[str, Any] | None, bool]] = [
    (2, 0, None, False),
    (1, 2, None, False),
    (2, 1, PLENTY, False),
    (4, 0, PLENTY, False),
    (3, 1, LITTLE, True),
]


@dataclass
class Person(Player):
    """A player who remembers all that happened, and the last position."""

    events: list[dict[str, Any]] = field(default_factory=list)
    position: dict[str, Any] = field(default_factory=dict)

    def _handle(self, socket: ClientConnection, message: dict[str, Any]) -> None:
        if message["type"] == "sync":
            known = self.events[message["since"] :]
            assert message["events"][: len(known)] == known, "nothing that somebody was told is taken back"
            self.events[message["since"] :] = message["events"]
        elif message["type"] == "moved":
            self.events.append(message["event"])
        if "position" in message:
            self.position = message["position"]
            assert self.position["seq"] == len(self.events)
        super()._handle(socket, message)

    async def check(self, url: str) -> None:
        """Compare what this person knows with what a server tells them when they come back to it, byte for byte."""
        address, headers = socket_address(url, self.table, 0), {"Cookie": self.cookie}
        while True:
            async with connect(address, origin=Origin(url), additional_headers=headers, max_size=None) as socket:
                sync = json.loads(await socket.recv())
            if sync["position"]["seq"] == len(self.events):  # both have followed the game equally far
                if sync["table"]["you"] is None:  # the time was up: a spectator does not see all that a seat saw
                    assert [_public(event) for event in sync["events"]] == [_public(event) for event in self.events]
                else:
                    assert json.dumps(sync["events"]) == json.dumps(self.events)
                assert json.dumps(_lasting(sync["position"])) == json.dumps(_lasting(self.position))
                return


def _public(event: dict[str, Any]) -> tuple[Any, ...]:
    return event["type"], event["seq"], event["seat"], event.get("move"), event["at"]


def _lasting(position: dict[str, Any]) -> dict[str, Any]:
    """Leave out what changes with time alone."""
    return {name: value for name, value in position.items() if name not in ("can_undo", "undo_makes_practice")}


@dataclass
class Games:
    """Games of all kinds, with their people."""

    players: list[Person]
    seen: Observations
    tables: list[str]

    @classmethod
    async def open(cls, urls: Sequence[str], count: int) -> Games:
        """Open games; their people come through all the addresses in turn."""
        seen = Observations()
        async with Opening.at(urls[0]) as opening:
            opened = await asyncio.gather(*(_open(number, opening, urls, seen) for number in range(count)))
        players = [player for people in opened for player in people]
        return cls(players, seen, [people[0].table for people in opened])

    async def wait_for_progress(self) -> None:
        """Wait until every game has gone on, or is over: none is stuck."""
        before = {player.table: player.seq for player in self.players}
        for player in self.players:
            while player.seq == before[player.table] and not player.is_over:
                await asyncio.sleep(0.05)

    async def check(self, urls: Sequence[str]) -> None:
        """Check that every server tells every person what they know."""
        for player in self.players:
            await asyncio.gather(*(player.check(url) for url in urls))

    async def read(self, storage: Storage) -> dict[str, Timeline]:
        """Read all games; a move that the rules do not allow, such as a second one of a bot, raises an error."""
        timelines = {}
        for table in self.tables:
            record, entries = await storage.tables.get(table), await storage.log.read(table)
            assert record is not None
            assert [entry.seq for entry in entries] == list(range(1, len(entries) + 1))
            timelines[table] = Timeline(record.deal, entries)
        return timelines


async def _open(number: int, opening: Opening, urls: Sequence[str], seen: Observations) -> list[Person]:
    people, bots, clock, is_sleepy = KINDS[number % len(KINDS)]
    seats = [{"kind": "me"}, *[OPEN] * (people - 1), *[BOT] * bots]
    plan = {"game": ("splendor", "marvel")[number % 2], "seats": seats, "order": "given", "clock": clock}
    table, cookies = await opening.table(plan, [f"Player {number}.{seat + 1}" for seat in range(people)])
    turned = [[*urls[start:], *urls[:start]] for start in range(len(urls))]
    thinking = [NOT_ANY_MORE if is_sleepy and seat == 0 else THINK for seat in range(people)]
    return [
        Person(turned[(number + seat) % len(urls)], cookie, table, seat, thinking[seat], seen)
        for seat, cookie in enumerate(cookies)
    ]


def check_moves(timelines: dict[str, Timeline], seen: Observations) -> None:
    """Every move that anybody was told is in the log, at its place and as it was told."""
    for table, told in seen.moves.items():
        logged = {(entry.seq, entry.texts[0]) for entry in timelines[table].entries}
        assert told <= logged, f"lost at table {table}: {sorted(told - logged)}"


def check_clocks(timelines: dict[str, Timeline]) -> int:
    """Nobody ran out of time too early, and times never go back; return how many ran out."""
    forfeits = 0
    for timeline in timelines.values():
        entries = timeline.entries
        assert [entry.at for entry in entries] == sorted(entry.at for entry in entries)
        for entry in entries:
            if entry.leaving == "clock":
                forfeits += 1
                _check_forfeit(Timeline(timeline.deal, entries[: entry.seq - 1]), entry)
    return forfeits


def _check_forfeit(before: Timeline, entry: Entry) -> None:
    assert before.game.seat == entry.seat
    assert before.deadline is not None
    assert before.deadline <= entry.at
