"""The course of a game, as its log tells it.

The log of a game is a list of entries, and it only grows. An entry is one decision with the reveals that
came of it, in the notation of the library (`buy 2.3; 2.3=57`), or `undo`, which takes back the last decision
that stands, or `leave left` and `leave clock`, with which a person gives the seat up. The deal follows from the seed;
all else follows from the entries, and what the clocks show from their times.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import takewhile

from cabochon.errors import CabochonError, GameOverError
from cabochon.game import Game, Options
from cabochon.notation import Move
from cabochon.record import SEPARATOR
from cabochon.server.clocks import Clock, Running, running_clock

UNDO = "undo"
UNDOS_A_TURN = 20
LEAVE = "leave "
REASONS = {"left": "left the table", "clock": "ran out of time"}  # as the record has them


@dataclass(frozen=True, slots=True)
class Entry:
    """What a seat did, as the `seq`-th entry of the log, from 1."""

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
        """Why its person gives the seat up, if it does: "left" or "clock"."""
        return self.text.removeprefix(LEAVE) if self.text.startswith(LEAVE) else None

    @property
    def texts(self) -> list[str]:
        """The move, and the reveals that followed it."""
        return self.text.split(SEPARATOR)

    @property
    def has_reveal(self) -> bool:
        """Whether a card was turned up, or drawn."""
        return SEPARATOR in self.text

    def is_same_deed(self, seat: int, move: Move | None) -> bool:
        """Whether it is this move, or with None the taking back of one, by this seat."""
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
        """The game before its first decision."""
        return Game(self.options, seed=self.seed, names=self.names, date=self.date)


class Course:
    """A game and its log up to now. It never changes: a decision makes a new one."""

    def __init__(self, deal: Deal, entries: Sequence[Entry] = ()) -> None:
        self.deal = deal
        self.entries = tuple(entries)
        self.standing = _standing(self.entries)
        self.game = _replayed(deal, self.standing)

    @property
    def seq(self) -> int:
        """How many entries the log has."""
        return len(self.entries)

    @property
    def left(self) -> frozenset[int]:
        """The seats that were given up."""
        return frozenset(entry.seat for entry in self.standing if entry.leaving is not None)

    @property
    def is_over(self) -> bool:
        """Whether the game has ended, or was given up by one of two players."""
        return self.game.is_over or (self.deal.options.players == 2 and bool(self.left))

    @property
    def clock(self) -> Running | None:
        """The clock of the seat that is to decide, or None where there is none."""
        return self._clock_after(self.standing, self.game.seat)

    def _clock_after(self, standing: Sequence[Entry], seat: int) -> Running | None:
        """The clock where those entries stand and this seat is to decide."""
        deal = self.deal
        if deal.clock is None or deal.started_at is None or self.is_over:
            return None
        decisions = [(entry.seat, entry.at) for entry in standing if entry.leaving is None]
        return running_clock(deal.clock, deal.options.players, deal.started_at, decisions, seat)

    @property
    def deadline(self) -> datetime | None:
        """When the time of a person who is to decide is up."""
        if self.game.seat in self.deal.bots | self.left:
            return None
        clock = self.clock
        return None if clock is None else clock.deadline

    def _grown(self, entry: Entry, standing: tuple[Entry, ...], game: Game) -> Course:
        course = Course.__new__(Course)
        course.deal = self.deal
        course.entries = (*self.entries, entry)
        course.standing = standing
        course.game = game
        return course

    def decide(self, seat: int, move: Move | str, at: datetime) -> Course:
        """The course with one decision more; an illegal one raises, with the rule."""
        if self.is_over and not self.game.is_over:
            raise GameOverError("the game was given up: expected no further move", "RNK-1")
        game = self.game.copy()
        known = len(game.texts)
        game.play(move, seat)
        entry = Entry(self.seq + 1, seat, SEPARATOR.join(game.texts[known:]), at)
        return self._grown(entry, (*self.standing, entry), game)

    def can_undo(self, seat: int | None, at: datetime) -> bool:
        """Whether the seat may take its last decision back at that moment.

        It may while that is the last one that stands, no card came of it, and the game is not over; not where the
        time of the turn that would go on is up; and not without end, for the log keeps everything.
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

    def undo(self, seat: int, at: datetime) -> Course:
        """The course with the seat's last decision taken back."""
        if not self.can_undo(seat, at):
            raise CabochonError(
                "only one's own last move can be taken back, only until a card was turned up, and only in its time"
            )
        game = self.game.copy()
        game.undo()
        return self._grown(Entry(self.seq + 1, seat, UNDO, at), self.standing[:-1], game)

    def leave(self, seat: int, reason: str, at: datetime) -> Course:
        """The course after a person gave the seat up, because they "left" or by the "clock"."""
        if self.is_over:
            raise GameOverError("the game is over: there is nothing to leave")
        if seat in self.left:
            raise CabochonError("the seat was given up before")
        entry = Entry(self.seq + 1, seat, LEAVE + reason, at)
        return self._grown(entry, (*self.standing, entry), _after(self.game, entry))

    def walk(self, since: int) -> Iterator[tuple[Entry, Entry | None, Game, Game]]:
        """Every entry after the first `since`: what it takes back, if it does, and the game before and after it."""
        past = list(_standing(self.entries[:since]))
        game = _replayed(self.deal, past)
        for entry in self.entries[since:]:
            undone = past.pop() if entry.is_undo else None
            if undone is None:
                after = _after(game, entry)
                past.append(entry)
            else:
                after = game.copy()
                after.undo()
            yield entry, undone, game, after
            game = after


def _standing(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """The decisions that were not taken back, and who has left."""
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
        if entry.leaving is not None:
            game = _after(game, entry)
    return game


def _after(game: Game, entry: Entry) -> Game:
    """The game after a decision, or after a person gave a seat up; of two players that gives up the game."""
    after = game.copy()
    if entry.leaving is None:
        after.play_texts(entry.texts)
    elif after.players == 2:
        after.forfeit(entry.seat, REASONS[entry.leaving])
    return after
