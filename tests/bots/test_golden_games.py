"""The moves of `champion` and `policy` in recorded games: a change of the code alone must not change one of them.

After a change that is meant to play differently (other weights or settings), record the games anew:
`python -m tests.bots.test_golden_games`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from cabochon.bots.specs import parse_spec
from cabochon.game import Game

FILE = Path(__file__).parent.parent / "data" / "network_games.txt"
SETTINGS = [(variant, players) for variant in ("splendor", "marvel") for players in (2, 3, 4)]
GAMES = 20
SPECS = ("champion:nodes=40", "policy")


def play(variant: str, players: int, seed: int) -> list[str]:
    """The moves of a game in which both bots sit in turn, `champion` first where the seed is even."""
    specs = [parse_spec(SPECS[(seed + seat) % 2]) for seat in range(players)]
    bots = [spec.make() for spec in specs]
    for bot in bots:
        bot.start(seed)  # type: ignore[attr-defined]  # both have it, though a bot need not
    game = Game(variant, players, seed=seed)
    while not game.is_over:
        answer = bots[game.seat].choose(game.view(game.seat), specs[game.seat].limit)
        game.play(answer.move)  # type: ignore[union-attr]  # both give an Answer
    return [str(move) for move in game.moves]


def recorded() -> dict[tuple[str, int, int], list[str]]:
    """The moves of each recorded game, by game, number of players and seed."""
    games = {}
    for line in FILE.read_text(encoding="utf-8").splitlines():
        key, _, moves = line.partition(": ")
        variant, players, seed = key.split()
        games[variant, int(players), int(seed)] = moves.split(", ")
    return games


@pytest.mark.parametrize(("variant", "players"), SETTINGS)
def test_the_same_moves_as_recorded(variant: str, players: int) -> None:
    expected = recorded()
    for seed in range(GAMES):
        assert play(variant, players, seed) == expected[variant, players, seed], f"seed {seed}"


if __name__ == "__main__":
    with FILE.open("w", encoding="utf-8") as file:
        for variant, players in SETTINGS:
            for seed in range(GAMES):
                file.write(f"{variant} {players} {seed}: {', '.join(play(variant, players, seed))}\n")
