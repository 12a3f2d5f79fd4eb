"""Commit and reveal: the deal can be recomputed by anyone from the documented construction."""

from __future__ import annotations

import hashlib

import pytest

from cabochon import Game, Options, OptionsError, commitment, seat_order, verify
from cabochon.core.cards import VARIANTS
from cabochon.fair import pick, seed_bytes
from tests.playing import RandomMover, random_game

LEVELS = {"1": range(1, 41), "2": range(41, 71), "3": range(71, 91)}


def recompute(seed: bytes, stream: str, draw: int, outcomes: int) -> int:
    """The construction, written again from its description alone."""
    attempt = 0
    while True:
        text = "/" + stream + "/" + str(draw) + "/" + str(attempt)
        word = int(hashlib.sha256(seed + text.encode()).hexdigest()[:16], 16)
        if word < 2**64 - 2**64 % outcomes:
            return word % outcomes
        attempt += 1


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_card_follows_from_the_seed(variant: str) -> None:
    game = random_game(Options(variant, 3), 12345)
    assert game.seed is not None
    decks = {level: list(cards) for level, cards in LEVELS.items()}
    faces = list(range(1, 11)) if variant == "splendor" else list(range(1, 9))
    for event in game.events:
        text = str(event.what)
        if "=" not in text:
            continue
        where, number = text.split("=")
        if where.startswith("t"):
            tile = faces[recompute(game.seed, "tiles", int(where[1:]) - 1, len(faces))]
            assert int(number) == tile
            backs = {tile} if variant == "splendor" else {tile, ((tile - 1) ^ 1) + 1}
            faces = [face for face in faces if face not in backs]
        else:
            level = next(key for key, cards in LEVELS.items() if int(number) in cards)
            drawn = len(LEVELS[level]) - len(decks[level])
            expected = decks[level].pop(recompute(game.seed, f"level {level}", drawn, len(decks[level])))
            assert int(number) == expected


def test_each_level_is_a_deck_of_its_own_order() -> None:
    """The cards of a level come in the same order, however the other levels are drawn from."""
    orders = []
    for mover in (1, 2):
        game = Game("splendor", seed=99)
        RandomMover(mover).play(game)
        numbers = [int(str(event.what).split("=")[1]) for event in game.events if "=" in str(event.what)]
        orders.append([number for number in numbers if number in LEVELS["2"]][:8])
    assert orders[0] == orders[1]


def test_the_commitment_is_the_hash_of_the_seed() -> None:
    game = Game("splendor", seed=7)
    assert game.commitment == hashlib.sha256((7).to_bytes(32, "big")).hexdigest() == commitment(7)


def test_fresh_seeds_differ() -> None:
    assert Game().seed != Game().seed


@pytest.mark.parametrize("seed", [-1, 2**256, b"short", "7", 1.5])
def test_a_bad_seed_is_refused(seed: object) -> None:
    with pytest.raises(OptionsError, match="expected a seed of 32 bytes"):
        Game("splendor", seed=seed)  # type: ignore[arg-type]


def test_picks_are_even() -> None:
    counts = [0] * 7
    for draw in range(7000):
        counts[pick(seed_bytes(1), "level 1", draw, 7)] += 1
    assert all(900 < count < 1100 for count in counts)


def test_seats_are_drawn_from_the_seed() -> None:
    orders = {seat_order(seed, 3) for seed in range(200)}
    assert len(orders) == 6
    assert seat_order(5, 4) == seat_order(5, 4)


def test_a_true_record_is_verified() -> None:
    verification = verify(random_game(Options("marvel", 4), 21).record())
    assert verification.is_true
    assert verification.reason.startswith("all ")


def test_an_exchanged_card_is_found_out() -> None:
    """A record may follow the rules to the letter and still not be what the seed dealt."""
    game = random_game(Options("splendor", 2), 21, 12)
    forged = Game.by_hand(game.options)
    for event in game.events:
        text = str(event.what)
        if text.startswith("3.4="):
            text = next(str(reveal) for reveal in forged.legal_reveals if str(reveal) != text)
        if "=" in text:
            forged.reveal(text)
        else:
            forged.play(text)
    forged.seed, forged.commitment = game.seed, game.commitment
    verification = verify(forged.record(with_seed=True))
    assert not verification.is_true
    assert "the deal: the seed gives 3.4=" in verification.reason


@pytest.mark.parametrize(
    ("tag", "reason"),
    [
        ("Seed", "the record has no seed"),
        ("Commitment", "the record has no commitment"),
    ],
)
def test_a_record_that_lacks_its_proof_is_not_verified(tag: str, reason: str) -> None:
    text = random_game(Options(), 4).record()
    without = "\n".join(line for line in text.splitlines() if not line.startswith(f"[{tag} "))
    verification = verify(without)
    assert not verification.is_true
    assert verification.reason.startswith(reason)


def test_a_wrong_commitment_is_found_out() -> None:
    game = random_game(Options(), 4)
    assert game.commitment is not None
    verification = verify(game.record().replace(game.commitment, commitment(5)))
    assert verification.reason == "the commitment is not the SHA-256 of the seed"


def test_a_broken_record_is_not_verified() -> None:
    verification = verify("nonsense")
    assert not verification.is_true
    assert "line 1" in verification.reason
