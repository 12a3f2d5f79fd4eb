"""What the viewers of a game are told about it: where it stands, and what happened.

Everything here is made of the viewer's views alone, and of what the log says that all may know: who decided,
which move, and when. So nothing that the viewer may not know can find its way into a message.

It is told after every move to everybody at the table, and so it is made as plain data that is encoded at once, not by
way of the models of the protocol, which would take four times as long; the tests hold it to them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from datetime import datetime
from functools import cache
from itertools import islice
from typing import Any

from pydantic_core import to_json

from cabochon.core.cards import CARD_LIST, COLOURS, VARIANTS, Card
from cabochon.core.components import COMPONENTS
from cabochon.core.rules import FIRST_TAGS, missing_tokens, purchasing_power
from cabochon.core.state import WILD
from cabochon.game import Game
from cabochon.notation import SOURCE_TEXTS, TOKEN_NAMES, Move
from cabochon.record import parse_record
from cabochon.server import protocol
from cabochon.server.timeline import Course, Entry
from cabochon.steps import step_of
from cabochon.view import View

Data = dict[str, Any]
LEVEL_OF_STAND_IN = "journeyman"  # who plays on for somebody who left a game of three or four

# What is read often, as plain numbers: NumPy gives them out slowly.
_PRICES = tuple(tuple(int(price) for price in components.price) for components in COMPONENTS)  # [variant][card]
_COSTS = tuple(  # [variant][card]: the names and numbers of the tokens
    tuple(tuple((n, c) for n, c in zip(TOKEN_NAMES[variant][:COLOURS], card.cost, strict=True) if c) for card in cards)
    for variant, cards in enumerate(CARD_LIST)
)
_POINTS_TO_WIN = tuple(int(components.points_to_win) for components in COMPONENTS)
_HAS_GAUNTLET = tuple(bool(components.has_gauntlet) for components in COMPONENTS)


class Perspective:
    """What one viewer may know of a game as it goes on, as JSON."""

    def __init__(self, course: Course, view: View, may_move: bool) -> None:
        self._viewer = view.viewer
        self._may_move = may_move
        self._course = course
        self._start = course.seq  # what happened up to there is told when somebody asks
        self._told: list[str] = []
        self._position = _position_in(course, view)

    def follow(self, course: Course, view: View, happening: str) -> None:
        """Go on to the course with one entry more, and what that did."""
        self._course = course
        self._told.append(happening)
        self._position = _position_in(course, view)

    def position(self, now: datetime) -> str:
        """Where the game stands at that moment: time alone can make it too late to take back."""
        can_undo = "true" if self._may_move and self._course.can_undo(self._viewer, now) else "false"
        return f'{self._position[:-1]},"can_undo":{can_undo}}}'

    def happenings(self, since: int) -> list[str]:
        """Everything that happened after the first `since` entries of the log."""
        if since < self._start:
            self._told[:0] = islice(_happenings(self._course, self._viewer, since), self._start - since)
            self._start = since
        return self._told[since - self._start :]


class Audience:
    """All who look at one game. However many look from one seat, what they are told is made and encoded once."""

    def __init__(self, course: Course, may_move: bool) -> None:
        self._course = course
        self._may_move = may_move  # nobody does while seats are open, or in a game that was given up
        self._views: dict[int | None, View] = {}  # by the viewer's seat
        self._perspectives: dict[int | None, Perspective] = {}

    def _view(self, viewer: int | None) -> View:
        if viewer not in self._views:
            self._views[viewer] = self._seen(self._course.game.view(viewer))
        return self._views[viewer]

    def _seen(self, view: View) -> View:
        return view if self._may_move and not self._course.is_over else replace(view, legal_moves=())

    def _perspective(self, viewer: int | None) -> Perspective:
        if viewer not in self._perspectives:
            self._perspectives[viewer] = Perspective(self._course, self._view(viewer), self._may_move)
        return self._perspectives[viewer]

    def sync(self, viewer: int | None, table: protocol.TableInfo, since: int, now: datetime) -> str:
        """The message `protocol.Sync` for a viewer, with all that happened after the first `since` entries."""
        since = min(since, self._course.seq)
        perspective = self._perspective(viewer)
        happenings = ",".join(perspective.happenings(since))
        return (
            f'{{"type":"sync","now":{_moment(now)},"table":{table.model_dump_json()},"since":{since},'
            f'"happenings":[{happenings}],"position":{perspective.position(now)}}}'
        )

    def follow(self, course: Course, viewers: Collection[int | None], now: datetime) -> dict[int | None, str]:
        """Go on to the course with one entry more: the message `protocol.Moved` for each of the viewers.

        What a seat did is the same to all others, whatever they hold themselves: it is what a spectator sees.
        """
        entry = course.entries[-1]
        undone = self._course.standing[-1] if entry.is_undo else None
        perspectives = {viewer: self._perspective(viewer) for viewer in viewers}
        eyes = {viewer: self._view(viewer) for viewer in (None, entry.seat) if viewer in (None, *viewers)}
        seats = list({None, *viewers})
        self._course = course
        self._views = {seat: self._seen(view) for seat, view in zip(seats, course.game.views(seats), strict=True)}
        seen = {viewer: _happening(entry, undone, before, self._views[viewer]) for viewer, before in eyes.items()}
        self._perspectives = perspectives
        messages = {}
        for viewer, perspective in perspectives.items():
            happening = seen[viewer if viewer == entry.seat else None]
            perspective.follow(course, self._views[viewer], happening)
            position = perspective.position(now)
            messages[viewer] = f'{{"type":"moved","now":{_moment(now)},"happening":{happening},"position":{position}}}'
        return messages


def _moment(at: datetime) -> str:
    return to_json(at).decode()


def position_of(game: Game, view: View, seq: int) -> protocol.Position:
    """Where a game stands, as a view of it has it."""
    return protocol.Position.model_validate(_position(game, view, seq) | {"can_undo": False})


def _position_in(course: Course, view: View) -> str:
    """Where a game stands, but for what time alone can change."""
    position = _position(course.game, view, course.seq)
    position["clock"] = _clock(course)
    if course.is_over and position["outcome"] is None:
        position["outcome"] = given_up(course.game)
    return to_json(position).decode()


def _clock(course: Course) -> Data | None:
    clock = course.clock
    if clock is None:
        return None
    has_deadline = course.deadline is not None
    return {
        "seat": clock.seat,
        "reserve_from": clock.reserve_from if has_deadline else None,
        "deadline": clock.deadline if has_deadline else None,
        "reserves": [reserve.total_seconds() for reserve in clock.reserves],
    }


def _position(game: Game, view: View, seq: int) -> Data:
    return {
        "seq": seq,
        "view": view.to_dict(),
        "legal": [_legal_move(move) for move in view.legal_moves],
        "prices": _prices(view),
        "progress": [_progress(view, seat) for seat in range(view.players)],
        "outcome": _outcome(game) if view.phase == "over" else None,
        "clock": None,
    }


def _happening(entry: Entry, undone: Entry | None, before: View, after: View) -> str:
    """What an entry of the log did, from a viewer's views before and after it."""
    if undone is not None:
        return protocol.Undone(seq=entry.seq, seat=entry.seat, undoes=undone.seq, at=entry.at).model_dump_json()
    if entry.leaving is not None:
        level = LEVEL_OF_STAND_IN if before.players > 2 else None
        left = {"seq": entry.seq, "seat": entry.seat, "reason": entry.leaving, "level": level, "at": entry.at}
        return protocol.Left.model_validate(left).model_dump_json()
    move = Move.from_text(entry.texts[0], before.variant)
    return to_json(_step(move, entry.seq, entry.at, before, after)).decode()


