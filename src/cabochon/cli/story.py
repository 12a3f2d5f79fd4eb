"""What happened in a game, turn by turn, in words, as far as the reader may know it."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

from cabochon.cli.board import card_name, colour_name
from cabochon.core.cards import CARD_LIST, Card, Tile
from cabochon.game import Event, Game
from cabochon.language import say
from cabochon.notation import Move, Reveal, variant_index
from cabochon.steps import Step, step_of
from cabochon.view import View


@dataclass(frozen=True)
class Clause:
    """One thing that a seat did, and what is named in telling it."""

    kind: str
    values: dict[str, str | int] = field(default_factory=dict)


@dataclass
class Turn:
    """One turn of a seat: what all saw, and what the seat drew unseen (RSV-9)."""

    round: int
    seat: int
    clauses: list[Clause] = field(default_factory=list)
    drawn: Card | None = None

    def sentence(self, name: str | None, variant: str, knows_drawn: bool) -> str:
        """The turn in one line, told to the player whose it was if there is no name.

        A card drawn unseen is in it only for one who may know it.
        """
        clauses = list(self.clauses)
        if self.drawn is not None and knows_drawn:
            clauses.append(Clause("draw", {"card": card_name(self.drawn, variant)}))
        person = "name" if name else "you"
        told = ", ".join(say(f"story.{person}.{clause.kind}", **clause.values) for clause in clauses)
        return f"{name or say('play.you')}: {told}"


class Story:
    """The turns of a game so far. It is kept up as the game goes on, and begun again when a move is undone."""

    def __init__(self, game: Game) -> None:
        self._begin(game)

    def _begin(self, game: Game) -> None:
        self._walk = Game.by_hand(game.options, names=game.names, date=game.date)
        self._told: tuple[Event, ...] = ()
        self._turns: list[Turn] = []

    def turns(self, game: Game) -> list[Turn]:
        """Every turn of the game, the one under way included."""
        events = game.events
        if events[: len(self._told)] != self._told:
            self._begin(game)
        begins = [n for n in range(len(self._told), len(events)) if isinstance(events[n].what, Move)]
        for begin, end in pairwise([*begins, len(events)]):
            for event in events[len(self._told) : begin]:  # the deal
                apply_event(self._walk, event)
            self._tell(events[begin:end])
            self._told = events[:end]
        return list(self._turns)

    def _tell(self, step: tuple[Event, ...]) -> None:
        """Add a decision and the reveals that follow it."""
        move, *reveals = [event.what for event in step]
        begun = (step[0].round, step[0].seat)
        if not self._turns or (self._turns[-1].round, self._turns[-1].seat) != begun:
            self._turns.append(Turn(*begun))
        before = self._walk.view(None)
        for event in step:
            apply_event(self._walk, event)
        if isinstance(move, Move):
            after = self._walk.view(None)
            self._turns[-1].clauses += _clauses(step_of(move, before, after), self._walk.variant, after)
        for reveal in reveals:
            if isinstance(reveal, Reveal) and reveal.where == "h":
                self._turns[-1].drawn = CARD_LIST[variant_index(self._walk.variant)][reveal.number - 1]


def apply_event(game: Game, event: Event) -> None:
    """Play the move or turn up the card of another game in one by hand."""
    if isinstance(event.what, Move):
        game.play(event.what)
    else:
        game.reveal(event.what)


def _clauses(step: Step, variant: str, after: View) -> list[Clause]:
    """A decision, and what came of it without a decision."""
    clauses = _own_clauses(step, variant)
    if step.is_card_bought and step.card:
        clauses.append(Clause(f"buy.{variant}", {"card": card_name(step.card, variant)}))
    if "time" in step.gained:
        clauses.append(Clause("time"))
    if step.takes_avengers_tile:
        clauses.append(Clause("avengers"))
    for tile in step.tiles:
        clauses.append(Clause(f"tile.{variant}", {"tile": tile.name or _place(tile, after)}))
    return clauses


def _place(tile: Tile, view: View) -> int:
    return next(shown.place + 1 for shown in view.tiles if shown.tile == tile)


def _own_clauses(step: Step, variant: str) -> list[Clause]:
    move = step.move
    colours = [colour_name(colour, variant) for colour in move.colours]
    if move.kind == "take":
        return [Clause("take", {"tokens": " ".join(colours)})]
    if move.kind == "return":
        return [Clause("return", {"token": colours[0]})]
    if move.kind == "wild":
        return [Clause("wild", {"token": colours[0]})]
    if move.kind == "pass":
        return [Clause("pass")]
    if move.kind == "reserve":
        if step.card is None or step.is_blind:
            return [Clause("blind", {"level": step.level or 0})]
        return [Clause("reserve", {"card": card_name(step.card, variant), "place": step.place or ""})]
    return []
