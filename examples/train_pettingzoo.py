"""Self-play through PettingZoo: one table, one network for both seats.

python examples/train_pettingzoo.py --game marvel --picture learning.svg
"""

from __future__ import annotations

import numpy as np
from evaluation import Curve, read_arguments, win_rate
from learner import Adam, Network, Rollout, learn

from cabochon.envs import pettingzoo

EVALUATE_EVERY = 5  # updates


def main() -> None:
    """Train a network, print its win rates, and draw its learning curve."""
    arguments = read_arguments(__doc__, updates=30, steps=4096)
    env = pettingzoo.env(arguments.game, players=2)
    env.reset(seed=1)
    network = Network(env.observation_space("seat_0")["observation"].shape[0])
    optimiser = Adam(network.weights, rate=1e-3)
    curve = Curve(f"{arguments.game}, PettingZoo")
    curve.add(0, win_rate(network, arguments.game, arguments.evaluation_games))

    def look() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the observation, the legal actions and the seat of the agent that decides, each with one row."""
        agent = env.agent_selection
        seen = env.observe(agent)
        seat = np.array([env.possible_agents.index(agent)], dtype=np.int8)
        return seen["observation"][None], seen["action_mask"][None].astype(bool), seat

    for update in range(1, arguments.updates + 1):
        rollout = Rollout()
        for _ in range(arguments.steps):
            agent = env.agent_selection
            observations, masks, seats = look()
            choices = network.act(observations, masks)
            env.step(int(choices[0][0]))
            is_over, outcome = env.terminations[agent], env.rewards[agent]
            rollout.note(
                observations, masks, choices, seats, np.array([is_over]), np.array([outcome], dtype=np.float32)
            )
            if is_over:
                env.reset()
        learn(network, optimiser, rollout, *look())
        if update % EVALUATE_EVERY == 0 or update == arguments.updates:
            curve.add(update * arguments.steps, win_rate(network, arguments.game, arguments.evaluation_games))
    curve.draw(arguments.picture)


if __name__ == "__main__":
    main()
