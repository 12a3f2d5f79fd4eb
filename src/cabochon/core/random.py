"""A small fast random number generator for simulation, with equal results on every target.

It is xoroshiro64** (Blackman and Vigna). The state of a generator is two 32-bit words in an array `stream` that the
caller owns, of shape [STREAM_WORDS] and dtype `int64` (numba turns a mix of unsigned and signed integers into floats).
All arithmetic is masked to 32 bits, so that interpreted Python, which does not overflow, and compiled code, which
does, agree. Games between people are dealt by `cabochon.fair` instead.
"""

from __future__ import annotations

import numpy as np

from cabochon.core.compilation import jit
from cabochon.core.state import IntArray

WORD = 0xFFFFFFFF  # masks the low 32 bits
STREAM_DTYPE = np.dtype(np.int64)
STREAM_WORDS = 2


@jit
def _mix(word: int) -> int:
    """Hash 32 bits with the finalizer of MurmurHash3: every bit affects every bit of the result."""
    word = ((word ^ (word >> 16)) * 0x85EBCA6B) & WORD
    word = ((word ^ (word >> 13)) * 0xC2B2AE35) & WORD
    return word ^ (word >> 16)


@jit
def seed_stream(stream: IntArray, seed: int, index: int) -> None:
    """Start stream number `index` of `seed`; streams with other numbers are independent of it."""
    low = _mix((seed & WORD) ^ 0x9E3779B9)
    low = _mix(low ^ ((seed >> 32) & WORD))
    low = _mix(low ^ (index & WORD))
    high = _mix(low ^ ((index >> 32) & WORD) ^ 0x6A09E667)
    stream[0] = low
    stream[1] = high | 1  # not both words may be 0: the generator would stay there


@jit
def next_word(stream: IntArray) -> int:
    """Return the next 32 random bits."""
    first = int(stream[0])
    second = int(stream[1])
    product = (first * 0x9E3779BB) & WORD
    word = ((((product << 5) | (product >> 27)) & WORD) * 5) & WORD
    second ^= first
    stream[0] = (((first << 26) | (first >> 6)) ^ second ^ (second << 9)) & WORD
    stream[1] = ((second << 13) | (second >> 19)) & WORD
    return word


@jit
def random_below(stream: IntArray, bound: int) -> int:
    """Return a random integer from 0 to bound - 1; for the small bounds of these games its bias is below 2**-25."""
    return (next_word(stream) * bound) >> 32
