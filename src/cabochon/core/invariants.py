"""Invariants: what must hold in every state, checked while random games are played."""

from __future__ import annotations

from cabochon.core.cards import CARDS, COLOURS, LEVELS
from cabochon.core.compilation import jit
from cabochon.core.components import LEVEL_SIZES, LEVEL_STARTS, Components
from cabochon.core.hidden_cards import level_of
from cabochon.core.playout import random_step
from cabochon.core.random import seed_stream
from cabochon.core.rules import (
    AVENGERS_POINTS,
    FIRST_TAGS,
    begin,
    has_won,
    held_tokens,
    legal_actions,
    place_of,
    qualifies,
    tiles_in_play,
)
from cabochon.core.state import (
    ACT,
    ACTIONS,
    HAND,
    MARKET,
    NOTHING,
    OVER,
    PASS,
    PLACES,
    REVEAL,
    SEATS,
    TILE_PLACES,
    TIME,
    TOKEN_LIMIT,
    TOKENS,
    WILD,
    IntArray,
    State,
)

INVARIANTS = (
    "",  # 0: nothing is broken
    "tokens are neither lost nor made (MAT-1, MAT-3, MAT-7)",
    "every card is in exactly one place (CRD-4, RSV-5)",
    "bonuses, points and tags are those of the owned cards and tiles (CRD-1, CRD-2)",
    "at most 10 tokens outside one's own turn (LIM-1)",
    "at most one green token each, and only with a level 3 card (TIM-2, TIM-3)",
    "the Avengers tile lies with a seat of 3 or more tags that nobody beats (AVG-2, AVG-3)",
    "a place is empty only when its deck is (CRD-4)",
    "tiles stay or have one owner; both faces of one never appear (SET-3, SET-4)",
    "legal actions are ascending, distinct, in range and never none (TRN-1)",
    "a pass is legal only alone (TRN-9)",
    "a game that is over has an ending; a winner has the first place (END-B2, END-M3, STL-1)",
    "a hand has no gaps, and its blind cards are cards (RSV-4)",
)


@jit
def _count_places(state: State, card: int) -> int:
    """Return in how many places the card is: unseen, face up, or in a hand."""
    level = level_of(card)
    places = (int(state.deck[level]) >> (card - int(LEVEL_STARTS[level]))) & 1
    for place in range(MARKET):
        places += int(state.market[place] == card)
    for seat in range(SEATS):
        for place in range(HAND):
            places += int(state.hand[seat, place] == card)
    return places


@jit
def _record_owners(state: State, owners: IntArray, buyer: int) -> None:
    """Give each card that has left the table and the hands to the seat that just moved."""
    for card in range(CARDS):
        if owners[card] == NOTHING and _count_places(state, card) == 0:
            owners[card] = buyer


@jit
def _check_cards(state: State, owners: IntArray) -> bool:
    for card in range(CARDS):
        if _count_places(state, card) + int(owners[card] != NOTHING) != 1:
            return False
    for level in range(LEVELS):
        if int(state.deck[level]) >> int(LEVEL_SIZES[level]) != 0:
            return False
    return True


@jit
def _check_owned(state: State, components: Components, owners: IntArray, seat: int) -> bool:
    points = tags = cards = 0
    for card in range(CARDS):
        if owners[card] == seat:
            cards += 1
            points += int(components.points[card])
            tags += int(components.tags[card])
    for colour in range(COLOURS):
        bonuses = 0
        for card in range(CARDS):
            bonuses += int(owners[card] == seat and components.bonus[card] == colour)
        if bonuses != state.bonuses[seat, colour]:
            return False
    for place in range(TILE_PLACES):
        if state.tile_owner[place] == seat:
            points += int(components.tile_points[state.tiles[place]])
            for colour in range(COLOURS):
                if state.bonuses[seat, colour] < components.tile_needs[state.tiles[place], colour]:
                    return False
    if state.avengers == seat:
        points += AVENGERS_POINTS
    return points == int(state.points[seat]) and tags == int(state.tags[seat]) and cards == int(state.cards[seat])


