"""Games against bots that play online, at the tables of a server (docs/online-bots.md).

An online bot is a guest of a server whose seat is played by a program with a token. For each game the arena opens a
private table on the server, plays the seats of its local bots, and reserves the other seats for the online bots. The
server deals, keeps the clock and stores the record.
"""

from __future__ import annotations

import asyncio
import json
import math
import re
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from cabochon.bots.protocol import Bot, BotError, Limit
from cabochon.bots.referee import SECONDS_WITHOUT_LIMIT, Contest, choose_in_time, forfeit_of, start_in_time
from cabochon.errors import CabochonError
from cabochon.game import Game, Options
from cabochon.notation import Move
from cabochon.outcome import Forfeit, Termination
from cabochon.view import View

try:
    import httpx
    from websockets.asyncio.client import ClientConnection, connect
    from websockets.exceptions import ConnectionClosed, InvalidHandshake
except ImportError as error:
    raise CabochonError(f"playing online needs more packages: pip install 'cabochon[server]' ({error})") from error

SECONDS_TO_JOIN = 60.0  # for an invited bot
SECONDS_TO_ANSWER = 30.0  # for a server, even while it restarts
SECONDS_TO_CLEAN_UP = 5.0
SECONDS_BETWEEN_ATTEMPTS = 0.5
RETRIED_STATUSES = (429, 502, 503, 504)  # the server, or a proxy in front of it, is busy or restarting
FORBIDDEN = 4403  # the close code of a socket for a seat that is not ours
LEAST_SECONDS, MOST_SECONDS = 5, 3600  # per turn, on the clock of a server
DECISIONS_PER_TURN = 5  # such as a card, wilds to pay with, and a tile; the clock counts them together
NAME_LENGTH = 24
NICKNAME = "Arena"
TABLES = "/api/tables"

_TIME = r"(time=(?P<seconds>[0-9]+\.?[0-9]*|\.[0-9]+):)?"
_SPEC = re.compile(rf"online:{_TIME}(?P<server>https?://[^\s/]\S*)/(?P<guest>[A-Za-z0-9_-]+)")
_cookies: dict[str, str] = {}  # by server: this process is one guest there

Json: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class OnlineBot:
    """A guest of a server, and the guest's time limit per turn."""

    server: str
    guest: str
    seconds: float = SECONDS_WITHOUT_LIMIT


def parse_online(text: str) -> OnlineBot:
    """Parse `online:http://host:port/GUEST` or `online:time=5:http://host:port/GUEST`."""
    found = _SPEC.fullmatch(text)
    seconds = float(found["seconds"] or SECONDS_WITHOUT_LIMIT) if found else 0.0
    if found is None or not 0 < seconds <= MOST_SECONDS:
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
    """Play one game at a table of a server; each seat is played by a local or an online bot."""
    return asyncio.run(_OnlineGame(options, names, online, local, grace).play(bot_seed))


