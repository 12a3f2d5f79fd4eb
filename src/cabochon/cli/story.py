"""What happened in a game, turn by turn, in words, as far as the reader may know it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from cabochon.cli.table import card_name
from cabochon.core.cards import CARD_LIST, Card
from cabochon.game import Game
from cabochon.notation import Move, variant_index
from cabochon.view import View


@dataclass
class Turn:
    """One turn of a seat: what all saw, and what the seat drew unseen (RSV-9)."""

    round: int
    seat: int
    clauses: list[str] = field(default_factory=list)
    drawn: Card | None = None

    def sentence(self, name: str, variant: str, knows_drawn: bool) -> str:
        """The turn in one line; a card drawn unseen only for one who may know it."""
        clauses = list(self.clauses)
        if self.drawn is not None and knows_drawn:
            clauses.append(f"drew {card_name(self.drawn, variant)}")
        return f"{name}: {', '.join(clauses)}"


def steps(game: Game) -> Iterator[Game]:
    """The game after the deal and then after each decision and its reveals; each a game of its own."""
    walk = Game.by_hand(game.options, names=game.names, date=game.date)
    walk.commitment = game.commitment
    for event in game.events:
        if isinstance(event.what, Move):
            yield walk.copy()
            walk.play(event.what)
        else:
            walk.reveal(event.what)
    yield walk.copy()


def story(game: Game) -> list[Turn]:
    """Every turn so far, the one under way included."""
    turns: list[Turn] = []
    walk = steps(game)
    before = next(walk)
    seen = before.view(None)
    for move, after in zip(game.moves, walk, strict=True):
        if not turns or (turns[-1].round, turns[-1].seat) != (before.round, before.seat):
            turns.append(Turn(before.round, before.seat))
        then = after.view(None)
        turns[-1].clauses += _clauses(move, seen, then)
        turns[-1].drawn = _drawn_card(after) or turns[-1].drawn
        before, seen = after, then
    return turns


def _drawn_card(after: Game) -> Card | None:
    last = after.events[-1].what
    if isinstance(last, Move) or last.where != "h":
        return None
    return CARD_LIST[variant_index(after.variant)][last.number - 1]


def _clauses(move: Move, before: View, after: View) -> list[str]:
    """The move in words, and what came of it without a decision."""
    seat = before.seat
    clauses = _own_words(move, before)
    then, now = before.seats[seat], after.seats[seat]
    bought = set(now.cards) - set(then.cards)
    for card in bought:
        clauses.append(f"bought {card_name(card, before.variant)}")
    if now.tokens.get("time", 0) > then.tokens.get("time", 0):
        clauses.append("got the Time Stone")
    if now.has_avengers_tile and not then.has_avengers_tile:
        clauses.append("took the Avengers tile")
    for tile in now.tiles:
        if tile not in then.tiles:
            clauses.append(f"won {tile.name}" if tile.name else f"was visited by noble {_place(tile, after)}")
    return clauses


def _place(tile: object, view: View) -> int:
    return next(shown.place + 1 for shown in view.tiles if shown.tile == tile)


def _own_words(move: Move, before: View) -> list[str]:
    if move.kind == "take":
        return [f"took {' '.join(move.colours)}"]
    if move.kind == "return":
        return [f"returned {move.colours[0]}"]
    if move.kind == "wild":
        return [f"paid a wild for {move.colours[0]}"]
    if move.kind == "pass":
        return ["passed"]
    if move.kind == "reserve" and move.place:
        if "." not in move.place:
            return [f"reserved a card of level {move.place} unseen"]
        level, place = move.place.split(".")
        card = before.market[int(level) - 1][int(place) - 1]
        return [f"reserved {card_name(card, before.variant)} from {move.place}"] if card else []
    return []
