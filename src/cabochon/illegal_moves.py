"""Why a move or a reveal is illegal: the rule it breaks, what was expected, and what was given."""

from __future__ import annotations

from cabochon.core.cards import COLOURS, MARVEL
from cabochon.core.components import COMPONENTS
from cabochon.core.rules import held_tokens, missing_tokens, purchasing_power
from cabochon.core.state import (
    ACT,
    ALL_PASSED,
    BUY,
    BUY_HAND,
    HAND,
    NO_PROGRESS,
    NOTHING,
    OVER,
    PAY,
    PENDING_BLIND,
    PENDING_TILE,
    RESERVE,
    RESERVE_BLIND,
    RETURN,
    REVEAL,
    TAKE_TWO,
    TAKES,
    TILE,
    TOKEN_LIMIT,
    WILD,
    State,
)
from cabochon.errors import GameOverError, IllegalMoveError, IllegalRevealError
from cabochon.notation import TOKEN_NAMES, Move, Reveal, place_text


def refusal(state: State, move: Move) -> IllegalMoveError:
    """Return the error for a move that is not legal in this state."""
    phase = int(state.phase)
    if phase == OVER:
        return _over(state, move)
    if phase == REVEAL:
        return _reveal_due(state, move)
    expected, rule = _expected_in(state)
    if {"wild": PAY, "pay": PAY, "return": RETURN, "tile": TILE}.get(move.kind, ACT) != phase:
        return IllegalMoveError(f"expected {expected}, got {str(move)!r}", rule)
    reason, rule = _broken_rule(state, move)
    return IllegalMoveError(f"{reason}; got {str(move)!r}", rule)


def reveal_refusal(state: State, legal: list[Reveal], what: Reveal) -> IllegalRevealError:
    """Return the error for a reveal that is not legal in this state."""
    if not legal:
        return IllegalRevealError(f"no reveal is due; got {str(what)!r}", "CRD-3")
    where = legal[0].where
    rule = "RSV-1" if where == "h" else "CRD-3"
    if state.round_number == 0:
        rule = _tile_rule(state) if where.startswith("t") else "SET-2"
    if what.where != where:
        return IllegalRevealError(f"expected a reveal at {where}, got {str(what)!r}", rule)
    numbers = ", ".join(str(reveal.number) for reveal in legal)
    return IllegalRevealError(f"expected one of the numbers {numbers} at {where}, got {str(what)!r}", rule)


def _tile_rule(state: State) -> str:
    return "SET-4" if state.variant == MARVEL else "SET-3"


def _over(state: State, move: Move) -> GameOverError:
    if state.ending in (ALL_PASSED, NO_PROGRESS):
        rule = "STL-1"
    else:
        rule = "END-M2" if state.variant == MARVEL else "END-B1"
    return GameOverError(f"the game is over: expected no further move, got {str(move)!r}", rule)


def _reveal_due(state: State, move: Move) -> IllegalMoveError:
    pending = int(state.pending)
    if pending < PENDING_BLIND:
        where, rule = f"a card at {place_text(pending)}", "CRD-3"
    elif pending < PENDING_TILE:
        where, rule = f"a card of level {pending - PENDING_BLIND + 1} drawn blind", "RSV-1"
    else:
        where, rule = "a tile", _tile_rule(state)
    return IllegalMoveError(f"expected the reveal of {where} first, got {str(move)!r}", rule)


def _expected_in(state: State) -> tuple[str, str]:
    excess = held_tokens(state, int(state.seat)) - TOKEN_LIMIT
    return {
        ACT: ("to take, reserve or buy, or to pass if nothing else is legal", "TRN-1"),
        PAY: ("the choice of wilds to pay with, or 'pay'", "BUY-3"),
        RETURN: (f"the return of {excess} more token{'s' if excess != 1 else ''}", "LIM-1"),
        TILE: ("the choice of a tile", "LOC-2" if state.variant == MARVEL else "NOB-3"),
    }[int(state.phase)]


def _broken_rule(state: State, move: Move) -> tuple[str, str]:
    """Return what is wrong with a move of the current phase, and the rule it breaks."""
    match move.kind:
        case "take":
            return _take(state, move)
        case "buy":
            return _buy(state, move.action - BUY)
        case "reserve":
            return _reserve(state, move.action - RESERVE)
        case "pass":
            return "a player passes only with no other legal action", "TRN-9"
        case "return":
            return f"expected a token that the seat has, and it has no {move.colours[0]}", "LIM-2"
        case "tile":
            return "expected a tile whose bonuses are met", "LOC-1" if state.variant == MARVEL else "NOB-1"
    paid = f"a wild can replace only a {move.colours[0]} token that is being paid"
    return f"{paid}, and wilds are chosen in the order of the colours", "BUY-3"


def _take(state: State, move: Move) -> tuple[str, str]:
    names = TOKEN_NAMES[state.variant]
    if move.action >= TAKE_TWO:
        colour = move.action - TAKE_TWO
        left = int(state.supply[colour])
        return f"taking two alike needs a pile of at least 4, and {names[colour]} has {left}", "TRN-5"
    colours = TAKES[move.action]
    empty = [names[colour] for colour in colours if state.supply[colour] == 0]
    if empty:
        return f"no {' and no '.join(empty)} left in the supply", "TRN-2"
    piles = sum(state.supply[colour] > 0 for colour in range(COLOURS))
    most = min(3, piles)
    colours_text = "1 colour" if most == 1 else f"{most} different colours"
    piles_text = "1 pile is" if piles == 1 else f"{piles} piles are"
    return f"expected exactly {colours_text}, since {piles_text} not empty", "TRN-4"


def _buy(state: State, source: int) -> tuple[str, str]:
    seat = int(state.seat)
    if source < BUY_HAND - BUY:
        card = int(state.market[source])
        if card == NOTHING:
            return f"the place {place_text(source)} is empty", "CRD-4"
    else:
        card = int(state.hand[seat, source - (BUY_HAND - BUY)])
        if card == NOTHING:
            held = sum(int(card) != NOTHING for card in state.hand[seat, :HAND])
            return f"expected one of the reserved cards h1 to h{HAND}, and the seat has {held}", "TRN-8"
    missing = missing_tokens(int(COMPONENTS[state.variant].price[card]), purchasing_power(state, seat))
    wilds = int(state.tokens[seat, WILD])
    has = {0: "no wild is", 1: "1 wild is"}.get(wilds, f"{wilds} wilds are")
    return f"the card costs {missing} more than bonuses and coloured tokens cover, and {has} in hand", "BUY-2"


def _reserve(state: State, source: int) -> tuple[str, str]:
    if state.hand[state.seat, HAND - 1] != NOTHING:
        return f"a seat has at most {HAND} reserved cards", "RSV-4"
    if source < RESERVE_BLIND - RESERVE:
        return f"the place {place_text(source)} is empty", "CRD-4"
    return f"the deck of level {source - (RESERVE_BLIND - RESERVE) + 1} is empty", "RSV-1"
