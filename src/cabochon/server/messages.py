"""The messages about a game to its viewers: the position, and what each entry of the log did.

They are made only of the viewer's own views and of what is public in the log: who decided, which move, and when. So
they cannot contain anything that the viewer may not know.

Every move sends them to everybody at the table. So they are plain data, encoded at once: the models of the protocol
would take four times as long. Tests compare the messages with the models.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cache
from itertools import islice
from typing import Any

from pydantic_core import to_json

from cabochon.core.cards import VARIANTS
from cabochon.core.components import COMPONENTS
from cabochon.core.rules import FIRST_TAGS
from cabochon.game import Game
from cabochon.notation import SOURCE_TEXTS, Move
from cabochon.server import protocol
from cabochon.server.timeline import Entry, Timeline
from cabochon.steps import step_of
from cabochon.view import View

Data = dict[str, Any]
LEVEL_OF_STAND_IN = "journeyman"  # the bot that plays on for somebody who left a game of three or four

_HAS_GAUNTLET = {name: bool(COMPONENTS[index].has_gauntlet) for index, name in enumerate(VARIANTS)}


class Perspective:
    """The messages of a running game for one viewer, as JSON."""

    def __init__(self, timeline: Timeline, view: View, may_move: bool) -> None:
        self._viewer = view.viewer
        self._may_move = may_move
        self._timeline = timeline
        self._start = timeline.seq  # earlier entries are encoded when somebody asks for them
        self._events: list[str] = []
        self._position = _position_in(timeline, view)

    def follow(self, timeline: Timeline, view: View, event: str) -> None:
        """Go on to the timeline with one more entry, and add what that did."""
        self._timeline = timeline
        self._events.append(event)
        self._position = _position_in(timeline, view)

    def position(self, now: datetime) -> str:
        """Return the message `protocol.Position` at that moment; time alone can make it too late to undo."""
        can_undo = self._may_move and self._timeline.can_undo(self._viewer, now)
        makes_practice = can_undo and self._timeline.undo_makes_practice(self._viewer, now)
        undo = to_json({"can_undo": can_undo, "undo_makes_practice": makes_practice}).decode()
        return f"{self._position[:-1]},{undo[1:]}"

    def events(self, since: int) -> list[str]:
        """Return what the entries of the log after the first `since` did."""
        if since < self._start:
            self._events[:0] = islice(_events(self._timeline, self._viewer, since), self._start - since)
            self._start = since
        return self._events[since - self._start :]


class GameMessages:
    """The messages of one game to all its viewers, each encoded once, however many clients look from the same seat."""

    def __init__(self, timeline: Timeline, may_move: bool) -> None:
        self._timeline = timeline
        self._may_move = may_move  # nobody may while seats are open
        self._views: dict[int | None, View] = {}  # by the viewer's seat
        self._perspectives: dict[int | None, Perspective] = {}

    def _view(self, viewer: int | None) -> View:
        if viewer not in self._views:
            self._views[viewer] = self._playable(self._timeline.game.view(viewer))
        return self._views[viewer]

    def _playable(self, view: View) -> View:
        return view if self._may_move and not self._timeline.is_over else replace(view, legal_moves=())

    def _perspective(self, viewer: int | None) -> Perspective:
        if viewer not in self._perspectives:
            self._perspectives[viewer] = Perspective(self._timeline, self._view(viewer), self._may_move)
        return self._perspectives[viewer]

    def sync(self, viewer: int | None, table: protocol.TableInfo, since: int, now: datetime) -> str:
        """Return the message `protocol.Sync` for a viewer, with what the entries after the first `since` did."""
        since = min(since, self._timeline.seq)
        perspective = self._perspective(viewer)
        events, position = ",".join(perspective.events(since)), perspective.position(now)
        return (
            f'{{"type":"sync","now":{_moment(now)},"table":{table.model_dump_json()},"since":{since},'
            f'"events":[{events}],"position":{position}}}'
        )

    def follow(self, timeline: Timeline, viewers: Collection[int | None], now: datetime) -> dict[int | None, str]:
        """Go on to the timeline with one more entry; return the message `protocol.Moved` for each viewer.

        All but the seat that acted see what a spectator sees of it.
        """
        entry = timeline.entries[-1]
        undone = self._timeline.standing[len(timeline.standing) :] if entry.is_undo else ()
        perspectives = {viewer: self._perspective(viewer) for viewer in viewers}
        views_before = {viewer: self._view(viewer) for viewer in (None, entry.seat) if viewer in (None, *viewers)}
        seats = list({None, *viewers})
        self._timeline = timeline
        self._views = {seat: self._playable(view) for seat, view in zip(seats, timeline.game.views(seats), strict=True)}
        events = {viewer: _event(entry, undone, before, self._views[viewer]) for viewer, before in views_before.items()}
        self._perspectives = perspectives
        messages = {}
        for viewer, perspective in perspectives.items():
            event = events[viewer if viewer == entry.seat else None]
            perspective.follow(timeline, self._views[viewer], event)
            position = perspective.position(now)
            messages[viewer] = f'{{"type":"moved","now":{_moment(now)},"event":{event},"position":{position}}}'
        return messages


def _moment(at: datetime) -> str:
    return to_json(at).decode()


def position_message(view: View, seq: int, game: Game | None) -> protocol.Position:
    """Return a position of a replay; the last one has the outcome of the game, if there is one."""
    position = _position(view, seq, None if game is None else _outcome(game))
    return protocol.Position.model_validate(position | {"can_undo": False, "undo_makes_practice": False})


def _position_in(timeline: Timeline, view: View) -> str:
    """The current position, except for what one may undo, which time alone can change."""
    position = _position(view, timeline.seq, _outcome(timeline.game))
    position["clock"] = _clock(timeline)
    return to_json(position).decode()


def _clock(timeline: Timeline) -> Data | None:
    clock, deadline = timeline.clock, timeline.deadline
    if clock is None:
        return None
    reserves = [reserve.total_seconds() for reserve in clock.reserves]
    reserve_from = None if deadline is None else clock.reserve_from
    return {"seat": clock.seat, "reserve_from": reserve_from, "deadline": deadline, "reserves": reserves}


def _position(view: View, seq: int, outcome: Data | None) -> Data:
    return {
        "seq": seq,
        "view": view.to_dict(),
        "legal": [_legal_move(move) for move in view.legal_moves],
        "prices": _prices(view),
        "progress": [_progress(view, seat) for seat in range(view.players)],
        "outcome": outcome,
        "clock": None,
    }


def _event(entry: Entry, undone: Sequence[Entry], before: View, after: View) -> str:
    """Return what an entry of the log did, from a viewer's views before and after it."""
    if entry.is_undo:
        undoes = [each.seq for each in undone]
        return protocol.Undone(seq=entry.seq, seat=entry.seat, undoes=undoes, at=entry.at).model_dump_json()
    if entry.leaving is not None:
        level = LEVEL_OF_STAND_IN if before.players > 2 else None
        left = {"seq": entry.seq, "seat": entry.seat, "reason": entry.leaving, "level": level, "at": entry.at}
        return protocol.Left.model_validate(left).model_dump_json()
    move = Move.from_text(entry.texts[0], before.variant)
    return to_json(_step(move, entry.seq, entry.at, before, after)).decode()


