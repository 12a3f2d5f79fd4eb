"""A vectorized environment: thousands of games, one decision of each per step, on all cores or on a GPU."""

from __future__ import annotations

import secrets
from typing import Any, Protocol, TypeAlias

import numpy as np

from cabochon.core.cards import VARIANTS
from cabochon.core.lockstep import BatchArrays, BatchSettings
from cabochon.core.observation import observation_size
from cabochon.core.random import STREAM_DTYPE, STREAM_WORDS
from cabochon.core.state import ACTIONS, STATE_DTYPE, Array
from cabochon.errors import OptionsError
from cabochon.game import Options

LARGEST_SEED = (1 << 63) - 1

BatchArray: TypeAlias = Any  # a NumPy array, or an array on a GPU of any library that shares it


class Backend(Protocol):
    """The part of a batch that does the work: CPU threads or a GPU."""

    stream: Any  # a CUDA stream; 0 is the default stream

    def put(self, values: Array) -> BatchArray:
        """Return an array of the backend with these values."""

    def get(self, array: BatchArray) -> Array:
        """Return a copy of an array of the backend as a NumPy array."""

    def set(self, array: BatchArray, values: Array) -> None:
        """Overwrite an array of the backend."""

    def start(self, batch: Batch) -> None:
        """Deal every game."""

    def step(self, batch: Batch, actions: BatchArray) -> None:
        """Take an action in every game."""

    def observe(self, batch: Batch, seats: BatchArray, out: BatchArray) -> None:
        """Write the observations of these seats."""

    def sample(self, batch: Batch, out: BatchArray) -> None:
        """Write a random legal action for every game."""

    def check(self) -> None:
        """Raise `IllegalMoveError` if an action was illegal since the last check."""


