"""The log of a game in words, turn by turn, as far as the reader may know it."""

from __future__ import annotations

from dataclasses import dataclass, field

from cabochon.cli.board import card_name, colour_name
from cabochon.core.cards import Card
from cabochon.game import Game
from cabochon.language import say
from cabochon.notation import Move
from cabochon.position import Decision, Position
from cabochon.steps import Step

Clause = tuple[str, dict[str, str | int]]  # one thing that a seat did: the kind of message, and its values


@dataclass
class Turn:
    """One turn of a seat: what everybody saw, and the card that the seat drew unseen (RSV-9)."""

    round: int
    seat: int
    clauses: list[Clause] = field(default_factory=list)
    drawn: Card | None = None

    def sentence(self, name: str | None, variant: str, knows_drawn: bool) -> str:
        """The turn in one line; without a name it addresses the player whose turn it was.

        It contains a card drawn unseen only if the reader may know it.
        """
        clauses = list(self.clauses)
        if self.drawn is not None and knows_drawn:
            clauses.append(("draw", {"card": card_name(self.drawn, variant)}))
        person = "name" if name else "you"
        text = "; ".join(say(f"log.{person}.{kind}", **values) for kind, values in clauses)
        return f"{name or say('play.you')}: {text}"


class MoveLog:
    """The turns of a game so far. It grows with the game, and starts again when a move is undone."""

    def __init__(self) -> None:
        self._moves: tuple[Move, ...] = ()
        self._turns: list[Turn] = []

    def turns(self, game: Game) -> list[Turn]:
        """Every turn of the game, including the current one."""
        moves = game.moves
        if moves[: len(self._moves)] != self._moves:
            self._moves, self._turns = (), []
        for decision in game.decisions(since=len(self._moves)):
            self._add(decision)
        self._moves = moves
        return list(self._turns)

    def _add(self, decision: Decision) -> None:
        turn = (decision.round, decision.seat)
        if not self._turns or (self._turns[-1].round, self._turns[-1].seat) != turn:
            self._turns.append(Turn(*turn))
        step = decision.step(None)
        self._turns[-1].clauses += _clauses(step, decision.after)
        if step.is_blind:
            self._turns[-1].drawn = decision.step(decision.seat).card


def _clauses(step: Step, after: Position) -> list[Clause]:
    """A decision, and what followed from it without a decision."""
    variant = after.variant
    clauses = _own_clauses(step, variant)
    if step.is_card_bought and step.card:
        clauses.append((f"buy.{variant}", {"card": card_name(step.card, variant)}))
    if "time" in step.gained:
        clauses.append(("time", {}))
    if step.takes_avengers_tile:
        clauses.append(("avengers", {}))
    for tile in step.tiles:
        place = next(shown.place + 1 for shown in after.view(None).tiles if shown.tile == tile)
        clauses.append((f"tile.{variant}", {"tile": tile.name or place}))
    return clauses


def _own_clauses(step: Step, variant: str) -> list[Clause]:
    colours = ", ".join(colour_name(colour, variant) for colour in step.move.colours)
    match step.move.kind:
        case "take":
            return [("take", {"tokens": colours})]
        case "return" | "wild" as kind:
            return [(kind, {"token": colours})]
        case "pass":
            return [("pass", {})]
        case "reserve" if step.card is not None and not step.is_blind:
            return [("reserve", {"card": card_name(step.card, variant), "place": step.place or ""})]
        case "reserve":
            return [("blind", {"level": step.level or 0})]
    return []
