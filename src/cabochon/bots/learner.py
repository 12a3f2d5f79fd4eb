"""The bot of the easier levels: the network's choice, with the errors of someone who is learning the game.

In each turn it notices only a part of the table, and the network sees only that part. It seldom considers reserving,
and it does not always find the best move. But it does not make moves that even a beginner would avoid (`blunders`).
"""

from __future__ import annotations

from functools import cache

import numpy as np

from cabochon.bots.players import PolicyBot
from cabochon.bots.protocol import BotError, Limit
from cabochon.core.cards import COLOURS
from cabochon.core.components import COMPONENTS
from cabochon.core.hidden_cards import legal_actions_in_view
from cabochon.core.random import STREAM_DTYPE, STREAM_WORDS
from cabochon.core.rules import held_tokens, place_of, play_action, qualifies
from cabochon.core.state import (
    ACT,
    ACTIONS,
    BUY,
    BUY_HAND,
    NOTHING,
    PASS,
    RESERVE,
    RESERVE_BLIND,
    TAKE,
    TAKE_TWO,
    TAKES,
    TILE,
    TOKEN_LIMIT,
    WILD,
    Array,
    State,
    copy_state,
)
from cabochon.game import Game
from cabochon.nn.network import Network

PLAUSIBLE = 0.01  # a move is drawn only if its probability is at least this share of the best one's of its kind

MOST_TURNS = 7  # no card costs more of one colour

# The moves that even a beginner would avoid.
MISSED_WIN = "does not buy a card that wins"
WORSE_CARD = "buys a card although a better one costs no more"
USELESS_CARD = "buys a useless card"
USELESS_TOKENS = "takes useless tokens"
FULL_HAND = "takes tokens with ten in hand instead of buying"
BLIND_RESERVE = "reserves a card unseen"
AFFORDABLE_RESERVE = "reserves a card that it can buy"
RESERVE_WITHOUT_WILD = "reserves without gaining a wild"
BLUNDERS = (
    MISSED_WIN,
    WORSE_CARD,
    USELESS_CARD,
    USELESS_TOKENS,
    FULL_HAND,
    BLIND_RESERVE,
    AFFORDABLE_RESERVE,
    RESERVE_WITHOUT_WILD,
)


def turns_of_three(missing: Array, wilds: int) -> Array:
    """Return how often to take three different tokens before each card is affordable, from the missing tokens.

    `missing` has a row for each card and a column for each colour; `wilds` replace any colour.
    """
    turns = np.arange(MOST_TURNS + 1)
    gained = np.minimum(np.minimum(missing[:, None, :], turns[:, None]).sum(axis=2), 3 * turns)  # [cards, turns]
    is_enough = gained >= missing.sum(axis=1, keepdims=True) - wilds
    first_enough: Array = is_enough.argmax(axis=1)
    return first_enough


def _prices(state: State, cards: list[int]) -> Array:
    """Return what the cards cost the seat to move after its bonuses, by colour: [cards, COLOURS]."""
    prices: Array = np.maximum(COMPONENTS[state.variant].cost[cards].astype(np.int64) - state.bonuses[state.seat], 0)
    return prices


def _leads_to_victory(state: State, action: int) -> bool:
    """Return whether the seat to move qualifies after the action and nobody is ahead of it."""
    components, seat = COMPONENTS[state.variant], int(state.seat)
    after = copy_state(state)
    after.automatic_payment = 1
    stream = np.ones(STREAM_WORDS, dtype=STREAM_DTYPE)  # which card is turned up does not matter
    play_action(after, components, action, stream)
    if after.phase == TILE:
        tiles = np.zeros(ACTIONS, np.int64)
        legal_actions_in_view(after, components, tiles)
        play_action(after, components, int(tiles[0]), stream)
    return bool(qualifies(after, components, seat)) and place_of(after, components, seat) == 1


def blunders(state: State) -> dict[int, str]:
    """Return the legal actions of the seat to move that even a beginner would avoid, each with the reason.

    A card is useful if it has points or tags, or if its bonus lowers the price of a card on the table or in hand, helps
    to get a tile, or is the first of its colour in Marvel. Tokens are useful if one of them is missing for a useful
    card that is at most two turns away, or for any useful card if none is that near.
    """
    if state.phase != ACT:
        return {}
    components, seat = COMPONENTS[state.variant], int(state.seat)
    legal = np.zeros(ACTIONS, np.int64)
    actions = [int(action) for action in legal[: legal_actions_in_view(state, components, legal)]]
    purchases = {
        action: int(state.market[action - BUY] if action < BUY_HAND else state.hand[seat, action - BUY_HAND])
        for action in actions
        if BUY <= action < RESERVE
    }
    wins = [action for action in purchases if _leads_to_victory(state, action)]
    if wins:
        return {action: MISSED_WIN for action in actions if action not in wins}

    bonuses, tokens = state.bonuses[seat], state.tokens[seat]
    points, tags, bonus = components.points, components.tags, components.bonus
    cards = [card for card in (*state.market.tolist(), *state.hand[seat].tolist()) if card >= 0]
    prices = _prices(state, cards)
    price_of = dict(zip(cards, prices, strict=True))
    tiles = state.tiles[(state.tiles != NOTHING) & (state.tile_owner == NOTHING)]
    wanted_bonuses = (prices > 0).any(axis=0) | (components.tile_needs[tiles] > bonuses).any(axis=0)
    if components.has_gauntlet:
        wanted_bonuses |= bonuses == 0

    def is_worse(card: int, other: int) -> bool:
        if bonus[other] != bonus[card]:
            return False
        advantages = points[other] - points[card], tags[other] - tags[card], *(price_of[card] - price_of[other])
        return bool(min(advantages) >= 0 and max(advantages) > 0)

    is_useful = (points[cards] > 0) | (tags[cards] > 0) | wanted_bonuses[bonus[cards]]
    missing = np.maximum(prices - tokens[:COLOURS], 0)
    turns = turns_of_three(missing, int(tokens[WILD]))
    is_near = is_useful & (turns >= 1) & (turns <= 2)
    wanted_tokens = (missing[is_near if is_near.any() else is_useful] > 0).any(axis=0)
    is_full = held_tokens(state, seat) >= TOKEN_LIMIT
    has_wilds = bool(state.supply[WILD] > 0)

    def reason(action: int) -> str | None:
        if action < BUY:
            colours = TAKES[action - TAKE] if action < TAKE_TWO else (action - TAKE_TWO,)
            if not any(wanted_tokens[colour] for colour in colours):
                return USELESS_TOKENS
            return FULL_HAND if is_full and purchases else None
        if action < RESERVE:
            card = purchases[action]
            # A better card in hand can wait: nobody else can buy it.
            if any(is_worse(card, other) for place, other in purchases.items() if place < BUY_HAND):
                return WORSE_CARD
            return None if is_useful[cards.index(card)] else USELESS_CARD
        if RESERVE_BLIND <= action < PASS:
            return BLIND_RESERVE
        if action < RESERVE_BLIND:
            if action - RESERVE + BUY in purchases:
                return AFFORDABLE_RESERVE
            return RESERVE_WITHOUT_WILD if is_full or not has_wilds else None
        return None

    return {action: why for action in actions if (why := reason(action)) is not None}


