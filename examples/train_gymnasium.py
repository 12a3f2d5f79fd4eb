"""Learning against a bot through Gymnasium: several tables, the network in one seat of each.

python examples/train_gymnasium.py --game marvel --picture learning.svg
"""

from __future__ import annotations

import gymnasium
import numpy as np
from evaluation import Curve, read_arguments, win_rate
from learner import Adam, Network, Rollout, learn

import cabochon.envs.gymnasium  # noqa: F401  # registers the names

NAMES = {"splendor": "cabochon/Splendor-v1", "marvel": "cabochon/Marvel-v1"}
TABLES = 8
EVALUATE_EVERY = 5  # updates
SEATS = np.zeros(TABLES, dtype=np.int8)  # every decision is the learner's


def main() -> None:
    """Train a network, print its win rates, and draw its learning curve."""
    arguments = read_arguments(__doc__, updates=20, steps=512)
    envs = gymnasium.make_vec(
        NAMES[arguments.game],
        num_envs=TABLES,
        vectorization_mode="sync",
        vector_kwargs={"autoreset_mode": gymnasium.vector.AutoresetMode.SAME_STEP},
        players=2,
        opponents="random",
    )
    observations, infos = envs.reset(seed=1)
    network = Network(observations.shape[1])
    optimiser = Adam(network.weights, rate=1e-3)
    curve = Curve(f"{arguments.game}, Gymnasium")
    curve.add(0, win_rate(network, arguments.game, arguments.evaluation_games))
    for update in range(1, arguments.updates + 1):
        rollout = Rollout()
        for _ in range(arguments.steps):
            masks = infos["action_mask"].astype(bool)
            choices = network.act(observations, masks)
            seen = observations
            observations, rewards, dones, _, infos = envs.step(choices[0])
            rollout.note(seen, masks, choices, SEATS, dones, rewards.astype(np.float32))
        learn(network, optimiser, rollout, observations, infos["action_mask"].astype(bool), SEATS)
        if update % EVALUATE_EVERY == 0 or update == arguments.updates:
            curve.add(update * arguments.steps * TABLES, win_rate(network, arguments.game, arguments.evaluation_games))
    envs.close()
    curve.draw(arguments.picture)


if __name__ == "__main__":
    main()
