"""The games that a guest has finished, and how it did in them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from cabochon.server import protocol
from cabochon.server.errors import Refusal
from cabochon.server.store import FinishedTable, Tally

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def cursor_of(finished: FinishedTable) -> str:
    """What names the place in a history after this game."""
    return f"{(finished.finished_at - _EPOCH) // _MICROSECOND}.{finished.table.id}"


def moment_of(cursor: str | None) -> tuple[datetime, str] | None:
    """The moment and the table that a cursor names; the inverse of `cursor_of`."""
    if cursor is None:
        return None
    microseconds, _, table_id = cursor.partition(".")
    if not (microseconds.isascii() and microseconds.isdecimal() and len(microseconds) <= 16 and table_id):
        raise Refusal("malformed", "expected a cursor as an earlier answer gave it")
    return _EPOCH + int(microseconds) * _MICROSECOND, table_id


def history_of(found: Sequence[FinishedTable], guest_id: str, limit: int) -> protocol.History:
    """So many finished games as one guest is told of them; there are more if more were found."""
    shown = found[:limit]
    return protocol.History(
        games=[_played_game(finished, guest_id) for finished in shown],
        next=cursor_of(shown[-1]) if len(found) > limit else None,
    )


def _played_game(finished: FinishedTable, guest_id: str) -> protocol.PlayedGame:
    table = finished.table
    return protocol.PlayedGame.model_validate(
        {
            "table": table.id,
            "game": table.options.variant,
            "players": table.options.players,
            "finished_at": finished.finished_at,
            "seats": [
                {
                    "seat": number,
                    "kind": seat.kind,
                    "name": seat.name,
                    "level": seat.level,
                    "is_you": seat.guest == guest_id,
                    "has_left": seat.has_left,
                    "place": result.place,
                    "points": result.points,
                    "has_won": result.has_won,
                }
                for number, (seat, result) in enumerate(zip(table.seats, finished.results, strict=True))
            ],
        }
    )


def statistics_of(tallies: Sequence[Tally]) -> protocol.Statistics:
    """How a guest did, as it is told."""
    return protocol.Statistics(
        scores=[
            protocol.Score.model_validate(
                {
                    "game": tally.variant,
                    "players": tally.players,
                    "name": tally.name,
                    "level": tally.level,
                    "played": tally.played,
                    "won": tally.won,
                    "mean_place": tally.mean_place,
                    "mean_points": tally.mean_points,
                }
            )
            for tally in tallies
        ]
    )