def kind_of(action: int) -> str:
    """Return what a turn is spent on: take, buy, reserve or pass."""
    if action < BUY:
        return "take"
    if action < RESERVE:
        return "buy"
    return "reserve" if action < PASS else "pass"


@cache
def _warm_up() -> None:
    """Choose a move in a first position, so that nothing is compiled while a clock runs."""
    view = Game("splendor", seed=0).view(0)
    LearnerBot().choose(view, Limit())
    _leads_to_victory(view.state, TAKE)


class LearnerBot(PolicyBot):
    """Plays the network's choice among the moves that it notices, without search.

    - `oversight`: the probability, for every turn that a card is away, that the bot overlooks a card it cannot buy yet.
      With the same probability it overlooks all the tiles.
    - `reserves`: the share of its turns in which it considers reserving.
    - `temperature`: it draws the kind of move (take, buy or reserve), and then a move of that kind, from the network's
      probabilities to the power 1 / temperature. 0 means the most probable move.
    """

    def __init__(self, oversight: float = 0.5, reserves: float = 0.2, temperature: float = 1.0) -> None:
        for name, share in (("oversight", oversight), ("reserves", reserves)):
            if not isinstance(share, int | float) or not 0 <= share <= 1:
                raise BotError(f"expected {name} to be from 0 to 1, got {share!r}")
        super().__init__(temperature)
        self.oversight = oversight
        self.reserves = reserves

    def start(self, seed: int) -> None:
        """Begin a game; the same seed gives the same choices."""
        _warm_up()
        super().start(seed)

    def _choose_action(self, network: Network, state: State) -> tuple[int, Array]:
        """Return an action that looks good in what the bot notices, and the values of that position."""
        if state.phase != ACT:
            actions, policy, values = network.evaluate(state)
            return int(actions[np.argmax(policy)]), values
        silly = blunders(state)
        thinks_of_reserving = self._random() < self.reserves
        actions, policy, values = network.evaluate(self._noticed(state))
        sensible = [
            index
            for index, action in enumerate(actions)
            if action not in silly and (thinks_of_reserving or kind_of(action) != "reserve")
        ]
        if not sensible:  # it looks again, at everything
            actions, policy, values = network.evaluate(state)
            sensible = [index for index, action in enumerate(actions) if action not in silly]
        if not sensible:
            return int(actions[np.argmax(policy)]), values
        return self._draw(actions[sensible], policy[sensible]), values

    def _noticed(self, state: State) -> State:
        """Return the part of the table that the bot notices in this turn."""
        noticed = copy_state(state)
        tokens = state.tokens[state.seat]
        missing = np.maximum(_prices(state, state.market.tolist()) - tokens[:COLOURS], 0)
        for place, turns in enumerate(turns_of_three(missing, int(tokens[WILD]))):
            if self._random() >= (1 - self.oversight) ** turns:
                noticed.market[place] = NOTHING
        if self._random() < self.oversight:
            noticed.tiles[noticed.tile_owner == NOTHING] = NOTHING
        return noticed

    def _draw(self, actions: Array, policy: Array) -> int:
        """Draw the kind first, so that a kind of move is not more likely only because it has many moves."""
        if self.temperature == 0:
            return int(actions[np.argmax(policy)])
        kinds = np.array([kind_of(action) for action in actions])
        best = {kind: policy[kinds == kind].max() for kind in dict.fromkeys(kinds)}
        is_plausible = policy >= PLAUSIBLE * np.array([best[kind] for kind in kinds])
        totals = {kind: policy[is_plausible & (kinds == kind)].sum() for kind in best}
        kind = list(totals)[self._sample_tempered(np.array(list(totals.values())))]
        among = np.flatnonzero(is_plausible & (kinds == kind))
        return int(actions[among[self._sample_tempered(policy[among])]])

    def _sample_tempered(self, probabilities: Array) -> int:
        """Draw an index from the probabilities to the power 1 / temperature."""
        return self._sample((probabilities / probabilities.max()) ** (1 / self.temperature))