def _events(timeline: Timeline, viewer: int | None, since: int) -> Iterator[str]:
    before: View | None = None
    for entry, undone, position_before, position_after in timeline.walk(since):
        before = before or position_before.view(viewer)
        after = position_after.view(viewer)
        yield _event(entry, undone, before, after)
        before = after


def step_message(move: Move, seq: int, at: datetime | None, before: View, after: View) -> protocol.Step:
    """Return what a move did, from a viewer's views before and after it."""
    return protocol.Step.model_validate(_step(move, seq, at, before, after))


def _step(move: Move, seq: int, at: datetime | None, before: View, after: View) -> Data:
    step = step_of(move, before, after)
    return vars(step) | {
        "type": "step",
        "seq": seq,
        "at": at,
        "move": str(move),
        "kind": move.kind,
        "card": step.card and step.card.number,
        "revealed": step.revealed and {"place": step.revealed[0], "card": step.revealed[1].number},
        "tiles": [tile.number for tile in step.tiles],
    }


@cache
def _legal_move(move: Move) -> Data:
    return {"move": str(move), "kind": move.kind, "tokens": list(move.colours), "place": move.place}


def _prices(view: View) -> list[Data]:
    if view.viewer is None or view.phase == "over":
        return []
    seat = view.seats[view.viewer]
    cards = [*(card for row in view.market for card in row), *(held.card for held in seat.reserved)]
    return [
        {"place": place, "card": card.number} | vars(seat.price(card))
        for place, card in zip(SOURCE_TEXTS, cards, strict=False)
        if card is not None
    ]


def _progress(view: View, number: int) -> Data:
    seat = view.seats[number]
    has_gauntlet = _HAS_GAUNTLET[view.variant]
    tags_needed = None
    if has_gauntlet and not seat.has_avengers_tile:  # AVG-2, AVG-3
        tags_needed = max([FIRST_TAGS, *(other.tags + 1 for other in view.seats if other.has_avengers_tile)])
    return {
        "seat": number,
        "points": seat.points,
        "points_needed": view.points_to_win,
        "colours": [name for name, count in seat.bonuses.items() if count > 0],
        "needs_colours": has_gauntlet,
        "has_time": seat.tokens.get("time", 0) > 0,
        "needs_time": has_gauntlet,
        "tags": seat.tags,
        "tags_needed": tags_needed,
        "qualifies": seat.qualifies,
    }


def _outcome(game: Game) -> Data | None:
    outcome = game.outcome
    if outcome is None:
        return None
    return {
        "places": outcome.places,
        "winners": outcome.winners,
        "points": outcome.points,
        "cards": outcome.cards,
        "reason": outcome.reason,
        "termination": outcome.termination.value,
        "seat": outcome.seat,
        "detail": outcome.forfeit and outcome.forfeit.detail,
        "rule": outcome.rule,
        "seed": game.seed.hex() if game.seed is not None else None,
    }
