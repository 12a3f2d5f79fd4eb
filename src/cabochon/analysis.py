"""Analyse games with a bot: what each decision was worth, and which move would have been better.

A decision is judged only by what its seat knew, not by hidden cards. So the right move can lose a game, and a mistake
can win it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cabochon.bots.protocol import Analysis, Bot, BotError, Limit, answer_of, close, start
from cabochon.bots.specs import BotSpec, parse_spec
from cabochon.core.cards import CARDS, VARIANTS
from cabochon.core.components import COMPONENTS
from cabochon.core.hidden_cards import determinize
from cabochon.core.random import STREAM_DTYPE, STREAM_WORDS, seed_stream
from cabochon.core.replay import replay, reveal_event
from cabochon.core.rules import legal_actions, outcome_values, random_reveal
from cabochon.core.state import ACTIONS, NOTHING, OVER, REVEAL, SEATS, Array, State, copy_state
from cabochon.errors import OptionsError
from cabochon.game import Game
from cabochon.notation import Move
from cabochon.position import Decision
from cabochon.record import Record
from cabochon.view import View, views_of

BOT = "champion"
LIMIT = Limit(nodes=800)  # if neither the bot's name nor the caller sets one
FUTURES = 8  # sampled for each of two moves, if chance decides what follows
ENOUGH = 0.25  # of the most visited move's visits, to trust the value of a move
PHASES = ("act", "return", "tile")


@dataclass(frozen=True)
class Judgement:
    """A bot's judgement of one decision.

    `number` counts all decisions of the game from 1, including those that are not judged. `win_probabilities` are the
    win probabilities of all seats before the move. `loss` is the win probability that the move `played` lost compared
    with the `best` move, from 0 to 1. `line` is the play that the bot expected, up to the next unknown card; it begins
    with the best move.
    """

    number: int
    round: int
    seat: int
    played: Move
    best: Move
    win_probabilities: tuple[float, ...]
    loss: float
    line: tuple[Move, ...]

    @property
    def win_probability(self) -> float:
        """The win probability of the seat that decided, before the move."""
        return self.win_probabilities[self.seat]

    def to_dict(self) -> dict[str, Any]:
        """Return the judgement as lists, strings and numbers, ready for JSON; seats count from 0."""
        return vars(self) | {
            "played": str(self.played),
            "best": str(self.best),
            "win_probabilities": list(self.win_probabilities),
            "line": [str(move) for move in self.line],
        }


def decisions(game: Game | Record | str) -> Iterator[Decision]:
    """Yield the decisions of a game or record that can be judged.

    This leaves out decisions with only one legal move, and payments: keeping the wilds is right in nearly every
    position, and the bots do not consider other payments.
    """
    if not isinstance(game, Game):
        game = Game.from_record(game)
    for decision in game.decisions():
        if decision.before.phase in PHASES and len(decision.before.legal_moves) > 1:
            yield decision


def analyse(
    game: Game | Record | str,
    bot: Bot | str = BOT,
    limit: Limit | None = None,
    seats: Iterable[int] | None = None,
    seed: int = 0,
) -> Iterator[Judgement]:
    """Judge the decisions of a game or record one by one; by default, those of all seats.

    `bot` is a bot that returns an analysis, or the name of one such as `champion:nodes=800`. With a node limit and one
    thread, equal seeds give equal judgements, whichever seats you choose. A bot with random errors, such as `novice`,
    gives equal judgements only for the same seats.

    Raises `OptionsError` if a seat does not exist, and `BotError` if the bot returns no analysis.

    >>> game = Game("splendor", seed=7)
    >>> for move in ("take wbg", "reserve 3.1"):
    ...     _ = game.play(move)
    >>> [judgement.number for judgement in analyse(game, "greedy", seats=[1])]
    [2]
    """
    if not isinstance(game, Game):
        game = Game.from_record(game)
    wanted = set(range(game.players) if seats is None else seats)
    if not wanted <= set(range(game.players)):
        raise OptionsError(f"expected seats from 0 to {game.players - 1}, got {sorted(wanted)}", "MAT-8")
    if not isinstance(bot, str):
        return _judgements(game, bot, limit or LIMIT, wanted, seed)
    spec = parse_spec(bot)
    if limit is None and spec.limit != Limit():
        limit = spec.limit
    return _judgements(game, spec, limit or LIMIT, wanted, seed)


def _judgements(game: Game, given: Bot | BotSpec, limit: Limit, seats: set[int], seed: int) -> Iterator[Judgement]:
    bot = given.make() if isinstance(given, BotSpec) else given
    try:
        start(bot, seed)
        for decision in decisions(game):
            if decision.seat in seats:
                yield judge(decision, bot, limit, seed)
    finally:
        if bot is not given:
            close(bot)


def judge(decision: Decision, bot: Bot, limit: Limit = LIMIT, seed: int = 0) -> Judgement:
    """Judge one decision with a bot that has been started.

    The bot analyses the seat's view. If it visited both its best move and the played move often enough (`ENOUGH`),
    their values are compared; errors there favour the bot's move, but only a little. A search seldom visits moves that
    it does not like, and their values are hardly more than first guesses. Then both moves are evaluated in the same
    way: the bot analyses the positions after each of them in up to `FUTURES` futures, sampled from what the seat knew
    (the same hidden cards for both moves), and the values are the means. Each move gets the whole limit.
    """
    view = decision.view
    best, analysis = _analysed(bot.choose(view, limit), view, bot)
    loss = 0.0
    if best != decision.move:
        enough = ENOUGH * max((candidate.visits for candidate in analysis.candidates), default=0)
        trusted = [candidate for candidate in analysis.candidates if candidate.visits >= enough]
        values = {candidate.move: candidate.values[view.seat] for candidate in trusted}
        if best not in values or decision.move not in values:
            values = {move: _value_after(decision, move, bot, limit, seed) for move in (best, decision.move)}
        loss = max(0.0, values[best] - values[decision.move])
    probabilities = analysis.win_probabilities
    return Judgement(decision.number, view.round, view.seat, decision.move, best, probabilities, loss, analysis.line)


def _analysed(answer: object, view: View, bot: Bot) -> tuple[Move, Analysis]:
    checked = answer_of(answer, view)
    if checked.analysis is None:
        got = f"{type(bot).__name__}, which returns only a move"
        raise BotError(f"expected a bot that returns an analysis, such as {BOT!r}; got {got}")
    return checked.move, checked.analysis


def _value_after(decision: Decision, move: Move, bot: Bot, limit: Limit, seed: int) -> float:
    view = decision.view
    hides_cards = any(held.card is None for seat in view.seats for held in seat.reserved)
    stream = np.zeros(STREAM_WORDS, dtype=STREAM_DTYPE)
    values: list[float] = []
    futures = FUTURES
    while len(values) < futures:
        seed_stream(stream, seed, decision.number * FUTURES + len(values))
        after, has_chance = _sampled_future(view, move, stream)
        if not hides_cards and not has_chance:
            futures = 1
        values.append(_win_probability(after, view.seat, bot, _part(limit, futures)))
    return sum(values) / futures


def _part(limit: Limit, parts: int) -> Limit:
    return Limit(
        None if limit.seconds is None else limit.seconds / parts,
        None if limit.nodes is None else max(1, limit.nodes // parts),
    )


def _sampled_future(view: View, move: Move, stream: Array) -> tuple[View, bool]:
    """Return a position that the move may lead to, as the seat that decides next sees it, with all cards open.

    The second value is whether a card was revealed.
    """
    components = COMPONENTS[VARIANTS.index(view.variant)]
    state = copy_state(view.state)
    state.automatic_payment = 1
    determinize(state, stream)
    owners = np.full(CARDS, NOTHING, dtype=np.int8)
    for seat in view.seats:
        for card in seat.cards:
            owners[card.number - 1] = seat.seat
    scratch, turns = np.zeros(ACTIONS, dtype=np.int8), np.zeros((1, 2), dtype=np.int64)
    has_chance = False
    event = move.action
    while replay(state, components, np.array([event]), turns, owners, scratch) and state.phase == REVEAL:
        has_chance = True
        event = reveal_event(int(state.pending), random_reveal(state, components, stream))
    return _open_view(state, owners, tuple(seat.name for seat in view.seats)), has_chance


def _open_view(state: State, owners: Array, names: tuple[str, ...]) -> View:
    """Return the view of the seat that decides, including the hands of the others."""
    variant = VARIANTS[state.variant]
    actions = np.zeros(ACTIONS, dtype=np.int8)
    count = legal_actions(state, COMPONENTS[state.variant], actions)
    moves = tuple(Move(int(action), variant) for action in actions[:count])
    views = views_of(state, dict.fromkeys(range(int(state.players)), moves), names, owners, commitment=None)
    seats = tuple(view.seats[seat] for seat, view in enumerate(views))
    return replace(views[int(state.seat)], seats=seats, state=state)


def _win_probability(view: View, seat: int, bot: Bot, limit: Limit) -> float:
    """Return a seat's win probability in a position, which may be the end of the game."""
    if view.state.phase == OVER:
        values = np.zeros(SEATS)
        outcome_values(view.state, COMPONENTS[view.state.variant], values)
        return float(values[seat])
    return _analysed(bot.choose(view, limit), view, bot)[1].win_probabilities[seat]
