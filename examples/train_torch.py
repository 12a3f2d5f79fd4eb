"""Self-play with PyTorch, on a GPU if there is one. The batch and the network share memory, without copies.

python examples/train_torch.py --game marvel --picture learning.svg
"""

from __future__ import annotations

import torch
from evaluation import Curve, read_arguments
from torch import nn
from torch.distributions import Categorical

from cabochon.core.observation import observation_scales
from cabochon.envs import Batch

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
GAMES = 4096 if DEVICE == "cuda" else 256
WIDTH = 128
EPOCHS = 3
MINIBATCHES = 4
EVALUATE_EVERY = 5  # updates
CLIP, LAMBDA, ENTROPY = 0.2, 0.95, 0.01


class Network(nn.Module):
    """Logits of all actions and the value of the position, from -1 to 1, for int8 observations."""

    def __init__(self, features: int, actions: int, scales: torch.Tensor) -> None:
        super().__init__()
        self.register_buffer("scales", scales)
        self.body = nn.Sequential(nn.Linear(features, WIDTH), nn.ReLU(), nn.Linear(WIDTH, WIDTH), nn.ReLU())
        self.policy = nn.Linear(WIDTH, actions)
        self.value = nn.Linear(WIDTH, 1)

    def forward(self, observations: torch.Tensor, masks: torch.Tensor) -> tuple[Categorical, torch.Tensor]:
        """Return the policy over legal actions, and the value."""
        hidden = self.body(observations * self.scales)
        logits = self.policy(hidden).masked_fill(~masks, -1e9)
        return Categorical(logits=logits, validate_args=False), torch.tanh(self.value(hidden))[:, 0]


class Table:
    """A batch, its arrays as tensors in the same memory, and a rollout that it writes its observations to."""

    def __init__(self, game: str, games: int, seed: int, restart: bool = True) -> None:
        self.batch = Batch(game, players=2, games=games, seed=seed, device=DEVICE, dtype="int8", restart=restart)
        self.masks = torch.from_dlpack(self.batch.masks)
        self.seats = torch.from_dlpack(self.batch.seats)
        self.dones = torch.from_dlpack(self.batch.dones)
        self.values = torch.from_dlpack(self.batch.values)
        self.observations = torch.from_dlpack(self.batch.observe())  # overwritten by each call of `observe`


@torch.no_grad()
def win_rate(network: Network, game: str, games: int) -> float:
    """Return the share of games that the network wins against `random`, from both seats; a tie counts as half."""
    table = Table(game, games, seed=1000, restart=False)
    own_seats = torch.arange(games, device=DEVICE) % 2
    while not table.dones.all():
        table.batch.observe()
        best = network(table.observations, table.masks)[0].probs.argmax(1)
        random = torch.from_dlpack(table.batch.sample())
        table.batch.step(torch.where(table.seats == own_seats, best, random))
    return float((table.values.gather(1, own_seats[:, None]).mean() + 1) / 2)


def main() -> None:
    """Train a network, print its win rates, and draw its learning curve."""
    arguments = read_arguments(__doc__, updates=60, steps=32)
    torch.manual_seed(1)
    table = Table(arguments.game, GAMES, seed=1)
    batch = table.batch
    scales = torch.tensor(observation_scales(players=2), device=DEVICE)
    network = Network(batch.features, table.masks.shape[1], scales).to(DEVICE)
    optimiser = torch.optim.Adam(network.parameters(), lr=1e-3)
    curve = Curve(f"{arguments.game}, PyTorch on {DEVICE}")
    curve.add(0, win_rate(network, arguments.game, arguments.evaluation_games))

    def buffer(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
        return torch.zeros((arguments.steps, GAMES, *shape), dtype=dtype, device=DEVICE)

    observations = buffer(batch.features, dtype=torch.int8)
    masks = buffer(table.masks.shape[1], dtype=torch.bool)
    actions = buffer(dtype=torch.int64)
    seats = buffer(dtype=torch.int8)
    goes_on, logs, values, outcomes, advantages = (buffer() for _ in range(5))
    for update in range(1, arguments.updates + 1):
        with torch.no_grad():
            for step in range(arguments.steps):
                batch.observe(observations[step])
                masks[step], seats[step] = table.masks, table.seats
                policy, values[step] = network(observations[step], masks[step])
                actions[step] = policy.sample()
                logs[step] = policy.log_prob(actions[step])
                batch.step(actions[step])
                goes_on[step] = ~table.dones
                outcomes[step] = table.values.gather(1, seats[step].long()[:, None])[:, 0]
            batch.check()
            batch.observe()
            next_value, next_seat = network(table.observations, table.masks)[1], table.seats.clone()
            following = torch.zeros_like(next_value)
            for step in reversed(range(arguments.steps)):
                sign = torch.where(next_seat == seats[step], 1.0, -1.0) * goes_on[step]
                following = outcomes[step] + sign * next_value - values[step] + LAMBDA * sign * following
                advantages[step] = following
                next_value, next_seat = values[step], seats[step]
            returns = (advantages + values).flatten()
            scaled = ((advantages - advantages.mean()) / (advantages.std() + 1e-6)).flatten()
        for _ in range(EPOCHS):
            for rows in torch.randperm(arguments.steps * GAMES, device=DEVICE).chunk(MINIBATCHES):
                policy, value = network(observations.flatten(0, 1)[rows], masks.flatten(0, 1)[rows])
                ratio = (policy.log_prob(actions.flatten()[rows]) - logs.flatten()[rows]).exp()
                gain = torch.min(ratio * scaled[rows], ratio.clamp(1 - CLIP, 1 + CLIP) * scaled[rows])
                loss = 0.5 * (value - returns[rows]).square() - gain - ENTROPY * policy.entropy()
                optimiser.zero_grad()
                loss.mean().backward()
                optimiser.step()
        if update % EVALUATE_EVERY == 0 or update == arguments.updates:
            curve.add(update * GAMES * arguments.steps, win_rate(network, arguments.game, arguments.evaluation_games))
    curve.draw(arguments.picture)


if __name__ == "__main__":
    main()
