"""The face of the library: a game that is played by moves, and checks them."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from cabochon.core.cards import CARDS, VARIANTS
from cabochon.core.components import COMPONENTS, LEVEL_SIZES
from cabochon.core.replay import replay, reveal_event
from cabochon.core.rules import (
    begin,
    bit_count,
    first_reveal,
    has_won,
    legal_actions,
    nth_one,
    pending_level,
    place_of,
    possible_reveals,
    qualifies,
)
from cabochon.core.state import (
    ACTIONS,
    NOTHING,
    OVER,
    PENDING_TILE,
    PHASES,
    REVEAL,
    WON,
    State,
    copy_state,
    new_state,
)
from cabochon.errors import CabochonError, IllegalRevealError, NotationError, OptionsError, RecordError
from cabochon.fair import commitment, pick, seed_bytes
from cabochon.illegal_moves import refusal
from cabochon.notation import Move, Reveal, event_from_text, event_text
from cabochon.record import DEAL_LABEL, FORMAT_VERSION, Line, Record, is_tag_name, parse_record
from cabochon.version import RULES_VERSION
from cabochon.view import ENDINGS, PAYMENTS, View, views_of


@dataclass(frozen=True)
class Options:
    """What a game is set up with.

    `free_take` is the house rule of TRN-4; `payment` is "choice" (the payer says which wilds to spend,
    BUY-3) or "automatic" (always the fewest).
    """

    variant: str = "splendor"
    players: int = 2
    free_take: bool = False
    payment: str = "choice"

    def __post_init__(self) -> None:
        if self.variant not in VARIANTS:
            raise OptionsError(f"expected the game 'splendor' or 'marvel', got {self.variant!r}")
        if type(self.players) is not int or not 2 <= self.players <= 4:
            raise OptionsError(f"expected 2 to 4 players, got {self.players!r}", "MAT-8")
        if type(self.free_take) is not bool:
            raise OptionsError(f"expected free_take to be True or False, got {self.free_take!r}", "TRN-4")
        if self.payment not in PAYMENTS:
            raise OptionsError(f"expected the payment 'choice' or 'automatic', got {self.payment!r}", "BUY-3")


@dataclass(frozen=True)
class Outcome:
    """How a game ended: for each seat its place (ties share one) and its points, and who won.

    `reason` is "won", "all passed" or "no progress"; `rule` is the rule that decided between the first.
    In Marvel a stalemate has places, but no winner (STL-1).
    """

    places: tuple[int, ...]
    winners: tuple[int, ...]
    points: tuple[int, ...]
    cards: tuple[int, ...]
    reason: str
    rule: str

    @property
    def ranking(self) -> tuple[int, ...]:
        """The seats from the best to the last; those who tie in the order of their seats."""
        return tuple(sorted(range(len(self.places)), key=lambda seat: self.places[seat]))


@dataclass(frozen=True)
class Event:
    """A move or a reveal, and the turn it belongs to; round 0 is the deal."""

    round: int
    seat: int
    what: Move | Reveal


def _options(variant: str | Options, players: int, free_take: bool, payment: str) -> Options:
    """Options as they are, or from their parts."""
    return variant if isinstance(variant, Options) else Options(variant, players, free_take, payment)


def _turn_label(round_number: int, seat: int) -> str:
    """How a record names a turn."""
    return f"{round_number}.{seat + 1}" if round_number else DEAL_LABEL


class Game:
    """A game of Splendor or Splendor: Marvel, from the deal to the outcome.

    >>> game = Game("splendor", players=2, seed=7)
    >>> game.legal_moves[0]
    Move('take wbg', 'splendor')
    >>> game.play("take wbg")
    Move('take wbg', 'splendor')
    >>> game.seat
    1

    The cards come from a secret `seed` of 256 bits (an integer for a game that can be repeated; fresh from
    the operating system if none is given), whose `commitment` may be published before the first move.
    """

    def __init__(
        self,
        variant: str | Options = "splendor",
        players: int = 2,
        *,
        seed: int | bytes | None = None,
        free_take: bool = False,
        payment: str = "choice",
        names: tuple[str, ...] | list[str] | None = None,
        date: str | None = None,
    ) -> None:
        self._set_up(_options(variant, players, free_take, payment), seed_bytes(seed), names, date)

    @classmethod
    def by_hand(
        cls,
        variant: str | Options = "splendor",
        players: int = 2,
        *,
        free_take: bool = False,
        payment: str = "choice",
        names: tuple[str, ...] | list[str] | None = None,
        date: str | None = None,
    ) -> Game:
        """A game without a seed, whose every card and tile, the deal included, is given by `reveal`.

        >>> game = Game.by_hand("splendor")
        >>> game.phase, game.legal_reveals[0]
        ('reveal', Reveal(where='1.1', number=1))
        """
        game = cls.__new__(cls)
        game._set_up(_options(variant, players, free_take, payment), None, names, date)
        return game

    def _set_up(
        self,
        options: Options,
        seed: bytes | None,
        names: tuple[str, ...] | list[str] | None,
        date: str | None,
    ) -> None:
        self.options = options
        self.seed = seed
        self.commitment = None if seed is None else commitment(seed)
        if names is not None and (isinstance(names, str) or not all(isinstance(name, str) for name in names)):
            raise OptionsError(f"expected a list of names, got {names!r}", "MAT-8")
        self.names = tuple(names) if names is not None else tuple(f"Seat {n + 1}" for n in range(options.players))
        if len(self.names) != options.players:
            raise OptionsError(f"expected {options.players} names, got {len(self.names)}", "MAT-8")
        self.date = date or datetime.datetime.now(datetime.UTC).date().isoformat()
        self.tags: dict[str, str] = {}
        self._components = COMPONENTS[VARIANTS.index(options.variant)]
        self._state = new_state()
        self._owners = np.full(CARDS, NOTHING, dtype=np.int8)
        self._events: list[int] = []
        self._turns: list[tuple[int, int]] = []  # the round and the seat of each event
        begin(
            self._state,
            self._components,
            options.players,
            int(options.free_take),
            int(options.payment == "automatic"),
        )
        self._draw_reveals()

    # Where the game stands

    @property
    def variant(self) -> str:
        """Which game it is: "splendor" or "marvel"."""
        return self.options.variant

    @property
    def players(self) -> int:
        """How many seats there are."""
        return self.options.players

    @property
    def seat(self) -> int:
        """The seat whose turn it is, from 0."""
        return int(self._state.seat)

    @property
    def round(self) -> int:
        """The round, from 1; 0 while the table is dealt."""
        return int(self._state.round_number)

    @property
    def phase(self) -> str:
        """What is to be decided: "act", "pay", "return" or "tile"; or "reveal", or "over"."""
        return PHASES[self._state.phase]

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return bool(self._state.phase == OVER)

    @property
    def state(self) -> State:
        """A copy of the core's record: everything, the hidden cards too."""
        return copy_state(self._state)

    @property
    def events(self) -> tuple[Event, ...]:
        """Every move and reveal so far, the deal first."""
        return tuple(
            Event(turn[0], turn[1], Reveal.from_event(event) if event < 0 else Move(event, self.variant))
            for event, turn in zip(self._events, self._turns, strict=True)
        )

    @property
    def texts(self) -> tuple[str, ...]:
        """Every move and reveal so far in notation, the deal first."""
        return tuple(event_text(event, self.variant) for event in self._events)

    @property
    def moves(self) -> tuple[Move, ...]:
        """Every move so far."""
        return tuple(Move(event, self.variant) for event in self._events if event >= 0)

    # Playing

    @property
    def legal_moves(self) -> list[Move]:
        """The moves open to the seat that decides, in a fixed order; none when the game is over."""
        actions = np.zeros(ACTIONS, dtype=np.int8)
        count = legal_actions(self._state, self._components, actions)
        return [Move(int(action), self.variant) for action in actions[:count]]

    def move(self, move: Move | str | int) -> Move:
        """The move that a text or an action number stands for, whether or not it is legal now."""
        if isinstance(move, str):
            return Move.from_text(move, self.variant)
        if isinstance(move, Move):
            if move.variant != self.variant:
                raise NotationError(f"expected a move of {self.variant}, got {move!r}")
            return move
        if type(move) is not int and not isinstance(move, np.integer):
            raise NotationError(f"expected a Move, its text or an action number, got {move!r}", "TRN-1")
        return Move(int(move), self.variant)

    def play(self, move: Move | str | int, seat: int | None = None) -> Move:
        """Play a legal move for the seat that decides; if `seat` is given, it must be that one.

        An illegal move raises `IllegalMoveError`, which names the rule, and changes nothing.
        """
        move = self.move(move)
        if seat is not None and seat != self.seat and not self.is_over:
            raise CabochonError(f"expected a move of seat {self.seat}, got one of seat {seat}", "SET-10")
        if not self._advance([move.action]):
            raise refusal(self._state, move)
        self._draw_reveals()
        return move

    def play_texts(self, texts: Sequence[str]) -> None:
        """Play moves and reveals in notation, as `texts` gives them: all of them, or none if one is illegal.

        >>> game, again = Game("splendor", seed=7), Game("splendor", seed=7)
        >>> dealt = len(game.texts)
        >>> game.play("reserve 2.3")
        Move('reserve 2.3', 'splendor')
        >>> again.play_texts(game.texts[dealt:])
        >>> again.texts == game.texts
        True
        """
        events = [event_from_text(text, self.variant) for text in texts]
        attempt = self.copy()
        count = attempt._advance(events)
        if count < len(events):
            event = events[count]
            if event < 0:
                raise attempt._reveal_refusal(Reveal.from_event(event))
            raise refusal(attempt._state, Move(event, self.variant))
        attempt._draw_reveals()
        self._state, self._owners = attempt._state, attempt._owners
        self._events, self._turns = attempt._events, attempt._turns

    def _advance(self, events: list[int]) -> int:
        """Apply the events up to the first illegal one; how many were applied."""
        turns = np.zeros((len(events), 2), dtype=np.int64)
        scratch = np.zeros(ACTIONS, dtype=np.int8)
        numbers = np.array(events, dtype=np.int64)
        count = replay(self._state, self._components, numbers, turns, self._owners, scratch)
        self._events += events[:count]
        self._turns += [(int(turn[0]), int(turn[1])) for turn in turns[:count]]
        return count

    @property
    def legal_reveals(self) -> list[Reveal]:
        """In the phase "reveal": every card or tile that may come."""
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

    def reveal(self, what: Reveal | str) -> Reveal:
        """In a game by hand: turn up this card or tile."""
        if isinstance(what, str):
            what = Reveal.from_text(what)
        if not isinstance(what, Reveal):
            raise NotationError(f"expected a Reveal or its text, got {what!r}", "SET-1")
        if not self._advance([what.event]):
            raise self._reveal_refusal(what)
        return what

    def _reveal_refusal(self, what: Reveal) -> IllegalRevealError:
        legal = self.legal_reveals
        if not legal:
            return IllegalRevealError(f"no reveal is due; got {str(what)!r}", "CRD-3")
        where = legal[0].where
        rule = "RSV-1" if where == "h" else "CRD-3"
        if self.round == 0:
            rule = "SET-2"
            if where.startswith("t"):
                rule = "SET-4" if self.variant == "marvel" else "SET-3"
        if what.where != where:
            return IllegalRevealError(f"expected a reveal at {where}, got {str(what)!r}", rule)
        numbers = ", ".join(str(reveal.number) for reveal in legal)
        return IllegalRevealError(f"expected at {where} one of the numbers {numbers}; got {str(what)!r}", rule)

    def _draw_reveals(self) -> None:
        """Let the seed decide every reveal that is due; without a seed they wait for `reveal`."""
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
        """Take back the last move, and what was revealed after it."""
        last = max((n for n, event in enumerate(self._events) if event >= 0), default=None)
        if last is None:
            raise CabochonError("expected a move to take back, and none has been played")
        undone = Move(self._events[last], self.variant)
        again = Game.by_hand(self.options)
        again._advance(self._events[:last])
        self._state, self._owners = again._state, again._owners
        self._events, self._turns = again._events, again._turns
        return undone

    # Looking

    def view(self, seat: int | None = None) -> View:
        """What a seat may know, and nothing more; without a seat, what a spectator may know.

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
        """The views of several seats at once, which is quicker than one by one."""
        deciding = self.seat
        viewers: dict[int | None, tuple[Move, ...]] = {}
        for seat in seats:
            if seat is not None and not (isinstance(seat, int) and 0 <= seat < self.players):
                raise OptionsError(f"expected a seat from 0 to {self.players - 1}, or None, got {seat!r}", "MAT-8")
            viewers[seat] = tuple(self.legal_moves) if seat == deciding else ()
        return views_of(self._state, viewers, self.names, self._owners, self.commitment)

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, or None while it goes on."""
        if not self.is_over:
            return None
        state = self._state
        seats = range(self.players)
        places = tuple(place_of(state, self._components, seat) for seat in seats)
        return Outcome(
            places=places,
            winners=tuple(seat for seat in seats if has_won(state, self._components, seat)),
            points=tuple(int(state.points[seat]) for seat in seats),
            cards=tuple(int(state.cards[seat]) for seat in seats),
            reason=ENDINGS[state.ending],
            rule=self._deciding_rule(places),
        )

    def _deciding_rule(self, places: tuple[int, ...]) -> str:
        """The rule by which the first place was decided."""
        state = self._state
        if state.ending != WON:
            return "STL-1"
        rivals = [seat for seat in range(self.players) if qualifies(state, self._components, seat)]
        best = max(state.points[seat] for seat in rivals)
        tied = [seat for seat in rivals if state.points[seat] == best]
        if self.variant == "splendor":
            return "END-B2" if len(tied) == 1 else "TIE-B1"
        if len(rivals) == 1:
            return "END-M3"
        if len(tied) == 1:
            return "END-M5"
        if state.avengers in tied:
            return "TIE-M1"
        return "TIE-M2" if places.count(1) == 1 else "TIE-M3"

    def __str__(self) -> str:
        return str(self.view(self.seat))

    def __copy__(self) -> Game:
        return self.copy()

    def __deepcopy__(self, _: dict[int, object]) -> Game:
        return self.copy()

    def __repr__(self) -> str:
        return f"<Game {self.variant}, {self.players} players, round {self.round}, {self.phase}>"

    # Keeping

    def copy(self) -> Game:
        """A game of its own that stands where this one stands, with the same seed."""
        twin = Game.__new__(Game)
        twin.__dict__.update(self.__dict__)
        twin.tags = dict(self.tags)
        twin._state = copy_state(self._state)
        twin._owners = self._owners.copy()
        twin._events = list(self._events)
        twin._turns = list(self._turns)
        return twin

    def record(self, with_seed: bool | None = None) -> str:
        """The game as the text of a record.

        The seed is written when the game is over; before, only if `with_seed` says so, for whoever has it
        knows all cards to come.
        """
        if with_seed is None:
            with_seed = self.is_over
        tags = {
            "Cabochon": FORMAT_VERSION,
            "Rules": str(RULES_VERSION),
            "Game": self.variant,
            "Players": str(self.players),
            **{f"Seat{n}": name for n, name in enumerate(self.names, start=1)},
            "Date": self.date,
            "FreeTake": "yes" if self.options.free_take else "no",
            "Payment": self.options.payment,
        }
        if self.commitment is not None:
            tags["Commitment"] = self.commitment
        if self.seed is not None and with_seed:
            tags["Seed"] = self.seed.hex()
        tags |= self._result_tags()
        own = {key: value for key, value in self.tags.items() if is_tag_name(key) and key not in tags}
        return str(Record(tags | own, self._lines(), is_ended=True))

    def forfeit(self, seat: int, reason: str) -> tuple[int, ...]:
        """Write into the tags that a seat gave the game up here, and tell the places that this leaves.

        The seat takes the last place, and the others are ranked as they stand (RNK-1). No cards are drawn for
        a game that was given up, but nothing keeps one from playing it on.

        >>> game = Game("splendor", players=3, seed=7)
        >>> game.forfeit(1, "no answer within 2 s")
        (1, 3, 1)
        >>> game.tags["Forfeit"]
        'seat 2: no answer within 2 s'
        """
        if self.is_over:
            raise OptionsError("expected a game that goes on, got one that is over", "RNK-1")
        if not 0 <= seat < self.players:
            raise OptionsError(f"expected a seat from 0 to {self.players - 1}, got {seat!r}", "MAT-8")
        self.tags["Forfeit"] = f"seat {seat + 1}: {reason}"
        return self._places_without(seat)

    def _places_without(self, loser: int) -> tuple[int, ...]:
        places = [place_of(self._state, self._components, seat) for seat in range(self.players)]
        return tuple(
            self.players if seat == loser else place - (place > places[loser]) for seat, place in enumerate(places)
        )

    def _result_tags(self) -> dict[str, str]:
        """What a record of this game says of its end."""
        points = " ".join(str(int(points)) for points in self._state.points[: self.players])
        if self.outcome is not None:
            return {
                "Result": " ".join(map(str, self.outcome.places)),
                "Points": points,
                "End": self.outcome.reason,
            }
        given_up = _FORFEIT.match(self.tags.get("Forfeit", ""))
        if given_up is not None and int(given_up["seat"]) <= self.players:
            places = self._places_without(int(given_up["seat"]) - 1)
            return {"Result": " ".join(map(str, places)), "Points": points, "End": "forfeit"}
        return {"Result": "*"}

    def _lines(self) -> list[Line]:
        lines: list[Line] = []
        texts = [event_text(event, self.variant) for event in self._events]
        for turn, group in groupby(zip(self._turns, texts, strict=True), key=lambda pair: pair[0]):
            lines.append(Line(0, _turn_label(*turn), tuple(text for _, text in group)))
        return lines

    @classmethod
    def from_record(cls, record: str | Record) -> Game:
        """Replay a record by the rules.

        A record that is cut off, edited or illegal raises `RecordError`, with the line, the rule, and in its
        `game` what could be replayed. A game that goes on draws its further cards from the record's seed; if
        it has none, they are given by `reveal`.
        """
        if isinstance(record, str):
            record = parse_record(record)
        if not isinstance(record, Record):
            raise RecordError(f"expected a Record or its text, got {record!r}", 1)
        return _replay_record(record)


