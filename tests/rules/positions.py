"""Positions to try a rule on, built card by card and token by token.

A position names what matters; everything else on the table is filled up with the cards of the lowest
numbers that are named nowhere. Whatever is built obeys the invariants of the core: tokens and cards are
where they could be in a real game.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from cabochon import Game, IllegalMoveError
from cabochon.core.cards import CARD_LIST, TILE_LIST, Card
from cabochon.core.components import LEVEL_STARTS
from cabochon.core.invariants import INVARIANTS, find_broken_invariant
from cabochon.core.rules import AVENGERS_POINTS
from cabochon.core.state import ACTIONS, MARKET, TIME, WILD
from cabochon.notation import COLOUR_LETTERS, TOKEN_NAMES, place_text, variant_index

CardName = int | str  # a number of the data files, or the name of a character


def card_of(game: Game, name: CardName) -> Card:
    """The card with this number, or with this name."""
    cards = CARD_LIST[variant_index(game.variant)]
    return next(card for card in cards if name in (card.number, card.name))


def position(
    variant: str = "splendor",
    players: int = 2,
    *,
    seat: int = 0,
    seed: int | None = 1,
    market: Mapping[str, CardName] | None = None,
    tiles: Sequence[CardName] = (),
    owned: Mapping[int, Sequence[CardName]] | None = None,
    tokens: Mapping[int, str] | None = None,
    reserved: Mapping[int, Sequence[CardName]] | None = None,
    blind: Mapping[int, Sequence[CardName]] | None = None,
    tile_owners: Mapping[int, int] | None = None,
    avengers: int | None = None,
    empty_deck: int | None = None,
    free_take: bool = False,
    payment: str = "choice",
) -> Game:
    """A game in the phase "act", with `seat` to move.

    By seat: `owned` cards, `tokens` in letters (`*` for a wild; the green one comes with a card of level
    3), `reserved` cards taken face up, then those drawn `blind`. `market` has cards by place, `tiles` those
    laid out, `tile_owners` the seat that has a tile by its place from 1, `avengers` the seat with that tile.
    The last seat has bought what `empty_deck`, a level, would still hold. Without a `seed` every further
    card is given by `game.reveal`.
    """
    game = Game.by_hand(variant, players, free_take=free_take, payment=payment)
    numbers_owned = {owner: [card_of(game, name).number for name in names] for owner, names in (owned or {}).items()}
    numbers_shown = {place: card_of(game, name).number for place, name in (market or {}).items()}
    hands = [
        (holder, card_of(game, name).number, is_blind)
        for held, is_blind in ((reserved or {}, False), (blind or {}, True))
        for holder, names in held.items()
        for name in names
    ]
    named = {number for numbers in numbers_owned.values() for number in numbers}
    named |= set(numbers_shown.values()) | {number for _, number, _ in hands}

    _deal(game, numbers_shown, tiles, named)
    if empty_deck is not None:
        shown = {int(card) + 1 for card in game.state.market}
        numbers_owned.setdefault(players - 1, []).extend(
            card.number
            for card in CARD_LIST[variant_index(variant)]
            if card.level == empty_deck and card.number not in named | shown
        )
    for owner, numbers in numbers_owned.items():
        for number in numbers:
            _give_card(game, owner, number)
    for holder, number, is_blind in hands:
        _put_in_hand(game, holder, number, is_blind)
    for holder, letters in (tokens or {}).items():
        for letter in letters:
            _give_token(game, holder, (COLOUR_LETTERS[variant_index(variant)] + "*").index(letter))
    for place, owner in (tile_owners or {}).items():
        game._state.tile_owner[place - 1] = owner
        game._state.points[owner] += TILE_LIST[variant_index(variant)][game._state.tiles[place - 1]].points
    if avengers is not None:
        game._state.avengers = avengers
        game._state.points[avengers] += AVENGERS_POINTS
    game._state.seat = seat

    scratch = np.zeros(ACTIONS, dtype=np.int8)
    broken = INVARIANTS[find_broken_invariant(game._state, game._components, game._owners, scratch)]
    assert not broken, f"the position could not come about: {broken}"
    if seed is not None:
        game.seed = seed.to_bytes(32, "big")
    return game


def _deal(game: Game, shown: Mapping[str, int], tiles: Sequence[CardName], named: set[int]) -> None:
    for place in map(place_text, range(MARKET)):
        free = [reveal.number for reveal in game.legal_reveals if reveal.number not in named]
        game.reveal(f"{place}={shown.get(place, free[0])}")
    all_tiles = TILE_LIST[variant_index(game.variant)]
    chosen = [next(tile.number for tile in all_tiles if name in (tile.number, tile.name)) for name in tiles]
    while game.phase == "reveal":
        where = game.legal_reveals[0].where
        place_number = int(where[1:])
        number = chosen[place_number - 1] if place_number <= len(chosen) else game.legal_reveals[0].number
        game.reveal(f"{where}={number}")


def _take_from_deck(game: Game, number: int) -> None:
    card = card_of(game, number)
    game._state.deck[card.level - 1] &= ~(1 << (number - 1 - LEVEL_STARTS[card.level - 1]))


def _give_card(game: Game, owner: int, number: int) -> None:
    state = game._state
    card = card_of(game, number)
    _take_from_deck(game, number)
    game._owners[number - 1] = owner
    state.bonuses[owner, TOKEN_NAMES[state.variant].index(card.bonus)] += 1
    state.points[owner] += card.points
    state.tags[owner] += card.tags
    state.cards[owner] += 1
    if game.variant == "marvel" and card.level == 3 and state.tokens[owner, TIME] == 0:
        _give_token(game, owner, TIME)


def _put_in_hand(game: Game, holder: int, number: int, is_blind: bool) -> None:
    state = game._state
    place = int((state.hand[holder] >= 0).sum())
    _take_from_deck(game, number)
    state.hand[holder, place] = number - 1
    state.blind[holder, place] = int(is_blind)


def _give_token(game: Game, holder: int, token: int) -> None:
    game._state.tokens[holder, token] += 1
    game._state.supply[token] -= 1


def take_something(game: Game) -> None:
    """A turn of little consequence: the first tokens that may be taken, and back to ten."""
    game.play(texts(game, "take")[0])
    while game.phase == "return":
        game.play(game.legal_moves[0])


def wild_name(game: Game) -> str:
    """Gold or S.H.I.E.L.D., as views call it."""
    return TOKEN_NAMES[variant_index(game.variant)][WILD]


def texts(game: Game, kind: str | None = None) -> list[str]:
    """The legal moves as text, all or those of one kind."""
    return [str(move) for move in game.legal_moves if kind in (None, move.kind)]


def tokens_of(game: Game, seat: int) -> dict[str, int]:
    """The tokens of a seat that are more than none."""
    return {name: count for name, count in game.view().seats[seat].tokens.items() if count}


def refused_rule(game: Game, move: str) -> str | None:
    """The rule by which the move is refused; nothing may have changed."""
    before = game.state.tobytes()
    with pytest.raises(IllegalMoveError) as refused:
        game.play(move)
    assert game.state.tobytes() == before
    return refused.value.rule
