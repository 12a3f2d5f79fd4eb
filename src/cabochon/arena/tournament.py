"""Round robins in which every deal is played in every seat order, so that luck cancels.

The same deals, seeds and node limits give the same games, in whatever order and on however many cores they are
played. Each finished game is written to disk at once, so that an interrupted tournament is taken up where it stopped.
"""

from __future__ import annotations

import hashlib
import json
import math
import multiprocessing
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import asdict, dataclass
from itertools import combinations, combinations_with_replacement, permutations
from pathlib import Path
from typing import Any

from cabochon.bots.bot import Bot, close
from cabochon.bots.referee import GRACE_SECONDS, Contest, play_contest
from cabochon.bots.specs import parse_spec
from cabochon.errors import CabochonError
from cabochon.game import Options

GAMES_FILE = "games.jsonl"


@dataclass(frozen=True)
class Plan:
    """What is to be played: the bots as they were named, the game, how many games, and the seed."""

    bots: tuple[str, ...]
    options: Options
    games: int  # of each line-up, rounded up to whole deals
    seed: int = 0
    grace: float = GRACE_SECONDS

    def __post_init__(self) -> None:
        if len(self.bots) < 2:
            raise CabochonError(f"expected at least 2 bots, got {len(self.bots)}")
        if self.games < 1:
            raise CabochonError(f"expected at least 1 game, got {self.games}")
        for name in self.bots:
            parse_spec(name)

    def to_dict(self) -> dict[str, object]:
        """The plan as plain values, to compare and to keep."""
        return {**asdict(self), "bots": list(self.bots)}


@dataclass(frozen=True)
class Pairing:
    """One game of a tournament: which deal, and which bot (a number into the plan's bots) at each seat."""

    index: int
    deal: str
    seats: tuple[int, ...]


@dataclass(frozen=True)
class Played:
    """A pairing and how it went."""

    pairing: Pairing
    contest: Contest


def line_ups(bots: int, players: int) -> list[tuple[int, ...]]:
    """Which bots sit down together: all choices of so many; with too few bots, some of them twice."""
    if bots >= players:
        return list(combinations(range(bots), players))
    return [group for group in combinations_with_replacement(range(bots), players) if len(set(group)) > 1]


def schedule(plan: Plan) -> list[Pairing]:
    """All games: deal by deal, every line-up in every order of seats that differs."""
    pairings: list[Pairing] = []
    groups = line_ups(len(plan.bots), plan.options.players)
    orders = {group: _distinct_orders(group, plan.bots) for group in groups}
    deals = {group: math.ceil(plan.games / len(orders[group])) for group in groups}
    for deal in range(max(deals.values())):
        for number, group in enumerate(groups):
            if deal < deals[group]:
                for seats in orders[group]:
                    pairings.append(Pairing(len(pairings), f"{number}.{deal}", seats))
    return pairings


def _distinct_orders(group: tuple[int, ...], names: tuple[str, ...]) -> list[tuple[int, ...]]:
    """Seat orders that differ in more than an exchange of equal bots."""
    seen: dict[tuple[str, ...], tuple[int, ...]] = {}
    for seats in permutations(group):
        seen.setdefault(tuple(names[bot] for bot in seats), seats)
    return list(seen.values())


def _deal_seed(plan: Plan, deal: str) -> bytes:
    return hashlib.sha256(f"arena/{plan.seed}/{deal}".encode()).digest()


_bots: dict[tuple[str, int], Bot] = {}  # of this process, by name and seat


def play_pairing(plan: Plan, pairing: Pairing) -> Played:
    """Play one game of the plan, in this process."""
    names = [plan.bots[bot] for bot in pairing.seats]
    specs = [parse_spec(name) for name in names]
    for seat, spec in enumerate(specs):
        if (spec.text, seat) not in _bots:
            _bots[spec.text, seat] = spec.make()
    bots = [_bots[spec.text, seat] for seat, spec in enumerate(specs)]
    seed = _deal_seed(plan, pairing.deal)
    contest = play_contest(
        plan.options,
        seed,
        bots,
        [spec.limit for spec in specs],
        names,
        bot_seed=int.from_bytes(seed[:4], "big"),
        grace=plan.grace,
    )
    if contest.forfeit is not None:  # a bot that failed may still be busy: the next game gets fresh ones
        for seat, spec in enumerate(specs):
            close(_bots.pop((spec.text, seat)))
    return Played(pairing, contest)


def _to_line(played: Played) -> str:
    return json.dumps({"pairing": asdict(played.pairing), "contest": asdict(played.contest)})


def _from_line(line: str) -> Played:
    data = json.loads(line)
    pairing = data["pairing"]
    contest: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in data["contest"].items()
    }
    return Played(Pairing(pairing["index"], pairing["deal"], tuple(pairing["seats"])), Contest(**contest))


def read_played(folder: Path, plan: Plan) -> list[Played]:
    """The games that an earlier run of the same plan has finished."""
    path = folder / GAMES_FILE
    if not path.exists():
        return []
    lines = path.read_text(encoding="utf-8").splitlines()
    if not lines or json.loads(lines[0]) != json.loads(json.dumps(plan.to_dict())):
        raise CabochonError(f"expected {folder} to hold nothing, or games of this tournament; got another's")
    played = []
    for line in lines[1:]:
        try:
            played.append(_from_line(line))
        except (ValueError, KeyError, TypeError):
            break  # the line that was being written when the run was interrupted
    return played


def run(plan: Plan, folder: Path | None = None, workers: int = 1) -> Generator[Played]:
    """Play the tournament and give out each game as it ends, those of an interrupted run first."""
    done = read_played(folder, plan) if folder is not None else []
    log = None
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        log = (folder / GAMES_FILE).open("w", encoding="utf-8")
        log.write(json.dumps(plan.to_dict()) + "\n")
        log.writelines(_to_line(played) + "\n" for played in done)
        log.flush()
    try:
        yield from done
        known = {played.pairing.index for played in done}
        left = [pairing for pairing in schedule(plan) if pairing.index not in known]
        for played in _play_all(plan, left, workers):
            if log is not None:
                log.write(_to_line(played) + "\n")
                log.flush()
            yield played
    finally:
        if log is not None:
            log.close()


def _play_all(plan: Plan, pairings: Iterable[Pairing], workers: int) -> Iterator[Played]:
    if workers == 1:
        yield from (play_pairing(plan, pairing) for pairing in pairings)
        return
    context = multiprocessing.get_context("spawn")
    waiting = iter(pairings)
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        running: set[Future[Played]] = set()
        for pairing in waiting:
            running.add(pool.submit(play_pairing, plan, pairing))
            if len(running) >= 2 * workers:
                finished, running = wait(running, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in finished)
        while running:
            finished, running = wait(running, return_when=FIRST_COMPLETED)
            yield from (future.result() for future in finished)
