"""Games side by side are the games that are played alone."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from cabochon import CabochonError, IllegalMoveError, OptionsError
from cabochon.core.cards import VARIANTS
from cabochon.core.components import COMPONENTS
from cabochon.core.lockstep import outcome_value
from cabochon.core.observation import new_observation, observation_scales, observe
from cabochon.core.random import STREAM_DTYPE, STREAM_WORDS, random_below, seed_stream
from cabochon.core.rules import deal, legal_actions, place_of, play_action
from cabochon.core.state import ACTIONS, ALL_PASSED, OVER, WON, Array, State, new_state
from cabochon.envs import Batch
from tests.envs.rollout import SHOWN, rollout
from tests.playing import SETTINGS
from tests.test_targets import run_python


class Single:
    """One game after another of a seed, played by the core's functions alone."""

    def __init__(self, variant: str, players: int, seed: int) -> None:
        self.components = COMPONENTS[VARIANTS.index(variant)]
        self.players = players
        self.seed = seed
        self.episode = -1
        self.state = new_state()
        self.stream = np.zeros(STREAM_WORDS, dtype=STREAM_DTYPE)
        self.start_next()

    def start_next(self) -> None:
        self.episode += 1
        seed_stream(self.stream, self.seed, self.episode)
        deal(self.state, self.components, self.players, 0, 0, self.stream)

    def legal(self) -> list[int]:
        actions = np.zeros(ACTIONS, dtype=np.int8)
        return [int(action) for action in actions[: legal_actions(self.state, self.components, actions)]]


@pytest.mark.parametrize(("variant", "players"), SETTINGS)
def test_a_batch_plays_the_same_games_as_one_at_a_time(variant: str, players: int) -> None:
    seeds = np.array([7, 1 << 40, 0, 99])
    batch = Batch(variant, players, games=len(seeds), seed=seeds, dtype="int8")
    singles = [Single(variant, players, int(seed)) for seed in seeds]
    chooser = np.zeros(STREAM_WORDS, dtype=STREAM_DTYPE)
    seed_stream(chooser, 1, 0)
    row = new_observation(batch.players)
    ended = 0
    while ended < 6:
        observations = batch.observe()
        actions = np.zeros(batch.games, dtype=np.int64)
        for game, single in enumerate(singles):
            assert np.flatnonzero(batch.masks[game]).tolist() == single.legal()
            assert batch.seats[game] == single.state.seat
            assert batch.episodes[game] == single.episode
            observe(single.state, single.components, int(single.state.seat), row)
            assert observations[game].tolist() == row.tolist()
            actions[game] = single.legal()[random_below(chooser, len(single.legal()))]
        batch.step(actions)
        for game, single in enumerate(singles):
            play_action(single.state, single.components, int(actions[game]), single.stream)
            is_over = single.state.phase == OVER
            assert batch.dones[game] == is_over
            seats = range(players)
            if is_over:
                assert batch.places[game].tolist() == [
                    place_of(single.state, single.components, seat) for seat in seats
                ]
                values = [outcome_value(single.state, single.components, seat) for seat in seats]
                assert batch.values[game] == pytest.approx(values)
                ended += 1
                single.start_next()
            else:
                assert not batch.places[game].any()
                assert not batch.values[game].any()
            assert batch.states[game].tobytes() == single.state.tobytes()


def play_on(batch: Batch, steps: int) -> dict[str, Array]:
    for _ in range(steps):
        batch.step(batch.sample())
    return {name: getattr(batch, name).copy() for name in SHOWN} | {"observations": batch.observe().copy()}


def test_order_company_and_threads_change_no_game() -> None:
    batch = Batch("marvel", 3, games=300, seed=5, threads=1)
    order = np.random.default_rng(1).permutation(300)
    mixed = Batch("marvel", 3, games=200, seed=batch.seeds[order][:200], threads=3)
    shown, shown_mixed = play_on(batch, 120), play_on(mixed, 120)
    assert batch.episodes.max() > 0
    for name, rows in shown.items():
        assert rows[order][:200].tobytes() == shown_mixed[name].tobytes(), name


def test_batches_in_several_threads_do_not_disturb_each_other() -> None:
    alone = [play_on(Batch(games=300, seed=seed, threads=1), 60) for seed in (1, 2)]
    batches = [Batch(games=300, seed=seed, threads=3) for seed in (1, 2)]
    with ThreadPoolExecutor(2) as pool:
        together = list(pool.map(lambda batch: play_on(batch, 60), batches))
    for one, other in zip(alone, together, strict=True):
        assert all(rows.tobytes() == other[name].tobytes() for name, rows in one.items())


