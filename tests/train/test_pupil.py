"""Learning from a teacher: its policy is learned, and how its games went."""

from __future__ import annotations

import torch

from cabochon.train.learner import ILLEGAL
from cabochon.train.model import Stack
from cabochon.train.pupil import PupilLearner, PupilSettings
from tests.bots.weights import random_layers

SMALL = PupilSettings(games=64, steps=8, minibatch=128, width=16, blocks=1, first_rate=5e-3)


def learner(seed: int) -> PupilLearner:
    return PupilLearner("marvel", 2, SMALL, "cpu", seed, Stack(2, random_layers(2), "cpu"))


def test_what_is_kept_is_what_the_teacher_thought() -> None:
    pupil = learner(1)
    with torch.no_grad():
        pupil._roll_out()
        teacher = Stack(2, random_layers(2), "cpu")
        scores, _ = teacher.outputs(pupil.observations[3], teacher.prepared())
        policies = torch.softmax(torch.where(pupil.masks[3], scores, ILLEGAL), -1)
    torch.testing.assert_close(pupil.policies[3].float(), policies, atol=1e-3, rtol=0)
    torch.testing.assert_close(pupil.targets.sum(-1), torch.ones(SMALL.steps, SMALL.games))


def test_a_pupil_comes_nearer_to_its_teacher() -> None:
    pupil = learner(1)
    pupil.advance(0.0)
    first = pupil.measured()["policy_loss"]
    for _ in range(40):
        pupil.advance(0.0)
    certainty = -(pupil.policies.float() * torch.log(pupil.policies.float() + 1e-9)).sum(-1).mean()
    assert pupil.measured()["policy_loss"] - certainty < 0.7 * (first - certainty)


def test_a_restored_pupil_goes_on_exactly() -> None:
    pupil = learner(3)
    pupil.advance(0.0)
    kept = pupil.state()
    pupil.advance(0.5)
    other = learner(4)
    other.restore(kept)
    other.advance(0.5)
    assert torch.equal(pupil.model.vector, other.model.vector)