@jit
def _has_top_card(owners: IntArray, seat: int) -> bool:
    for card in range(int(LEVEL_STARTS[LEVELS - 1]), CARDS):
        if owners[card] == seat:
            return True
    return False


@jit
def find_broken_invariant(state: State, components: Components, owners: IntArray, actions: IntArray) -> int:
    """Return the index into INVARIANTS of the first one that a state after the deal breaks, or 0.

    `owners` [CARDS] holds the seat that bought each card; `actions` [ACTIONS] is scratch.
    """
    players = int(state.players)
    for token in range(TOKENS):
        total = int(state.supply[token])
        for seat in range(SEATS):
            total += int(state.tokens[seat, token])
            if state.tokens[seat, token] < 0 or (seat >= players and state.tokens[seat, token] != 0):
                return 1
        expected = 7 if players == 4 else players + 2
        if token == WILD:
            expected = 5
        if token == TIME:
            expected = players if components.has_gauntlet else 0
        if total != expected or state.supply[token] < 0:
            return 1
    if not _check_cards(state, owners):
        return 2
    best_tags = 0
    for seat in range(players):
        if not _check_owned(state, components, owners, seat):
            return 3
        is_turn = state.phase != OVER and seat == state.seat
        if held_tokens(state, seat) > TOKEN_LIMIT and not (is_turn and state.phase != ACT):
            return 4
        if state.tokens[seat, TIME] != int(components.has_gauntlet != 0 and _has_top_card(owners, seat)):
            return 5
        best_tags = max(best_tags, int(state.tags[seat]))
        for place in range(HAND):
            card = int(state.hand[seat, place])
            if card < NOTHING or (card == NOTHING and state.blind[seat, place] != 0):
                return 12
            if place > 0 and card >= 0 and state.hand[seat, place - 1] < 0:
                return 12
    if state.avengers == NOTHING:
        if best_tags >= FIRST_TAGS:
            return 6
    elif state.tags[state.avengers] < FIRST_TAGS or state.tags[state.avengers] < best_tags:
        return 6
    for place in range(MARKET):
        if state.market[place] == NOTHING and state.deck[place // PLACES] != 0 and state.pending != place:
            return 7
    faces = 0
    for place in range(TILE_PLACES):
        tile = int(state.tiles[place])
        if (tile != NOTHING) != (place < tiles_in_play(state, components)):
            return 8
        if tile == NOTHING:
            if state.tile_owner[place] != NOTHING:
                return 8
        elif faces & int(components.tile_faces[tile]) != 0:
            return 8
        else:
            faces |= int(components.tile_faces[tile])
    count = legal_actions(state, components, actions)
    if (count == 0) != (state.phase == REVEAL or state.phase == OVER):
        return 9
    for index in range(count):
        if not 0 <= actions[index] < ACTIONS or (index > 0 and actions[index] <= actions[index - 1]):
            return 9
        if actions[index] == PASS and count > 1:
            return 10
    if (state.ending != 0) != (state.phase == OVER):
        return 11
    for seat in range(players):
        is_first = state.phase == OVER and place_of(state, components, seat) == 1
        may_win = is_first and (not components.has_gauntlet or qualifies(state, components, seat))
        if has_won(state, components, seat) and not may_win:
            return 11
    return 0


@jit
def check_games(
    state: State,
    components: Components,
    actions: IntArray,
    stream: IntArray,
    owners: IntArray,
    players: int,
    free_take: int,
    automatic_payment: int,
    seed: int,
    first: int,
    games: int,
    tally: IntArray,
) -> int:
    """Play random games and check every state; return the index of the broken invariant, or 0.

    If one is broken, `state` is left as it was. `tally` [4] counts the actions, and the games by their ending from 1.
    """
    for game in range(first, first + games):
        seed_stream(stream, seed, game)
        begin(state, components, players, free_take, automatic_payment)
        for card in range(CARDS):
            owners[card] = NOTHING
        while state.phase != OVER:
            mover = int(state.seat)
            tally[0] += random_step(state, components, actions, stream)
            _record_owners(state, owners, mover)
            broken = find_broken_invariant(state, components, owners, actions) if state.round_number > 0 else 0
            if broken != 0:
                return broken
        tally[state.ending] += 1
    return 0