class Batch:
    """Games side by side: `observe`, choose among `masks`, `step`.

    >>> batch = Batch("marvel", players=2, games=3, seed=1)
    >>> batch.observe().shape, batch.masks.shape, batch.seats.tolist()
    ((3, 688), (3, 78), [0, 0, 0])
    >>> batch.step(batch.sample())
    >>> batch.seats.tolist(), batch.dones.tolist()
    ([1, 1, 1], [False, False, False])

    All arrays have one row per game. They keep their place in memory, and the next step overwrites them. They are NumPy
    arrays, or with `device="cuda"` arrays on the GPU, which PyTorch and JAX can use without a copy.

    - `seats` [games] int8: the seat that decides next.
    - `masks` [games, actions] bool: the legal actions of that seat.
    - `dones` [games] bool: whether the last step ended the game. The row then already shows the next game. With
      `restart=False` the game stays over instead: no action is legal, and its actions are ignored.
    - `values` [games, players] float32: if the last step ended the game, its value to each seat, else 0. A single
      winner gets 1 and each loser -1 / (players - 1). Several winners share. In a stalemate without a winner, all
      get 0.
    - `places` [games, players] int8: if the last step ended the game, the place of each seat, from 1, else 0.
    - `seeds`, `episodes` [games] int64: these two numbers and the actions determine the game of the row.

    `seed` is one number for the whole batch, or one for each game. By default, the games are different every time. In a
    `canonical` batch the cards of each level, the cards of each hand and the tiles are always sorted by number: the
    games are the same except for this order, and there are fewer positions to learn. `arranged` is a deprecated alias.

    Raises `OptionsError` if an argument is not valid or the device is not available.
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
        canonical: bool = False,
        arranged: bool = False,
        free_take: bool = False,
        payment: str = "choice",
    ) -> None:
        self.options = variant if isinstance(variant, Options) else Options(variant, players, free_take, payment)
        if type(games) is not int or games < 1:
            raise OptionsError(f"expected at least 1 game, got {games!r}")
        if device not in ("cpu", "cuda"):
            raise OptionsError(f"expected the device 'cpu' or 'cuda', got {device!r}")
        if dtype not in ("int8", "float32"):
            raise OptionsError(f"expected observations of dtype 'int8' or 'float32', got {dtype!r}")
        self.variant = self.options.variant
        self.players = self.options.players
        self.games = games
        self.device = device
        self.restart = bool(restart)
        self.canonical = bool(canonical or arranged)
        self.features = observation_size(self.players)

        variant_number = VARIANTS.index(self.variant)
        if device == "cuda":
            try:
                from cabochon.envs.gpu import Gpu
            except ImportError as error:
                raise OptionsError(f"a GPU needs more packages: pip install 'cabochon[cuda]' ({error})") from error
            self._backend: Backend = Gpu(variant_number, self.players)
        else:
            from cabochon.envs.cores import Cores

            self._backend = Cores(variant_number, self.players, games, threads)
        put = self._backend.put
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
        self.arrays = tuple(getattr(self, name) for name in BatchArrays._fields)
        flags = (self.options.free_take, self.options.payment == "automatic", self.restart, self.canonical)
        self.settings = tuple(BatchSettings(self.players, *map(int, flags)))
        self._observations = put(np.zeros((games, self.features), dtype=dtype))
        self._actions = put(np.zeros(games, dtype=np.int64))
        self.reset(secrets.randbits(63) if seed is None else seed)

    def reset(self, seed: int | Array | None = None) -> None:
        """Deal a new game in every row: the first game of these seeds, or by default the next of the current seeds."""
        if seed is None:
            self._backend.set(self.episodes, self._backend.get(self.episodes) + 1)
        else:
            self._backend.set(self.seeds, self._seeds_from(seed))
            self._backend.set(self.episodes, np.zeros(self.games, dtype=np.int64))
        self._backend.set(self.values, np.zeros((self.games, self.players), dtype=np.float32))
        self._backend.set(self.places, np.zeros((self.games, self.players), dtype=np.int8))
        self._backend.start(self)

    def _seeds_from(self, seed: int | Array) -> Array:
        """Return a seed for each game; one number gives independent seeds, of which a smaller batch gets the first."""
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

    def step(self, actions: BatchArray) -> None:
        """Take one action [games] in every game, and make the reveal that follows it.

        On a CPU, an illegal action raises `IllegalMoveError` and no game changes. On a GPU, only the game with the
        illegal action does not change, and the next `check` raises.
        """
        self._backend.step(self, actions)

    def observe(self, out: BatchArray = None, *, seats: BatchArray = None) -> BatchArray:
        """Return the observation of the seat that decides in every game: [games, features].

        It is written to `out`, an int8 or float32 array such as a row of a rollout; by default, to an array of the
        batch that the next call overwrites. `seats` [games] int8 selects other observers.
        """
        out = self._observations if out is None else out
        seats = self.seats if seats is None else seats
        self._check_array(out, (self.games, self.features), ("int8", "float32"))
        self._check_array(seats, (self.games,), ("int8",))
        self._backend.observe(self, seats, out)
        return out

    def sample(self, out: BatchArray = None) -> BatchArray:
        """Return a uniformly random legal action for every game: [games] int64."""
        out = self._actions if out is None else out
        self._check_array(out, (self.games,), ("int64",))
        self._backend.sample(self, out)
        return out

    @staticmethod
    def _check_array(array: BatchArray, shape: tuple[int, ...], dtypes: tuple[str, ...]) -> None:
        """Check an array of any library, because compiled code would not notice a wrong one."""
        dtype = str(array.dtype).rpartition(".")[2]  # PyTorch's are called torch.int8
        if tuple(array.shape) != shape or dtype not in dtypes:
            expected = " or ".join(dtypes)
            raise OptionsError(f"expected an array of {shape} {expected}, got {tuple(array.shape)} {dtype}")

    @property
    def stream(self) -> Any:
        """The CUDA stream of all steps on a GPU, as a numba stream or a handle; 0 is the default stream."""
        return self._backend.stream

    @stream.setter
    def stream(self, stream: Any) -> None:
        if self.device != "cuda":
            raise OptionsError("expected a batch on a GPU; one on a CPU has no stream")
        self._backend.stream = stream

    def check(self) -> None:
        """On a GPU, wait for all steps, and raise `IllegalMoveError` if an action was illegal. On a CPU, do nothing."""
        self._backend.check()

    def snapshot(self) -> dict[str, Array]:
        """Return everything that `restore` needs to continue exactly from here, as NumPy arrays."""
        return {name: self._backend.get(array) for name, array in zip(BatchArrays._fields, self.arrays, strict=True)}

    def restore(self, snapshot: dict[str, Array]) -> None:
        """Continue from the snapshot of a batch with the same game, number of players and number of games."""
        for name, array in zip(BatchArrays._fields, self.arrays, strict=True):
            values = np.asarray(snapshot[name])
            if values.shape != tuple(array.shape) or values.dtype != array.dtype:
                raise OptionsError(
                    f"expected {name} of shape {tuple(array.shape)} and {array.dtype}, got {values.shape} "
                    f"and {values.dtype}"
                )
            self._backend.set(array, values)

    def __repr__(self) -> str:
        return f"<Batch {self.variant}, {self.players} players, {self.games} games, {self.device}>"
