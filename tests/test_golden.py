"""Golden playthroughs: a readable text of every state and every legal move of whole games.

A change of behaviour shows as a difference in tests/data/golden. Where it is meant, write them anew with
`python -m tests.test_golden`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from cabochon import Game, Options
from cabochon.view_text import tokens_text
from tests.playing import RandomMover

FOLDER = Path(__file__).parent / "data" / "golden"
GAMES = {
    "splendor-2": (Options("splendor", 2), 1),
    "splendor-3": (Options("splendor", 3), 2),
    "splendor-4": (Options("splendor", 4), 3),
    "marvel-2": (Options("marvel", 2), 4),
    "marvel-3": (Options("marvel", 3), 5),
    "marvel-4": (Options("marvel", 4), 6),
    "splendor-2-house": (Options("splendor", 2, free_take=True, payment="automatic"), 7),
}


def state_lines(game: Game) -> list[str]:
    """Everything in the state, the hidden cards too, on a few lines."""
    view = game.view()
    hands = game.state.hand
    lines = [
        f"supply {tokens_text(view.supply, view.variant)}  decks {' '.join(map(str, view.decks))}  market "
        + " | ".join(" ".join(str(card.number) if card else "-" for card in row) for row in view.market)
        + "  tiles "
        + " ".join(f"{tile.tile.number}{'' if tile.owner is None else f'@{tile.owner + 1}'}" for tile in view.tiles)
    ]
    for seat in view.seats:
        hand = " ".join(
            f"{card + 1}{'?' if reserved.is_blind else ''}"
            for card, reserved in zip(hands[seat.seat], seat.reserved, strict=False)
        )
        lines.append(
            f"  {seat.seat + 1}: {seat.points}p {len(seat.cards)}c {seat.tags}t"
            f"{' avengers' if seat.has_avengers_tile else ''}{' qualifies' if seat.qualifies else ''}"
            f"  {tokens_text(seat.tokens, view.variant)}"
            f"  +{tokens_text(seat.bonuses, view.variant)}  [{hand}]"
        )
    return lines


def playthrough(options: Options, seed: int) -> str:
    """A whole random game, told state by state."""
    game = Game(options, seed=seed)
    mover = RandomMover(seed)
    lines: list[str] = []
    while not game.is_over:
        lines.append(f"== {game.round}.{game.seat + 1} {game.phase}")
        lines += state_lines(game)
        legal = game.legal_moves
        lines.append("legal " + ", ".join(map(str, legal)))
        before = len(game.events)
        game.play(legal[mover.below(len(legal))])
        lines.append("> " + "; ".join(str(event.what) for event in game.events[before:]))
    lines.append("== over")
    lines += state_lines(game)
    lines.append(str(game.outcome))
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("name", GAMES)
def test_the_playthrough_is_the_golden_one(name: str) -> None:
    golden = (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    for number, (line, expected) in enumerate(zip(playthrough(*GAMES[name]).splitlines(), golden, strict=True), 1):
        assert line == expected, f"line {number} of {name}.txt"


def test_there_is_a_playthrough_of_every_setting() -> None:
    told = {(options.variant, options.players) for options, _ in GAMES.values()}
    assert told == {(variant, players) for variant in ("splendor", "marvel") for players in (2, 3, 4)}
    assert {path.stem for path in FOLDER.glob("*-[234]*.txt")} == set(GAMES)


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, (options, seed) in GAMES.items():
        (FOLDER / f"{name}.txt").write_text(playthrough(options, seed), encoding="utf-8")
