"""The observation, against an encoding of the view that shares no code with it."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import pytest

from cabochon import Card, Game, Options, View
from cabochon.core.cards import CARD_LIST, COLOUR_NAMES, VARIANTS
from cabochon.core.components import COMPONENTS
from cabochon.core.observation import (
    OBSERVATION_VERSION,
    Observation,
    observation_highs,
    observation_scales,
    observation_size,
    observe,
    parts_of,
)
from cabochon.core.random import STREAM_DTYPE, STREAM_WORDS, seed_stream
from cabochon.core.rules import legal_actions, play_action, qualifies
from cabochon.core.state import ACT, ACTIONS, BUY, TILE, Array, State, copy_state
from cabochon.envs import Batch
from cabochon.view import SeatView
from tests.playing import SETTINGS, RandomMover

SOURCES = [f"{level}.{place}" for level in (1, 2, 3) for place in (1, 2, 3, 4)] + ["h1", "h2", "h3"]


def observed(state: State, seat: int) -> Array:
    row = Observation(np.full(observation_size(state.players), -1, dtype=np.int8))
    observe(state, COMPONENTS[state.variant], seat, row)
    return row


def part(row: Array, players: int, name: str) -> Any:
    """One named part of a row, as lists."""
    found = next(part for part in parts_of(players) if part.name == name)
    return row[found.start : found.start + found.size].reshape(found.shape).tolist()


def price_of(card: Card, seat: SeatView) -> list[int]:
    return [max(0, cost - have) for cost, have in zip(card.cost, seat.bonuses.values(), strict=True)]


def missing_of(card: Card, seat: SeatView) -> list[int]:
    tokens = list(seat.tokens.values())
    return [max(0, price - have) for price, have in zip(price_of(card, seat), tokens, strict=False)]


def expected_parts(view: View) -> dict[str, Any]:
    """Every part that can be read straight off the view."""
    colours = COLOUR_NAMES[VARIANTS.index(view.variant)]
    order = [view.seats[(view.viewer + n) % view.players] for n in range(view.players)]  # type: ignore[operator]
    me = order[0]
    seen = {card.number for row in view.market for card in row if card}
    seen |= {card.number for seat in view.seats for card in seat.cards}
    seen |= {held.card.number for seat in view.seats for held in seat.reserved if held.card}
    on_table = {tile.place: tile.tile for tile in view.tiles if tile.owner is None}
    own = [card for row in view.market for card in row]
    own += [me.reserved[n].card if n < len(me.reserved) else None for n in range(3)]
    wild = 5
    parts: dict[str, Any] = {
        "phase": [int(view.phase == phase) for phase in ("act", "pay", "return", "tile")],
        "own_seat": [int(seat == view.viewer) for seat in range(4)],
        "round": [view.round],
        "idle_turns": [view.turn.idle_turns],
        "passes": [view.turn.passes],
        "free_take": [int(view.free_take)],
        "automatic_payment": [int(view.payment == "automatic")],
        "supply": [*view.supply.values(), 0][:7],
        "full_piles": [int(count >= 4) for count in list(view.supply.values())[:5]],
        "deck": list(view.decks),
        "unseen": [
            [
                sum(
                    card.level == level and card.bonus == colour and card.number not in seen
                    for card in CARD_LIST[VARIANTS.index(view.variant)]
                )
                for colour in colours
            ]
            for level in (1, 2, 3)
        ],
        "wilds_chosen": [view.turn.wilds.get(colour, 0) for colour in colours],
        "tiles": [int(place in on_table) for place in range(5)],
        "tile_needs": [list(on_table[n].needs) if n in on_table else [0] * 5 for n in range(5)],
        "tile_missing": [
            [max(0, need - have) for need, have in zip(on_table[n].needs, me.bonuses.values(), strict=True)]
            if n in on_table
            else [0] * 5
            for n in range(5)
        ],
        "card_points": [card.points if card else 0 for card in own],
        "card_tags": [card.tags if card else 0 for card in own],
        "card_bonus": [[int(card is not None and card.bonus == colour) for colour in colours] for card in own],
        "card_cost": [list(card.cost) if card else [0] * 5 for card in own],
        "card_price": [price_of(card, me) if card else [0] * 5 for card in own],
        "card_missing": [missing_of(card, me) if card else [0] * 5 for card in own],
        "card_short": [
            max(0, sum(missing_of(card, me)) - list(me.tokens.values())[wild]) if card else 0 for card in own
        ],
        "card_affordable": [
            int(card is not None and sum(missing_of(card, me)) <= list(me.tokens.values())[wild]) for card in own
        ],
        "card_bought": [
            int(view.turn.buying == source and (n < 12 or view.seat == view.viewer)) for n, source in enumerate(SOURCES)
        ],
        "hand_level": [
            [int(n < len(me.reserved) and me.reserved[n].level == level) for level in (1, 2, 3)] for n in range(3)
        ],
        "hand_blind": [int(n < len(me.reserved) and me.reserved[n].is_blind) for n in range(3)],
    }
    for n, seat in enumerate(order):
        name = f"next{n}_" if n else "own_"
        owner = next((other for other in view.seats if other.has_avengers_tile), None)
        needed = owner.tags + 1 if owner else 3
        parts |= {
            name + "tokens": [*seat.tokens.values(), 0][:7],
            name + "bonuses": list(seat.bonuses.values()),
            name + "points": [seat.points],
            name + "tags": [seat.tags],
            name + "tags_missing": [0 if owner is seat or view.variant == "splendor" else needed - seat.tags],
            name + "avengers": [int(seat.has_avengers_tile)],
            name + "colours_missing": [list(seat.bonuses.values()).count(0)],
            name + "qualifies": [int(seat.qualifies)],
            name + "decides": [int(seat.seat == view.seat)],
            name + "turn_to_come": [int(seat.seat >= view.seat)],
        }
        if n:
            cards = own[:12] + [seat.reserved[n].card if n < len(seat.reserved) else None for n in range(3)]
            hand = cards[12:]
            wilds = list(seat.tokens.values())[wild]
            parts |= {
                name + "tile_missing": [
                    sum(max(0, need - have) for need, have in zip(tile.needs, seat.bonuses.values(), strict=True))
                    if (tile := on_table.get(place))
                    else 0
                    for place in range(5)
                ],
                name + "card_price": [sum(price_of(card, seat)) if card else 0 for card in cards],
                name + "card_short": [max(0, sum(missing_of(card, seat)) - wilds) if card else 0 for card in cards],
                name + "card_affordable": [
                    int(card is not None and sum(missing_of(card, seat)) <= wilds) for card in cards
                ],
                name + "hand_level": [
                    [int(n < len(seat.reserved) and seat.reserved[n].level == level) for level in (1, 2, 3)]
                    for n in range(3)
                ],
                name + "hand_points": [card.points if card else 0 for card in hand],
                name + "hand_tags": [card.tags if card else 0 for card in hand],
                name + "hand_bonus": [
                    [int(card is not None and card.bonus == colour) for colour in colours] for card in hand
                ],
                name + "hand_cost": [list(card.cost) if card else [0] * 5 for card in hand],
                name + "hand_bought": [
                    int(view.turn.buying == source and view.seat == seat.seat) for source in SOURCES[12:]
                ],
            }
    return parts


@pytest.mark.parametrize(("variant", "players"), SETTINGS)
def test_it_is_the_view_in_numbers(variant: str, players: int) -> None:
    options = Options(variant, players, free_take=players == 3, payment="automatic" if players == 4 else "choice")
    highs = observation_highs(players).astype(int)
    compared: set[str] = set()
    mover = RandomMover(3)
    for seed in range(2):
        game = Game(options, seed=seed)
        while not game.is_over:
            for seat in range(players) if game.phase != "act" or len(game.moves) % 4 == 0 else ():
                view = game.view(seat)
                row = observed(game.state, seat)
                assert row.tolist() == observed(view.state, seat).tolist(), "what is hidden must not show"
                assert (row >= 0).all()
                assert (row <= highs).all()
                for name, values in expected_parts(view).items():
                    assert part(row, players, name) == values, name
                    compared.add(name)
            mover.play(game, 1)
    predicted = {p.name for p in parts_of(players)} - compared
    assert {name.partition("_")[2] if name.startswith("next") else name for name in predicted} == {
        "card_gain",
        "card_qualifies",
    }


@pytest.mark.parametrize(("variant", "players"), SETTINGS)
def test_gain_and_qualifies_are_what_buying_brings(variant: str, players: int) -> None:
    """Every affordable card is bought, in a copy, by the observer and by a seat that is observed."""
    components = COMPONENTS[VARIANTS.index(variant)]
    stream = np.zeros(STREAM_WORDS, dtype=STREAM_DTYPE)
    seed_stream(stream, 5, 0)
    gains: set[int] = set()
    ends = 0
    mover = RandomMover(players)
    for seed in range(20):
        game = Game(variant, players, seed=seed, payment="automatic")
        while not game.is_over:
            state, buyer = game.state, game.seat
            if state.phase == ACT:
                other = (buyer + 1) % players
                own, others = observed(state, buyer), observed(state, other)
                for source in range(15):
                    if not part(own, players, "card_affordable")[source]:
                        continue
                    after = copy_state(state)
                    play_action(after, components, BUY + source, stream)
                    if after.phase == TILE:
                        actions = np.zeros(ACTIONS, dtype=np.int8)
                        legal_actions(after, components, actions)
                        play_action(after, components, int(actions[0]), stream)
                    gain = int(after.points[buyer]) - int(state.points[buyer])
                    gains.add(gain)
                    ends += int(qualifies(after, components, buyer))
                    assert part(own, players, "card_gain")[source] == gain
                    assert part(own, players, "card_qualifies")[source] == int(qualifies(after, components, buyer))
                    if source < 12 or not state.blind[buyer, source - 12]:
                        name = f"next{players - 1}_"
                        assert part(others, players, name + "card_gain")[source] == gain
                        assert part(others, players, name + "card_qualifies")[source] == qualifies(
                            after, components, buyer
                        )
            mover.play(game, 1)
    assert {0, 1, 3, 4} <= gains
    assert ends > 0


def test_parts_follow_one_another_and_fewer_players_are_a_beginning() -> None:
    for players in (2, 3, 4):
        parts = parts_of(players)
        assert [p.start + p.size for p in parts[:-1]] == [p.start for p in parts[1:]]
        assert len({p.name for p in parts}) == len(parts)
        assert observation_size(players) % 4 == 0, "the GPU copies words of four"
        assert len(observation_scales(players)) == len(observation_highs(players)) == observation_size(players)
    assert parts_of(4)[: len(parts_of(2))] == parts_of(2)


def test_the_rows_are_those_of_this_version() -> None:
    """Networks are trained on these very rows: if they change, so must OBSERVATION_VERSION, and then these hashes."""
    digests = {}
    for variant, players in SETTINGS:
        batch = Batch(variant, players, games=8, seed=1, dtype="int8")
        total = hashlib.sha256()
        for _ in range(80):
            total.update(batch.observe().tobytes())
            batch.step(batch.sample())
        digests[variant, players] = total.hexdigest()[:16]
    assert OBSERVATION_VERSION == 1
    assert digests == {
        ("splendor", 2): "e1d9eaa322b312c5",
        ("splendor", 3): "84496213ab794b3c",
        ("splendor", 4): "17c7348ae590e9a8",
        ("marvel", 2): "6116386553f83ce0",
        ("marvel", 3): "866816d719dfca37",
        ("marvel", 4): "b95f35611cf9bc3b",
    }
