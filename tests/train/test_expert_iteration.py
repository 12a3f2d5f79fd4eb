"""Learning from searches: what the searches of a batch find, that they know nothing hidden, and exact resuming."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from numba import typeof, types

from cabochon.core.components import LEVEL_STARTS
from cabochon.core.state import ACTIONS, RESERVE_BLIND, Array
from cabochon.envs import Batch
from cabochon.search.mcts import SearchSettings
from cabochon.search.tree import new_tree
from cabochon.train import batched_search
from cabochon.train.batched_search import BatchedSearch
from cabochon.train.expert_iteration import ExpertLearner, with_gain
from cabochon.train.model import Model
from cabochon.train.options import TrainingOptions

SMALL = TrainingOptions.choose(
    {
        "output": Path(),
        "games": 12,
        "steps": 3,
        "minibatch": 36,
        "width": 16,
        "blocks": 1,
        "simulations": 6,
        "window": 2,
    }
)


def grown(batch: Batch, simulations: int, seed: int = 3) -> tuple[Array, Array, Array]:
    """Visits, gains and values after so many simulations with some network."""
    model = Model(batch.players, 16, 1, "cpu")
    model.initialize(5)
    model.parameters[-1].data.copy_(torch.linspace(-1, 1, len(model.parameters[-1])))
    search = BatchedSearch(batch, simulations, SearchSettings(), seed)
    visits, gains = np.zeros((2, batch.games, ACTIONS), np.float32)
    values = np.zeros((batch.games, batch.players), np.float32)
    leaves = torch.zeros((batch.games, batch.features), dtype=torch.int8)
    with torch.no_grad():
        batch.observe(leaves)
        search.set_roots()
        search.expand(model.logits(leaves, model.prepare()))
        for _ in range(simulations):
            search.select()
            search.observe(leaves)
            search.expand(model.logits(leaves, model.prepare()))
    search.read_roots(2.0, gains, values)
    for game in range(batch.games):
        edges = search.trees.edges[game, : int(search.trees.nodes[game, 0].edge_count)]
        visits[game, edges["action"]] = edges["visits"]
    return visits, gains, values


@pytest.mark.parametrize("simulations", [1, 3])
def test_there_is_room_for_every_simulation(simulations: int) -> None:
    batch = Batch("splendor", 4, 5, seed=2, dtype="int8", payment="automatic", arranged=True)
    search = BatchedSearch(batch, simulations, SearchSettings(), 1)
    scores = torch.zeros((5, ACTIONS + 4))
    search.set_roots()
    search.expand(scores)
    for _ in range(simulations):
        search.select()
        search.expand(scores)
    assert (search.trees.counters["nodes"] == simulations + 1).all()


@pytest.mark.parametrize(("variant", "players"), [("splendor", 2), ("marvel", 4)])
def test_every_simulation_tries_a_legal_action_of_the_root(variant: str, players: int) -> None:
    batch = Batch(variant, players, 10, seed=2, dtype="int8", payment="automatic", arranged=True)
    for _ in range(30):
        batch.step(batch.sample())
    before = batch.snapshot()
    visits, gains, values = grown(batch, 20)
    assert (visits.sum(1) == 20).all()
    assert not visits[~batch.masks].any()
    assert not gains[visits == 0].any()
    np.testing.assert_allclose(values.sum(1), 1, atol=1e-5)
    assert all((rows == batch.snapshot()[name]).all() for name, rows in before.items())


def test_a_gain_is_the_mean_of_an_action_over_that_of_all_with_some_visits_for_nothing() -> None:
    tree = new_tree(nodes=3, batch_size=1)
    root = tree.nodes[0]
    root.edge_count, root.visits, root.seat = 2, 5, 1
    root.value_sums[:] = [3.0, 2.0, 0.0, 0.0]
    tree.edges["action"][:2], tree.edges["visits"][:2], tree.edges["value_sum"][:2] = [7, 9], [3, 1], [1.8, 0.1]
    gains, values = np.zeros(ACTIONS), np.zeros(2)
    batched_search.read_root(tree, 2.0, gains, values)
    np.testing.assert_allclose(values, [0.6, 0.4], atol=1e-6)
    assert np.flatnonzero(gains).tolist() == [7, 9]
    np.testing.assert_allclose((gains[7], gains[9]), ((0.6 - 0.4) * 3 / 5, (0.1 - 0.4) * 1 / 3), atol=1e-6)


def test_trees_know_no_blind_reserve_of_others() -> None:
    def with_reserve(other_card: bool) -> Batch:
        batch = Batch("splendor", 2, 8, seed=4, dtype="int8", payment="automatic", arranged=True)
        batch.step(np.full(8, RESERVE_BLIND))
        for state in batch.states if other_card else []:
            card, level = int(state.hand[0, 0]), 0
            unseen = next(bit for bit in range(40) if int(state.deck[level]) >> bit & 1)
            state.deck[level] = int(state.deck[level]) & ~(1 << unseen) | 1 << (card - int(LEVEL_STARTS[level]))
            state.hand[0, 0] = int(LEVEL_STARTS[level]) + unseen
        return batch

    one, other = with_reserve(False), with_reserve(True)
    assert (one.states["hand"] != other.states["hand"]).any()
    for found, twin in zip(grown(one, 16), grown(other, 16), strict=True):
        np.testing.assert_array_equal(found, twin)


@pytest.mark.parametrize(("variant", "players"), [("splendor", 2), ("marvel", 3)])
def test_a_rollout_keeps_an_improved_policy_of_legal_actions(variant: str, players: int) -> None:
    learner = ExpertLearner(replace(SMALL, game=variant, players=players, seed=1))
    learner.advance(0.0)
    kept = slice(0, SMALL.decisions_per_rollout)
    torch.testing.assert_close(
        learner.policies[kept].float().sum(-1), torch.ones(SMALL.decisions_per_rollout), atol=5e-3, rtol=0
    )
    assert not learner.policies[kept][~learner.masks[kept]].any()
    torch.testing.assert_close(learner.targets[kept].sum(-1), torch.ones(SMALL.decisions_per_rollout))
    assert not learner.policies[SMALL.decisions_per_rollout :].any()
    assert learner.mean_metrics()["found"] > 0


def test_what_a_seat_gains_the_others_lose_in_proportion() -> None:
    values = torch.tensor([[0.5, 0.3, 0.2], [0.2, 0.2, 0.6], [0.0, 1.0, 0.0]])
    found = with_gain(values, torch.tensor([[0], [2], [1]]), torch.tensor([[0.1], [-0.2], [0.1]]))
    torch.testing.assert_close(found, torch.tensor([[0.6, 0.24, 0.16], [0.3, 0.3, 0.4], [0.0, 1.0, 0.0]]))


def test_values_without_smoothing_learn_what_the_search_of_the_decision_found() -> None:
    learner = ExpertLearner(replace(SMALL, value_smoothing=0.0, seed=1))
    learner.advance(0.0)
    expected = learner._from_observer(learner.values[:-1], learner.seats[:-1]).flatten(0, 1)
    torch.testing.assert_close(learner.targets[: SMALL.decisions_per_rollout], expected)
    assert (expected[:, 0] != 0.5).any()


def test_what_a_search_gains_with_is_learned() -> None:
    learner = ExpertLearner(replace(SMALL, seed=1))
    row, action = 5, 3
    learner.advance(0.0)
    mask = learner.masks[row]
    mask[action] = True
    learner.policies[row] = 0
    learner.policies[row, action] = 1
    learner._minibatch.fill_(row)
    learner._rate.fill_(0.01)

    def chance() -> float:
        scores, _ = learner.model.forward(learner.observations[row : row + 1], learner.model.prepare())
        return float(torch.softmax(torch.where(mask, scores[0], -1e9), -1)[action].detach())

    before = chance()
    for _ in range(60):
        learner._learn()
    assert chance() > before + 0.2


def test_a_restored_learner_goes_on_exactly() -> None:
    learner = ExpertLearner(replace(SMALL, game="marvel", seed=3))
    learner.advance(0.0)
    kept = learner.state()
    learner.advance(0.5)
    other = ExpertLearner(replace(SMALL, game="marvel", seed=4))
    other.restore(kept)
    other.batched_search._seed = learner.batched_search._seed  # which a run takes from its plan
    other.advance(0.5)
    expected, found = learner.state(), other.state()
    assert torch.equal(expected["vector"], found["vector"])
    assert torch.equal(expected["own"]["kept"]["policies"], found["own"]["kept"]["policies"])
    games, others = expected["own"]["games"], found["own"]["games"]
    assert all(torch.equal(games[name], others[name]) for name in games)


def arguments_of(batch: Batch, monkeypatch: pytest.MonkeyPatch) -> dict[Any, tuple[Any, ...]]:
    """What the functions of a batched search are called with."""
    search = BatchedSearch(batch, 4, SearchSettings(), 1)
    called: dict[Any, tuple[Any, ...]] = {}
    monkeypatch.setattr(search, "_call", lambda function, *arguments: called.update({function: arguments}))
    scores = np.zeros((batch.games, ACTIONS + batch.players), np.float32)
    search.set_roots()
    search.select()
    search.expand(scores)
    search.read_roots(2.0, scores[:, :ACTIONS].copy(), scores[:, ACTIONS:].copy())
    return called


def test_a_batched_search_compiles_for_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    from numba.cuda import dispatcher

    from cabochon.core.cuda_kernels import cuda

    capability = (8, 0)
    monkeypatch.setattr(dispatcher, "get_current_device", lambda: SimpleNamespace(compute_capability=capability))
    called = arguments_of(Batch("splendor", 2, 3, dtype="int8"), monkeypatch)
    assert len(called) == 4
    for function, arguments in called.items():
        kernel = batched_search._kernel_of(function).py_func
        ptx, _ = cuda.compile_ptx(kernel, (types.int64, typeof(arguments)), cc=capability)
        assert ".visible .entry" in ptx


@pytest.mark.gpu
@pytest.mark.parametrize(("variant", "players"), [("splendor", 2), ("marvel", 4)])
def test_a_learner_on_a_gpu_keeps_legal_policies(variant: str, players: int) -> None:
    options = replace(
        SMALL, game=variant, players=players, device="cuda", seed=1, games=256, steps=4, minibatch=256, width=64
    )
    learner = ExpertLearner(replace(options, blocks=3, simulations=16))
    for _ in range(3):
        learner.advance(0.0)
    torch.cuda.synchronize()
    assert not learner.policies[~learner.masks].any()
    assert learner._gains.abs().sum(-1).all()
    learner.batch.check()
