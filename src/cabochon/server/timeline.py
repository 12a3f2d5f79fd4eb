"""A game rebuilt from its log.

The log of a game is a list of entries that only grows. An entry is one decision with its reveals, in the notation of
the library (`buy 2.3; 2.3=57`); or `undo`, which takes back the last decision of its seat that stands, and everything
after it; or `leave left` or `leave clock`, when a person leaves the table or runs out of time. The deal follows from
the seed, everything else from the entries, and the clocks from their times.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from datetime import datetime
from itertools import takewhile
from typing import Any

from cabochon.errors import CabochonError, GameOverError
from cabochon.game import Game, Options
from cabochon.notation import Move
from cabochon.outcome import Termination
from cabochon.position import Position
from cabochon.record import SEPARATOR
from cabochon.server.clocks import Clock, Running, running_clock

UNDO = "undo"
UNDOS_A_TURN = 20  # between people
UNDOS_A_GAME = 300  # against bots alone: about 2,000 entries, which a client receives within a second
LEAVE = "leave "
BLIND = "h="  # how a reveal begins that only one seat may see
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

    def to_notice(self) -> dict[str, Any]:
        """Return what other processes are told of the entry; one with a hidden card they have to read."""
        is_whole = not self.has_blind_reveal
        return {"seq": self.seq} | (
            {"seat": self.seat, "text": self.text, "at": self.at.isoformat()} if is_whole else {}
        )

    @classmethod
    def from_notice(cls, values: Mapping[str, Any]) -> Entry | None:
        """Return the entry of a notice, if it has it."""
        if "text" not in values:
            return None
        return cls(values["seq"], values["seat"], values["text"], datetime.fromisoformat(values["at"]))

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

    @property
    def has_blind_reveal(self) -> bool:
        """Whether a card was drawn that only its seat may see."""
        return any(text.startswith(BLIND) for text in self.texts[1:])

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

    @property
    def is_against_bots_alone(self) -> bool:
        """Whether there is one person, and everybody else is a bot from the start."""
        return len(self.bots) == self.options.players - 1

    def game(self) -> Game:
        """Return the game before its first decision."""
        return Game(self.options, seed=self.seed, names=self.names, date=self.date)


class Timeline:
    """A game and its log up to now. It never changes: an entry makes a new one."""

    def __init__(self, deal: Deal, entries: Sequence[Entry] = ()) -> None:
        self.deal = deal
        self.entries = tuple(entries)
        self.standing, self.is_practice = _read(self.entries)
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

    def followed_by(self, entry: Entry) -> Timeline:
        """Return the timeline with the next entry of the log, which another process has committed."""
        if entry.is_undo or entry.leaving is not None:
            return Timeline(self.deal, (*self.entries, entry))
        game = self.game.copy()
        game.play_texts(entry.texts)
        return self._grown(entry, (*self.standing, entry), game)

    def can_undo(self, seat: int | None, at: datetime) -> bool:
        """Whether the seat may take back its last decision, and what followed it, at that moment."""
        return self._why_no_undo(seat, at) is None

    def undo_makes_practice(self, seat: int | None, at: datetime) -> bool:
        """Whether the seat may undo, and the game would become practice, which it is not yet."""
        return not self.is_practice and self.can_undo(seat, at) and _is_practice(self._undone_by(seat))

    def _undone_by(self, seat: int | None) -> tuple[Entry, ...]:
        return self.standing[_start_of_undo(self.standing, seat) :]

    def _why_no_undo(self, seat: int | None, at: datetime) -> str | None:
        """Return why the seat may not undo at that moment, or None if it may.

        Between people, it may if no later decision stands, the decision revealed no card, the game is not over, and
        there is time left in the turn that would continue. Against bots alone, it may always, until the game is over.
        With a clock, the rule for people holds there too: an earlier turn would have no time left.

        The number of undos is limited, because the log keeps them all.
        """
        if self.is_over:
            return "the game is over: expected a game in progress"
        if seat in self.left:
            return "you have left: expected a seat whose player is still there"
        if self.deal.is_against_bots_alone and self.deal.clock is None:
            return self._why_no_undo_against_bots(seat)
        undone = self._undone_by(seat)
        is_own_last = len(undone) == 1 and not undone[0].has_reveal
        clock = self._clock_after(self.standing[:-1], undone[0].seat) if is_own_last else None
        if not is_own_last or (clock is not None and clock.deadline <= at):
            return "you can take back only your own last move, until a card is revealed and while there is time"
        lately = takewhile(lambda entry: entry.seat == seat, reversed(self.entries))
        if sum(entry.is_undo for entry in lately) >= UNDOS_A_TURN:
            return f"expected at most {UNDOS_A_TURN} undos in a turn; you cannot take back any more"
        return None

    def _why_no_undo_against_bots(self, seat: int | None) -> str | None:
        if seat is None or seat in self.deal.bots:
            return "only the person at the table can take back"
        if not self._undone_by(seat):
            return "you have made no move that you could take back"
        if sum(entry.is_undo for entry in self.entries) >= UNDOS_A_GAME:
            return f"expected at most {UNDOS_A_GAME} undos in a game; you cannot take back any more"
        return None

    def undo(self, seat: int, at: datetime) -> Timeline:
        """Return the timeline without the seat's last decision and what followed it."""
        reason = self._why_no_undo(seat, at)
        if reason is not None:
            raise CabochonError(reason)
        undone = self._undone_by(seat)
        standing = self.standing[: -len(undone)]
        timeline = self._grown(self._entry(seat, UNDO, at), standing, _replayed(self.deal, standing))
        timeline.is_practice = self.is_practice or _is_practice(undone)
        return timeline

    def leave(self, seat: int, reason: str, at: datetime) -> Timeline:
        """Return the timeline after a person "left" or ran out of time ("clock")."""
        if self.is_over:
            raise GameOverError("expected a game in progress, got one that is over")
        if seat in self.left:
            raise CabochonError("expected a seat whose player is still there")
        entry, game = self._entry(seat, LEAVE + reason, at), self.game.copy()
        _forfeit_if_left(game, entry)
        return self._grown(entry, (*self.standing, entry), game)

    def walk(self, since: int) -> Iterator[tuple[Entry, tuple[Entry, ...], Position, Position]]:
        """Yield each entry after the first `since`, the ones it undoes, and the positions before and after."""
        standing = list(_read(self.entries[:since])[0])
        game = _replayed(self.deal, standing)
        positions = [*(decision.before for decision in game.decisions()), game.position]
        for entry in self.entries[since:]:
            undone: tuple[Entry, ...] = ()
            before = positions[-1]
            if entry.is_undo:
                start = _start_of_undo(standing, entry.seat)
                undone = tuple(standing[start:])
                del standing[start:], positions[-len(undone) :]
            else:
                standing.append(entry)
                if entry.leaving is None:
                    positions.append(before.after(*entry.texts))
            yield entry, undone, before, positions[-1]


def _read(entries: Sequence[Entry]) -> tuple[tuple[Entry, ...], bool]:
    """Return the decisions that were not undone and who has left, and whether the game became practice."""
    standing: list[Entry] = []
    is_practice = False
    for entry in entries:
        if entry.is_undo:
            start = _start_of_undo(standing, entry.seat)
            is_practice = is_practice or _is_practice(standing[start:])
            del standing[start:]
        else:
            standing.append(entry)
    return tuple(standing), is_practice


def _start_of_undo(standing: Sequence[Entry], seat: int | None) -> int:
    """Return the place of the seat's last decision, where an undo begins; the end if there is none.

    All entries from there on are decisions: nobody undoes after they left, or what was decided before another left.
    """
    places = reversed(range(len(standing)))
    return next((place for place in places if standing[place].seat == seat), len(standing))


def _is_practice(undone: Sequence[Entry]) -> bool:
    """Whether taking these decisions back shows a player what they could not know: a card, or what another seat does.

    People who play each other cannot do that.
    """
    return len(undone) > 1 or any(entry.has_reveal for entry in undone)


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
