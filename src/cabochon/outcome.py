"""How games end: by the rules, or because a seat forfeits."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from cabochon.core.cards import SPLENDOR
from cabochon.core.components import COMPONENTS
from cabochon.core.rules import has_won, place_of, qualifies
from cabochon.core.state import ALL_PASSED, NO_PROGRESS, OVER, State


class Termination(StrEnum):
    """How a game ended.

    >>> Termination("timeout").is_forfeit
    True
    """

    POINTS = "points"  # Splendor: a seat had enough points (END-B1)
    GAUNTLET = "gauntlet"  # Marvel: a seat could claim the Infinity Gauntlet (END-M1)
    ALL_PASSED = "all_passed"  # a stalemate: all passed one after the other (STL-1)
    NO_PROGRESS = "no_progress"  # a stalemate: no card was bought or reserved for too long (STL-1)
    RESIGNATION = "resignation"  # a seat resigned or left the table
    TIMEOUT = "timeout"  # a seat ran out of time
    FAILURE = "failure"  # a bot raised an error, answered with an illegal move or did not start
    FORFEIT = "forfeit"  # a seat forfeited for another reason

    @property
    def is_forfeit(self) -> bool:
        """Whether a seat ended the game, not the rules."""
        return self in FORFEITS

    @property
    def is_stalemate(self) -> bool:
        """Whether the game ended in a stalemate (STL-1)."""
        return self in (Termination.ALL_PASSED, Termination.NO_PROGRESS)


FORFEITS = (Termination.RESIGNATION, Termination.TIMEOUT, Termination.FAILURE, Termination.FORFEIT)

_FORFEIT = re.compile(r"seat (?P<seat>[1-4]): (?P<detail>.*)", re.DOTALL)
# Records without the tag `Termination` have only the detail. It begins like this:
_OLD_DETAILS = {
    "left": Termination.RESIGNATION,
    "ran out of time": Termination.TIMEOUT,
    "no answer within ": Termination.TIMEOUT,
    "did not start: ": Termination.FAILURE,
    "crashed: ": Termination.FAILURE,
    "expected ": Termination.FAILURE,
}


@dataclass(frozen=True)
class Forfeit:
    """A forfeit: the seat, how it ended the game, and the details as free text.

    >>> forfeit = Forfeit(1, Termination.TIMEOUT, "no answer within 2 s")
    >>> str(forfeit)
    'seat 2: no answer within 2 s'
    >>> Forfeit.from_text(str(forfeit)) == forfeit
    True
    """

    seat: int
    termination: Termination
    detail: str = ""

    def __str__(self) -> str:
        return f"seat {self.seat + 1}: {self.detail}"

    @classmethod
    def from_text(cls, text: str, termination: Termination | None = None) -> Forfeit | None:
        """Parse a forfeit, or return None for any other text. By default, the termination follows from the detail."""
        match = _FORFEIT.fullmatch(text)
        if match is None:
            return None
        detail = match["detail"]
        guesses = (guess for start, guess in _OLD_DETAILS.items() if detail.startswith(start))
        return cls(int(match["seat"]) - 1, termination or next(guesses, Termination.FORFEIT), detail)


@dataclass(frozen=True)
class Outcome:
    """How a game ended: the place (ties share one), points and cards of each seat, and the winners.

    `termination` is how the game ended, and `rule` the rule that decided who comes first. `forfeit` is None unless a
    seat forfeited the game. A stalemate in Marvel has places, but no winner (STL-1).
    """

    places: tuple[int, ...]
    winners: tuple[int, ...]
    points: tuple[int, ...]
    cards: tuple[int, ...]
    termination: Termination
    rule: str
    forfeit: Forfeit | None = None

    @property
    def seat(self) -> int | None:
        """The seat that forfeited the game, or None if the rules ended it."""
        return None if self.forfeit is None else self.forfeit.seat

    @property
    def reason(self) -> str:
        """The termination as records group it: "won", "all passed", "no progress" or "forfeit"."""
        if self.termination.is_forfeit:
            return "forfeit"
        return self.termination.replace("_", " ") if self.termination.is_stalemate else "won"

    @property
    def ranking(self) -> tuple[int, ...]:
        """The seats from first to last place; tied seats are in seat order."""
        return tuple(sorted(range(len(self.places)), key=lambda seat: self.places[seat]))


def outcome_by_rules(state: State) -> Outcome | None:
    """Return the outcome of a game that the rules ended, or None while it is in progress."""
    if state.phase != OVER:
        return None
    components = COMPONENTS[state.variant]
    places = _places(state)
    winners = tuple(seat for seat in range(int(state.players)) if has_won(state, components, seat))
    if state.ending == ALL_PASSED:
        termination = Termination.ALL_PASSED
    elif state.ending == NO_PROGRESS:
        termination = Termination.NO_PROGRESS
    else:
        termination = Termination.POINTS if state.variant == SPLENDOR else Termination.GAUNTLET
    rule = "STL-1" if termination.is_stalemate else _deciding_rule(state, places)
    return Outcome(places, winners, *_points_and_cards(state), termination, rule)


def outcome_by_forfeit(state: State, forfeit: Forfeit) -> Outcome:
    """Return the outcome after a forfeit: the seat comes last, and the others are ranked as they stand (RNK-1)."""
    standing = _places(state)
    last = standing[forfeit.seat]
    places = tuple(
        len(standing) if seat == forfeit.seat else place - (place > last) for seat, place in enumerate(standing)
    )
    winners = tuple(seat for seat, place in enumerate(places) if place == 1)
    return Outcome(places, winners, *_points_and_cards(state), forfeit.termination, "RNK-1", forfeit)


def _places(state: State) -> tuple[int, ...]:
    components = COMPONENTS[state.variant]
    return tuple(place_of(state, components, seat) for seat in range(int(state.players)))


def _points_and_cards(state: State) -> tuple[tuple[int, ...], tuple[int, ...]]:
    players = int(state.players)
    return tuple(state.points[:players].tolist()), tuple(state.cards[:players].tolist())


def _deciding_rule(state: State, places: tuple[int, ...]) -> str:
    components = COMPONENTS[state.variant]
    rivals = [seat for seat in range(int(state.players)) if qualifies(state, components, seat)]
    best = max(state.points[seat] for seat in rivals)
    tied = [seat for seat in rivals if state.points[seat] == best]
    if state.variant == SPLENDOR:
        return "END-B2" if len(tied) == 1 else "TIE-B1"
    if len(rivals) == 1:
        return "END-M3"
    if len(tied) == 1:
        return "END-M5"
    if state.avengers in tied:
        return "TIE-M1"
    return "TIE-M2" if places.count(1) == 1 else "TIE-M3"