_FORFEIT = re.compile(r"seat (?P<seat>[1-4]): ")

_OWN_TAGS = frozenset(
    [
        "Cabochon",
        "Rules",
        "Game",
        "Players",
        "Seat1",
        "Seat2",
        "Seat3",
        "Seat4",
        "Date",
        "FreeTake",
        "Payment",
        "Commitment",
        "Seed",
        "Result",
        "Points",
        "End",
    ]
)


def _tag(record: Record, key: str, allowed: tuple[str, ...], default: str | None = None) -> str:
    value = record.tags.get(key, default)
    if value is None:
        raise RecordError(f'expected a tag [{key} "..."] and found none', max(record.last_line, 1))
    if value not in allowed:
        expected = " or ".join(repr(choice) for choice in allowed)
        raise RecordError(f"expected {key} to be {expected}, got {value!r}", record.tag_lines[key])
    return value


def _hex_tag(record: Record, key: str) -> bytes | None:
    value = record.tags.get(key)
    if value is None:
        return None
    if not re.fullmatch("[0-9a-f]{64}", value):
        raise RecordError(f"expected {key} to be 64 hexadecimal digits, got {value!r}", record.tag_lines[key])
    return bytes.fromhex(value)


def _replay_record(record: Record) -> Game:
    if record.fault is not None and not record.lines:
        raise record.fault
    _tag(record, "Cabochon", (FORMAT_VERSION,))
    _tag(record, "Rules", (str(RULES_VERSION),))
    options = Options(
        variant=_tag(record, "Game", VARIANTS),
        players=int(_tag(record, "Players", ("2", "3", "4"))),
        free_take=_tag(record, "FreeTake", ("no", "yes"), "no") == "yes",
        payment=_tag(record, "Payment", PAYMENTS, "choice"),
    )
    names = [record.tags.get(f"Seat{n}", f"Seat {n}") for n in range(1, options.players + 1)]
    seed = _hex_tag(record, "Seed")
    published = _hex_tag(record, "Commitment")

    game = Game.by_hand(options, names=names, date=record.tags.get("Date", "?"))
    game.tags = {key: value for key, value in record.tags.items() if key not in _OWN_TAGS}
    game.commitment = published.hex() if published is not None else None
    _replay_lines(game, record.lines)
    if record.fault is not None:
        raise RecordError(record.fault.message.partition(": ")[2], record.fault.line, record.fault.rule, game)
    if not record.is_ended:
        raise RecordError("the record breaks off: expected a further turn or 'end'", record.last_line, game=game)
    _check_result(game, record)
    game.seed = seed
    game._draw_reveals()
    return game