@dataclass(eq=False)
class _OnlineGame:
    _options: Options
    _names: Sequence[str]
    _online: Mapping[int, OnlineBot]
    _local: Mapping[int, tuple[Bot, Limit]]
    _grace: float
    _table: str = ""

    def __post_init__(self) -> None:
        self._server = next(iter(self._online.values())).server
        self._http = httpx.AsyncClient(base_url=self._server, timeout=SECONDS_TO_ANSWER)
        self._has_begun = asyncio.Event()
        self._is_late = asyncio.Event()
        self._clock: asyncio.TimerHandle | None = None  # of the online bot whose turn it is
        self._seconds = [0.0] * self._options.players
        self._faults: dict[int, Forfeit] = {}  # the seats that lost before the end, in the order in which they lost

    async def play(self, bot_seed: int) -> Contest:
        for seat, (bot, _) in self._local.items():
            try:
                await asyncio.to_thread(start_in_time, bot, bot_seed + seat)
            except BotError as error:
                self._faults[seat] = forfeit_of(seat, error)
        async with self._http:
            await self._sign_in()
            self._table = (await self._request("POST", TABLES, self._table_options())).json()["id"]
            try:
                await self._play_to_the_end()
            except BaseException:
                await self._clean_up()
                raise
            return await self._result()

    async def _sign_in(self) -> None:
        if self._server not in _cookies:
            answer = await self._request("PUT", "/api/me", {"nickname": NICKNAME})
            _cookies[self._server] = answer.headers["set-cookie"].partition(";")[0]
        self._http.cookies.clear()

    def _table_options(self) -> Json:
        """Return the request for a table. Its clock allows for the slowest bot; the arena enforces the other limits."""
        seconds = [bot.seconds for bot in self._online.values()]
        for _, limit in self._local.values():
            seconds.append(DECISIONS_PER_TURN * (SECONDS_WITHOUT_LIMIT if limit.seconds is None else limit.seconds))
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

    async def _request(self, method: str, path: str, body: Json | None = None) -> httpx.Response:
        """Send a request; retry for a while if the server has answered before and is now away."""
        is_known = self._server in _cookies
        headers = {"Cookie": _cookies[self._server]} if is_known else {}
        began = time.monotonic()
        while True:
            try:
                answer = await self._http.request(method, path, json=body, headers=headers)
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                may_be_done = not isinstance(error, httpx.ConnectError | httpx.ConnectTimeout)
                is_too_long = time.monotonic() - began >= SECONDS_TO_ANSWER
                if is_too_long or not is_known or (may_be_done and path == TABLES):  # a table must not be opened twice
                    reason = error or type(error).__name__
                    raise CabochonError(
                        f"expected a server of Cabochon at {self._server}, got no answer: {reason}"
                    ) from error
            else:
                if answer.status_code not in RETRIED_STATUSES or time.monotonic() - began >= SECONDS_TO_ANSWER:
                    break
            await asyncio.sleep(SECONDS_BETWEEN_ATTEMPTS)
        if not answer.is_success:
            got = f"{answer.status_code}: {_error_message(answer)}"
            raise CabochonError(f"expected {method} {self._server}{path} to succeed, got {got}")
        return answer

    async def _play_to_the_end(self) -> None:
        watcher = asyncio.create_task(self._watch())
        others = [*map(self._play_seat, self._local), self._wait_for_all(), self._end_when_late()]
        tasks = [watcher, *map(asyncio.create_task, others)]
        under_way = set(tasks)
        try:
            while not watcher.done():
                done, under_way = await asyncio.wait(under_way, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    task.result()
        finally:
            self._stop_clock()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _wait_for_all(self) -> None:
        try:
            await asyncio.wait_for(self._has_begun.wait(), SECONDS_TO_JOIN)
        except TimeoutError:
            seats = (await self._request("GET", f"{TABLES}/{self._table}")).json()["seats"]
            missing = ", ".join(self._names[seat] for seat in self._online if seats[seat]["kind"] == "open")
            raise CabochonError(
                f"expected {missing} to sit down within {SECONDS_TO_JOIN:g} s, but it did not; is its program running?"
            ) from None

    async def _messages(self, seat: int | None) -> AsyncGenerator[tuple[ClientConnection, Json]]:
        """Yield the messages of the server to a seat, or to a spectator; reconnect if the connection breaks."""
        query = "" if seat is None else f"?seat={seat}"
        address = f"{self._server.replace('http', 'ws', 1)}{TABLES}/{self._table}/socket{query}"
        headers = {"Cookie": _cookies[self._server]}
        reason, broke_at = "", time.monotonic()
        while time.monotonic() - broke_at < SECONDS_TO_ANSWER:
            was_heard, code = False, None
            try:
                async with connect(address, additional_headers=headers, max_size=None) as line:
                    async for frame in line:
                        was_heard = True
                        yield line, json.loads(frame)
                    reason = f"closed: {line.close_code} {line.close_reason}"
            except ConnectionClosed as error:
                reason, code = str(error), error.rcvd and error.rcvd.code
            except (OSError, InvalidHandshake) as error:
                reason = str(error) or type(error).__name__
            if code == FORBIDDEN and seat is not None:
                return
            if was_heard:
                broke_at = time.monotonic()
            if seat is None:
                self._stop_clock()  # nobody loses because the server is away
            await asyncio.sleep(SECONDS_BETWEEN_ATTEMPTS)
        raise CabochonError(f"expected the server {self._server} to come back, but it did not: {reason}")

    async def _watch(self) -> None:
        """Watch the game from start to end and measure how long the online bots think."""
        asked_at, turn = time.perf_counter(), None
        async with aclosing(self._messages(None)) as messages:
            async for _, message in messages:
                status = message.get("table", {}).get("status")
                if status == "closed":
                    raise CabochonError(f"expected a game at {self._server}, but the table was closed")
                if status in ("playing", "over"):
                    self._has_begun.set()
                if "position" not in message:
                    continue
                for event in message.get("events") or [message.get("event", {})]:
                    if event.get("type") == "left":
                        self._faults.setdefault(event["seat"], _left(event))
                seat = message.get("event", {}).get("seat")
                if seat in self._online:
                    self._seconds[seat] += time.perf_counter() - asked_at
                asked_at = time.perf_counter()
                if message["position"]["outcome"] is not None:
                    return
                view = message["position"]["view"]
                if self._has_begun.is_set() and (self._clock is None or turn != (view["round"], view["seat"])):
                    turn = view["round"], view["seat"]
                    self._start_clock(view["seat"])

    def _start_clock(self, seat: int) -> None:
        """Start the clock of the seat that decides, if an online bot still plays it."""
        self._stop_clock()
        if seat in self._online and seat not in self._faults:
            seconds = self._online[seat].seconds + self._grace
            self._clock = asyncio.get_running_loop().call_later(seconds, self._note_late, seat, seconds)

    def _stop_clock(self) -> None:
        if self._clock is not None:
            self._clock.cancel()
            self._clock = None

    def _note_late(self, seat: int, seconds: float) -> None:
        self._faults.setdefault(seat, Forfeit(seat, Termination.TIMEOUT, f"no answer within {seconds:g} s"))
        self._is_late.set()

    async def _end_when_late(self) -> None:
        """End the game when the online bot is late, with two players; with more, the others play on."""
        await self._is_late.wait()
        if self._options.players == 2:
            for seat in self._local:
                await self._leave(seat)

    async def _leave(self, seat: int) -> None:
        with suppress(CabochonError):  # it may just have run out of time, or the game may be over
            await self._request("POST", f"{TABLES}/{self._table}/seats/{seat}/leave")

    async def _play_seat(self, seat: int) -> None:
        seq = 0
        async with aclosing(self._messages(seat)) as messages:
            async for line, message in messages:
                if message["type"] == "refused":  # too fast, or out of date: ask for the position again
                    await asyncio.sleep(SECONDS_BETWEEN_ATTEMPTS)
                    await _send(line, {"type": "catch_up", "since": seq})
                position = message.get("position")
                seq = position["seq"] if position else seq
                if not position or not position["legal"]:
                    continue
                move = await self._choose(seat, position["view"])
                if move is None:
                    await self._leave(seat)
                    return
                await _send(line, {"type": "play", "seq": seq, "move": str(move)})

    async def _choose(self, seat: int, data: Json) -> Move | None:
        """Return the move of a local bot, or None if it fails."""
        if seat in self._faults:
            return None
        bot, limit = self._local[seat]
        view = replace(View.from_dict(data), commitment=None)
        began = time.perf_counter()
        try:
            return (await asyncio.to_thread(choose_in_time, bot, view, limit, self._grace)).move
        except BotError as error:
            self._faults.setdefault(seat, forfeit_of(seat, error))
            return None
        finally:
            self._seconds[seat] += time.perf_counter() - began

    async def _clean_up(self) -> None:
        """Close the table or leave it, so that nobody waits there."""
        with suppress(CabochonError, TimeoutError):
            async with asyncio.timeout(SECONDS_TO_CLEAN_UP):
                if not self._has_begun.is_set():
                    await self._request("DELETE", f"{TABLES}/{self._table}")
                    return
                for seat in self._local:
                    await self._leave(seat)

    async def _result(self) -> Contest:
        game = Game.from_record((await self._request("GET", f"{TABLES}/{self._table}/record")).text)
        # Of two players the other has won by then.
        lost = list(self._faults)[:1] if game.players == 2 else list(self._faults)
        forfeit = self._faults[lost[0]] if lost else None
        if not game.is_over and forfeit is not None:
            game.forfeit(forfeit.seat, forfeit.detail, forfeit.termination)
        places = _final_places(game, lost)
        winners = [seat for seat, place in enumerate(places) if place == 1]
        movers = [event.seat for event in game.events if isinstance(event.what, Move)]
        return Contest(
            record=game.record(with_seed=True),
            places=places,
            shares=tuple(1 / len(winners) if seat in winners else 0.0 for seat in range(game.players)),
            points=tuple(int(points) for points in game.state.points[: game.players]),
            rounds=game.round,
            decisions=tuple(movers.count(seat) for seat in range(game.players)),
            seconds=tuple(self._seconds),
            forfeit=forfeit,
        )


def _error_message(answer: httpx.Response) -> str:
    try:
        return str(answer.json()["error"]["message"])
    except (ValueError, LookupError, TypeError):
        return answer.text[:200]


async def _send(line: ClientConnection, message: Json) -> None:
    with suppress(ConnectionClosed):  # the server asks again after reconnecting
        await line.send(json.dumps(message))


def _left(event: Json) -> Forfeit:
    if event["reason"] == "clock":
        return Forfeit(event["seat"], Termination.TIMEOUT, "ran out of time")
    return Forfeit(event["seat"], Termination.RESIGNATION, "left the table")


def _final_places(game: Game, lost: list[int]) -> tuple[int, ...]:
    """Return the places of the game; seats that lost before its end come last, and the best of the others wins."""
    outcome = game.outcome
    shown = outcome.places if game.is_over and outcome is not None else (1,) * game.players
    stayed = [place for seat, place in enumerate(shown) if seat not in lost]
    return tuple(
        game.players if seat in lost else 1 + sum(other < place for other in stayed) for seat, place in enumerate(shown)
    )
