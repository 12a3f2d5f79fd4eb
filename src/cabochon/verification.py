"""Check whether the cards of a record follow from the seed that was committed to before the first move."""

from __future__ import annotations

from dataclasses import dataclass

from cabochon.errors import CabochonError, RecordError
from cabochon.fair import commitment
from cabochon.game import Game
from cabochon.record import Record


@dataclass(frozen=True)
class Verification:
    """The result of `verify`: whether the record passed the check, and the reason."""

    is_true: bool
    reason: str


def verify(record: str | Record) -> Verification:
    """Replay a record by the rules, recompute its commitment and reveals from its seed, and return the result.

    >>> game = Game("splendor", seed=7)
    >>> while not game.is_over:
    ...     _ = game.play(game.legal_moves[0])
    >>> verify(game.record()).is_true
    True
    """
    try:
        recorded = Game.from_record(record)
    except RecordError as error:
        return Verification(False, str(error))
    if recorded.seed is None:
        return Verification(False, "the record has no seed; it is published when the game is over")
    if recorded.commitment is None:
        return Verification(False, "the record has no commitment")
    if recorded.commitment != commitment(recorded.seed):
        return Verification(False, "the commitment is not the SHA-256 of the seed")
    difference = _first_difference(recorded, Game(recorded.options, seed=recorded.seed))
    if difference is not None:
        return Verification(False, difference)
    return Verification(True, f"all {len(recorded.events) - len(recorded.moves)} reveals follow from the seed")


def _first_difference(recorded: Game, dealt: Game) -> str | None:
    """Play the recorded moves with the cards of the seed, as far as they are legal, and return the first difference."""
    refusal = None
    for move in recorded.moves:
        try:
            dealt.play(move)
        except CabochonError as error:
            refusal = f"with the cards of the seed, {error}"
            break
    for expected, event in zip(dealt.events, recorded.events, strict=False):
        if expected != event:
            where = f"round {event.round}, seat {event.seat + 1}" if event.round else "the deal"
            return f"{where}: the seed gives {expected.what}, the record says {event.what}"
    return refusal
