"""Self-play through OpenSpiel: one table, chance included, one network for both seats.

python examples/train_openspiel.py --game marvel --picture learning.svg
"""

from __future__ import annotations

import random

import numpy as np
import pyspiel
from evaluation import Curve, read_arguments, win_rate
from learner import Adam, Network, Rollout, learn

import cabochon.envs.openspiel  # noqa: F401  # registers the games

EVALUATE_EVERY = 5  # updates


def main() -> None:
    """Train a network, print its win rates, and draw its learning curve."""
    arguments = read_arguments(__doc__, updates=15, steps=4096)
    game = pyspiel.load_game(f"cabochon_{arguments.game}(players=2)")
    observer = game.make_py_observer()
    network = Network(len(observer.tensor))
    optimiser = Adam(network.weights, rate=1e-3)
    curve = Curve(f"{arguments.game}, OpenSpiel")
    curve.add(0, win_rate(network, arguments.game, arguments.evaluation_games))
    chance = random.Random(1)

    def go_on(state: pyspiel.State) -> None:
        """Sample chance outcomes until a player decides."""
        while state.is_chance_node():
            outcomes, weights = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(chance.choices(outcomes, weights)[0])

    def look(state: pyspiel.State) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the observation, the legal actions and the seat of the player that decides, each with one row."""
        player = state.current_player()
        observer.set_from(state, player)
        mask = np.array([state.legal_actions_mask(player)], dtype=bool)
        return observer.tensor[None].copy(), mask, np.array([player], dtype=np.int8)

    state = game.new_initial_state()
    go_on(state)
    for update in range(1, arguments.updates + 1):
        rollout = Rollout()
        for _ in range(arguments.steps):
            observations, masks, seats = look(state)
            choices = network.act(observations, masks)
            state.apply_action(int(choices[0][0]))
            go_on(state)
            is_over = state.is_terminal()
            outcome = state.returns()[seats[0]]
            rollout.note(
                observations, masks, choices, seats, np.array([is_over]), np.array([outcome], dtype=np.float32)
            )
            if is_over:
                state = game.new_initial_state()
                go_on(state)
        learn(network, optimiser, rollout, *look(state))
        if update % EVALUATE_EVERY == 0 or update == arguments.updates:
            curve.add(update * arguments.steps, win_rate(network, arguments.game, arguments.evaluation_games))
    curve.draw(arguments.picture)


if __name__ == "__main__":
    main()
