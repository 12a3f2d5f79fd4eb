"""Whether the record of a game is true to the commitment that was published before its first move."""

from __future__ import annotations

from dataclasses import dataclass

from cabochon.errors import CabochonError, RecordError
from cabochon.fair import commitment
from cabochon.game import Event, Game
from cabochon.record import Record


@dataclass(frozen=True)
class Verification:
    """The answer of `verify`, with the reason where it is no."""

    is_true: bool
    reason: str


def verify(record: str | Record) -> Verification:
    """Replay a record by the rules, and recompute its commitment and all its reveals from its seed.

    >>> game = Game("splendor", seed=7)
    >>> while not game.is_over:
    ...     _ = game.play(game.legal_moves[0])
    >>> verify(game.record()).is_true
    True
    """
    try:
        told = Game.from_record(record)
    except RecordError as error:
        return Verification(False, str(error))
    if told.seed is None:
        return Verification(False, "the record has no seed; it is published when the game is over")
    if told.commitment is None:
        return Verification(False, "the record has no commitment")
    if told.commitment != commitment(told.seed):
        return Verification(False, "the commitment is not the SHA-256 of the seed")
    difference = _first_difference(told, Game(told.options, seed=told.seed))
    if difference is not None:
        return Verification(False, difference)
    return Verification(True, f"all {len(told.events) - len(told.moves)} reveals follow from the seed")


def _first_difference(told: Game, dealt: Game) -> str | None:
    """Play the told moves on cards from the seed, as far as they are legal there, and compare."""
    refusal = None
    for move in told.moves:
        try:
            dealt.play(move)
        except CabochonError as error:
            refusal = f"with the cards of the seed, {error}"
            break
    for expected, event in zip(dealt.events, told.events, strict=False):
        if expected != event:
            return f"{_where(event)}: the seed gives {expected.what}, the record says {event.what}"
    return refusal


def _where(event: Event) -> str:
    return f"round {event.round}, seat {event.seat + 1}" if event.round else "the deal"
