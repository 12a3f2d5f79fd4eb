"""OpenSpiel games: chance is explicit, and every player has information states.

    import pyspiel

    import cabochon.envs.openspiel  # registers the games

    game = pyspiel.load_game("cabochon_marvel(players=3)")
    state = game.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            outcome, _ = state.chance_outcomes()[0]
            state.apply_action(outcome)
        else:
            state.apply_action(state.legal_actions()[0])

A chance outcome is the number of a card or tile in `cabochon/data`, minus 1. `state.table` is the `cabochon.Game`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyspiel

from cabochon.core.cards import CARDS, VARIANTS
from cabochon.core.components import COMPONENTS
from cabochon.core.lockstep import outcome_value
from cabochon.core.observation import new_observation, observation_scales, observe, parts_of
from cabochon.core.state import ACTIONS, BUY, MARKET, NO_PROGRESS_ROUNDS, RESERVE, State
from cabochon.game import Game
from cabochon.notation import Move, Reveal
from cabochon.options import PAYMENTS

# Every card is bought and reserved at most once, with fewer than NO_PROGRESS_ROUNDS other rounds in between (STL-1). A
# turn is an action, the choice of up to 5 wilds and its end, the return of up to 3 tokens, and a tile.
MOST_TURNS_OF_A_SEAT = (2 * CARDS + 1) * (NO_PROGRESS_ROUNDS + 1)
MOST_DECISIONS_OF_A_TURN = 1 + 6 + 3 + 1

DEFAULTS: dict[str, Any] = {"players": 2, "free_take": False, "payment": PAYMENTS[0]}


def _game_type(variant: str) -> Any:
    return pyspiel.GameType(
        short_name=f"cabochon_{variant}",
        long_name={"splendor": "Splendor", "marvel": "Splendor: Marvel"}[variant],
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=4,
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=DEFAULTS,
    )


GAME_TYPES = {variant: _game_type(variant) for variant in VARIANTS}


class TableGame(pyspiel.Game):  # type: ignore[misc]  # pyspiel has no types
    """One of the two games; the options of `cabochon.Game` are its parameters."""

    variant: str

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        given = DEFAULTS | (params or {})
        players = int(given["players"])
        info = pyspiel.GameInfo(
            num_distinct_actions=ACTIONS,
            max_chance_outcomes=CARDS,
            num_players=players,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=players * MOST_TURNS_OF_A_SEAT * MOST_DECISIONS_OF_A_TURN,
        )
        super().__init__(GAME_TYPES[self.variant], info, given)
        self.players = players
        self.free_take = bool(given["free_take"])
        self.payment = str(given["payment"])

    def new_initial_state(self) -> TableState:
        """Return a state before the deal."""
        return TableState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: dict[str, Any] | None = None) -> TableObserver:
        """Return an observer, which writes the observations of a player."""
        return TableObserver(iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False), self.players, params)


class SplendorGame(TableGame):
    """Splendor."""

    variant = "splendor"


class MarvelGame(TableGame):
    """Splendor: Marvel."""

    variant = "marvel"


class TableState(pyspiel.State):  # type: ignore[misc]  # pyspiel has no types
    """A game, and what each player has seen of it."""

    def __init__(self, game: TableGame) -> None:
        super().__init__(game)
        self.table = Game.by_hand(game.variant, game.players, free_take=game.free_take, payment=game.payment, date="?")
        self._seen: list[list[str]] = [[] for _ in range(game.players)]

    def current_player(self) -> int:
        """Return the seat that decides, the chance player, or the terminal player."""
        if self.table.is_over:
            return int(pyspiel.PlayerId.TERMINAL)
        if self.table.phase == "reveal":
            return int(pyspiel.PlayerId.CHANCE)
        return self.table.seat

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self.table.is_over

    def _legal_actions(self, player: int) -> list[int]:
        return [move.action for move in self.table.legal_moves] if player == self.table.seat else []

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return every card or tile that may be revealed, all equally likely."""
        reveals = self.table.legal_reveals
        return [(reveal.number - 1, 1 / len(reveals)) for reveal in reveals]

    def _apply_action(self, action: int) -> None:
        if self.table.phase == "reveal":
            seat = self.table.seat
            revealed = self.table.reveal(self._reveal(action))
            for player, seen in enumerate(self._seen):  # RSV-9: a blind draw is known to its owner alone
                seen.append(str(revealed) if revealed.where != "h" or player == seat else "h=?")
            return
        before = self.table.state
        move = self.table.play(action)
        shown = str(move) + _newly_public_card(before, self.table.state, action)
        for seen in self._seen:
            seen.append(shown)

    def _reveal(self, outcome: int) -> Reveal:
        return Reveal(self.table.legal_reveals[0].where, outcome + 1)

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return str(self._reveal(action))
        return str(Move(action, self.table.variant))

    def returns(self) -> list[float]:
        """Return the value of the finished game to each player, 0 before the end."""
        state = self.table.state
        components = COMPONENTS[state.variant]
        return [float(outcome_value(state, components, seat)) for seat in range(self.table.players)]

    def seen_by(self, player: int) -> str:
        """Return everything the player has seen, beginning with the deal."""
        return "; ".join(self._seen[player])

    def __str__(self) -> str:
        return str(self.table.view(None))


def _newly_public_card(before: State, after: State, action: int) -> str:
    """Return the number of a bought card that was a blind reserve, and so becomes public; otherwise nothing."""
    seat = int(before.seat)
    source = action - BUY if BUY <= action < RESERVE else int(before.buying)
    if source < MARKET or int(after.cards[seat]) == int(before.cards[seat]) or not before.blind[seat, source - MARKET]:
        return ""
    return f" ={int(before.hand[seat, source - MARKET]) + 1}"


class TableObserver:
    """Writes what a player knows; see OpenSpiel's `observation.py`."""

    def __init__(self, iig_obs_type: Any, players: int, params: dict[str, Any] | None) -> None:
        if params:
            raise ValueError(f"expected no parameters of the observation, got {params}")
        if not iig_obs_type.public_info or iig_obs_type.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER:
            raise ValueError("expected an observation of all public information and the player's private information")
        self._has_perfect_recall = iig_obs_type.perfect_recall
        self._scales = observation_scales(players)
        self._row = new_observation(players)
        self.tensor = np.zeros(0 if self._has_perfect_recall else len(self._scales), dtype=np.float32)
        parts = () if self._has_perfect_recall else parts_of(players)
        self.dict = {part.name: self.tensor[part.start :][: part.size].reshape(part.shape) for part in parts}

    def set_from(self, state: TableState, player: int) -> None:
        """Write the observation of the player into `tensor`; `dict` holds views of it."""
        if not self._has_perfect_recall:
            record = state.table.state
            observe(record, COMPONENTS[record.variant], player, self._row)
            np.multiply(self._row, self._scales, out=self.tensor)

    def string_from(self, state: TableState, player: int) -> str:
        """Return the table as the player sees it; with perfect recall, everything the player has seen."""
        if self._has_perfect_recall:
            return f"seat {player}: {state.seen_by(player)}"
        return str(state.table.view(player))


pyspiel.register_game(GAME_TYPES["splendor"], SplendorGame)
pyspiel.register_game(GAME_TYPES["marvel"], MarvelGame)