def _happenings(course: Course, viewer: int | None, since: int) -> Iterator[str]:
    before: View | None = None
    for entry, undone, game_before, game_after in course.walk(since):
        before = before or game_before.view(viewer)
        after = game_after.view(viewer)
        yield _happening(entry, undone, before, after)
        before = after


def told_step(move: Move, seq: int, at: datetime | None, before: View, after: View) -> protocol.Step:
    """What a move did, from a viewer's views before and after it."""
    return protocol.Step.model_validate(_step(move, seq, at, before, after))


def _step(move: Move, seq: int, at: datetime | None, before: View, after: View) -> Data:
    step = step_of(move, before, after)
    return {
        "type": "step",
        "seq": seq,
        "round": step.round,
        "seat": step.seat,
        "move": str(move),
        "kind": move.kind,
        "place": step.place,
        "card": None if step.card is None else step.card.number,
        "level": step.level,
        "is_card_bought": step.is_card_bought,
        "gained": step.gained,
        "spent": step.spent,
        "revealed": step.revealed and {"place": step.revealed[0], "card": step.revealed[1].number},
        "tiles": [tile.number for tile in step.tiles],
        "takes_avengers_tile": step.takes_avengers_tile,
        "is_turn_over": step.is_turn_over,
        "at": at,
    }


