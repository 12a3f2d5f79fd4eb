"""Moves and reveals as text, which people read and type, and which records contain.

A move is one decision. Colours are letters (Splendor: w b g r k for white, blue, green, red, black;
Marvel: y p b r o for yellow, purple, blue, red, orange; `*` is the wild, gold or S.H.I.E.L.D.). A place
is a level and a number from the left, such as `2.3`; `h1` is the first card in the seat's hand.

============== ===========================================================
`take wbg`     take three different tokens (or two, or one: TRN-4)
`take ww`      take two alike
`buy 2.3`      buy the face-up card at level 2, place 3
`buy h1`       buy the first card in hand
`reserve 2.3`  reserve a face-up card
`reserve 2`    reserve the top card of the level 2 deck, unseen
`return w`     return one token, with more than ten tokens
`tile 2`       choose the noble or location in place 2, when several are earned
`wild r`       while paying: spend one more wild instead of a red token
`pay`          while paying: spend no more wilds
`pass`         pass, if nothing else is legal
============== ===========================================================

A reveal is a place and the number of the card or tile that is revealed there: `2.3=57`, `h=57` for a
card drawn blind into the hand, `t2=5` for a tile.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from cabochon.core.cards import CARDS, COLOUR_NAMES, COLOURS, LEVELS, TILES, VARIANTS
from cabochon.core.hidden_cards import level_of
from cabochon.core.replay import outcome_of, pending_of, reveal_event
from cabochon.core.state import (
    ACTIONS,
    BUY,
    CHOOSE_TILE,
    HAND,
    MARKET,
    PASS,
    PAY_WILD,
    PENDING_BLIND,
    PENDING_TILE,
    PLACES,
    RESERVE,
    RETURN_TOKEN,
    TAKE,
    TAKE_TWO,
    TAKES,
    TILE_PLACES,
)
from cabochon.errors import NotationError

COLOUR_LETTERS = ("wbgrk", "ypbro")
WILD_LETTER = "*"
WILD_NAMES = ("gold", "shield")
TOKEN_NAMES = tuple((*colours, wild, "time") for colours, wild in zip(COLOUR_NAMES, WILD_NAMES, strict=True))


def variant_index(variant: str) -> int:
    """Return the core's number of a game; `variant` is "splendor" or "marvel"."""
    try:
        return VARIANTS.index(variant)
    except ValueError:
        expected = " or ".join(repr(name) for name in VARIANTS)
        raise NotationError(f"expected the game {expected}, got {variant!r}") from None


def place_text(place: int) -> str:
    """Return a market place as level and number: `1.1` for 0, `3.4` for 11."""
    return f"{place // PLACES + 1}.{place % PLACES + 1}"


_PLACE_TEXTS = tuple(place_text(place) for place in range(MARKET))
SOURCE_TEXTS = (*_PLACE_TEXTS, *(f"h{place + 1}" for place in range(HAND)))  # where a card is bought
PENDING_TEXTS = (  # where a reveal is due; a blind draw with its level
    *_PLACE_TEXTS,
    *(str(level + 1) for level in range(LEVELS)),
    *(f"t{place + 1}" for place in range(TILE_PLACES)),
)


MOVE_KINDS = (  # of every action
    *["take"] * (BUY - TAKE),
    *["buy"] * (RESERVE - BUY),
    *["reserve"] * (PASS - RESERVE),
    "pass",
    *["return"] * (CHOOSE_TILE - RETURN_TOKEN),
    *["tile"] * TILE_PLACES,
    *["wild"] * COLOURS,
    "pay",
)


@cache
def _texts(variant: int) -> tuple[str, ...]:
    """Return the text of every action."""
    letters = COLOUR_LETTERS[variant]
    operands = [
        *("".join(letters[colour] for colour in colours) for colours in TAKES),
        *(letter * 2 for letter in letters),
        *SOURCE_TEXTS,
        *PENDING_TEXTS[:PENDING_TILE],
        "",  # pass
        *(letters + WILD_LETTER),
        *(str(place + 1) for place in range(TILE_PLACES)),
        *letters,
        "",  # pay
    ]
    return tuple(f"{kind} {operand}".rstrip() for kind, operand in zip(MOVE_KINDS, operands, strict=True))


@cache
def _actions(variant: int) -> dict[str, int]:
    return {text: action for action, text in enumerate(_texts(variant))}


def _normalise(text: str, variant: int) -> str:
    """Return the exact spelling: lower case, single spaces, letters for colour names, taken colours in order."""
    kind, *operands = text.lower().replace(",", " ").split() or [""]
    if kind in ("take", "return", "wild"):
        by_name = dict(zip(COLOUR_NAMES[variant], COLOUR_LETTERS[variant], strict=True))
        by_name |= dict.fromkeys(("wild", *WILD_NAMES), WILD_LETTER)
        order = COLOUR_LETTERS[variant] + WILD_LETTER
        letters = "".join(by_name.get(operand, operand) for operand in operands)
        return f"{kind} {''.join(sorted(letters, key=order.find))}".rstrip()
    return " ".join([kind, *operands])


