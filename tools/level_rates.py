"""Measure how bots play, and how often each wins against the previous one, as reported for the levels in docs/bots.md.

    python tools/level_rates.py random novice apprentice journeyman artisan expert master --games 400
    python tools/level_rates.py policy champion:nodes=400 --game marvel --games 40

Each bot plays in one seat, and the previous bot in all other seats; every deal is played from every seat. The rates are
the percentages of turns that the bot spends on taking, buying and reserving, in its first five turns and in all turns,
and the percentage of turns that are blunders (`cabochon.bots.learner.blunders`).
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from itertools import pairwise

from cabochon.arena.standings import wilson
from cabochon.bots.learner import BLUNDERS, blunders, kind_of
from cabochon.bots.protocol import answer_of, close, start
from cabochon.bots.specs import parse_spec
from cabochon.core.cards import VARIANTS
from cabochon.core.state import ACT
from cabochon.game import Game, Options

KINDS = ("take", "buy", "reserve")
FIRST_TURNS = 5


class Tally:
    """The results and turns of one bot."""

    def __init__(self) -> None:
        self.won = 0.0
        self.games = 0
        self.opening: Counter[str] = Counter()
        self.turns: Counter[str] = Counter()
        self.blunders: Counter[str] = Counter()
        self.decisions = 0
        self.seconds = 0.0

    def row(self, name: str) -> str:
        """Return the tally as a row of a Markdown table."""
        low, high = wilson(self.won, self.games)
        return " | ".join(
            [
                f"| `{name}`",
                f"{100 * self.won / self.games:.1f}% of {self.games} ({100 * low:.0f} to {100 * high:.0f}%)",
                *(self._shares(turns) for turns in (self.opening, self.turns)),
                f"{100 * self.blunders.total() / self.turns.total():.2f}",
                f"{1000 * self.seconds / self.decisions:.1f} |",
            ]
        )

    @staticmethod
    def _shares(turns: Counter[str]) -> str:
        return " / ".join(f"{100 * turns[kind] / turns.total():.0f}" for kind in KINDS)


def play(options: Options, specs: list[str], own_seat: int, seed: int, tally: Tally) -> None:
    """Play one game with a bot in each seat, and add the turns and the result of the bot in `own_seat` to the tally."""
    parsed = [parse_spec(spec) for spec in specs]
    bots = [spec.make() for spec in parsed]
    for seat, bot in enumerate(bots):
        start(bot, seed * len(bots) + seat)
    game = Game(options, seed=seed)
    while not game.is_over:
        seat = game.seat
        view = game.view(seat)
        started = time.perf_counter()
        move = answer_of(bots[seat].choose(view, parsed[seat].limit), view).move
        if seat == own_seat:
            tally.seconds += time.perf_counter() - started
            tally.decisions += 1
            if view.state.phase == ACT:
                kind = kind_of(move.action)
                tally.turns[kind] += 1
                if view.round <= FIRST_TURNS:
                    tally.opening[kind] += 1
                if why := blunders(view.state).get(move.action):
                    tally.blunders[why] += 1
        game.play(move)
    for bot in bots:
        close(bot)
    outcome = game.outcome
    assert outcome is not None
    tally.games += 1
    if own_seat in outcome.winners:
        tally.won += 1 / len(outcome.winners)
    elif not outcome.winners:
        tally.won += 1 / options.players


def main() -> None:
    """Play and print one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bots", nargs="+", help="two or more bots, from the weakest to the strongest")
    parser.add_argument("--game", choices=VARIANTS, default=VARIANTS[0])
    parser.add_argument("--players", type=int, choices=(2, 3, 4), default=2)
    parser.add_argument("--games", type=int, default=100, help="games per match; a multiple of the players is fair")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    options = Options(arguments.game, arguments.players)
    print("| bot | won against the one before | first five turns: take / buy / reserve | all turns | blunders | ms |")
    print("|---|---|---|---|---|---|")
    for weaker, stronger in pairwise(arguments.bots):
        tally = Tally()
        for number in range(arguments.games):
            deal, seat = divmod(number, options.players)
            specs = [weaker] * options.players
            specs[seat] = stronger
            play(options, specs, seat, arguments.seed + deal, tally)
        print(tally.row(stronger), flush=True)
        for why in BLUNDERS:
            if tally.blunders[why]:
                print(f"  {why}: {100 * tally.blunders[why] / tally.turns.total():.2f} of 100 turns", flush=True)


if __name__ == "__main__":
    main()
