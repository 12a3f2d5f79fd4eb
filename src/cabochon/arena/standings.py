"""The standings of a tournament: win rates with intervals, ratings, points, length, time per move."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import TypedDict

from cabochon.arena.tournament import Plan, Played
from cabochon.outcome import Termination

Z95 = 1.959964  # the normal quantile of a two-sided 95% interval


def wilson(wins: float, games: int) -> tuple[float, float]:
    """Return the 95% confidence interval of a win rate (Wilson score).

    >>> [round(bound, 3) for bound in wilson(95, 100)]
    [0.888, 0.978]
    """
    if games == 0:
        return 0.0, 1.0
    rate = wins / games
    square = Z95 * Z95
    centre = (rate + square / (2 * games)) / (1 + square / games)
    spread = Z95 / (1 + square / games) * math.sqrt(rate * (1 - rate) / games + square / (4 * games * games))
    return min(rate, max(0.0, centre - spread)), max(rate, min(1.0, centre + spread))


class Score(TypedDict):
    """How often a bot is placed ahead of another, and in how many games."""

    score: float
    games: int


class BotResult(TypedDict):
    """One bot in the JSON result of a tournament."""

    name: str
    games: int
    wins: float
    win_rate: float
    low: float
    high: float
    rating: float | None
    rating_sigma: float | None
    mean_place: float
    mean_points: float
    mean_rounds: float
    decisions: int
    seconds_per_move: float
    forfeits: int  # `timeouts` included
    timeouts: int
    against: dict[str, Score]


class TournamentResult(TypedDict):
    """The JSON result of a tournament."""

    game: str
    players: int
    options: dict[str, object]
    seed: int
    games: int
    bots: list[BotResult]


@dataclass
class BotStanding:
    """The results of one bot. If the bot has several seats in a game, the game counts once, with its best seat."""

    name: str
    games: int = 0
    wins: float = 0.0  # a shared victory counts as its share
    points: float = 0.0  # the mean of its seats, over all games
    places: int = 0
    rounds: int = 0
    decisions: int = 0
    seconds: float = 0.0
    forfeits: int = 0  # `timeouts` included
    timeouts: int = 0
    rating: float | None = None  # openskill's mu: about 25 for an average bot of the tournament
    rating_sigma: float | None = None
    against: dict[str, tuple[float, int]] = field(default_factory=dict)  # placed ahead (a tie is half), and games

    @property
    def win_rate(self) -> float:
        """Return the share of games won."""
        return self.wins / self.games if self.games else 0.0

    def to_dict(self) -> BotResult:
        """Return the standing as plain values, for JSON."""
        low, high = wilson(self.wins, self.games)
        games = max(1, self.games)
        return {
            "name": self.name,
            "games": self.games,
            "wins": self.wins,
            "win_rate": self.win_rate,
            "low": low,
            "high": high,
            "rating": self.rating,
            "rating_sigma": self.rating_sigma,
            "mean_place": self.places / games,
            "mean_points": self.points / games,
            "mean_rounds": self.rounds / games,
            "decisions": self.decisions,
            "seconds_per_move": self.seconds / max(1, self.decisions),
            "forfeits": self.forfeits,
            "timeouts": self.timeouts,
            "against": {
                name: {"score": score / games, "games": games} for name, (score, games) in self.against.items()
            },
        }


def forfeits_text(bot: BotResult) -> str:
    """How often a bot forfeited, from its standing as plain values: `3 (1 on time)`."""
    return f"{bot['forfeits']} ({bot['timeouts']} on time)" if bot["timeouts"] else str(bot["forfeits"])


def standings(plan: Plan, played: Iterable[Played]) -> list[BotStanding]:
    """Return one standing for each name, in the order of the plan; equal names are one bot."""
    table = {name: BotStanding(name) for name in plan.bots}
    in_order = sorted(played, key=lambda one: one.pairing.index)
    for one in in_order:
        names = [plan.bots[bot] for bot in one.pairing.seats]
        contest = one.contest
        for name in dict.fromkeys(names):
            row = table[name]
            seats = [seat for seat, who in enumerate(names) if who == name]
            row.games += 1
            row.wins += sum(contest.shares[seat] for seat in seats)
            row.points += sum(contest.points[seat] for seat in seats) / len(seats)
            row.places += min(contest.places[seat] for seat in seats)
            row.rounds += contest.rounds
            row.decisions += sum(contest.decisions[seat] for seat in seats)
            row.seconds += sum(contest.seconds[seat] for seat in seats)
            if contest.forfeit is not None and contest.forfeit.seat in seats:
                row.forfeits += 1
                row.timeouts += contest.forfeit.termination == Termination.TIMEOUT
            for rival in dict.fromkeys(names):
                if rival != name:
                    own = min(contest.places[seat] for seat in seats)
                    others = min(place for place, who in zip(contest.places, names, strict=True) if who == rival)
                    score, games = row.against.get(rival, (0.0, 0))
                    row.against[rival] = (score + (0.5 if own == others else float(own < others)), games + 1)
    _rate(table, plan, in_order)
    return list(table.values())


def _rate(table: dict[str, BotStanding], plan: Plan, played: list[Played]) -> None:
    """Rate the bots with openskill, if it is installed (the extra `cabochon[arena]`)."""
    try:
        from openskill.models import PlackettLuce
    except ImportError:
        return
    model = PlackettLuce()
    ratings = {name: model.rating(name=name) for name in table}
    for one in played:
        names = [plan.bots[bot] for bot in one.pairing.seats]
        seats = [names.index(name) for name in dict.fromkeys(names)]  # of equal bots only the first counts
        teams = [[ratings[names[seat]]] for seat in seats]
        rated = model.rate(teams, ranks=[float(one.contest.places[seat]) for seat in seats])
        for seat, team in zip(seats, rated, strict=True):
            ratings[names[seat]] = team[0]
    for name, rating in ratings.items():
        table[name].rating = rating.mu
        table[name].rating_sigma = rating.sigma


def results(plan: Plan, played: list[Played]) -> TournamentResult:
    """Return the whole result as one JSON object."""
    return {
        "game": plan.options.variant,
        "players": plan.options.players,
        "options": asdict(plan.options),
        "seed": plan.seed,
        "games": len(played),
        "bots": [standing.to_dict() for standing in standings(plan, played)],
    }
