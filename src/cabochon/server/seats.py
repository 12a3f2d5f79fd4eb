"""Who sits where at a table: joining, changing and leaving seats, seats kept for a guest, and stand-ins.

Everything here is pure: `LiveTable` commits what these functions decide.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import chain, count

from cabochon.server.errors import RequestError
from cabochon.server.guests import Guest
from cabochon.server.messages import LEVEL_OF_STAND_IN
from cabochon.server.names import distinct_name
from cabochon.server.protocol import SeatChange

DEFAULT_LEVEL = "journeyman"


@dataclass(frozen=True)
class Seat:
    """One seat: `kind` is "person" with a guest, "bot" with a level, or "open", for anyone or for one guest."""

    kind: str
    name: str
    guest: str | None = None
    level: str | None = None
    kept_for: str | None = None
    has_left: bool = False

    def is_open_to(self, guest: str) -> bool:
        """Whether the guest may sit down here."""
        return self.kind == "open" and self.kept_for in (None, guest)

    def renamed(self, before: Guest, after: Guest) -> Seat:
        """Return the seat with the guest's new nickname if it is kept for that guest."""
        is_theirs = self.kind == "open" and self.kept_for == before.id and self.name == before.nickname
        return replace(self, name=after.nickname) if is_theirs else self


OPEN_SEAT = Seat("open", "")


class Seats(tuple[Seat, ...]):
    """All seats of a table, in order."""

    __slots__ = ()

    @property
    def is_full(self) -> bool:
        """Whether no seat is open."""
        return all(seat.kind != "open" for seat in self)

    @property
    def has_person(self) -> bool:
        """Whether a person has, or had, a seat."""
        return any(seat.kind == "person" for seat in self)

    def has_stand_in(self, number: int) -> bool:
        """Whether a bot plays for a person who left; with two players, leaving ends the game instead."""
        return self[number].has_left and len(self) > 2

    def bot_level(self, number: int) -> str | None:
        """Return the level of the bot that plays this seat, or None for a person."""
        return LEVEL_OF_STAND_IN if self.has_stand_in(number) else self[number].level

    def of(self, guest: str | None) -> list[int]:
        """Return the guest's seats: several if several people play on one device."""
        if guest is None:
            return []
        return [number for number, seat in enumerate(self) if seat.guest == guest and not self.has_stand_in(number)]

    @property
    def guests(self) -> frozenset[str]:
        """The guests who have, had or are offered a seat."""
        return frozenset(guest for seat in self for guest in (seat.guest, seat.kept_for) if guest is not None)

    def kept_for(self, guest: str) -> list[int]:
        """Return the seats that are kept for the guest."""
        return [number for number, seat in enumerate(self) if seat.kept_for == guest]

    def is_own(self, number: int, guest: str | None) -> bool:
        """Whether the guest has this seat, or it is kept for them."""
        return guest is not None and (number in self.of(guest) or self[number].kept_for == guest)

    def with_seat(self, number: int, seat: Seat) -> Seats:
        """Return the seats with one of them changed."""
        return Seats((*self[:number], seat, *self[number + 1 :]))

    def is_joined(self, guest: Guest, wanted: int | None) -> bool:
        """Whether the guest has a seat already, and does not ask for one that is kept for them."""
        kept = self.kept_for(guest.id)
        return bool(self.of(guest.id)) and (not kept or wanted not in (None, *kept))

    def join(self, guest: Guest, wanted: int | None) -> Seats:
        """Return the seats with the guest in the wanted one, or in the first free one.

        All seats that are kept for a guest are taken together (several people on one device), or given up together.
        """
        free = [number for number, seat in enumerate(self) if seat.is_open_to(guest.id)]
        if not free or wanted not in (None, *free):
            raise RequestError("not_yours", "the seat is taken" if free else "all seats are taken")
        kept = self.kept_for(guest.id)
        others = [seat.name for number, seat in enumerate(self) if number not in kept]
        seats = self
        if kept and wanted in (None, *kept):
            for number in kept:
                name = distinct_name(self[number].name, others)
                others.append(name)
                seats = seats.with_seat(number, Seat("person", name, guest.id))
            return seats
        for number in kept:
            seats = seats.with_seat(number, OPEN_SEAT)
        taken = Seat("person", distinct_name(guest.nickname, others), guest.id)
        return seats.with_seat(free[0] if wanted is None else wanted, taken)

    def planned_seat(self, number: int, plan: SeatChange) -> Seat:
        """Return the seat as the host wants it: a bot's, or open."""
        if plan.kind == "bot":
            return new_bot_seat(plan.level or DEFAULT_LEVEL, (*self[:number], *self[number + 1 :]))
        if plan.level is not None:
            raise RequestError("malformed", "expected a level only for bots")
        return OPEN_SEAT


def new_bot_seat(level: str, others: Iterable[Seat]) -> Seat:
    """Return a seat for a bot, with a name that no other bot at the table has."""
    names = {seat.name for seat in others if seat.kind == "bot"}
    candidates = chain([level.capitalize()], (f"{level.capitalize()} {number}" for number in count(2)))
    return Seat("bot", next(name for name in candidates if name not in names), level=level)