def test_one_seed_stands_for_unrelated_games_the_same_in_a_larger_batch() -> None:
    few, many = Batch(games=3, seed=5), Batch(games=9, seed=5)
    assert few.seeds.tolist() == many.seeds[:3].tolist()
    assert len(set(many.seeds.tolist()) | set(Batch(games=9, seed=6).seeds.tolist())) == 18
    assert Batch(games=3).seeds.tolist() != Batch(games=3).seeds.tolist()


def test_reset_deals_the_next_games_or_those_of_a_seed() -> None:
    batch = Batch(games=5, seed=5)
    first = batch.states.copy()
    play_on(batch, 10)
    batch.reset()
    assert batch.episodes.tolist() == [1] * 5
    assert batch.states.tobytes() != first.tobytes()
    batch.reset(seed=5)
    assert batch.states.tobytes() == first.tobytes()
    assert batch.episodes.tolist() == [0] * 5


def test_floats_are_the_integers_scaled() -> None:
    batch = Batch("marvel", 4, games=70, seed=1)
    play_on(batch, 60)
    integers = np.zeros((3, 70, batch.features), dtype=np.int8)
    assert batch.observe(integers[1]) is not None
    assert integers[1].any()
    assert not integers[[0, 2]].any()
    floats = batch.observe()
    assert floats.dtype == np.float32
    assert (floats == integers[1] * observation_scales(4)).all()


def test_other_seats_can_observe() -> None:
    batch = Batch(players=3, games=4, seed=1, dtype="int8")
    others = (batch.seats + 1) % 3
    row = new_observation(batch.players)
    for game, observed in enumerate(batch.observe(seats=others)):
        observe(batch.states[game], COMPONENTS[0], int(others[game]), row)
        assert observed.tolist() == row.tolist()


def test_without_restart_games_stay_over() -> None:
    batch = Batch(games=6, seed=2, restart=False)
    while not batch.dones.all():
        batch.step(batch.sample())
    assert not batch.masks.any()
    assert batch.values.sum(axis=1).tolist() == pytest.approx([0.0] * 6)
    assert batch.places.min() == 1
    before = batch.states.copy()
    values = batch.values.copy()
    batch.step(batch.sample())
    assert batch.states.tobytes() == before.tobytes()
    assert batch.values.tolist() == values.tolist()
    assert batch.dones.all()


def test_a_snapshot_goes_on_exactly() -> None:
    batch = Batch("marvel", games=8, seed=2)
    play_on(batch, 100)
    snapshot = batch.snapshot()
    after = play_on(batch, 100)
    other = Batch("marvel", games=8, seed=77)
    other.restore(snapshot)
    for name, rows in play_on(other, 100).items():
        assert rows.tobytes() == after[name].tobytes(), name
    with pytest.raises(OptionsError, match=r"expected states of shape \(7,\)"):
        Batch("marvel", games=7).restore(snapshot)


