"""Verifiable deals: commit to a secret seed before the game, and publish it afterwards for anyone to recompute.

A seed is 32 bytes. Its commitment, published before the first move, is `SHA-256(seed)` in hexadecimal.
Every draw belongs to a stream: `level 1`, `level 2`, `level 3`, `tiles` or `seats`. The n-th draw of a
stream, counted from 0, picks one of its `m` possible outcomes in ascending order, and so does not depend on
what was drawn from the other streams: each level is a deck whose order is fixed by the seed. The pick is

    word = the first 8 bytes, big-endian, of SHA-256(seed + "/" + stream + "/" + n + "/" + attempt)

with the three texts in ASCII, numbers in decimal, for attempt 0, 1, 2 ... until word is below the largest
multiple of m that is not above 2**64; then the outcome number `word mod m`.
"""

from __future__ import annotations

import hashlib
import secrets

from cabochon.errors import OptionsError

SEED_BYTES = 32


def seed_bytes(seed: int | bytes | None) -> bytes:
    """Return a seed as 32 bytes: an integer in big-endian order, or a new secret seed for None."""
    if seed is None:
        return secrets.token_bytes(SEED_BYTES)
    if isinstance(seed, int) and 0 <= seed < 1 << 8 * SEED_BYTES:
        return seed.to_bytes(SEED_BYTES, "big")
    if isinstance(seed, bytes) and len(seed) == SEED_BYTES:
        return seed
    raise OptionsError(f"expected a seed of {SEED_BYTES} bytes, or an integer from 0 to 2**256 - 1; got {seed!r}")


def commitment(seed: int | bytes) -> str:
    """Return the SHA-256 of the seed in hexadecimal, to be published before the first move.

    >>> commitment(7)[:16]
    '48428bdb7ddd8294'
    """
    return hashlib.sha256(seed_bytes(seed)).hexdigest()


def pick(seed: bytes, stream: str, draw: int, outcomes: int) -> int:
    """Return the outcome of one draw of a stream: a number from 0 to `outcomes - 1`, all equally likely."""
    limit = (1 << 64) // outcomes * outcomes
    attempt = 0
    while True:
        message = seed + f"/{stream}/{draw}/{attempt}".encode("ascii")
        word = int.from_bytes(hashlib.sha256(message).digest()[:8], "big")
        if word < limit:
            return word % outcomes
        attempt += 1


def seat_order(seed: int | bytes, players: int) -> tuple[int, ...]:
    """Return a random order of the players (SET-10): the player at the first seat, at the second, and so on.

    >>> sorted(seat_order(7, players=4))
    [0, 1, 2, 3]
    """
    waiting = list(range(players))
    secret = seed_bytes(seed)
    return tuple(waiting.pop(pick(secret, "seats", n, players - n)) for n in range(players))