@cache
def _legal_move(move: Move) -> Data:
    return {"move": str(move), "kind": move.kind, "tokens": list(move.colours), "place": move.place}


def _cards_in_reach(view: View) -> list[tuple[str, Card]]:
    """What the viewer may think of buying: the market, and its own hand; with the place of each."""
    if view.viewer is None or view.phase == "over":
        return []
    market = [card for row in view.market for card in row]
    hand = [held.card for held in view.seats[view.viewer].reserved]
    return [(place, card) for place, card in zip(SOURCE_TEXTS, [*market, *hand], strict=False) if card is not None]


def _prices(view: View) -> list[Data]:
    """What each card in reach would cost the viewer (BUY-2, BUY-3)."""
    cards = _cards_in_reach(view)
    if view.viewer is None or not cards:
        return []
    variant = VARIANTS.index(view.variant)
    bonuses, tokens = view.seats[view.viewer].bonuses, view.seats[view.viewer].tokens
    power, held_wilds = purchasing_power(view.state, view.viewer), tokens[TOKEN_NAMES[variant][WILD]]
    prices = []
    for place, card in cards:
        due, missing = {}, {}
        for name, cost in _COSTS[variant][card.number - 1]:
            if cost > bonuses[name]:
                due[name] = cost - bonuses[name]
                if due[name] > tokens[name]:
                    missing[name] = due[name] - tokens[name]
        wilds = missing_tokens(_PRICES[variant][card.number - 1], power)
        prices.append(
            {
                "place": place,
                "card": card.number,
                "due": due,
                "missing": missing,
                "wilds": wilds,
                "is_affordable": wilds <= held_wilds,
            }
        )
    return prices


def _progress(view: View, number: int) -> Data:
    variant = VARIANTS.index(view.variant)
    seat = view.seats[number]
    has_gauntlet = _HAS_GAUNTLET[variant]
    tags_needed = None
    if has_gauntlet and not seat.has_avengers_tile:  # AVG-2, AVG-3
        tags_needed = max([FIRST_TAGS, *(other.tags + 1 for other in view.seats if other.has_avengers_tile)])
    return {
        "seat": number,
        "points": seat.points,
        "points_needed": _POINTS_TO_WIN[variant],
        "colours": [name for name, count in seat.bonuses.items() if count > 0],
        "needs_colours": has_gauntlet,
        "has_time": seat.tokens.get("time", 0) > 0,
        "needs_time": has_gauntlet,
        "tags": seat.tags,
        "tags_needed": tags_needed,
        "qualifies": seat.qualifies,
    }


def given_up(game: Game) -> Data | None:
    """How a game ended that a seat gave up: as its record says (RNK-1)."""
    tags = parse_record(game.record()).tags
    if tags.get("End") != "forfeit":
        return None
    places = [int(place) for place in tags["Result"].split()]
    return {
        "places": places,
        "winners": [seat for seat, place in enumerate(places) if place == 1],
        "points": [int(points) for points in tags["Points"].split()],
        "cards": [len(seat.cards) for seat in game.view(None).seats],
        "reason": "forfeit",
        "rule": "RNK-1",
        "seed": None if game.seed is None else game.seed.hex(),
    }


def _outcome(game: Game) -> Data | None:
    outcome = game.outcome
    if outcome is None:
        return None
    return {
        "places": list(outcome.places),
        "winners": list(outcome.winners),
        "points": list(outcome.points),
        "cards": list(outcome.cards),
        "reason": outcome.reason,
        "rule": outcome.rule,
        "seed": game.seed.hex() if game.seed is not None else None,
    }
