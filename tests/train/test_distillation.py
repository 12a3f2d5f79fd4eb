"""Distillation: the policy learns its teacher's, and the values the outcomes of its games."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import torch

from cabochon.train.distillation import DistillationLearner
from cabochon.train.model import Model
from cabochon.train.options import TrainingOptions
from cabochon.train.self_play import ILLEGAL
from tests.bots.weights import random_network

SMALL = TrainingOptions(
    Path(),
    "marvel",
    games=32,
    steps=8,
    minibatch=64,
    epochs=1,
    width=16,
    blocks=1,
    first_rate=5e-3,
    teacher=Path("given"),
)


def teacher() -> Model:
    model = Model(2, 32, 1, "cpu")
    model.load_layers(random_network(2, width=32, blocks=1), 2)
    return model


def student(seed: int) -> DistillationLearner:
    return DistillationLearner(replace(SMALL, seed=seed), teacher())


def test_a_rollout_stores_the_teachers_policy() -> None:
    learner = student(1)
    with torch.no_grad():
        learner._roll_out()
        logits, _ = teacher().forward(learner.observations[3], teacher().prepare())
        policies = torch.softmax(torch.where(learner.masks[3], logits, ILLEGAL), -1)
    torch.testing.assert_close(learner.policies[3].float(), policies, atol=1e-3, rtol=0)


def test_the_targets_of_values_are_outcomes_and_what_led_there() -> None:
    learner = student(2)
    ended: list[tuple[int, int]] = []
    while not any(step > 0 and not learner.dones[step - 1, game] for step, game in ended):
        learner._roll_out()
        ended = learner.dones.nonzero().tolist()
    for step, game in ended:
        outcomes = learner.outcomes[step, game].roll(-int(learner.seats[step, game]))
        torch.testing.assert_close(learner.targets[step, game], outcomes)
        if step > 0 and not learner.dones[step - 1, game]:
            seat = int(learner.seats[step - 1, game])
            before, later = learner.values[step - 1, game], learner.values[step, game]
            expected = later + 0.97 * (learner.outcomes[step, game] - later)
            assert not torch.allclose(expected, before)
            torch.testing.assert_close(learner.targets[step - 1, game], expected.roll(-seat))


def test_a_student_approaches_its_teacher() -> None:
    learner = student(1)
    learner.advance(0.0)
    first = learner.mean_metrics()["taught_loss"]
    for _ in range(40):
        learner.advance(0.0)
    policies = learner.policies.float()
    entropy = -(policies * torch.log(policies + 1e-9)).sum(-1).mean()
    assert learner.mean_metrics()["taught_loss"] - entropy < 0.7 * (first - entropy)


def test_a_restored_student_continues_exactly() -> None:
    learner = student(3)
    learner.advance(0.0)
    state = learner.state()
    learner.advance(0.5)
    other = student(4)
    other.restore(state)
    other.advance(0.5)
    assert torch.equal(learner.model.vector, other.model.vector)
