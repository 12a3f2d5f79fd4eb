"""What one viewer is told about a game: where it stands, and what happened.

Everything here is made of the viewer's views alone, and of what the log says that all may know: who decided,
which move, and when. So nothing that the viewer may not know can find its way into a message.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from functools import cache
from itertools import islice

from cabochon.core.box import BOXES
from cabochon.core.cards import COLOURS, VARIANTS, Card
from cabochon.core.rules import FIRST_TAGS, missing_tokens, purchasing_power
from cabochon.core.state import WILD
from cabochon.game import Game
from cabochon.notation import SOURCE_TEXTS, TOKEN_NAMES, Move
from cabochon.server import protocol
from cabochon.server.course import Course, Entry
from cabochon.steps import step_of
from cabochon.view import View

# What is read often, as plain numbers: NumPy gives them out slowly.
_PRICES = tuple(tuple(int(price) for price in box.price) for box in BOXES)  # [variant][card]
_POINTS_TO_WIN = tuple(int(box.points_to_win) for box in BOXES)
_HAS_GAUNTLET = tuple(bool(box.has_gauntlet) for box in BOXES)


class Perspective:
    """What one viewer may know of a game as it goes on. However many look from there, it is encoded once.

    `position` is where the game stands, as JSON; where nobody may move yet it has no legal moves.
    """

    def __init__(self, course: Course, viewer: int | None, may_move: bool) -> None:
        self.viewer = viewer
        self._course = course
        view = course.game.view(viewer)
        self._view = view if may_move else replace(view, legal_moves=())
        self._start = course.seq  # what happened up to there is told when somebody asks
        self._told: list[str] = []
        self.position = _position_in(course, self._view).model_dump_json()

    def follow(self, course: Course) -> str:
        """Go on to the course with one entry more: what that did, as JSON."""
        entry = course.entries[-1]
        undone = self._course.standing[-1] if entry.is_undo else None
        view = course.game.view(self.viewer)
        happening = _happening(entry, undone, self._view, view).model_dump_json()
        self._course, self._view = course, view
        self._told.append(happening)
        self.position = _position_in(course, view).model_dump_json()
        return happening

    def happenings(self, since: int) -> list[str]:
        """Everything that happened after the first `since` entries of the log, each as JSON."""
        if since < self._start:
            earlier = islice(_happenings(self._course, self.viewer, since), self._start - since)
            self._told[:0] = [happening.model_dump_json() for happening in earlier]
            self._start = since
        return self._told[since - self._start :]


def sync(table: protocol.TableInfo, perspective: Perspective, since: int) -> str:
    """The message `protocol.Sync`, of parts that are encoded already."""
    happenings = ",".join(perspective.happenings(since))
    return (
        f'{{"type":"sync","table":{table.model_dump_json()},"since":{since},'
        f'"happenings":[{happenings}],"position":{perspective.position}}}'
    )


def moved(happening: str, position: str) -> str:
    """The message `protocol.Moved`, of parts that are encoded already."""
    return f'{{"type":"moved","happening":{happening},"position":{position}}}'


def position_of(game: Game, view: View, seq: int, can_undo: bool = False) -> protocol.Position:
    """Where a game stands, as a view of it has it."""
    return protocol.Position(
        seq=seq,
        view=protocol.TableView.model_validate(view.to_dict()),
        legal=[_legal_move(move) for move in view.legal_moves],
        prices=_prices(view),
        progress=[_progress(view, seat) for seat in range(view.players)],
        can_undo=can_undo,
        outcome=_outcome(game),
    )


def _position_in(course: Course, view: View) -> protocol.Position:
    return position_of(course.game, view, course.seq, course.can_undo(view.viewer))


def _happening(entry: Entry, undone: Entry | None, before: View, after: View) -> protocol.Step | protocol.Undone:
    """What an entry of the log did, from the viewer's views before and after it."""
    if undone is not None:
        return protocol.Undone(seq=entry.seq, seat=entry.seat, undoes=undone.seq, at=entry.at)
    return told_step(Move.from_text(entry.texts[0], before.variant), entry.seq, entry.at, before, after)


def _happenings(course: Course, viewer: int | None, since: int) -> Iterator[protocol.Step | protocol.Undone]:
    before: View | None = None
    for entry, undone, game_before, game_after in course.walk(since):
        before = before or game_before.view(viewer)
        after = game_after.view(viewer)
        yield _happening(entry, undone, before, after)
        before = after


def told_step(move: Move, seq: int, at: datetime | None, before: View, after: View) -> protocol.Step:
    """What a move did, from a viewer's views before and after it."""
    step = step_of(move, before, after)
    return protocol.Step.model_validate(
        {
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
    )


@cache
def _legal_move(move: Move) -> protocol.LegalMove:
    return protocol.LegalMove.model_validate(
        {"move": str(move), "kind": move.kind, "tokens": list(move.colours), "place": move.place}
    )


def _cards_in_reach(view: View) -> list[tuple[str, Card]]:
    """What the viewer may think of buying: the market, and its own hand; with the place of each."""
    if view.viewer is None or view.phase == "over":
        return []
    market = [card for row in view.market for card in row]
    hand = [held.card for held in view.seats[view.viewer].reserved]
    return [(place, card) for place, card in zip(SOURCE_TEXTS, [*market, *hand], strict=False) if card is not None]


def _prices(view: View) -> list[protocol.Price]:
    """What each card in reach would cost the viewer (BUY-2, BUY-3)."""
    cards = _cards_in_reach(view)
    if view.viewer is None or not cards:
        return []
    variant = VARIANTS.index(view.variant)
    seat = view.seats[view.viewer]
    names = TOKEN_NAMES[variant]
    power = purchasing_power(view.state, view.viewer)
    prices = []
    for place, card in cards:
        due = {name: cost - seat.bonuses[name] for name, cost in zip(names[:COLOURS], card.cost, strict=True)}
        wilds = missing_tokens(_PRICES[variant][card.number - 1], power)
        prices.append(
            protocol.Price(
                place=place,
                card=card.number,
                due={name: count for name, count in due.items() if count > 0},
                missing={n: count - seat.tokens[n] for n, count in due.items() if count > seat.tokens[n]},
                wilds=wilds,
                is_affordable=wilds <= seat.tokens[names[WILD]],
            )
        )
    return prices


def _progress(view: View, number: int) -> protocol.Progress:
    variant = VARIANTS.index(view.variant)
    seat = view.seats[number]
    has_gauntlet = _HAS_GAUNTLET[variant]
    tags_needed = None
    if has_gauntlet and not seat.has_avengers_tile:  # AVG-2, AVG-3
        tags_needed = max([FIRST_TAGS, *(other.tags + 1 for other in view.seats if other.has_avengers_tile)])
    return protocol.Progress(
        seat=number,
        points=seat.points,
        points_needed=_POINTS_TO_WIN[variant],
        colours=[name for name, count in seat.bonuses.items() if count > 0],
        needs_colours=has_gauntlet,
        has_time=seat.tokens.get("time", 0) > 0,
        needs_time=has_gauntlet,
        tags=seat.tags,
        tags_needed=tags_needed,
        qualifies=seat.qualifies,
    )


def _outcome(game: Game) -> protocol.Outcome | None:
    outcome = game.outcome
    if outcome is None:
        return None
    return protocol.Outcome(
        places=list(outcome.places),
        winners=list(outcome.winners),
        points=list(outcome.points),
        cards=list(outcome.cards),
        reason=outcome.reason,
        rule=outcome.rule,
        seed=game.seed.hex() if game.seed is not None else None,
    )
