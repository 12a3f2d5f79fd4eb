"""Judgements of the decisions of a game."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import pytest

from cabochon import Decision, Game, Move, Options, OptionsError, View
from cabochon.analysis import FUTURES, analyse, decisions, judge
from cabochon.bots.players import ChampionBot, GreedyBot
from cabochon.bots.protocol import Analysis, Answer, BotError, Candidate, Limit
from tests.playing import random_game

FEW = Limit(nodes=16)


@pytest.fixture(scope="module")
def champion() -> ChampionBot:
    bot = ChampionBot()
    bot.start(0)
    return bot


def greedy_game(seed: int) -> Game:
    game, bot = Game("splendor", seed=seed), GreedyBot()
    while not game.is_over:
        game.play(bot.choose(game.view(game.seat), Limit()).move)
    return game


def first_decision(move: str) -> Decision:
    game = Game("splendor", seed=3)
    game.play(move)
    return next(game.decisions())


class Opinion:
    """Likes one move, has looked at the others so often, and thinks the same of every later position."""

    def __init__(self, best: str, visits: int) -> None:
        self.best, self.visits, self.seen = best, visits, list[tuple[View, Limit]]()

    def choose(self, view: View, limit: Limit) -> Answer:
        self.seen.append((view, limit))
        move = next((move for move in view.legal_moves if str(move) == self.best), view.legal_moves[0])
        others = [Candidate(other, self.visits, (0.3, 0.7)) for other in view.legal_moves if other != move]
        return Answer(move, Analysis((0.5, 0.5), (Candidate(move, 100, (0.6, 0.4)), *others), (move,), 100, 0.0))


def test_decisions_without_a_choice_and_payments_are_not_judged() -> None:
    game = random_game(Options("marvel", 3), 5)
    again = Game("marvel", 3, seed=5)
    expected = []
    for number, move in enumerate(game.moves, start=1):
        if again.phase != "pay" and len(again.legal_moves) > 1:
            expected.append((number, again.round, again.seat, again.legal_moves, move))
        again.play(move)
    found = [(d.number, d.view.round, d.view.viewer, list(d.view.legal_moves), d.move) for d in decisions(game)]
    assert found == expected
    assert len(found) < len(game.moves)


def test_a_seed_and_a_limit_make_the_judgements() -> None:
    game = random_game(Options("splendor", 3), 4, 18)
    all_seats = list(analyse(game, "champion:nodes=16", seed=7))
    assert [judgement.number for judgement in all_seats] == list(range(1, 19))
    assert any(judgement.loss > 0 for judgement in all_seats)
    again = analyse(game.record(), "champion", FEW, seats=[1], seed=7)
    assert list(again) == [judgement for judgement in all_seats if judgement.seat == 1]
    for judgement in all_seats:
        assert sum(judgement.win_probabilities) == pytest.approx(1)
        assert judgement.win_probability == judgement.win_probabilities[judgement.seat]
        assert 0 <= judgement.loss <= 1
        assert judgement.loss == 0 or judgement.played != judgement.best
        assert judgement.line[:1] == (judgement.best,)


def after_a_blind_reserve(place: int) -> Game:
    """The first seat draws one of the possible cards unseen, and then each takes tokens."""
    game = Game.by_hand("splendor")
    game.play_texts(Game("splendor", seed=3).texts)
    game.play("reserve 2")
    game.reveal(game.legal_reveals[place])
    for move in ("take rr", "take wbg", "take kk", "take wbg"):
        game.play(move)
    return game


def test_nobody_is_judged_by_cards_that_it_could_not_know() -> None:
    one, other = after_a_blind_reserve(0), after_a_blind_reserve(8)
    judgements = list(analyse(one, "champion", FEW, seats=[1]))
    assert judgements == list(analyse(other, "champion", FEW, seats=[1]))
    assert any(judgement.loss > 0 for judgement in judgements)
    assert list(analyse(one, "champion", FEW, seats=[0])) != list(analyse(other, "champion", FEW, seats=[0]))


def test_later_positions_have_cards_that_the_seat_could_expect() -> None:
    game = after_a_blind_reserve(8)
    decision = next(decision for decision in decisions(game) if decision.number == 4)
    opinion = Opinion("reserve 2.1", visits=1)
    judge(decision, opinion, Limit(nodes=10 * FUTURES))
    _, *after = opinion.seen
    assert [limit for _, limit in after] == [Limit(nodes=10)] * 2 * FUTURES
    drawn = [view.seats[0].reserved[0].card for view, _ in after]
    assert None not in drawn
    assert drawn[:FUTURES] == drawn[FUTURES:], "the same hidden cards for both moves"
    assert len(set(drawn)) > 1
    came_up = {view.market[1][0] for view, _ in after[:FUTURES]}
    assert len(came_up) > 1
    for view, _ in after:
        mine, own = decision.view.seats[1], view.seats[1]
        assert own.cards == mine.cards
        assert len(own.reserved) + sum(own.tokens.values()) > len(mine.reserved) + sum(mine.tokens.values())
        assert view.seat == 0
        assert view.legal_moves


def test_where_nothing_is_hidden_one_future_has_the_whole_limit() -> None:
    decision = first_decision("take wbg")
    opinion = Opinion("take wbr", visits=1)
    assert judge(decision, opinion, Limit(nodes=80)).loss == 0
    assert [limit for _, limit in opinion.seen] == [Limit(nodes=80)] * 3


def test_a_move_that_was_looked_at_often_is_compared_at_once() -> None:
    decision = first_decision("take wbg")
    opinion = Opinion("take wbr", visits=25)
    assert judge(decision, opinion).loss == pytest.approx(0.3)
    assert len(opinion.seen) == 1
    assert judge(replace(decision, move=Move.from_text("take wbr", "splendor")), opinion).loss == 0


@pytest.mark.parametrize(("visits", "asked"), [(24, 3), (25, 1), (400, 1), (401, 3)])
def test_neither_move_is_compared_by_a_first_guess(visits: int, asked: int) -> None:
    decision = first_decision("take wbg")
    opinion = Opinion("take wbr", visits)  # the best move has 100
    judge(decision, opinion)
    assert len(opinion.seen) == asked


def test_to_miss_a_victory_is_a_great_loss(champion: ChampionBot) -> None:
    games = (greedy_game(seed) for seed in range(99))
    game = next(g for g in games if g.outcome and g.outcome.winners == (1,) and g.outcome.points[0] >= 15)
    *_, last = (decision for decision in decisions(game) if decision.view.phase == "act")
    won = judge(last, champion, FEW)
    assert (won.played, won.loss) == (won.best, 0)
    idle = next(move for move in last.view.legal_moves if move.kind in ("take", "reserve"))
    missed = judge(replace(last, move=idle), champion, FEW)
    assert (missed.best, missed.loss) == (won.best, 1)


def test_payments_and_house_rules_that_the_bot_does_not_know_are_no_hindrance(champion: ChampionBot) -> None:
    game = random_game(Options("marvel", 2, free_take=True), 6, 30)
    assert any(move.kind == "take" and len(move.colours) == 1 for move in game.moves)
    for decision in islice(decisions(game), 20):
        judge(decision, champion, Limit(nodes=8))


def test_a_bot_that_says_nothing_is_refused() -> None:
    with pytest.raises(BotError, match=r"expected a bot that returns an analysis.*got RandomBot, which returns only"):
        list(analyse(random_game(Options(), 1, 4), "random"))


def test_only_seats_of_the_game_can_be_asked_for() -> None:
    with pytest.raises(OptionsError, match=r"expected seats from 0 to 1, got \[2\]"):
        analyse(random_game(Options(), 1, 4), "greedy", seats=[2])


def test_a_judgement_is_ready_for_json() -> None:
    judgement = Opinion("take wbr", visits=25)
    told = judge(first_decision("take wbg"), judgement).to_dict()
    assert told.pop("loss") == pytest.approx(0.3)
    assert told == {
        "number": 1,
        "round": 1,
        "seat": 0,
        "played": "take wbg",
        "best": "take wbr",
        "win_probabilities": [0.5, 0.5],
        "line": ["take wbr"],
    }
