"""Self-play in a `Batch`: hundreds of games at once, one network for both seats.

python examples/train_batch.py --game marvel --picture learning.svg
"""

from __future__ import annotations

import numpy as np
from evaluation import Curve, read_arguments, win_rate
from learner import Adam, Network, Rollout, learn

from cabochon.envs import Batch

GAMES = 256
EVALUATE_EVERY = 5  # updates


def main() -> None:
    """Train a network, print its win rates, and draw its learning curve."""
    arguments = read_arguments(__doc__, updates=60, steps=32)
    batch = Batch(arguments.game, players=2, games=GAMES, seed=1)
    network = Network(batch.features)
    optimiser = Adam(network.weights, rate=1e-3)
    curve = Curve(f"{arguments.game}, Batch")
    curve.add(0, win_rate(network, arguments.game, arguments.evaluation_games))
    for update in range(1, arguments.updates + 1):
        rollout = Rollout()
        for _ in range(arguments.steps):
            observations, masks, seats = batch.observe().copy(), batch.masks.copy(), batch.seats.copy()
            choices = network.act(observations, masks)
            batch.step(choices[0])
            outcomes = batch.values[np.arange(GAMES), seats]
            rollout.note(observations, masks, choices, seats, batch.dones.copy(), outcomes)
        learn(network, optimiser, rollout, batch.observe(), batch.masks, batch.seats)
        if update % EVALUATE_EVERY == 0 or update == arguments.updates:
            curve.add(update * GAMES * arguments.steps, win_rate(network, arguments.game, arguments.evaluation_games))
    curve.draw(arguments.picture)


if __name__ == "__main__":
    main()
