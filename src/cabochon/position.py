"""Positions, and the decisions that lead from one position to the next."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from cabochon.core.cards import CARDS, VARIANTS
from cabochon.core.components import COMPONENTS
from cabochon.core.replay import replay, reveal_event
from cabochon.core.rules import begin, first_reveal, legal_actions, possible_reveals
from cabochon.core.state import ACTIONS, NOTHING, OVER, PHASES, REVEAL, State, copy_state, new_state
from cabochon.errors import IllegalMoveError, IllegalRevealError, NotationError, OptionsError
from cabochon.illegal_moves import refusal, reveal_refusal
from cabochon.notation import Move, Reveal, event_from_text
from cabochon.options import Options
from cabochon.outcome import Outcome, outcome_by_rules
from cabochon.steps import Step, step_of
from cabochon.view import View, views_of


class Position:
    """A position of a game: the table, the seat that decides, and its legal moves.

    A position contains the hidden cards; use `view` to show it to a player. A new position is an empty table.
    """

    def __init__(self, options: Options, names: tuple[str, ...], commitment: str | None = None) -> None:
        self.options = options
        self.names = names
        self.commitment = commitment
        self._components = COMPONENTS[VARIANTS.index(options.variant)]
        self._state = new_state()
        self._owners = np.full(CARDS, NOTHING, dtype=np.int8)  # the seat that bought each card
        begin(self._state, self._components, *options.core_arguments)

    def _copy(self) -> Position:
        copy = Position.__new__(Position)
        copy.options = self.options
        copy.names = self.names
        copy.commitment = self.commitment
        copy._components = self._components
        copy._state = copy_state(self._state)
        copy._owners = self._owners.copy()
        return copy

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.variant}, {self.players} players, round {self.round}, {self.phase}>"

    def __str__(self) -> str:
        return str(self.view(self.seat))

    @property
    def variant(self) -> str:
        """Which game it is: "splendor" or "marvel"."""
        return self.options.variant

    @property
    def players(self) -> int:
        """The number of seats."""
        return self.options.players

    @property
    def seat(self) -> int:
        """The seat whose turn it is, from 0."""
        return int(self._state.seat)

    @property
    def round(self) -> int:
        """The round, from 1; 0 during the deal."""
        return int(self._state.round_number)

    @property
    def phase(self) -> str:
        """What comes next: a decision ("act", "pay", "return" or "tile"), a "reveal", or "over"."""
        return PHASES[self._state.phase]

    @property
    def is_over(self) -> bool:
        """Whether the rules have ended the game, so that no move is legal.

        A forfeited game has an `outcome`, but is not over in this sense: its position could be played on.
        """
        return bool(self._state.phase == OVER)

    @property
    def outcome(self) -> Outcome | None:
        """How the rules ended the game, or None while it is in progress."""
        return outcome_by_rules(self._state)

    @property
    def state(self) -> State:
        """A copy of the core's state record, including the hidden cards."""
        return copy_state(self._state)

    @property
    def legal_moves(self) -> list[Move]:
        """The legal moves of the seat that decides, in a fixed order; empty when the game is over."""
        actions = np.zeros(ACTIONS, dtype=np.int8)
        count = legal_actions(self._state, self._components, actions)
        return [Move(int(action), self.variant) for action in actions[:count]]

    @property
    def legal_reveals(self) -> list[Reveal]:
        """Every card or tile that may be revealed next; empty except in the phase "reveal"."""
        state = self._state
        if state.phase != REVEAL:
            return []
        possible = possible_reveals(state, self._components)
        first = first_reveal(state)
        return [
            Reveal.from_event(reveal_event(int(state.pending), first + index))
            for index in range(possible.bit_length())
            if possible >> index & 1
        ]

    def move(self, move: Move | str | int) -> Move:
        """Return the move for a text or an action number, legal or not. Raises `NotationError` if there is none."""
        if isinstance(move, str):
            return Move.from_text(move, self.variant)
        if isinstance(move, Move):
            if move.variant != self.variant:
                raise NotationError(f"expected a move of {self.variant}, got {move!r}")
            return move
        if type(move) is not int and not isinstance(move, np.integer):
            raise NotationError(f"expected a Move, its text or an action number, got {move!r}", "TRN-1")
        return Move(int(move), self.variant)

    def after(self, *events: Move | Reveal | str) -> Position:
        """Return the position after these moves and reveals; this position does not change.

        >>> from cabochon.game import Game
        >>> position = Game("splendor", seed=7).position
        >>> position.after("reserve 2.3").phase, position.phase
        ('reveal', 'act')
        """
        numbers = []
        for event in events:
            if isinstance(event, str):
                numbers.append(event_from_text(event, self.variant))
            else:
                numbers.append(event.event if isinstance(event, Reveal) else self.move(event).action)
        return self._after(numbers)

    def _after(self, events: Sequence[int]) -> Position:
        after = self._copy()
        applied = len(after._apply(events))
        if applied < len(events):
            raise after._refusal(events[applied])
        return after

    def _apply(self, events: Sequence[int]) -> list[tuple[int, int]]:
        """Apply the events up to the first illegal one; return the round and the seat of each."""
        turns = np.zeros((len(events), 2), dtype=np.int64)
        actions = np.zeros(ACTIONS, dtype=np.int8)
        numbers = np.array(events, dtype=np.int64)
        count = replay(self._state, self._components, numbers, turns, self._owners, actions)
        return [(round_number, seat) for round_number, seat in turns[:count].tolist()]

    def _refusal(self, event: int) -> IllegalMoveError | IllegalRevealError:
        if event < 0:
            return reveal_refusal(self._state, self.legal_reveals, Reveal.from_event(event))
        return refusal(self._state, Move(event, self.variant))

    def view(self, seat: int | None = None) -> View:
        """Return what a seat may know, and nothing more; without a seat, what a spectator may know.

        >>> from cabochon.game import Game
        >>> game = Game("splendor", seed=7)
        >>> game.play("reserve 3")
        Move('reserve 3', 'splendor')
        >>> game.view(seat=0).seats[0].reserved[0].card.level
        3
        >>> game.view(seat=1).seats[0].reserved[0].card is None
        True
        """
        return self.views([seat])[0]

    def views(self, seats: Iterable[int | None]) -> list[View]:
        """Return the views of several seats, faster than one by one."""
        deciding, wanted = self.seat, list(seats)
        viewers: dict[int | None, tuple[Move, ...]] = {}
        for seat in wanted:
            if seat is not None and not (isinstance(seat, int) and 0 <= seat < self.players):
                raise OptionsError(f"expected a seat from 0 to {self.players - 1}, or None, got {seat!r}", "MAT-8")
            viewers[seat] = tuple(self.legal_moves) if seat == deciding else ()
        views = views_of(self._state, viewers, self.names, self._owners, self.commitment)
        by_seat = dict(zip(viewers, views, strict=True))
        return [by_seat[seat] for seat in wanted]

    def open_view(self) -> View:
        """Return a spectator's view with all hands open, for games that are over."""
        view = self.view(None)
        hands = [seat.seat for seat in view.seats if any(held.card is None for held in seat.reserved)]
        seats = list(view.seats)
        for seat, own in zip(hands, self.views(hands), strict=True):
            seats[seat] = own.seats[seat]
        return replace(view, seats=tuple(seats))


@dataclass(frozen=True)
class Decision:
    """One decision of a game: what the seat knew, what it did, and what followed.

    `number` counts from 1. `before` is the position in which the seat decided, `after` the position after the move and
    its reveals, which is the next decision's `before`. Both contain the hidden cards; `view` and `step` do not.
    """

    number: int
    before: Position
    move: Move
    after: Position

    @property
    def seat(self) -> int:
        """The seat that decided."""
        return self.before.seat

    @property
    def round(self) -> int:
        """The round of the decision, from 1."""
        return self.before.round

    @cached_property
    def view(self) -> View:
        """Return what the seat knew when it decided."""
        return self.before.view(self.seat)

    def step(self, viewer: int | None) -> Step:
        """Return what the move did and which cards were revealed, as far as a seat (None: a spectator) may know."""
        return step_of(self.move, self.before.view(viewer), self.after.view(viewer))
