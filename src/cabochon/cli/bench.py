"""`cabochon bench`: speed of random games, environments, replays and imports, on CPU and GPU."""

from __future__ import annotations

import ctypes
import hashlib
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import ParamSpec, TypeVar

import numba
import numpy as np
from rich.table import Table

from cabochon.cli.simulation import random_game
from cabochon.cli.terminal import output_console, print_json, progress_bar
from cabochon.core.cards import VARIANTS
from cabochon.core.components import COMPONENTS
from cabochon.core.playout import new_buffers, play_games, processors
from cabochon.envs.batch import Batch
from cabochon.game import Game, Options
from cabochon.version import RULES_VERSION, __version__

Arguments = ParamSpec("Arguments")
Row = TypeVar("Row")

SEED = 1
GPU_THREADS = 132 * 2048  # as many as an H200 holds at once
BATCH_GAMES = {"core": 1 << 10, "cores": 1 << 14, "gpu": 1 << 18}
CALIBRATION_BYTES = 1 << 24

IMPORT_SCRIPT = "import cabochon; cabochon.Game"  # names are imported when they are first used
FIRST_GAME_SCRIPT = """
import cabochon
game = cabochon.Game("splendor", players=2, seed=1)
while not game.is_over:
    game.play(game.legal_moves[0])
"""


@dataclass
class Playouts:
    """The speed of random games."""

    game: str
    players: int
    where: str
    moves_per_second: int
    games_per_second: int
    threads: int
    games: int
    moves: int
    seconds: float
    sha256_megabytes_per_second: int


@dataclass
class Environments:
    """The speed of an environment."""

    game: str
    players: int
    what: str
    games: int
    decisions_per_second: int
    sha256_megabytes_per_second: int


@dataclass
class Replays:
    """The speed of reading records."""

    game: str
    players: int
    replays_per_second: int
    moves_per_second: int


@dataclass
class Starts:
    """How long it takes to start."""

    import_seconds: float
    cold_first_game_seconds: float
    warm_first_game_seconds: float


@dataclass
class Result:
    """All measurements, and the machine they were made on."""

    playouts: list[Playouts]
    environments: list[Environments]
    replays: list[Replays]
    start: Starts
    machine: dict[str, str | int | None]


def calibrate() -> float:
    """Return the speed of SHA-256 in megabytes per second: how fast, and how busy, the machine is right now."""
    data = bytes(CALIBRATION_BYTES)
    begun = time.perf_counter()
    hashlib.sha256(data)
    return CALIBRATION_BYTES / 1e6 / (time.perf_counter() - begun)


def _play(options: Options, first: int, stride: int, games: int) -> int:
    buffers = new_buffers()
    components = COMPONENTS[VARIANTS.index(options.variant)]
    setting = (*options.core_arguments, SEED, first, stride, games)
    return play_games(buffers.state, components, buffers.actions, buffers.stream, *setting)


def _row(options: Options, where: str, threads: int, games: int, moves: int, seconds: float) -> Playouts:
    rates = round(moves / seconds), round(games / seconds)
    counts = threads, games, moves
    return Playouts(options.variant, options.players, where, *rates, *counts, round(seconds, 4), round(calibrate()))


def _on_threads(options: Options, where: str, threads: int, seconds: float) -> Playouts:
    """Play for about `seconds` on `threads` threads; a short run first estimates the number of games."""
    _play(options, 0, 1, 1)
    probe = 300
    begun = time.perf_counter()
    _play(options, 0, 1, probe)
    games = max(probe, int(probe * seconds / (time.perf_counter() - begun)))
    with ThreadPoolExecutor(threads) as pool:
        begun = time.perf_counter()
        parts = [pool.submit(_play, options, thread, threads, games) for thread in range(threads)]
        moves = sum(part.result() for part in parts)
        elapsed = time.perf_counter() - begun
    return _row(options, where, threads, games * threads, moves, elapsed)


def has_gpu() -> bool:
    """Return whether there is an NVIDIA GPU and numba-cuda is installed, without importing it."""
    if find_spec("numba_cuda") is None:
        return False
    try:
        driver = ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
    except OSError:
        return False
    count = ctypes.c_int(0)
    return driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(count)) == 0 and count.value > 0


