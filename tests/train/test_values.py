"""Values fitted to searches: a bias is found and gone, the policy stays, and a wrong file is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cabochon import Game
from cabochon.bots import network
from cabochon.cli import main
from cabochon.core.cards import SPLENDOR
from cabochon.core.state import ACTIONS
from cabochon.train.values import collect, fit


def silent(line: str) -> None:
    pass


def biased_network(path: Path, seat_bias: float) -> Path:
    """A network of few units that gives the seat that decides more than its due, or less."""
    _, matrices = network.read(network._resource(SPLENDOR, 2))
    few = [
        (weights[: 64 if number else None, :64], biases[:64]) for number, (weights, biases) in enumerate(matrices[:-1])
    ]
    weights, biases = matrices[-1]
    shift = np.zeros_like(biases)
    shift[ACTIONS] = seat_bias
    network.save(path, SPLENDOR, 2, [*few, (weights[:64] * 0.1, biases + shift)], {})
    return path


def test_a_bias_of_the_values_goes_and_the_policy_stays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    start = biased_network(tmp_path / "biased.npz", -1.0)
    command = [
        "fit-values",
        str(start),
        "--output",
        str(tmp_path / "run"),
        "--decisions",
        "1200",
        "--simulations",
        "12",
    ]
    assert main(command) == 0
    assert "mean square distance from the searches" in capsys.readouterr().out
    before, after = network.load(start, SPLENDOR, 2), network.load(tmp_path / "run" / "network.npz", SPLENDOR, 2)
    distances = after.about["distances"]
    assert distances["from_searches"][1] < distances["from_searches"][0] / 2
    assert distances["from_ends"][1] < distances["from_ends"][0]
    assert after.about["decisions"] >= 1200
    assert after.about["start"] == before.about
    view = Game("splendor", seed=1).view(0).state
    for kept, fitted in zip(before.think(view)[:2], after.think(view)[:2], strict=True):
        np.testing.assert_allclose(kept, fitted, atol=1e-3)


def test_lessons_are_those_of_the_seed_with_the_seat_that_decides_first(tmp_path: Path) -> None:
    start = biased_network(tmp_path / "start.npz", 0.0)
    first, second = (collect(start, SPLENDOR, 2, 4, 100, seed, silent) for seed in (1, 1))
    for ours, theirs in zip(first, second, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_allclose(first.values.sum(axis=1), 1)
    np.testing.assert_allclose(first.shares.sum(axis=1), 1)
    winners_last = first.shares[first.games == 0][-2:, 0]
    assert sorted(winners_last) in ([0, 1], [1, 1], [0, 0], [0.5, 0.5])


def test_a_fit_finds_the_weights_that_made_the_values() -> None:
    chance = np.random.default_rng(3)
    units = np.abs(chance.normal(size=(4000, 5)))
    weights = chance.normal(size=(5, 3)) * 0.3
    odds = np.exp(units @ weights)
    values = odds / odds.sum(axis=1, keepdims=True)
    fitted = fit(units, values, weights + 0.02 * chance.normal(size=(5, 3)), seed=0)
    difference = fitted - weights
    np.testing.assert_allclose(difference, np.broadcast_to(difference.mean(axis=1, keepdims=True), (5, 3)), atol=0.004)


def test_a_file_that_is_no_network_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "none.npz").write_text("nothing")
    assert main(["fit-values", str(tmp_path / "none.npz"), "--output", str(tmp_path / "run")]) == 2
    assert "expected a file of a network" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()
    assert (
        main(["fit-values", str(tmp_path / "none.npz"), "--output", str(tmp_path / "run"), "--simulations", "1"]) == 2
    )
    assert "simulations" in capsys.readouterr().err
    assert main(["fit-values", str(tmp_path / "none.npz"), "--output", str(tmp_path / "run"), "--decisions", "5"]) == 2
    assert "expected decisions of at least 1000, got 5" in capsys.readouterr().err
