"""The subscribers of a table, and the messages to each of them."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from cabochon.server import clocks, protocol
from cabochon.server.errors import RequestError
from cabochon.server.guests import Guest
from cabochon.server.messages import GameMessages
from cabochon.server.presence import NOBODY, Viewers
from cabochon.server.rate_limits import TokenBucket
from cabochon.server.settings import Settings
from cabochon.server.table_store import TableRecord
from cabochon.server.timeline import Timeline


@dataclass
class TableState:
    """What is committed of a table: the table itself, and the timeline of its game."""

    record: TableRecord
    timeline: Timeline


class Subscriber(ABC):
    """Someone who looks at a table, from a seat of their guest or as a spectator."""

    def __init__(self, guest: Guest | None, wanted_seat: int | None = None) -> None:
        self.guest = guest
        self.wanted_seat = wanted_seat  # where several people play on one device
        self.seat: int | None = None

    @property
    def guest_id(self) -> str | None:
        """The id of the guest, or None for someone without a nickname."""
        return self.guest.id if self.guest is not None else None

    @abstractmethod
    def send(self, message: str) -> None:
        """Send a message without waiting."""


class Broadcast:
    """Sends each subscriber of one table what their seat may see, and knows who is present.

    `elsewhere` are those who look at the table through other processes, by process.
    """

    def __init__(
        self,
        state: TableState,
        settings: Settings,
        elsewhere: Mapping[str, Viewers],
        on_presence: Callable[[Viewers], None],
    ) -> None:
        self._state = state
        self._settings = settings
        self._subscribers: set[Subscriber] = set()
        self._elsewhere = dict(elsewhere)
        self._on_presence = on_presence
        self._phrase_buckets: dict[int, TokenBucket] = {}  # by seat
        self._delayed_info: asyncio.TimerHandle | None = None
        self._messages = self._new_messages()

    @property
    def has_viewers(self) -> bool:
        """Whether anybody looks at the table, through whichever process."""
        return bool(self._subscribers) or any(viewers != NOBODY for viewers in self._elsewhere.values())

    def info(self, guest_id: str | None, seat: int | None = None) -> protocol.TableInfo:
        """Return the message about the table, for a guest who looks from this seat or from their first one."""
        return self._info(guest_id, seat, self._presence())

    def _info(self, guest_id: str | None, seat: int | None, presence: tuple[set[int], int]) -> protocol.TableInfo:
        return self._state.record.info(guest_id, self._state.timeline.seq, *presence, seat)

    def sync(self, subscriber: Subscriber, since: int) -> str:
        """Return the message with everything after the first `since` entries."""
        info = self.info(subscriber.guest_id, subscriber.seat)
        return self._messages.sync(subscriber.seat, info, since, clocks.now())

    def attach(self, subscriber: Subscriber, since: int) -> None:
        """Subscribe: send everything the subscriber missed, and from then on everything that happens."""
        subscriber.seat = self._seat_for(subscriber)
        if subscriber.wanted_seat is not None and subscriber.seat is None:
            raise RequestError("not_yours", "expected a seat of your own, got somebody else's")
        limits = self._settings.limits
        limit = limits.spectators_per_table if subscriber.seat is None else limits.sockets_per_seat
        if sum(other.seat == subscriber.seat for other in self._subscribers) >= limit:
            viewers = "of spectators" if subscriber.seat is None else "from one seat"
            raise RequestError("limit_reached", f"expected at most {limit} sockets {viewers} at one table")
        before = self._presence()
        self._subscribers.add(subscriber)
        subscriber.send(self.sync(subscriber, since))
        self._send_presence(before, skip=subscriber)
        self._on_presence(self.viewers)

    def detach(self, subscriber: Subscriber) -> None:
        """Unsubscribe."""
        before = self._presence()
        self._subscribers.discard(subscriber)
        self._send_presence(before)
        self._on_presence(self.viewers)

    @property
    def viewers(self) -> Viewers:
        """Those who look at the table through this process."""
        guests = frozenset(subscriber.guest.id for subscriber in self._subscribers if subscriber.guest is not None)
        return Viewers(guests, sum(subscriber.seat is None for subscriber in self._subscribers))

    def set_elsewhere(self, elsewhere: Mapping[str, Viewers]) -> None:
        """Note who looks at the table through which other process."""
        before = self._presence()
        self._elsewhere = dict(elsewhere)
        self._send_presence(before)

    def set_viewers(self, process_id: str, viewers: Viewers) -> None:
        """Note who looks at the table through another process."""
        self.set_elsewhere({**self._elsewhere, process_id: viewers})

    def send_move(self) -> None:
        """Send everybody what the last entry of the log did, and the position after it."""
        if self._state.timeline.entries[-1].leaving is not None:
            for subscriber in self._subscribers:  # the person who left becomes a spectator, who sees no hand
                subscriber.seat = self._seat_for(subscriber)
        viewers = {subscriber.seat for subscriber in self._subscribers}
        messages = self._messages.follow(self._state.timeline, viewers, clocks.now())
        for subscriber in self._subscribers:
            subscriber.send(messages[subscriber.seat])

    def send_info(self, skip: Subscriber | None = None) -> None:
        """Send everybody the table without its game."""
        if self._delayed_info is not None:
            self._delayed_info.cancel()
            self._delayed_info = None
        presence = self._presence()
        messages: dict[tuple[str | None, int | None], str] = {}
        for subscriber in self._subscribers - {skip}:
            viewer = (subscriber.guest_id, subscriber.seat)
            if viewer not in messages:
                messages[viewer] = protocol.TableChanged(table=self._info(*viewer, presence)).model_dump_json()
            subscriber.send(messages[viewer])

    def send_sync(self, since: int) -> None:
        """Send everybody the whole table again, with the entries after the first `since`."""
        self._messages = self._new_messages()
        for subscriber in self._subscribers:
            subscriber.seat = self._seat_for(subscriber)
            subscriber.send(self.sync(subscriber, since))
        self._on_presence(self.viewers)

    def check_phrase(self, seat: int | None) -> int:
        """Refuse a phrase that comes too fast or from nobody's seat; return the seat."""
        if seat is None:
            raise RequestError("not_yours", "only players may send phrases")
        limits = self._settings.limits
        bucket = self._phrase_buckets.setdefault(seat, TokenBucket(limits.phrase_rate, limits.phrase_burst))
        if not bucket.take():
            raise RequestError("too_fast", f"expected at most {limits.phrase_rate:g} phrases per second")
        return seat

    def send_phrase(self, seat: int, phrase: protocol.PhraseName, at: datetime) -> None:
        """Send everybody a phrase of a seat; it is not stored."""
        message = protocol.Said(seat=seat, phrase=phrase, at=at).model_dump_json()
        for subscriber in self._subscribers:
            subscriber.send(message)

    def _new_messages(self) -> GameMessages:
        return GameMessages(self._state.timeline, may_move=self._state.record.status in ("playing", "over"))

    def _seat_for(self, subscriber: Subscriber) -> int | None:
        own = self._state.record.seats.of(subscriber.guest_id)
        if subscriber.wanted_seat is not None:
            return subscriber.wanted_seat if subscriber.wanted_seat in own else None
        return next(iter(own), None)

    def _presence(self) -> tuple[set[int], int]:
        """Return the seats whose guest is connected, and the number of spectators.

        All seats on one device are connected, whichever of them it shows.
        """
        everybody = [self.viewers, *self._elsewhere.values()]
        guests = frozenset[str]().union(*(viewers.guests for viewers in everybody))
        connected = {number for guest_id in guests for number in self._state.record.seats.of(guest_id)}
        return connected, sum(viewers.spectators for viewers in everybody)

    def _send_presence(self, before: tuple[set[int], int], skip: Subscriber | None = None) -> None:
        """Send who came or went; changes in the number of spectators are collected for a moment."""
        seats, watching = self._presence()
        pause = self._settings.watching_pause
        if seats != before[0] or (watching != before[1] and pause == 0):
            self.send_info(skip)
        elif watching != before[1] and self._delayed_info is None:
            self._delayed_info = asyncio.get_running_loop().call_later(pause, self.send_info)
