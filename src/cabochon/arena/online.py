"""Games against bots that play online, at the tables of a server (docs/online-bots.md).

An online bot is a guest of a server for whom a program plays, with a token. For each game the arena opens a private
table there, plays the seats of its own bots, and keeps the other seats for the online bots. The server deals, holds the
clock, and has the record.
"""

from __future__ import annotations

import asyncio
import json
import math
import re
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from cabochon.bots.bot import Bot, BotError, Limit, start
from cabochon.bots.referee import SECONDS_WITHOUT_LIMIT, Contest, choose_in_time
from cabochon.errors import CabochonError
from cabochon.game import Game, Options
from cabochon.notation import Move
from cabochon.view import View

try:
    import httpx
    from websockets.asyncio.client import ClientConnection, connect
    from websockets.exceptions import ConnectionClosed, InvalidHandshake
except ImportError as error:
    raise CabochonError(f"playing online needs more packages: pip install 'cabochon[server]' ({error})") from error

SECONDS_TO_COME = 60.0  # for a bot that is invited
SECONDS_TO_ANSWER = 30.0  # for a server, also one that is started again
SECONDS_TO_CLEAR_UP = 5.0
SECONDS_BETWEEN_ATTEMPTS = 0.5
ATTEMPTS = 20
LEAST_SECONDS, MOST_SECONDS = 5, 3600  # of a turn, on the clock of a server
DECISIONS_A_TURN = 5  # such as a card, wilds to pay with, and a tile; a clock counts them together
NAME_LENGTH = 24
NICKNAME = "Arena"

_SPEC = re.compile(r"online:(time=(?P<seconds>[0-9.]+):)?(?P<server>https?://[^\s/]\S*)/(?P<guest>[A-Za-z0-9_-]+)")
_cookies: dict[str, str] = {}  # by server: this process is one guest there


@dataclass(frozen=True)
class OnlineBot:
    """A guest of a server, and how long it may think about a turn."""

    server: str
    guest: str
    seconds: float = SECONDS_WITHOUT_LIMIT


def parse_online(text: str) -> OnlineBot:
    """Read `online:http://host:port/GUEST` or `online:time=5:http://host:port/GUEST`."""
    found = _SPEC.fullmatch(text)
    seconds = None
    if found is not None:
        with suppress(ValueError):
            seconds = float(found["seconds"] or SECONDS_WITHOUT_LIMIT)
    if found is None or seconds is None or not 0 < seconds <= MOST_SECONDS:
        raise BotError(f"expected 'online:http://host:port/GUEST' or 'online:time=5:http://...', got {text!r}")
    return OnlineBot(found["server"], found["guest"], seconds)


def play_online(
    options: Options,
    names: Sequence[str],
    online: Mapping[int, OnlineBot],
    local: Mapping[int, tuple[Bot, Limit]],
    bot_seed: int,
    grace: float,
) -> Contest:
    """Play one game at a table of a server; at each seat is a bot of our own, or an online one."""
    return asyncio.run(_OnlineGame(options, names, online, local, grace).play(bot_seed))


