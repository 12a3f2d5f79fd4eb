"""The course of a game, as its log tells it.

The log of a game is a list of entries, and it only grows. An entry is one decision with the reveals that
came of it, in the notation of the library (`buy 2.3; 2.3=57`), or `undo`, which takes back the last decision
that stands. The deal follows from the seed; all else follows from the entries.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from cabochon.errors import CabochonError
from cabochon.game import Game, Options
from cabochon.notation import Move
from cabochon.record import SEPARATOR

UNDO = "undo"


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

    def _grown(self, entry: Entry, standing: tuple[Entry, ...], game: Game) -> Course:
        course = Course.__new__(Course)
        course.deal = self.deal
        course.entries = (*self.entries, entry)
        course.standing = standing
        course.game = game
        return course

    def decide(self, seat: int, move: Move | str, at: datetime) -> Course:
        """The course with one decision more; an illegal one raises, with the rule."""
        game = self.game.copy()
        known = len(game.texts)
        game.play(move, seat)
        entry = Entry(self.seq + 1, seat, SEPARATOR.join(game.texts[known:]), at)
        return self._grown(entry, (*self.standing, entry), game)

    def can_undo(self, seat: int | None) -> bool:
        """Whether the seat may take its last decision back.

        It may while that is the last one that stands, no card came of it, and the game is not over.
        """
        if not self.standing or self.game.is_over:
            return False
        last = self.standing[-1]
        return last.seat == seat and not last.has_reveal

    def undo(self, seat: int, at: datetime) -> Course:
        """The course with the seat's last decision taken back."""
        if not self.can_undo(seat):
            raise CabochonError("only one's own last move can be taken back, and only until a card was turned up")
        game = self.game.copy()
        game.undo()
        return self._grown(Entry(self.seq + 1, seat, UNDO, at), self.standing[:-1], game)

    def walk(self, since: int) -> Iterator[tuple[Entry, Entry | None, Game, Game]]:
        """Every entry after the first `since`: what it takes back, if it does, and the game before and after it."""
        past = list(_standing(self.entries[:since]))
        game = _replayed(self.deal, past)
        for entry in self.entries[since:]:
            undone = past.pop() if entry.is_undo else None
            after = game.copy()
            if undone is None:
                after.play_texts(entry.texts)
                past.append(entry)
            else:
                after.undo()
            yield entry, undone, game, after
            game = after


def _standing(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """The decisions that were not taken back."""
    standing: list[Entry] = []
    for entry in entries:
        if entry.is_undo:
            standing.pop()
        else:
            standing.append(entry)
    return tuple(standing)


def _replayed(deal: Deal, decisions: Sequence[Entry]) -> Game:
    game = deal.game()
    game.play_texts([text for entry in decisions for text in entry.texts])
    return game
