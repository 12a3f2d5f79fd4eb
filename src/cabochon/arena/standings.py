"""The standings of a tournament: win rates with intervals, ratings, points, length, time per move."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import asdict, dataclass

from cabochon.arena.tournament import Plan, Played
from cabochon.bots.referee import Contest
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


@dataclass(frozen=True)
class Score:
    """How often a bot is placed ahead of another (a tie is half), and in how many games."""

    score: float
    games: int


@dataclass(frozen=True)
class BotStanding:
    """The results of one bot. If the bot has several seats in a game, the game counts once, for its best seat."""

    name: str
    games: int
    wins: float  # a shared victory counts as its share
    win_rate: float
    low: float  # the 95% interval of the win rate
    high: float
    rating: float | None  # openskill's mu: about 25 for an average bot of the tournament
    rating_sigma: float | None
    mean_place: float
    mean_points: float  # of the mean of its seats
    mean_rounds: float
    decisions: int
    seconds_per_move: float
    forfeits: int  # `timeouts` included
    timeouts: int
    against: dict[str, Score]

    @property
    def forfeits_text(self) -> str:
        """How often the bot forfeited: `3 (1 on time)`."""
        return f"{self.forfeits} ({self.timeouts} on time)" if self.timeouts else str(self.forfeits)


def standings(plan: Plan, played: Iterable[Played]) -> list[BotStanding]:
    """Return one standing for each name, in the order of the plan; bots with equal names count as one."""
    in_order = sorted(played, key=lambda one: one.pairing.index)
    games = [([plan.bots[bot] for bot in one.pairing.seats], one.contest) for one in in_order]
    ratings = _ratings(plan.bots, games)
    return [_standing(name, games, *ratings.get(name, (None, None))) for name in dict.fromkeys(plan.bots)]


def _standing(
    name: str, games: list[tuple[list[str], Contest]], rating: float | None, sigma: float | None
) -> BotStanding:
    own = [([seat for seat, who in enumerate(names) if who == name], game) for names, game in games if name in names]
    places = 0
    scores: dict[str, list[float]] = defaultdict(list)
    for names, game in games:
        best = {who: min(place for place, at in zip(game.places, names, strict=True) if at == who) for who in names}
        if name in best:
            place = best.pop(name)
            places += place
            for rival, other in best.items():
                scores[rival].append(0.5 if place == other else float(place < other))
    count = max(1, len(own))
    wins = sum(game.shares[seat] for seats, game in own for seat in seats)
    low, high = wilson(wins, len(own))
    decisions = sum(game.decisions[seat] for seats, game in own for seat in seats)
    forfeits = [game.forfeit for seats, game in own if game.forfeit is not None and game.forfeit.seat in seats]
    return BotStanding(
        name=name,
        games=len(own),
        wins=wins,
        win_rate=wins / count,
        low=low,
        high=high,
        rating=rating,
        rating_sigma=sigma,
        mean_place=places / count,
        mean_points=sum(sum(game.points[seat] for seat in seats) / len(seats) for seats, game in own) / count,
        mean_rounds=sum(game.rounds for _, game in own) / count,
        decisions=decisions,
        seconds_per_move=sum(game.seconds[seat] for seats, game in own for seat in seats) / max(1, decisions),
        forfeits=len(forfeits),
        timeouts=sum(forfeit.termination == Termination.TIMEOUT for forfeit in forfeits),
        against={rival: Score(sum(points) / len(points), len(points)) for rival, points in scores.items()},
    )


def _ratings(bots: tuple[str, ...], games: list[tuple[list[str], Contest]]) -> dict[str, tuple[float, float]]:
    """Rate the bots with openskill, if it is installed (the extra `cabochon[arena]`)."""
    try:
        from openskill.models import PlackettLuce
    except ImportError:
        return {}
    model = PlackettLuce()
    ratings = {name: model.rating(name=name) for name in bots}
    for names, game in games:
        seats = [names.index(name) for name in dict.fromkeys(names)]  # of equal bots only the first counts
        teams = [[ratings[names[seat]]] for seat in seats]
        rated = model.rate(teams, ranks=[float(game.places[seat]) for seat in seats])
        for seat, team in zip(seats, rated, strict=True):
            ratings[names[seat]] = team[0]
    return {name: (rating.mu, rating.sigma) for name, rating in ratings.items()}


def results(plan: Plan, played: list[Played]) -> dict[str, object]:
    """Return the whole result as one JSON object."""
    return {
        "game": plan.options.variant,
        "players": plan.options.players,
        "options": asdict(plan.options),
        "seed": plan.seed,
        "games": len(played),
        "bots": [asdict(standing) for standing in standings(plan, played)],
    }
