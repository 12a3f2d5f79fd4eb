"""A game rebuilt from its log.

The log of a game is a list of entries that only grows. An entry is one decision with its reveals, in the notation of
the library (`buy 2.3; 2.3=57`); or `undo`, which takes back the last decision that stands; or `leave left` or
`leave clock`, when a person leaves the table or runs out of time. The deal follows from the seed, everything else from
the entries, and the clocks from their times.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from datetime import datetime
from itertools import takewhile

from cabochon.errors import CabochonError, GameOverError
from cabochon.game import Game, Options
from cabochon.notation import Move
from cabochon.outcome import Termination
from cabochon.position import Position
from cabochon.record import SEPARATOR
from cabochon.server.clocks import Clock, Running, running_clock

UNDO = "undo"
UNDOS_A_TURN = 20
LEAVE = "leave "
FORFEITS = {  # by the reason of the entry: how a game of two ends, and the details for its record
    "left": (Termination.RESIGNATION, "left the table"),
    "clock": (Termination.TIMEOUT, "ran out of time"),
}


@dataclass(frozen=True, slots=True)
class Entry:
    """The `seq`-th entry of the log, from 1: what a seat did."""

    seq: int
    seat: int
    text: str
    at: datetime

    @property
    def is_undo(self) -> bool:
        """Whether it takes a decision back."""
        return self.text == UNDO

    @property
    def leaving(self) -> str | None:
        """Why its person leaves, if this entry is about that: "left" or "clock"."""
        return self.text.removeprefix(LEAVE) if self.text.startswith(LEAVE) else None

    @property
    def texts(self) -> list[str]:
        """The move, and the reveals that followed it."""
        return self.text.split(SEPARATOR)

    @property
    def has_reveal(self) -> bool:
        """Whether a card was turned up or drawn."""
        return SEPARATOR in self.text

    def is_same_action(self, seat: int, move: Move | None) -> bool:
        """Whether it is this move, or with None an undo, by this seat."""
        return self.seat == seat and self.texts[0] == (UNDO if move is None else str(move))


@dataclass(frozen=True)
class Deal:
    """What a game begins with."""

    options: Options
    seed: bytes
    names: tuple[str, ...]
    date: str
    clock: Clock | None = None
    started_at: datetime | None = None  # when the clock began to run
    bots: frozenset[int] = frozenset()  # the seats whose time does not count

    def game(self) -> Game:
        """Return the game before its first decision."""
        return Game(self.options, seed=self.seed, names=self.names, date=self.date)


class Timeline:
    """A game and its log up to now. It never changes: an entry makes a new one."""

    def __init__(self, deal: Deal, entries: Sequence[Entry] = ()) -> None:
        self.deal = deal
        self.entries = tuple(entries)
        self.standing = _standing(self.entries)
        self.game = _replayed(deal, self.standing)

    @property
    def seq(self) -> int:
        """The number of entries in the log."""
        return len(self.entries)

    @property
    def left(self) -> frozenset[int]:
        """The seats whose people have left."""
        return frozenset(entry.seat for entry in self.standing if entry.leaving is not None)

    @property
    def is_over(self) -> bool:
        """Whether the game has ended, by the rules or because one of two players left."""
        return self.game.outcome is not None

    @property
    def clock(self) -> Running | None:
        """The clock of the seat that decides, or None if no clock runs."""
        return self._clock_after(self.standing, self.game.seat)

    def _clock_after(self, standing: Sequence[Entry], seat: int) -> Running | None:
        deal = self.deal
        if deal.clock is None or deal.started_at is None or self.is_over:
            return None
        decisions = [(entry.seat, entry.at) for entry in standing if entry.leaving is None]
        return running_clock(deal.clock, deal.options.players, deal.started_at, decisions, seat)

    @property
    def deadline(self) -> datetime | None:
        """When the person who decides runs out of time; None for a bot."""
        if self.game.seat in self.deal.bots | self.left:
            return None
        clock = self.clock
        return None if clock is None else clock.deadline

    def _entry(self, seat: int, text: str, at: datetime) -> Entry:
        """Return the next entry; it is never earlier than the last one, even if the clock was set back meanwhile."""
        last = self.entries[-1].at if self.entries else self.deal.started_at
        return Entry(self.seq + 1, seat, text, at if last is None else max(at, last))

    def _grown(self, entry: Entry, standing: tuple[Entry, ...], game: Game) -> Timeline:
        timeline = copy(self)
        timeline.entries, timeline.standing, timeline.game = (*self.entries, entry), standing, game
        return timeline

    def decide(self, seat: int, move: Move | str, at: datetime) -> Timeline:
        """Return the timeline with one more decision; an illegal one raises an error with the rule."""
        if self.is_over and not self.game.is_over:
            raise GameOverError("the game was forfeited: expected no further move", "RNK-1")
        game = self.game.copy()
        game.play(move, seat)
        entry = self._entry(seat, SEPARATOR.join(game.last_texts), at)
        return self._grown(entry, (*self.standing, entry), game)

    def can_undo(self, seat: int | None, at: datetime) -> bool:
        """Whether the seat may take back its last decision at that moment.

        It may if no later decision stands, the decision revealed no card, the game is not over, and there is time left
        in the turn that would continue. The number of undos in a turn is limited, because the log keeps them all.
        """
        if not self.standing or self.is_over:
            return False
        last = self.standing[-1]
        if last.seat != seat or last.has_reveal or last.leaving is not None:
            return False
        clock = self._clock_after(self.standing[:-1], last.seat)
        if clock is not None and clock.deadline <= at:
            return False
        lately = takewhile(lambda entry: entry.seat == seat, reversed(self.entries))
        return sum(entry.is_undo for entry in lately) < UNDOS_A_TURN

    def undo(self, seat: int, at: datetime) -> Timeline:
        """Return the timeline without the seat's last decision."""
        if not self.can_undo(seat, at):
            reason = "you can take back only your own last move, until a card is revealed and while there is time"
            raise CabochonError(reason)
        game = self.game.copy()
        game.undo()
        return self._grown(self._entry(seat, UNDO, at), self.standing[:-1], game)

    def leave(self, seat: int, reason: str, at: datetime) -> Timeline:
        """Return the timeline after a person "left" or ran out of time ("clock")."""
        if self.is_over:
            raise GameOverError("expected a game in progress, got one that is over")
        if seat in self.left:
            raise CabochonError("expected a seat whose player is still there")
        entry, game = self._entry(seat, LEAVE + reason, at), self.game.copy()
        _forfeit_if_left(game, entry)
        return self._grown(entry, (*self.standing, entry), game)

    def walk(self, since: int) -> Iterator[tuple[Entry, Entry | None, Position, Position]]:
        """Yield each entry after the first `since`, the one it undoes, if any, and the positions before and after."""
        standing = list(_standing(self.entries[:since]))
        game = _replayed(self.deal, standing)
        positions = [*(decision.before for decision in game.decisions()), game.position]
        for entry in self.entries[since:]:
            undone, before = None, positions[-1]
            if entry.is_undo:
                undone = standing.pop()
                positions.pop()
            else:
                standing.append(entry)
                if entry.leaving is None:
                    positions.append(before.after(*entry.texts))
            yield entry, undone, before, positions[-1]


def _standing(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """The decisions that were not undone, and who has left."""
    standing: list[Entry] = []
    for entry in entries:
        if entry.is_undo:
            standing.pop()
        else:
            standing.append(entry)
    return tuple(standing)


def _replayed(deal: Deal, standing: Sequence[Entry]) -> Game:
    game = deal.game()
    game.play_texts([text for entry in standing if entry.leaving is None for text in entry.texts])
    for entry in standing:
        _forfeit_if_left(game, entry)
    return game


def _forfeit_if_left(game: Game, entry: Entry) -> None:
    """End the game if its entry is about one of two players who left."""
    if entry.leaving is not None and game.players == 2:
        termination, detail = FORFEITS[entry.leaving]
        game.forfeit(entry.seat, detail, termination)