def _on_gpu(options: Options, games: int) -> Playouts:
    from cabochon.core.cuda_kernels import play_games_on_gpu

    setting = (VARIANTS.index(options.variant), *options.core_arguments, SEED, GPU_THREADS)
    play_games_on_gpu(*setting, 1)
    begun = time.perf_counter()
    _, moves = play_games_on_gpu(*setting, games)
    seconds = time.perf_counter() - begun
    return _row(options, "gpu", GPU_THREADS, GPU_THREADS * games, int(moves.sum()), seconds)


def _in_batch(options: Options, where: str, dtype: str, seconds: float) -> Environments:
    """Take random decisions in a batch, each with its mask and observation."""
    games = BATCH_GAMES[where]
    threads = 1 if where == "core" else None
    device = "cuda" if where == "gpu" else "cpu"
    batch = Batch(options, games=games, seed=SEED, device=device, threads=threads, dtype=dtype)

    def play(steps: int) -> float:
        begun = time.perf_counter()
        for _ in range(steps):
            batch.observe()
            batch.step(batch.sample())
        batch.check()
        return time.perf_counter() - begun

    play(100)  # reach the middle of the games, which is slower than their beginning
    steps = max(1, int(20 * seconds / play(20)))
    what = f"batch, {dtype}, {where}"
    rate = round(steps * games / play(steps))
    return Environments(options.variant, options.players, what, games, rate, round(calibrate()))


def _in_pettingzoo(options: Options, seconds: float) -> Environments:
    """Run PettingZoo's loop, each decision with its mask and observation."""
    from cabochon.envs import pettingzoo

    env = pettingzoo.env(options.variant, options.players)
    env.reset(seed=SEED)
    decisions = 0
    begun = time.perf_counter()
    while time.perf_counter() - begun < seconds:
        env.reset()
        for _ in env.agent_iter():
            observation, _, is_over, _, _ = env.last()
            if is_over:
                env.step(None)
                continue
            legal = observation["action_mask"].nonzero()[0]
            env.step(legal[decisions % len(legal)])
            decisions += 1
    rate = round(decisions / (time.perf_counter() - begun))
    return Environments(options.variant, options.players, "pettingzoo", 1, rate, round(calibrate()))


def _gpu_name() -> str | None:
    if not has_gpu():
        return None
    from cabochon.core import cuda_kernels

    name = cuda_kernels.cuda.get_current_device().name
    return name.decode() if isinstance(name, bytes) else str(name)


def _seconds_of(script: str, cache: Path | None = None) -> float:
    environment = dict(os.environ)
    if cache is not None:
        environment["CABOCHON_CACHE"] = str(cache)
    timed = f"import time\nbegun = time.perf_counter()\n{script}\nprint(time.perf_counter() - begun)"
    done = subprocess.run([sys.executable, "-c", timed], env=environment, check=True, capture_output=True, text=True)
    return float(done.stdout)


def _starts(repeats: int) -> Starts:
    """Measure `import cabochon`, and the time until the first game is over, cold and warm."""
    imports = [_seconds_of(IMPORT_SCRIPT) for _ in range(repeats)]
    with tempfile.TemporaryDirectory() as folder:
        cold = _seconds_of(FIRST_GAME_SCRIPT, Path(folder))
        warm = [_seconds_of(FIRST_GAME_SCRIPT, Path(folder)) for _ in range(repeats)]
    return Starts(round(statistics.median(imports), 4), round(cold, 3), round(statistics.median(warm), 4))


def _replays(options: Options, seconds: float) -> Replays:
    records = [random_game(options, seed).record() for seed in range(20)]
    Game.from_record(records[0])
    done = moves = 0
    begun = time.perf_counter()
    while time.perf_counter() - begun < seconds:
        moves += len(Game.from_record(records[done % len(records)]).moves)
        done += 1
    elapsed = time.perf_counter() - begun
    return Replays(options.variant, options.players, round(done / elapsed), round(moves / elapsed))


