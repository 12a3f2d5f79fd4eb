"""`cabochon simulate`: write random games to a record file, or play them in the core and check every state."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import TextIO

import numpy as np
from rich.table import Table

from cabochon.cli.terminal import output_console, print_json, progress_bar, replaced_file
from cabochon.core.cards import CARDS, VARIANTS
from cabochon.core.components import COMPONENTS
from cabochon.core.invariants import INVARIANTS, check_games
from cabochon.core.playout import new_buffers
from cabochon.core.random import STREAM_DTYPE, STREAM_WORDS, random_below, seed_stream
from cabochon.core.state import NOTHING, IntArray
from cabochon.errors import OptionsError
from cabochon.game import Game, Options
from cabochon.jobs import Executor, Threads, new_executor
from cabochon.notation import Move
from cabochon.outcome import Outcome
from cabochon.view import ENDINGS

LARGEST_CORE_SEED = (1 << 63) - 1
# Games of a job: it takes tens of milliseconds, so that the bar moves and Ctrl-C works.
GAMES_PER_JOB = 20
CHECKED_GAMES_PER_JOB = 500
ENDING_NAMES = ENDINGS[1:]


def random_moves(game: Game, seed: int) -> Iterator[Move]:
    """Play random moves to the end of the game, and yield each of them; the same seed gives the same moves."""
    stream = np.zeros(STREAM_WORDS, dtype=STREAM_DTYPE)
    seed_stream(stream, seed & LARGEST_CORE_SEED, 0)
    while moves := game.legal_moves:
        yield game.play(moves[random_below(stream, len(moves))])


def random_game(options: Options, seed: int) -> Game:
    """Play a whole game of random moves; the same seed gives the same game."""
    game = Game(options, seed=seed, names=["bot:random"] * options.players, date="?")
    for _ in random_moves(game, seed):
        pass
    return game


@dataclass
class Summary:
    """What the games of a file have in common, and how they ended."""

    game: str
    players: int
    games: int
    seed: int
    moves: int
    endings: dict[str, int]
    wins: list[int]


def simulate(
    options: Options,
    games: int,
    seed: int,
    output: Path | None,
    as_json: bool,
    workers: int | None = None,
    ray: str | None = None,
) -> None:
    """Write random games with the seeds `seed`, `seed + 1`, ... to a file or to standard output."""
    if as_json and output is None:
        raise OptionsError("expected --output FILE with --json, since both would go to standard output")
    with new_executor(math.ceil(games / GAMES_PER_JOB), workers, ray) as players:
        if output is None:
            _write_games(sys.stdout, options, games, seed, players)
            return
        try:
            with replaced_file(output) as file:
                summary = _write_games(file, options, games, seed, players)
        except OSError as error:
            raise OptionsError(f"expected a writable file, got {str(output)!r}: {error.strerror}") from error
    if as_json:
        print_json({**asdict(summary), "output": str(output)})
        return
    endings = ", ".join(f"{count} {ending}" for ending, count in summary.endings.items() if count)
    output_console().print(f"{games} games, {summary.moves} moves ({endings}), written to {output}", soft_wrap=True)


def _random_records(options: Options, seeds: range) -> list[tuple[str, int, Outcome | None]]:
    """Play a game for each seed; return the records, the numbers of moves and the outcomes."""
    games = [random_game(options, seed) for seed in seeds]
    return [(game.record(), len(game.moves), game.outcome) for game in games]


def _write_games(file: TextIO, options: Options, games: int, seed: int, executor: Executor) -> Summary:
    endings, wins = dict.fromkeys(ENDING_NAMES, 0), [0] * options.players
    summary = Summary(options.variant, options.players, games, seed, 0, endings, wins)
    parts = _parts(range(seed, seed + games), GAMES_PER_JOB)
    with progress_bar() as bar:
        task = bar.add_task(_title(options), total=games)
        for part in executor.in_order(partial(_random_records, options), parts):
            for record, moves, outcome in part:
                file.write(record + "\n")
                summary.moves += moves
                if outcome is not None:
                    endings[outcome.reason] += 1
                    for seat in outcome.winners:
                        wins[seat] += 1
            bar.advance(task, len(part))
    return summary


def _parts(numbers: range, size: int) -> list[range]:
    return [numbers[first : first + size] for first in range(0, len(numbers), size)]


def _title(options: Options) -> str:
    return f"{options.variant}, {options.players} players"


@dataclass
class Check:
    """The result of checking random games of one setting."""

    game: str
    players: int
    games: int = 0
    moves: int = 0
    endings: dict[str, int] = field(default_factory=lambda: dict.fromkeys(ENDING_NAMES, 0))
    broken: str | None = None
    broken_game: int | None = None


def _check_some(options: Options, seed: int, numbers: range) -> tuple[int, IntArray]:
    """Check some games; return the index of the broken invariant, or 0, and the tally of `check_games`."""
    tally = np.zeros(len(ENDINGS), dtype=np.int64)
    buffers = new_buffers()
    components = COMPONENTS[VARIANTS.index(options.variant)]
    owners = np.full(CARDS, NOTHING, dtype=np.int8)
    setting = (*options.core_arguments, seed, numbers.start, len(numbers), tally)
    return check_games(buffers.state, components, buffers.actions, buffers.stream, owners, *setting), tally


def _check_setting(executor: Executor, options: Options, seed: int, games: int) -> Iterator[Check]:
    """Check the games in parts until an invariant is broken; yield the check so far after each part."""
    check = Check(options.variant, options.players)
    parts = _parts(range(games), CHECKED_GAMES_PER_JOB)
    for broken, tally in executor.in_order(partial(_check_some, options, seed), parts):
        check.games += int(tally[1:].sum())
        check.moves += int(tally[0])
        for name, count in zip(ENDING_NAMES, tally[1:].tolist(), strict=True):
            check.endings[name] += count
        if broken:  # the games are played in order, so the broken one comes after those that ended
            check.broken, check.broken_game = INVARIANTS[broken], check.games
        yield check
        if broken:
            return


def check(
    settings: Sequence[Options],
    games: int,
    seed: int,
    as_json: bool,
    workers: int | None = None,
    ray: str | None = None,
) -> bool:
    """Play random games of every setting and check every state; return whether no invariant was broken."""
    if not 0 <= seed <= LARGEST_CORE_SEED:
        raise OptionsError(f"expected a seed from 0 to 2**63 - 1 with --check, got {seed}")
    begun = time.perf_counter()
    checks = []
    jobs = math.ceil(games / CHECKED_GAMES_PER_JOB)
    with new_executor(jobs, workers, ray, Threads) as players, progress_bar() as bar:
        for options in settings:
            task = bar.add_task(_title(options), total=games)
            so_far = Check(options.variant, options.players)
            for so_far in _check_setting(players, options, seed, games):
                bar.update(task, completed=so_far.games)
            checks.append(so_far)
    seconds = time.perf_counter() - begun
    if as_json:
        print_json({"seed": seed, "seconds": round(seconds, 3), "checks": [asdict(check) for check in checks]})
    else:
        _print_checks(checks, seed, seconds)
    return all(check.broken is None for check in checks)


def _print_checks(checks: list[Check], seed: int, seconds: float) -> None:
    table = Table("Game", box=None, header_style="bold")
    for title in ("Players", "Games", "Moves", *(name.capitalize() for name in ENDING_NAMES)):
        table.add_column(title, justify="right")
    for check in checks:
        counts = (check.players, check.games, check.moves, *check.endings.values())
        table.add_row(check.game, *(f"{count:,}" for count in counts))
    console = output_console()
    console.print(table)
    broken = [check for check in checks if check.broken is not None]
    for check in broken:
        where = f"{check.game}, {check.players} players, seed {seed}, game number {check.broken_game}"
        console.print(f"{where}: broken: {check.broken}", markup=False, soft_wrap=True)
    if not broken:
        console.print(f"No broken invariant in {seconds:,.1f} s.")
