"""The main class of the library: a game that checks every move."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from cabochon.core.components import LEVEL_SIZES
from cabochon.core.replay import reveal_event
from cabochon.core.rules import bit_count, first_reveal, nth_one, pending_level, possible_reveals
from cabochon.core.state import NOTHING, PENDING_TILE, REVEAL, copy_state
from cabochon.errors import CabochonError, NotationError, OptionsError
from cabochon.fair import commitment, pick, seed_bytes
from cabochon.notation import Move, Reveal, event_from_text, event_text
from cabochon.options import Options
from cabochon.outcome import Forfeit, Outcome, Termination, outcome_by_forfeit
from cabochon.position import Decision, Position
from cabochon.record import Record

__all__ = ["Decision", "Event", "Forfeit", "Game", "Options", "Outcome", "Position", "Termination"]

_Names = tuple[str, ...] | list[str]


@dataclass(frozen=True)
class Event:
    """A move or a reveal, with the turn it belongs to; round 0 is the deal."""

    round: int
    seat: int
    what: Move | Reveal


def _checked_names(names: _Names | None, players: int) -> tuple[str, ...]:
    if names is None:
        return tuple(f"Seat {seat + 1}" for seat in range(players))
    if isinstance(names, str) or not all(isinstance(name, str) for name in names):
        raise OptionsError(f"expected a list of names, got {names!r}", "MAT-8")
    if len(names) != players:
        raise OptionsError(f"expected {players} names, got {len(names)}", "MAT-8")
    return tuple(names)


class Game(Position):
    """A game of Splendor or Splendor: Marvel, from the deal to the outcome.

    >>> game = Game("splendor", players=2, seed=7)
    >>> game.legal_moves[0]
    Move('take wbg', 'splendor')
    >>> game.play("take wbg")
    Move('take wbg', 'splendor')
    >>> game.seat
    1

    The cards are dealt from a 256-bit `seed`. Pass an integer to be able to repeat the game; by default, the seed is
    new and secret. Its `commitment` can be published before the first move.

    Raises `OptionsError` if an option is not valid.
    """

    def __init__(
        self,
        variant: str | Options = "splendor",
        players: int = 2,
        *,
        seed: int | bytes | None = None,
        free_take: bool = False,
        payment: str = "choice",
        names: _Names | None = None,
        date: str | None = None,
    ) -> None:
        options = variant if isinstance(variant, Options) else Options(variant, players, free_take, payment)
        self._set_up(options, seed_bytes(seed), names, date)

    @classmethod
    def by_hand(
        cls,
        variant: str | Options = "splendor",
        players: int = 2,
        *,
        free_take: bool = False,
        payment: str = "choice",
        names: _Names | None = None,
        date: str | None = None,
    ) -> Game:
        """Return a game without a seed, in which you `reveal` every card and tile yourself, beginning with the deal.

        >>> game = Game.by_hand("splendor")
        >>> game.phase, game.legal_reveals[0]
        ('reveal', Reveal(where='1.1', number=1))
        """
        options = variant if isinstance(variant, Options) else Options(variant, players, free_take, payment)
        game = cls.__new__(cls)
        game._set_up(options, None, names, date)
        return game

    def _set_up(self, options: Options, seed: bytes | None, names: _Names | None, date: str | None) -> None:
        names = _checked_names(names, options.players)
        Position.__init__(self, options, names, None if seed is None else commitment(seed))
        self.seed = seed
        self.date = date or datetime.datetime.now(datetime.UTC).date().isoformat()
        self.tags: dict[str, str] = {}
        self._events: list[int] = []
        self._turns: list[tuple[int, int]] = []  # the round and the seat of each event
        self._forfeit: Forfeit | None = None
        self._draw_reveals()

    def play(self, move: Move | str | int, seat: int | None = None) -> Move:
        """Play a legal move for the seat that decides, and return it. If `seat` is given, it must be that seat.

        Raises `IllegalMoveError` with the broken rule if the move is illegal, and `NotationError` if the text is not a
        move. The game is then unchanged.
        """
        move = self.move(move)
        if seat is not None and seat != self.seat and not self.is_over:
            raise CabochonError(f"expected a move of seat {self.seat}, got one of seat {seat}", "SET-10")
        self._advance([move.action])
        self._draw_reveals()
        return move

    def reveal(self, what: Reveal | str) -> Reveal:
        """Reveal a card or tile in a game by hand, and return it.

        Raises `IllegalRevealError` if it cannot be revealed now, and `NotationError` if the text is not a reveal.
        """
        if isinstance(what, str):
            what = Reveal.from_text(what)
        if not isinstance(what, Reveal):
            raise NotationError(f"expected a Reveal or its text, got {what!r}", "SET-1")
        self._advance([what.event])
        return what

    def play_texts(self, texts: Sequence[str]) -> None:
        """Play moves and reveals in notation, as in `texts`. If one is illegal, raise its error and play none of them.

        >>> game, again = Game("splendor", seed=7), Game("splendor", seed=7)
        >>> dealt = len(game.texts)
        >>> game.play("reserve 2.3")
        Move('reserve 2.3', 'splendor')
        >>> again.play_texts(game.texts[dealt:])
        >>> again.texts == game.texts
        True
        """
        self._advance([event_from_text(text, self.variant) for text in texts])
        self._draw_reveals()

    def _advance(self, events: list[int]) -> None:
        """Apply all events, or none if one is illegal. Playing on withdraws a forfeit."""
        backup = self._copy() if len(events) > 1 else self  # a single illegal event changes nothing
        turns = self._apply(events)
        if len(turns) < len(events):
            error = self._refusal(events[len(turns)])
            self._state, self._owners = backup._state, backup._owners
            raise error
        self._events += events
        self._turns += turns
        if events:
            self._forfeit = None

    def _draw_reveals(self) -> None:
        """Draw every due reveal from the seed; without a seed, wait for `reveal`."""
        state = self._state
        while self.seed is not None and state.phase == REVEAL:
            level = pending_level(state)
            possible = possible_reveals(state, self._components)
            if level == NOTHING:
                stream, drawn = "tiles", int(state.pending) - PENDING_TILE
            else:
                stream, drawn = f"level {level + 1}", LEVEL_SIZES[level] - bit_count(possible)
            index = nth_one(possible, pick(self.seed, stream, drawn, bit_count(possible)))
            self._advance([reveal_event(int(state.pending), first_reveal(state) + index)])

    def undo(self) -> Move:
        """Take back the last move and the reveals after it, and return the move.

        Raises `CabochonError` if no move has been played.
        """
        last = self._last_move()
        if last is None:
            raise CabochonError("expected a move to take back, but none has been played")
        undone = Move(self._events[last], self.variant)
        before = Position(self.options, self.names)._after(self._events[:last])
        self._state, self._owners = before._state, before._owners
        del self._events[last:], self._turns[last:]
        self._forfeit = None
        return undone

    def forfeit(self, seat: int, detail: str = "", termination: Termination = Termination.FORFEIT) -> tuple[int, ...]:
        """End the game because a seat resigns, runs out of time or fails, and return the places.

        The seat comes last, and the others are ranked as they stand (RNK-1). The position itself is not over
        (`is_over` stays False), and no cards are drawn: a further move withdraws the forfeit.

        Raises `OptionsError` if the game is over, the seat does not exist, or `termination` is not a forfeit.

        >>> game = Game("splendor", players=3, seed=7)
        >>> game.forfeit(1, "no answer within 2 s", Termination.TIMEOUT)
        (1, 3, 1)
        >>> game.outcome.termination, game.outcome.seat, game.is_over
        (<Termination.TIMEOUT: 'timeout'>, 1, False)
        """
        if self.is_over:
            raise OptionsError("expected a game in progress, got one that is over", "RNK-1")
        if not 0 <= seat < self.players:
            raise OptionsError(f"expected a seat from 0 to {self.players - 1}, got {seat!r}", "MAT-8")
        if not termination.is_forfeit:
            raise OptionsError(f"expected the termination of a forfeit, got {termination!r}")
        self._forfeit = Forfeit(seat, termination, detail)
        return outcome_by_forfeit(self._state, self._forfeit).places

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, by the rules or by a forfeit, or None while it is in progress."""
        if self._forfeit is not None:
            return outcome_by_forfeit(self._state, self._forfeit)
        return super().outcome

    @property
    def events(self) -> tuple[Event, ...]:
        """Every move and reveal so far, beginning with the deal."""
        return tuple(
            Event(*turn, Reveal.from_event(event) if event < 0 else Move(event, self.variant))
            for event, turn in zip(self._events, self._turns, strict=True)
        )

    @property
    def texts(self) -> tuple[str, ...]:
        """Every move and reveal so far in notation, beginning with the deal."""
        return tuple(event_text(event, self.variant) for event in self._events)

    @property
    def last_texts(self) -> tuple[str, ...]:
        """The last move and its reveals in notation; empty before the first move."""
        last = self._last_move()
        return () if last is None else tuple(event_text(event, self.variant) for event in self._events[last:])

    def _last_move(self) -> int | None:
        return next((n for n in reversed(range(len(self._events))) if self._events[n] >= 0), None)

    @property
    def moves(self) -> tuple[Move, ...]:
        """Every move so far."""
        return tuple(Move(event, self.variant) for event in self._events if event >= 0)

    @property
    def position(self) -> Position:
        """The current position, which does not change when the game continues."""
        return self._copy()

    def decisions(self, since: int = 0) -> Iterator[Decision]:
        """Yield every decision so far, except the first `since`, in linear time. The game may be in progress.

        >>> game = Game("splendor", seed=7)
        >>> for move in ("take wbg", "reserve 3"):
        ...     _ = game.play(move)
        >>> for decision in game.decisions():
        ...     print(decision.round, decision.seat, decision.move, decision.step(viewer=None).gained)
        1 0 take wbg {'white': 1, 'blue': 1, 'green': 1}
        1 1 reserve 3 {'gold': 1}
        >>> decision.step(viewer=0).card is None, decision.step(viewer=1).card.level
        (True, 3)
        """
        events = list(self._events)
        starts = [n for n, event in enumerate(events) if event >= 0][since:]
        if not starts:
            return
        before = Position(self.options, self.names, self.commitment)._after(events[: starts[0]])
        for number, (start, end) in enumerate(pairwise([*starts, len(events)]), since + 1):
            after = before._after(events[start:end])
            yield Decision(number, before, Move(events[start], self.variant), after)
            before = after

    def copy(self) -> Game:
        """Return an independent copy of the game, with the same seed."""
        twin = Game.__new__(Game)
        twin.__dict__.update(self.__dict__)
        twin.tags = dict(self.tags)
        twin._state = copy_state(self._state)
        twin._owners = self._owners.copy()
        twin._events = list(self._events)
        twin._turns = list(self._turns)
        return twin

    __copy__ = copy

    def __deepcopy__(self, _: dict[int, object]) -> Game:
        return self.copy()

    def record(self, with_seed: bool | None = None) -> str:
        """Return the record of the game as text.

        By default, it contains the seed only if the rules have ended the game, because the seed determines all cards
        still to come.
        """
        from cabochon.game_records import record_of

        return str(record_of(self, self.is_over if with_seed is None else with_seed))

    @classmethod
    def from_record(cls, record: str | Record) -> Game:
        """Replay a record by the rules, and return the game.

        An unfinished game draws its next cards from the seed of the record; without a seed, you `reveal` them.

        Raises `RecordError` if the record is incomplete, edited or illegal. The error has the `line`, the `rule`, and
        in `game` the part that could be replayed.
        """
        from cabochon.game_records import game_of

        return game_of(record)
