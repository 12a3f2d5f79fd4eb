"""Thousands of games at once, one decision of each at a step, on all cores or on a GPU."""

from __future__ import annotations

import secrets
from typing import Any

import numpy as np

from cabochon.core.cards import VARIANTS
from cabochon.core.observation import observation_size
from cabochon.core.random import STREAM_DTYPE, STREAM_WORDS
from cabochon.core.state import ACTIONS, STATE_DTYPE, Array
from cabochon.errors import OptionsError
from cabochon.game import Options

DEVICES = ("cpu", "cuda")
LARGEST_SEED = (1 << 63) - 1


class Batch:
    """Games side by side: `observe`, choose among `masks`, `step`.

    >>> batch = Batch("marvel", players=2, games=3, seed=1)
    >>> batch.observe().shape, batch.masks.shape, batch.seats.tolist()
    ((3, 688), (3, 78), [0, 0, 0])
    >>> batch.step(batch.sample())
    >>> batch.seats.tolist(), batch.dones.tolist()
    ([1, 1, 1], [False, False, False])

    All arrays have one row a game, keep their place in memory, and are overwritten by the next step: NumPy arrays,
    or with `device="cuda"` arrays in the memory of the GPU, which PyTorch and JAX take over without a copy.

    - `seats` [games] int8: who decides next.
    - `masks` [games, actions] bool: what is legal for that seat.
    - `dones` [games] bool: whether the last step ended a game. The row then shows the next game, unless
      `restart=False`: then it stays over, nothing is legal, and actions for it are ignored.
    - `values` [games, players] float32: where a game has just ended, what it was worth to each seat; else 0. The only
      winner has 1, a loser -1 / (players - 1), winners share, and a stalemate without a winner is 0 for all.
    - `places` [games, players] int8: where a game has just ended, each seat's place from 1; else 0.
    - `seeds`, `episodes` [games] int64: a game is fixed by these two numbers of its row and by the actions taken.

    A `seed` is one number for the whole batch, or one for each game; without it, games are new every time. On tables
    that are `arranged`, the cards of each level, of each hand, and the tiles always lie in the order of their numbers:
    the games are the same, but for the places, and there are fewer positions to learn.
    """

    def __init__(
        self,
        variant: str | Options = "splendor",
        players: int = 2,
        games: int = 1024,
        *,
        seed: int | Array | None = None,
        device: str = "cpu",
        threads: int | None = None,
        dtype: str = "float32",
        restart: bool = True,
        arranged: bool = False,
        free_take: bool = False,
        payment: str = "choice",
    ) -> None:
        self.options = variant if isinstance(variant, Options) else Options(variant, players, free_take, payment)
        if type(games) is not int or games < 1:
            raise OptionsError(f"expected 1 or more games, got {games!r}")
        if device not in DEVICES:
            raise OptionsError(f"expected the device 'cpu' or 'cuda', got {device!r}")
        if dtype not in ("int8", "float32"):
            raise OptionsError(f"expected observations of dtype 'int8' or 'float32', got {dtype!r}")
        self.variant = self.options.variant
        self.players = self.options.players
        self.games = games
        self.device = device
        self.restart = bool(restart)
        self.arranged = bool(arranged)
        self.features = observation_size(self.players)

        variant_number = VARIANTS.index(self.variant)
        if device == "cuda":
            try:
                from cabochon.envs.gpu import Gpu
            except ImportError as error:
                raise OptionsError(f"a GPU needs more packages: pip install 'cabochon[cuda]' ({error})") from error
            self._engine: Any = Gpu(variant_number, self.players)
        else:
            from cabochon.envs.cores import Cores

            self._engine = Cores(variant_number, self.players, games, threads)
        put = self._engine.put
        self.states = put(np.zeros(games, dtype=STATE_DTYPE))
        self.streams = put(np.zeros((games, STREAM_WORDS), dtype=STREAM_DTYPE))
        self.choices = put(np.zeros((games, STREAM_WORDS), dtype=STREAM_DTYPE))
        self.seeds = put(np.zeros(games, dtype=np.int64))
        self.episodes = put(np.zeros(games, dtype=np.int64))
        self.seats = put(np.zeros(games, dtype=np.int8))
        self.masks = put(np.zeros((games, ACTIONS), dtype=np.bool_))
        self.dones = put(np.zeros(games, dtype=np.bool_))
        self.values = put(np.zeros((games, self.players), dtype=np.float32))
        self.places = put(np.zeros((games, self.players), dtype=np.int8))
        self._observations = put(np.zeros((games, self.features), dtype=dtype))
        self._actions = put(np.zeros(games, dtype=np.int64))
        self.reset(secrets.randbits(63) if seed is None else seed)

    def reset(self, seed: int | Array | None = None) -> None:
        """Deal every game anew: the first one of these seeds, or the next one of those it has."""
        if seed is None:
            self._engine.set(self.episodes, self._engine.get(self.episodes) + 1)
        else:
            self._engine.set(self.seeds, self._seeds_of(seed))
            self._engine.set(self.episodes, np.zeros(self.games, dtype=np.int64))
        self._engine.set(self.values, np.zeros((self.games, self.players), dtype=np.float32))
        self._engine.set(self.places, np.zeros((self.games, self.players), dtype=np.int8))
        self._engine.start(self)

    def _seeds_of(self, seed: int | Array) -> Array:
        """A seed for each game; of one number, unrelated ones, the first of them the same for any number of games."""
        if isinstance(seed, int | np.integer):
            if not 0 <= seed <= LARGEST_SEED:
                raise OptionsError(f"expected a seed from 0 to 2**63 - 1, got {seed}")
            words = np.random.SeedSequence(int(seed)).generate_state(self.games, np.uint64)
            return (words >> np.uint64(1)).astype(np.int64)
        seeds = np.asarray(seed)
        is_whole = seeds.shape == (self.games,) and seeds.dtype.kind in "iu"
        if not is_whole or seeds.min() < 0 or seeds.max() > LARGEST_SEED:
            raise OptionsError(f"expected a seed, or {self.games} of them from 0 to 2**63 - 1, got {seed!r}")
        return seeds.astype(np.int64)

    def step(self, actions: Any) -> None:
        """Take one action [games] in every game, with the chance that follows it.

        On a CPU an illegal action raises `IllegalMoveError`, and no game is changed. On a GPU, which cannot say so
        at once, its game stays as it is, and `check` raises afterwards.
        """
        self._engine.step(self, actions)

    def observe(self, out: Any = None, *, seats: Any = None) -> Any:
        """What the seat that decides knows in every game, nothing hidden: [games, features].

        It is written to `out`, of the dtype int8 or float32, if that is given, as into a row of a larger array; else
        to an array of the batch's own, which the next call overwrites. `seats` [games] int8 are other observers.
        """
        out = self._observations if out is None else out
        seats = self.seats if seats is None else seats
        self._check_array(out, (self.games, self.features), ("int8", "float32"))
        self._check_array(seats, (self.games,), ("int8",))
        self._engine.observe(self, seats, out)
        return out

    def sample(self, out: Any = None) -> Any:
        """A random legal action for every game, each as likely as the others: [games] int64."""
        out = self._actions if out is None else out
        self._check_array(out, (self.games,), ("int64",))
        self._engine.sample(self, out)
        return out

    @staticmethod
    def _check_array(array: Any, shape: tuple[int, ...], dtypes: tuple[str, ...]) -> None:
        """An array of any library; compiled code would not notice a wrong one."""
        dtype = str(array.dtype).rpartition(".")[2]  # PyTorch's are called torch.int8
        if tuple(array.shape) != shape or dtype not in dtypes:
            expected = " or ".join(dtypes)
            raise OptionsError(f"expected an array of {shape} {expected}, got {tuple(array.shape)} {dtype}")

    @property
    def stream(self) -> Any:
        """On a GPU: the CUDA stream of all steps, as numba's object or as a handle; 0 is the default stream."""
        return self._engine.stream

    @stream.setter
    def stream(self, stream: Any) -> None:
        if self.device != "cuda":
            raise OptionsError("expected a batch on a GPU; one on a CPU has no stream")
        self._engine.stream = stream

    def check(self) -> None:
        """On a GPU: wait for all steps, and raise `IllegalMoveError` if an action was not legal."""
        self._engine.check()

    def snapshot(self) -> dict[str, Array]:
        """All that `restore` needs to go on from here exactly, as NumPy arrays on the CPU."""
        return {name: self._engine.get(getattr(self, name)) for name in _KEPT}

    def restore(self, snapshot: dict[str, Array]) -> None:
        """Go on from a snapshot of a batch of the same game, players and number of games."""
        for name in _KEPT:
            array, values = getattr(self, name), np.asarray(snapshot[name])
            if values.shape != tuple(array.shape) or values.dtype != array.dtype:
                raise OptionsError(
                    f"expected {name} of shape {tuple(array.shape)} and {array.dtype}, got {values.shape} "
                    f"and {values.dtype}"
                )
            self._engine.set(array, values)

    def __repr__(self) -> str:
        return f"<Batch {self.variant}, {self.players} players, {self.games} games, {self.device}>"


_KEPT = ("states", "streams", "choices", "seeds", "episodes", "seats", "masks", "dones", "values", "places")