class _OnlineGame:
    def __init__(
        self,
        options: Options,
        names: Sequence[str],
        online: Mapping[int, OnlineBot],
        local: Mapping[int, tuple[Bot, Limit]],
        grace: float,
    ) -> None:
        self._options = options
        self._names = names
        self._online = online
        self._local = local
        self._grace = grace
        self._server = next(iter(online.values())).server
        self._table = ""
        self._http = httpx.AsyncClient(base_url=self._server, timeout=SECONDS_TO_ANSWER)
        self._has_begun = asyncio.Event()
        self._thought = [0.0] * options.players
        self._faults: dict[int, str] = {}  # of our own bots, by seat

    async def play(self, bot_seed: int) -> Contest:
        """From opening the table to the record."""
        for seat, (bot, _) in self._local.items():
            try:
                await asyncio.to_thread(start, bot, bot_seed + seat)
            except Exception as error:  # a bot may fail in any way
                self._faults[seat] = f"did not start: {error}"
        async with self._http:
            await self._sign_in()
            self._table = (await self._request("POST", "/api/tables", self._plan())).json()["id"]
            is_over = False
            try:
                await self._play_to_the_end()
                is_over = True
            finally:
                if not is_over:
                    await self._clear_up()
            return await self._result()

    async def _sign_in(self) -> None:
        if self._server not in _cookies:
            answer = await self._request("PUT", "/api/me", {"nickname": NICKNAME})
            _cookies[self._server] = answer.headers["set-cookie"].partition(";")[0]
        self._http.cookies.clear()

    def _plan(self) -> dict[str, Any]:
        seconds = [bot.seconds for bot in self._online.values()]
        seconds += [DECISIONS_A_TURN * (limit.seconds or 0) for _, limit in self._local.values()]
        turn = min(max(math.ceil(max(seconds) + self._grace), LEAST_SECONDS), MOST_SECONDS)
        return {
            "game": self._options.variant,
            "free_take": self._options.free_take,
            "payment": self._options.payment,
            "order": "given",
            "clock": {"kind": "live", "move_seconds": turn, "reserve_seconds": turn},
            "seats": [
                {"kind": "open", "kept_for": self._online[seat].guest}
                if seat in self._online
                else {"kind": "here", "name": self._names[seat][:NAME_LENGTH]}
                for seat in range(self._options.players)
            ],
        }

    async def _request(self, method: str, path: str, body: dict[str, Any] | None = None) -> httpx.Response:
        headers = {"Cookie": _cookies[self._server]} if self._server in _cookies else {}
        for _ in range(ATTEMPTS):
            try:
                answer = await self._http.request(method, path, json=body, headers=headers)
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                raise CabochonError(
                    f"expected a server of Cabochon at {self._server}, got no answer: {error or type(error).__name__}"
                ) from error
            if answer.status_code != httpx.codes.TOO_MANY_REQUESTS:
                break
            await asyncio.sleep(SECONDS_BETWEEN_ATTEMPTS)
        if not answer.is_success:
            raise CabochonError(
                f"expected {method} {self._server}{path} to succeed, got {answer.status_code}: {_reason(answer)}"
            )
        return answer

    async def _play_to_the_end(self) -> None:
        players = [asyncio.create_task(self._play_seat(seat)) for seat in self._local]
        watcher = asyncio.create_task(self._watch())
        coming = asyncio.create_task(self._wait_for_all())
        tasks = {*players, watcher, coming}
        try:
            while not watcher.done():
                done, tasks = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    task.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _wait_for_all(self) -> None:
        try:
            await asyncio.wait_for(self._has_begun.wait(), SECONDS_TO_COME)
        except TimeoutError:
            seats = (await self._request("GET", f"/api/tables/{self._table}")).json()["seats"]
            missing = ", ".join(self._names[seat] for seat in self._online if seats[seat]["kind"] == "open")
            raise CabochonError(
                f"expected {missing} to sit down within {SECONDS_TO_COME:g} s, and it did not: is its program running?"
            ) from None

    async def _messages(self, seat: int | None) -> AsyncIterator[tuple[ClientConnection, dict[str, Any]]]:
        """What the server tells one who looks from that seat; a line that breaks is opened again."""
        address = f"{self._server.replace('http', 'ws', 1)}/api/tables/{self._table}/socket"
        if seat is not None:
            address += f"?seat={seat}"
        reason, heard_at = "", time.monotonic()
        while time.monotonic() - heard_at < SECONDS_TO_ANSWER:
            try:
                async with connect(
                    address, additional_headers={"Cookie": _cookies[self._server]}, max_size=None
                ) as line:
                    async for frame in line:
                        heard_at = time.monotonic()
                        yield line, json.loads(frame)
                    reason = f"closed: {line.close_code} {line.close_reason}"
            except (OSError, ConnectionClosed, InvalidHandshake) as error:
                reason = str(error) or type(error).__name__
            await asyncio.sleep(SECONDS_BETWEEN_ATTEMPTS)
        raise CabochonError(f"expected the server {self._server} to come back, and it did not: {reason}")

    async def _watch(self) -> None:
        """See the game begin and end, and how long the online bots think."""
        asked_at = time.perf_counter()
        async for _, message in self._messages(None):
            status = message.get("table", {}).get("status")
            if status == "closed":
                raise CabochonError(f"expected a game at {self._server}, and the table was closed")
            if status in ("playing", "over"):
                self._has_begun.set()
            if "position" not in message:
                continue
            seat = message.get("happening", {}).get("seat")
            if seat in self._online:
                self._thought[seat] += time.perf_counter() - asked_at
            asked_at = time.perf_counter()
            if message["position"]["outcome"] is not None:
                return

    async def _play_seat(self, seat: int) -> None:
        """Let one of our own bots play."""
        seq, has_left = 0, False
        async for line, message in self._messages(seat):
            if message["type"] == "refused":  # too fast, or something came first: look again
                await asyncio.sleep(SECONDS_BETWEEN_ATTEMPTS)
                await _send(line, {"type": "catch_up", "since": seq})
            position = message.get("position")
            if position is None:
                continue
            seq = position["seq"]
            if not position["legal"] or has_left:
                continue
            move = await self._choose(seat, position["view"])
            if move is not None:
                await _send(line, {"type": "play", "seq": seq, "move": str(move)})
                continue
            has_left = True
            with suppress(CabochonError):  # its time may have run out just now
                await self._request("POST", f"/api/tables/{self._table}/seats/{seat}/leave")

    async def _choose(self, seat: int, data: dict[str, Any]) -> Move | None:
        """The move of one of our own bots, or None if it fails."""
        if seat in self._faults:
            return None
        bot, limit = self._local[seat]
        view = replace(View.from_dict(data), commitment=None)
        began = time.perf_counter()
        try:
            return (await asyncio.to_thread(choose_in_time, bot, view, limit, self._grace)).move
        except BotError as error:
            self._faults[seat] = error.message
            return None
        finally:
            self._thought[seat] += time.perf_counter() - began

    async def _clear_up(self) -> None:
        """Leave nobody waiting at the table."""
        with suppress(CabochonError, TimeoutError):
            async with asyncio.timeout(SECONDS_TO_CLEAR_UP):
                if not self._has_begun.is_set():
                    await self._request("DELETE", f"/api/tables/{self._table}")
                    return
                for seat in self._local:
                    await self._request("POST", f"/api/tables/{self._table}/seats/{seat}/leave")

    async def _result(self) -> Contest:
        record = (await self._request("GET", f"/api/tables/{self._table}/record")).text
        seats = (await self._request("GET", f"/api/tables/{self._table}")).json()["seats"]
        left = [seat for seat in range(self._options.players) if seats[seat]["has_left"]]
        game = Game.from_record(record)
        places = _places(game, left)
        winners = [seat for seat, place in enumerate(places) if place == 1]
        movers = [event.seat for event in game.events if isinstance(event.what, Move)]
        return Contest(
            record=record,
            places=places,
            shares=tuple(1 / len(winners) if seat in winners else 0.0 for seat in range(game.players)),
            points=tuple(int(points) for points in game.state.points[: game.players]),
            rounds=game.round,
            decisions=tuple(movers.count(seat) for seat in range(game.players)),
            seconds=tuple(self._thought),
            forfeit=self._forfeit(left),
        )

    def _forfeit(self, left: list[int]) -> str | None:
        if not left:
            return None
        return f"seat {left[0] + 1}: {self._faults.get(left[0], 'left, or ran out of time')}"


def _reason(answer: httpx.Response) -> str:
    """Why a request was refused, in the words of the server, whatever that is."""
    try:
        return str(answer.json()["error"]["message"])
    except (ValueError, LookupError, TypeError):
        return answer.text[:200]


async def _send(line: ClientConnection, message: dict[str, Any]) -> None:
    with suppress(ConnectionClosed):  # it is asked again on the next line
        await line.send(json.dumps(message))


def _places(game: Game, left: list[int]) -> tuple[int, ...]:
    """As the game ended, but that those who left have the last place, and the best of the others wins."""
    shown = (1,) * game.players if game.outcome is None else game.outcome.places
    stayed = [place for seat, place in enumerate(shown) if seat not in left]
    return tuple(
        game.players if seat in left else 1 + sum(other < place for other in stayed) for seat, place in enumerate(shown)
    )