def _replay_lines(game: Game, lines: list[Line]) -> None:
    """All events at once, since that is fast; where one is refused, again one by one to say why."""
    try:
        events = [event_from_text(text, game.variant) for line in lines for text in line.events]
    except NotationError:
        events = []
    attempt = Game.by_hand(game.options)
    labels = [line.label for line in lines for _ in line.events]
    if (
        events
        and attempt._advance(events) == len(events)
        and labels == [_turn_label(*turn) for turn in attempt._turns]
        and all(line.events for line in lines)
    ):
        game._state, game._owners = attempt._state, attempt._owners
        game._events, game._turns = attempt._events, attempt._turns
        return
    for line in lines:
        _replay_line(game, line)


def _replay_line(game: Game, line: Line) -> None:
    if not line.events:
        raise RecordError(f"expected moves after {line.label!r}", line.number, "TRN-1", game)
    for text in line.events:
        label = _turn_label(game.round, game.seat)
        if line.label != label and not game.is_over:
            raise RecordError(f"expected the turn {label}, got {line.label}", line.number, "SET-10", game)
        try:
            if "=" in text:
                game.reveal(text)
            else:
                game.play(text)
        except CabochonError as error:
            raise RecordError(error.message, line.number, error.rule, game) from error


def _check_result(game: Game, record: Record) -> None:
    """The tags about the end must say what the replay shows."""
    rule = "END-M3" if game.variant == "marvel" else "END-B2"
    shown = game._result_tags()
    forfeit = game.tags.get("Forfeit")
    if forfeit is not None and shown.get("End") != "forfeit":
        raise RecordError(
            f"expected Forfeit to be 'seat N: reason' in a game that goes on, got {forfeit!r}",
            record.tag_lines["Forfeit"],
            game=game,
        )
    for key in ("Result", "Points", "End"):
        truth = shown.get(key)
        told = record.tags.get(key, truth)
        if told != truth:
            raise RecordError(
                f"expected {key} to be {truth!r} as replayed, got {told!r}", record.tag_lines[key], rule, game
            )
