"""Round-robin tournaments in which every deal is played in every order of seats, so that luck cancels out.

The same deals, seeds and node limits give the same games, in any order and on any number of cores. Each finished game
is written to disk at once, so an interrupted tournament can be resumed. If bots play online (`cabochon.arena.online`),
the server deals, and only the order of seats is balanced.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
from collections.abc import Generator, Iterator
from dataclasses import asdict, dataclass
from functools import cache, partial
from itertools import combinations, permutations
from pathlib import Path
from typing import Any, TextIO

from cabochon.bots.protocol import Bot
from cabochon.bots.referee import GRACE_SECONDS, Contest, close_quietly, play_contest
from cabochon.bots.specs import parse_spec
from cabochon.errors import CabochonError
from cabochon.jobs import Executor, Serial
from cabochon.options import Options
from cabochon.outcome import Forfeit, Termination

GAMES_FILE = "games.jsonl"
ONLINE = "online:"


def is_online(name: str) -> bool:
    """Return whether the bot plays on a server."""
    return name.startswith(ONLINE)


@dataclass(frozen=True)
class Plan:
    """What to play: the names of the bots, the game, the number of games, and the seed."""

    bots: tuple[str, ...]
    options: Options
    games: int  # per line-up, rounded up to whole deals
    seed: int = 0
    grace: float = GRACE_SECONDS

    def __post_init__(self) -> None:
        if len(self.bots) < self.options.players:
            expected = f"at least {self.options.players} bots for {self.options.players} players"
            raise CabochonError(f"expected {expected}, got {len(self.bots)}; a bot may be named more than once")
        if len(set(self.bots)) < 2:
            raise CabochonError(f"expected at least 2 different bots, got only {self.bots[0]!r}")
        if not 0 <= self.grace < math.inf:
            raise CabochonError(f"expected a grace of 0 seconds or more, got {self.grace}")
        if self.games < 1:
            raise CabochonError(f"expected at least 1 game, got {self.games}")
        for name in self.bots:
            if not is_online(name):
                parse_spec(name)
        if self.has_online_bots:
            from cabochon.arena.online import parse_online

            names = [name for name in self.bots if is_online(name)]
            online = [parse_online(name) for name in names]
            if len({bot.server for bot in online}) > 1:
                raise CabochonError(f"expected online bots of the same server, got {', '.join(names)}")
            if len({bot.guest for bot in online}) < len(names):
                raise CabochonError(f"expected each online bot once, got {', '.join(names)}")

    @property
    def has_online_bots(self) -> bool:
        """Return whether a server deals the cards instead of the seed."""
        return any(is_online(name) for name in self.bots)

    def to_dict(self) -> dict[str, object]:
        """Return the plan as plain values, for JSON."""
        return {**asdict(self), "bots": list(self.bots)}


@dataclass(frozen=True)
class Pairing:
    """One game of a tournament: its deal, and the bot at each seat as an index into the bots of the plan."""

    index: int
    deal: str
    seats: tuple[int, ...]


@dataclass(frozen=True)
class Played:
    """A pairing and its result."""

    pairing: Pairing
    contest: Contest


def line_ups(bots: tuple[str, ...], players: int) -> list[tuple[int, ...]]:
    """Return which bots play together: all different choices of `players` bots that are not all the same."""
    seen: dict[tuple[str, ...], tuple[int, ...]] = {}
    for group in combinations(range(len(bots)), players):
        names = tuple(sorted(bots[bot] for bot in group))
        if len(set(names)) > 1:
            seen.setdefault(names, group)
    return list(seen.values())


def schedule(plan: Plan) -> list[Pairing]:
    """Return all games: deal by deal, every line-up in every distinct order of seats."""
    pairings: list[Pairing] = []
    groups = line_ups(plan.bots, plan.options.players)
    orders = {group: _distinct_orders(group, plan.bots) for group in groups}
    deals = {group: math.ceil(plan.games / len(orders[group])) for group in groups}
    for deal in range(max(deals.values())):
        for number, group in enumerate(groups):
            if deal < deals[group]:
                for seats in orders[group]:
                    pairings.append(Pairing(len(pairings), f"{number}.{deal}", seats))
    return pairings


def _distinct_orders(group: tuple[int, ...], names: tuple[str, ...]) -> list[tuple[int, ...]]:
    """Return the orders of seats, without those that only swap equal bots."""
    seen: dict[tuple[str, ...], tuple[int, ...]] = {}
    for seats in permutations(group):
        seen.setdefault(tuple(names[bot] for bot in seats), seats)
    return list(seen.values())


def _derive_seed(plan: Plan, purpose: str, deal: str) -> bytes:
    """Return a seed for the deal or for the bots; neither reveals the other."""
    return hashlib.sha256(f"arena/{purpose}/{plan.seed}/{deal}".encode()).digest()


_spec = cache(parse_spec)
_bots: dict[tuple[str, int], Bot] = {}  # of this process, by name and seat


def play_pairing(plan: Plan, pairing: Pairing) -> Played:
    """Play one game of the plan in this process."""
    names = [plan.bots[bot] for bot in pairing.seats]
    specs = {seat: _spec(name) for seat, name in enumerate(names) if not is_online(name)}
    for seat, spec in specs.items():
        if (spec.text, seat) not in _bots:
            _bots[spec.text, seat] = spec.make()
    bots = {seat: _bots[spec.text, seat] for seat, spec in specs.items()}
    bot_seed = int.from_bytes(_derive_seed(plan, "bots", pairing.deal)[:4], "big")
    if len(specs) < len(names):
        from cabochon.arena.online import parse_online, play_online

        online = {seat: parse_online(name) for seat, name in enumerate(names) if is_online(name)}
        local = {seat: (bots[seat], spec.limit) for seat, spec in specs.items()}
        contest = play_online(plan.options, names, online, local, bot_seed, plan.grace)
    else:
        deal = _derive_seed(plan, "deal", pairing.deal)
        limits = [spec.limit for spec in specs.values()]
        contest = play_contest(plan.options, deal, list(bots.values()), limits, names, bot_seed, plan.grace)
    if contest.forfeit is not None:  # a bot that failed may still be busy: the next game gets new ones
        for seat, spec in specs.items():
            close_quietly(_bots.pop((spec.text, seat)))
    return Played(pairing, contest)


def _to_line(played: Played) -> str:
    return json.dumps({"pairing": asdict(played.pairing), "contest": asdict(played.contest)})


def _from_line(line: str) -> Played:
    data = json.loads(line)
    pairing = data["pairing"]
    contest: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in data["contest"].items()
    }
    forfeit = contest["forfeit"]
    if isinstance(forfeit, str):  # as older versions wrote it; without a seat, the process of the game had ended
        contest["forfeit"] = Forfeit.from_text(forfeit)
        contest["error"] = forfeit if contest["forfeit"] is None else None
    elif forfeit is not None:
        contest["forfeit"] = Forfeit(forfeit["seat"], Termination(forfeit["termination"]), forfeit["detail"])
    return Played(Pairing(pairing["index"], pairing["deal"], tuple(pairing["seats"])), Contest(**contest))


def read_played(folder: Path, plan: Plan) -> list[Played]:
    """Return the games that an earlier run of the same plan has finished."""
    path = folder / GAMES_FILE
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    if not lines:
        return []
    try:
        is_same = json.loads(lines[0]) == json.loads(json.dumps(plan.to_dict()))
    except ValueError:
        is_same = False
    if not is_same:
        raise CabochonError(f"expected {folder} to be empty or of this tournament, got another tournament")
    played = []
    for line in lines[1:]:
        try:
            played.append(_from_line(line))
        except (ValueError, KeyError, TypeError):
            break  # a line that was cut off when the run was interrupted
    return played


def seed_of(folder: Path) -> int | None:
    """Return the seed of the tournament in a folder, or None if there is none."""
    try:
        with (folder / GAMES_FILE).open(encoding="utf-8") as lines:
            return int(json.loads(next(lines))["seed"])
    except (OSError, ValueError, KeyError, TypeError, StopIteration):
        return None


def run(plan: Plan, folder: Path | None = None, executor: Executor | None = None) -> Generator[Played]:
    """Play the tournament and yield each game when it ends, those of an interrupted run first.

    By default, it is played in this process. If the process of a game dies, only that game is lost.
    """
    done = read_played(folder, plan) if folder is not None else []
    yield from done
    known = {played.pairing.index for played in done}
    left = [pairing for pairing in schedule(plan) if pairing.index not in known]
    with _open_log(plan, folder, done) as log:
        for played in (executor or Serial()).as_completed(partial(play_pairing, plan), left, partial(_lost, plan)):
            if log is not None:
                log.write(_to_line(played) + "\n")
                log.flush()
            yield played


@contextlib.contextmanager
def _open_log(plan: Plan, folder: Path | None, done: list[Played]) -> Iterator[TextIO | None]:
    """Open the file of finished games for appending; remove a line that was cut off."""
    if folder is None:
        yield None
        return
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / GAMES_FILE
    whole = path.with_suffix(".new")
    lines = (json.dumps(plan.to_dict()), *map(_to_line, done))
    whole.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    whole.replace(path)
    with path.open("a", encoding="utf-8") as log:
        yield log


def _lost(plan: Plan, pairing: Pairing) -> Played:
    """Return the result of a game whose process died. Nobody wins, because the bot at fault is not known."""
    players = plan.options.players
    nothing = (0,) * players
    error = "the process of the game has ended"
    contest = Contest("", (players,) * players, (0.0,) * players, nothing, 0, nothing, (0.0,) * players, None, error)
    return Played(pairing, contest)