def _processor_name() -> str:
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _machine() -> dict[str, str | int | None]:
    return {
        "processor": _processor_name(),
        "cores": processors(),
        "gpu": _gpu_name(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba.__version__,
        "numba_cuda": metadata.version("numba-cuda") if find_spec("numba_cuda") else None,
        "cabochon": __version__,
        "rules": RULES_VERSION,
    }


def _add(
    rows: list[Row], measure: Callable[Arguments, Row], *arguments: Arguments.args, **named: Arguments.kwargs
) -> Callable[[], None]:
    return lambda: rows.append(measure(*arguments, **named))


def _measurements(
    settings: Sequence[Options], is_quick: bool, result: Result
) -> Iterator[tuple[str, Callable[[], None]]]:
    """What to measure: a title, and a function that measures and adds to the result."""
    seconds = 0.1 if is_quick else 2.0
    playouts, environments = result.playouts, result.environments

    def start() -> None:
        result.start = _starts(1 if is_quick else 5)

    for options in settings:
        title = f"{options.variant}, {options.players} players"
        for where, threads in (("core", 1), ("cores", processors())):
            yield f"{title}, {where}", _add(playouts, _on_threads, options, where, threads, seconds)
        if has_gpu():
            yield f"{title}, gpu", _add(playouts, _on_gpu, options, 40 if is_quick else 200)
        for where in ("core", "cores", "gpu") if has_gpu() else ("core", "cores"):
            for dtype in ("int8", "float32"):
                title_of_batch = f"{title}, batch, {dtype}, {where}"
                yield title_of_batch, _add(environments, _in_batch, options, where, dtype, seconds)
        if find_spec("pettingzoo") is not None:
            yield f"{title}, pettingzoo", _add(environments, _in_pettingzoo, options, seconds)
        yield f"{title}, replays", _add(result.replays, _replays, options, seconds / 2)
    yield "imports and first games", start


def bench(settings: Sequence[Options], is_quick: bool, as_json: bool) -> None:
    """Measure, with progress on standard error, and print the result."""
    result = Result([], [], [], Starts(0.0, 0.0, 0.0), _machine())
    measurements = list(_measurements(settings, is_quick, result))
    with progress_bar() as bar:
        task = bar.add_task("", total=len(measurements))
        for title, measure in measurements:
            bar.update(task, description=title)
            measure()
            bar.advance(task)
    if as_json:
        print_json(asdict(result))
    else:
        _print_result(result)


def _table(what: str, numbers: Sequence[str]) -> Table:
    table = Table("Game", "Players", what, box=None, header_style="bold")
    for title in numbers:
        table.add_column(title, justify="right")
    return table


def _print_result(result: Result) -> None:
    console = output_console()
    columns = ("Threads", "Moves per second", "Games per second", "Relative to one core", "SHA-256 MB/s")
    table = _table("Where", columns)
    one_core = 1
    for row in result.playouts:
        if row.where == "core":
            one_core = row.moves_per_second
        table.add_row(
            row.game,
            str(row.players),
            row.where,
            f"{row.threads:,}",
            f"{row.moves_per_second:,}",
            f"{row.games_per_second:,}",
            f"{row.moves_per_second / one_core:.2f}",
            f"{row.sha256_megabytes_per_second:,}",
        )
    console.print(table)
    table = _table("Environment", ("Games at once", "Decisions per second", "SHA-256 MB/s"))
    for environment in result.environments:
        table.add_row(
            environment.game,
            str(environment.players),
            environment.what,
            f"{environment.games:,}",
            f"{environment.decisions_per_second:,}",
            f"{environment.sha256_megabytes_per_second:,}",
        )
    console.print(table)
    for replay in result.replays:
        setting = f"{replay.game}, {replay.players} players"
        console.print(f"{setting}: {replay.replays_per_second:,} replays per second")
    start = result.start
    console.print(
        f"import cabochon {start.import_seconds:.3f} s; first game, cold "
        f"{start.cold_first_game_seconds:.2f} s, warm {start.warm_first_game_seconds:.2f} s"
    )
    console.print(", ".join(f"{key} {value}" for key, value in result.machine.items() if value is not None))