@dataclass(frozen=True, slots=True)
class Move:
    """One decision of a seat: the number of an action, in the notation of one game.

    >>> Move.from_text("take w g k", "splendor")
    Move('take wgk', 'splendor')
    >>> str(Move.from_text("buy 2.3", "marvel"))
    'buy 2.3'
    """

    action: int
    variant: str

    def __post_init__(self) -> None:
        variant_index(self.variant)
        if not 0 <= self.action < ACTIONS:
            raise NotationError(f"expected an action from 0 to {ACTIONS - 1}, got {self.action}", "TRN-1")

    @classmethod
    def from_text(cls, text: str, variant: str) -> Move:
        """Parse a move; the exact inverse of `str(move)`. Also accepts upper case, any order, and names of colours.

        Raises `NotationError` if the text is not a move.
        """
        index = variant_index(variant)
        action = _actions(index).get(_normalise(text, index))
        if action is not None:
            return cls(action, variant)
        raise NotationError(f"expected a move such as {_examples(index)}; got {text!r}", _rule_of(text))

    def __str__(self) -> str:
        return _texts(variant_index(self.variant))[self.action]

    def __repr__(self) -> str:
        return f"Move({str(self)!r}, {self.variant!r})"

    @property
    def kind(self) -> str:
        """The kind of move: "take", "buy", "reserve", "pass", "return", "tile", "wild" or "pay"."""
        return MOVE_KINDS[self.action]

    @property
    def colours(self) -> tuple[str, ...]:
        """The names of the tokens that are taken, returned, or replaced by a wild (kind `wild`)."""
        names = TOKEN_NAMES[variant_index(self.variant)]
        if self.action < TAKE_TWO:
            return tuple(names[colour] for colour in TAKES[self.action - TAKE])
        if self.action < BUY:
            return (names[self.action - TAKE_TWO],) * 2
        first = {"return": RETURN_TOKEN, "wild": PAY_WILD}.get(self.kind)
        return () if first is None else (names[self.action - first],)

    @property
    def place(self) -> str | None:
        """The place of the card or tile: `2.3`, `h1`, or `2` for the top of a deck or for a tile; else None."""
        return str(self).split(" ")[1] if self.kind in ("buy", "reserve", "tile") else None


def _examples(variant: int) -> str:
    letters = COLOUR_LETTERS[variant]
    return (
        f"'take {letters[:3]}', 'take {letters[0] * 2}', 'buy 2.3', 'buy h1', 'reserve 2.3', 'reserve 2', "
        f"'return {letters[0]}', 'tile 1', 'wild {letters[0]}', 'pay' or 'pass'"
    )


def _rule_of(text: str) -> str | None:
    """Return the rule that explains why a text that looks like a move is not one."""
    kind, _, operand = text.strip().lower().partition(" ")
    if kind == "return" and operand in ("t", "time", "green"):
        return "LIM-4"
    tokens = {"wild": WILD_LETTER, "gold": WILD_LETTER, "shield": WILD_LETTER, "time": "t"}
    words = [tokens.get(word, word) for word in operand.replace(",", " ").split()]
    letters = "".join(word for word in words if word in ("*", "t") or not word.isalpha() or len(word) <= 3)
    if kind == "take" and set(letters) & {WILD_LETTER, "t"}:
        return "TRN-6" if letters in ("**", "tt") else "TRN-3"
    return {"take": "TRN-2", "buy": "TRN-8", "reserve": "RSV-1"}.get(kind)


_REVEAL = re.compile(r"(?P<where>[1-3]\.[1-4]|h|t[1-5])=(?P<number>[1-9][0-9]?)")


@dataclass(frozen=True, slots=True)
class Reveal:
    """A card or tile that is revealed: the place `where`, and its `number` in the data files, from 1.

    >>> Reveal.from_text("2.3=57").where
    '2.3'
    """

    where: str
    number: int

    def __post_init__(self) -> None:
        match = _REVEAL.fullmatch(f"{self.where}={self.number}")
        if match is None or self.number > (TILES if self.where.startswith("t") else CARDS):
            raise NotationError(f"expected a reveal such as '2.3=57', 'h=57' or 't2=5', got {str(self)!r}", "SET-1")

    @classmethod
    def from_text(cls, text: str) -> Reveal:
        """Parse a reveal; the exact inverse of `str(reveal)`. Raises `NotationError` if the text is not a reveal."""
        where, _, number = text.strip().partition("=")
        if not (number.isascii() and number.isdecimal()) or number.startswith("0") or len(number) > 2:
            raise NotationError(f"expected a reveal such as '2.3=57', 'h=57' or 't2=5', got {text!r}", "SET-1")
        return cls(where, int(number))

    @classmethod
    def from_event(cls, event: int) -> Reveal:
        """Return the reveal for the core's event number."""
        pending = pending_of(event)
        is_blind = PENDING_BLIND <= pending < PENDING_TILE
        return cls("h" if is_blind else PENDING_TEXTS[pending], outcome_of(event) + 1)

    @property
    def event(self) -> int:
        """The core's event number of this reveal."""
        outcome = self.number - 1
        pending = PENDING_BLIND + level_of(outcome) if self.where == "h" else PENDING_TEXTS.index(self.where)
        return reveal_event(pending, outcome)

    def __str__(self) -> str:
        return f"{self.where}={self.number}"


@cache
def _events(variant: str) -> dict[str, int]:
    """Return every move and reveal in its exact spelling, with its event number."""
    cards = [Reveal(where, card + 1) for where in (*_PLACE_TEXTS, "h") for card in range(CARDS)]
    tiles = [Reveal(f"t{place + 1}", tile + 1) for place in range(TILE_PLACES) for tile in range(TILES)]
    return _actions(variant_index(variant)) | {str(reveal): reveal.event for reveal in cards + tiles}


@cache
def event_text(event: int, variant: str) -> str:
    """Return a move or reveal of the core in notation."""
    return str(Reveal.from_event(event) if event < 0 else Move(event, variant))


def event_from_text(text: str, variant: str) -> int:
    """Return the event number of a move or reveal; the exact inverse of `event_text`."""
    event = _events(variant).get(text)
    if event is not None:
        return event
    return Reveal.from_text(text).event if "=" in text else Move.from_text(text, variant).action
