"""What a decision did, as one viewer may know it."""

from __future__ import annotations

from hypothesis import given, settings

from cabochon import Game, Move, Options, Reveal
from cabochon.steps import Step, step_of
from tests.playing import RandomMover, all_options, random_game, seeds
from tests.test_properties import shuffle_hidden


def steps_of(told: Game, viewer: int | None) -> list[tuple[Step, list[Reveal]]]:
    """Every step of a game as the viewer saw it, with the reveals that came of it."""
    game = Game(told.options, seed=told.seed)
    steps = []
    for move in told.moves:
        before, known = game.view(viewer), len(game.events)
        game.play(move)
        reveals = [event.what for event in game.events[known:] if isinstance(event.what, Reveal)]
        steps.append((step_of(move, before, game.view(viewer)), reveals))
    return steps


@settings(max_examples=30)
@given(all_options, seeds)
def test_steps_tell_what_the_record_tells(options: Options, seed: int) -> None:
    told = random_game(options, seed, 90)
    tokens: list[dict[str, int]] = [{} for _ in range(options.players)]
    bought: list[set[int]] = [set() for _ in range(options.players)]
    turned_up = 0
    for step, reveals in steps_of(told, None):
        for name, count in step.gained.items():
            tokens[step.seat][name] = tokens[step.seat].get(name, 0) + count
        for name, count in step.spent.items():
            tokens[step.seat][name] -= count
        if step.is_card_bought:
            assert step.card is not None
            bought[step.seat].add(step.card.number)
        if step.is_blind:
            assert [reveal.where for reveal in reveals] == ["h"]
            assert step.revealed is None
            assert step.card is None or told.is_over
        else:
            turned = [] if step.revealed is None else [(step.revealed[0], step.revealed[1].number)]
            assert turned == [(reveal.where, reveal.number) for reveal in reveals]
            turned_up += len(turned)
    view = told.view(None)
    for seat in view.seats:
        assert {name: count for name, count in tokens[seat.seat].items() if count} == {
            name: count for name, count in seat.tokens.items() if count
        }
        assert bought[seat.seat] == {card.number for card in seat.cards}
    dealt = 12 + len(view.tiles)
    assert dealt + turned_up <= len(told.events) - len(told.moves)


@settings(max_examples=30)
@given(all_options, seeds)
def test_a_step_is_over_with_its_turn(options: Options, seed: int) -> None:
    told = random_game(options, seed, 60)
    turns = [(event.round, event.seat) for event in told.events if isinstance(event.what, Move)]
    following = [*turns[1:], None if told.is_over else (told.round, told.seat)]
    for (step, _), turn, after in zip(steps_of(told, 0), turns, following, strict=True):
        assert (step.round, step.seat) == turn
        assert step.is_turn_over == (after != turn)


@settings(max_examples=50)
@given(all_options, seeds)
def test_a_step_does_not_depend_on_what_the_viewer_cannot_know(options: Options, seed: int) -> None:
    game = random_game(options, seed, 60)
    for viewer in (None, *range(options.players)):
        for move in game.legal_moves[:3] + game.legal_moves[-3:]:
            if game.seat == viewer or "h" in (move.place or ""):
                continue  # what is drawn, or bought out of the hand, differs with what was hidden
            other = game.copy()
            other._state = shuffle_hidden(game.state, viewer, RandomMover(seed))
            steps = []
            for table in (game.copy(), other):
                table.seed = None  # the card that comes next is chance, and no part of this
                before = table.view(viewer)
                steps.append(step_of(table.play(move), before, table.view(viewer)))
            assert steps[0] == steps[1]


def test_a_blind_reserve_is_known_to_its_owner_alone() -> None:
    game = Game("marvel", players=3, seed=7)
    before = [game.view(viewer) for viewer in (None, 0, 1)]
    move = game.play("reserve 2")
    public, own, other = (step_of(move, view, game.view(view.viewer)) for view in before)
    assert public.card is None
    assert other.card is None
    assert own.card is not None
    assert own.card.level == own.level == public.level == 2
    assert public.place == "2"
    assert public.gained == {"shield": 1}
    assert public.is_blind


def test_paying_by_choice_is_told_step_by_step() -> None:
    game = Game("splendor", seed=7)
    mover = RandomMover(5)
    while game.phase != "pay":
        assert not game.is_over
        mover.play(game, 1)
    place = game.view(None).turn.buying
    seen = []
    while game.phase == "pay":
        before = game.view(None)
        move = game.play(game.legal_moves[0])
        seen.append(step_of(move, before, game.view(None)))
    assert [step.place for step in seen] == [place] * len(seen)
    assert [step.is_card_bought for step in seen] == [False] * (len(seen) - 1) + [True]
    assert all(step.spent == {} for step in seen[:-1])
    assert sum(seen[-1].spent.values()) > 0
