"""New tables: as a host plans them, and as the rematch of another table."""

from collections.abc import Mapping
from dataclasses import replace

from cabochon.fair import seat_order, seed_bytes
from cabochon.game import Options
from cabochon.server import clocks, protocol
from cabochon.server.clocks import Clock
from cabochon.server.database import new_id
from cabochon.server.errors import RequestError
from cabochon.server.guests import Guest
from cabochon.server.messages import LEVEL_OF_STAND_IN
from cabochon.server.names import distinct_name
from cabochon.server.seats import DEFAULT_LEVEL, Seat, Seats, new_bot_seat
from cabochon.server.table_store import TableRecord


def planned_table(plan: protocol.NewTable, host: Guest, nicknames: Mapping[str, str]) -> TableRecord:
    """Return a new table as its host wants it.

    The seed of the deal also draws the order of the seats (SET-10). `nicknames` has the guests for whom seats are
    kept, by id.
    """
    _check(plan, nicknames)
    seed = seed_bytes(None)
    order = range(len(plan.seats)) if plan.order == "given" else seat_order(seed, len(plan.seats))
    seats: list[Seat] = []
    for number in order:
        wanted = plan.seats[number]
        if wanted.kind == "me":
            seats.append(Seat("person", host.nickname, host.id))
        elif wanted.kind == "here":
            others = [host.nickname, *(seat.name for seat in seats)]
            seats.append(Seat("person", distinct_name(wanted.name or "", others), host.id))
        elif wanted.kind == "bot":
            seats.append(new_bot_seat(wanted.level or DEFAULT_LEVEL, seats))
        else:
            seats.append(Seat("open", nicknames.get(wanted.kept_for or "", ""), kept_for=wanted.kept_for))
    table = TableRecord(
        id=new_id(),
        host=host.id,
        options=Options(plan.game, len(seats), plan.free_take, plan.payment),
        seed=seed,
        seats=Seats(seats),
        status="waiting",
        created_at=clocks.now(),
        visibility=plan.visibility,
        clock=Clock.from_message(plan.clock),
    )
    return _started_if_full(table)


def _check(plan: protocol.NewTable, nicknames: Mapping[str, str]) -> None:
    if sum(seat.kind == "me" for seat in plan.seats) > 1:
        raise RequestError("malformed", "expected at most one seat for yourself")
    if any(seat.level is not None and seat.kind != "bot" for seat in plan.seats):
        raise RequestError("malformed", "expected a level only for bots")
    if any((seat.name is not None) != (seat.kind == "here") for seat in plan.seats):
        raise RequestError("malformed", "expected a name for each person on the same device, and for nobody else")
    for seat in plan.seats:
        if seat.kept_for is not None and seat.kind != "open":
            raise RequestError("malformed", "expected only open seats to be kept for a guest")
        if seat.kept_for is not None and seat.kept_for not in nicknames:
            raise RequestError("not_found", f"there is no guest {seat.kept_for}")


def rematch_of(table: TableRecord, host: Guest) -> TableRecord:
    """Return the table of a rematch, with each player one seat further on.

    The seats of other people are kept for them, and the game begins when all have come, so nobody's clock runs
    before that. A bot takes the seat of a person who left.
    """
    if host.id not in (table.host, *(seat.guest for seat in table.seats)):
        raise RequestError("not_yours", "only players may start a rematch")
    own = [number for number, seat in enumerate(table.seats) if seat.guest == host.id]
    if own and all(table.seats.has_stand_in(number) for number in own):
        raise RequestError("not_yours", "only players who played to the end may start a rematch")
    if table.status != "over":
        raise RequestError("not_playing", "expected a finished game: a rematch is possible when the game is over")
    seats: list[Seat] = []
    for number in (*range(1, len(table.seats)), 0):
        seat = table.seats[number]
        if table.seats.has_stand_in(number):
            seats.append(new_bot_seat(LEVEL_OF_STAND_IN, [*seats, *table.seats]))
        elif seat.kind == "person" and seat.guest != host.id:
            seats.append(Seat("open", seat.name, kept_for=seat.guest))
        else:
            seats.append(replace(seat, has_left=False))
    again = replace(
        table,
        id=new_id(),
        host=host.id,
        seed=seed_bytes(None),
        seats=Seats(seats),
        status="waiting",
        created_at=clocks.now(),
        started_at=None,
        is_practice=False,
    )
    return _started_if_full(again)


def _started_if_full(table: TableRecord) -> TableRecord:
    return replace(table, status="playing", started_at=table.created_at) if table.seats.is_full else table
