"""Learning from a teacher: its policy is learned, and how its games went."""

from __future__ import annotations

import torch

from cabochon.train.distillation import PupilLearner, PupilSettings
from cabochon.train.learner import ILLEGAL
from cabochon.train.model import Model
from tests.bots.weights import random_network

SMALL = PupilSettings(games=64, steps=8, minibatch=128, width=16, blocks=1, first_rate=5e-3)


def teacher() -> Model:
    model = Model(2, 64, 2, "cpu")
    model.put(random_network(2), 2)
    return model


def learner(seed: int) -> PupilLearner:
    return PupilLearner("marvel", 2, SMALL, "cpu", seed, teacher())


def test_what_is_kept_is_what_the_teacher_thought() -> None:
    pupil = learner(1)
    with torch.no_grad():
        pupil._roll_out()
        scores, _ = teacher().outputs(pupil.observations[3], teacher().prepared())
        policies = torch.softmax(torch.where(pupil.masks[3], scores, ILLEGAL), -1)
    torch.testing.assert_close(pupil.policies[3].float(), policies, atol=1e-3, rtol=0)


def test_the_values_learn_the_ends_of_games_and_what_led_there() -> None:
    pupil = learner(2)
    for _ in range(30):  # until games have ended at different steps
        pupil._roll_out()
    ended = pupil.ends.nonzero().tolist()
    assert ended
    for step, game in ended:
        shares = pupil.shares[step, game].roll(-int(pupil.seats[step, game]))
        torch.testing.assert_close(pupil.targets[step, game], shares)
        if step > 0 and not pupil.ends[step - 1, game]:
            seat = int(pupil.seats[step - 1, game])
            before, later = pupil.values[step - 1, game], pupil.values[step, game]
            expected = later + 0.97 * (pupil.shares[step, game] - later)
            assert not torch.allclose(expected, before)
            torch.testing.assert_close(pupil.targets[step - 1, game], expected.roll(-seat))


def test_a_pupil_comes_nearer_to_its_teacher() -> None:
    pupil = learner(1)
    pupil.advance(0.0)
    first = pupil.measured()["taught_loss"]
    for _ in range(40):
        pupil.advance(0.0)
    certainty = -(pupil.policies.float() * torch.log(pupil.policies.float() + 1e-9)).sum(-1).mean()
    assert pupil.measured()["taught_loss"] - certainty < 0.7 * (first - certainty)


def test_a_restored_pupil_goes_on_exactly() -> None:
    pupil = learner(3)
    pupil.advance(0.0)
    kept = pupil.state()
    pupil.advance(0.5)
    other = learner(4)
    other.restore(kept)
    other.advance(0.5)
    assert torch.equal(pupil.model.vector, other.model.vector)