@pytest.mark.parametrize("action", [60, -1, 78, 1000])
def test_an_illegal_action_is_refused_and_changes_nothing(action: int) -> None:
    batch = Batch(games=3, seed=2)
    before = batch.states.copy()
    actions = batch.sample().copy()
    actions[1] = action
    with pytest.raises(IllegalMoveError, match=f"expected a legal action in game 1, got {action}"):
        batch.step(actions)
    assert batch.states.tobytes() == before.tobytes()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"games": 0}, "expected at least 1 game, got 0"),
        ({"device": "tpu"}, "expected the device 'cpu' or 'cuda', got 'tpu'"),
        ({"dtype": "float64"}, "expected observations of dtype 'int8' or 'float32', got 'float64'"),
        ({"threads": 0}, "expected 1 or more threads, got 0"),
        ({"seed": -1}, "expected a seed from 0 to"),
        ({"seed": [1, 2]}, "expected a seed, or 3 of them"),
        ({"seed": np.full(3, 1 << 63, dtype=np.uint64)}, "expected a seed, or 3 of them"),
        ({"players": 5}, "expected 2 to 4 players, got 5"),
    ],
)
def test_what_cannot_be_is_refused(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(CabochonError, match=message):
        Batch(**{"games": 3, **arguments})  # type: ignore[arg-type]


def test_a_missing_gpu_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    from cabochon.core.cuda_kernels import cuda

    monkeypatch.setattr(cuda, "is_available", lambda: False)
    with pytest.raises(OptionsError, match="expected an NVIDIA GPU for the device 'cuda', and found none"):
        Batch(games=3, device="cuda")


def test_wrong_shapes_are_refused() -> None:
    batch = Batch(games=3, seed=2)
    with pytest.raises(OptionsError, match="expected 3 whole numbers, got shape"):
        batch.step([1, 2])
    with pytest.raises(OptionsError, match="expected 3 whole numbers, got shape"):
        batch.step([0.0, 0.0, 0.0])
    with pytest.raises(OptionsError, match=r"expected an array of \(3, 688\) int8 or float32, got \(2, 688\) int8"):
        batch.observe(np.zeros((2, 688), dtype=np.int8))
    with pytest.raises(OptionsError, match=r"expected an array of \(3, 688\) int8 or float32, got \(3, 688\) float64"):
        batch.observe(np.zeros((3, 688)))
    with pytest.raises(OptionsError, match=r"expected an array of \(3,\) int8, got \(2,\) int8"):
        batch.observe(seats=np.zeros(2, dtype=np.int8))
    with pytest.raises(OptionsError, match="expected seats from 0 to 1, got 0 to 2"):
        batch.observe(seats=np.arange(3, dtype=np.int8))
    with pytest.raises(OptionsError, match=r"expected an array of \(3,\) int64, got \(4,\) int64"):
        batch.sample(np.zeros(4, dtype=np.int64))
    with pytest.raises(OptionsError, match="one on a CPU has no stream"):
        batch.stream = 5


def ended_state(variant: str, ending: int, points: list[int], cards: list[int]) -> tuple[State, list[float]]:
    """A game that is over, and what it is worth to each seat."""
    batch = Batch(variant, len(points), games=1, seed=1)
    state = batch.states[0]
    state.phase, state.ending = OVER, ending
    for seat in range(len(points)):
        state.points[seat], state.cards[seat] = points[seat], cards[seat]
        state.bonuses[seat] = 1
        state.tokens[seat, 6] = 1
    components = COMPONENTS[VARIANTS.index(variant)]
    return state, [outcome_value(state, components, seat) for seat in range(len(points))]


@pytest.mark.parametrize(
    ("variant", "ending", "points", "cards", "values"),
    [
        ("splendor", WON, [15, 14], [9, 9], [1, -1]),
        ("splendor", WON, [15, 15], [9, 9], [0, 0]),
        ("splendor", WON, [15, 15], [9, 8], [-1, 1]),
        ("splendor", WON, [9, 15, 3], [9, 9, 9], [-1 / 2, 1, -1 / 2]),
        ("splendor", WON, [16, 15, 16, 3], [9, 9, 9, 9], [1 / 3, -1 / 3, 1 / 3, -1 / 3]),
        ("splendor", ALL_PASSED, [2, 1], [1, 1], [1, -1]),
        ("marvel", WON, [16, 15, 14, 14], [9, 9, 9, 9], [1, -1 / 3, -1 / 3, -1 / 3]),
        ("marvel", ALL_PASSED, [2, 1], [1, 1], [0, 0]),
    ],
)
def test_the_worth_of_an_end(
    variant: str, ending: int, points: list[int], cards: list[int], values: list[float]
) -> None:
    _, worth = ended_state(variant, ending, points, cards)
    assert worth == pytest.approx(values)


@pytest.mark.parametrize(("variant", "players", "order"), [("splendor", 2, "canonical"), ("marvel", 4, "as dealt")])
def test_interpreted_and_simulated_batches_are_equal(variant: str, players: int, order: str, tmp_path: Path) -> None:
    """From the middle of games, where everything happens: the simulator takes long for a step."""
    games, steps = 2, 3
    batch = Batch(variant, players, games, seed=3, canonical=order == "canonical")
    for _ in range(30 * players):
        batch.step(batch.sample())
    middle = tmp_path / "middle.pickle"
    snapshot = batch.snapshot()
    expected = rollout(variant, players, games, steps, "cpu", order == "canonical", snapshot=snapshot)
    with middle.open("wb") as file:
        pickle.dump(snapshot, file)
    arguments = ["-m", "tests.envs.rollout", variant, str(players), str(games), str(steps)]
    assert run_python([*arguments, "cpu", order, str(middle)], NUMBA_DISABLE_JIT="1").strip() == expected
    simulator = {"NUMBA_ENABLE_CUDASIM": "1", "NUMBA_DISABLE_JIT": "1"}
    assert run_python([*arguments, "cuda", order, str(middle)], **simulator).strip() == expected


@pytest.mark.gpu
@pytest.mark.parametrize("restart", [True, False])
@pytest.mark.parametrize("canonical", [True, False])
@pytest.mark.parametrize(("variant", "players"), SETTINGS)
def test_the_gpu_plays_the_same_batch(variant: str, players: int, restart: bool, canonical: bool) -> None:
    expected, found = (rollout(variant, players, 1000, 150, device, canonical, restart) for device in ("cpu", "cuda"))
    assert found == expected


@pytest.mark.gpu
def test_the_gpu_refuses_illegal_actions_at_the_next_check() -> None:
    batch = Batch(games=3, seed=2, device="cuda")
    before = batch.snapshot()
    batch.step(np.array([60, -1, 99]))
    after = batch.snapshot()
    assert all(rows.tobytes() == after[name].tobytes() for name, rows in before.items())
    with pytest.raises(IllegalMoveError, match="got 3 that were not"):
        batch.check()
    batch.check()
