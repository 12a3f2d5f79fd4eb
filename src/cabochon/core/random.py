"""A small fast random generator for simulation, equal on every target.

It is xoroshiro64** (Blackman and Vigna): two 32-bit words, held in a caller's array `stream` of shape
[2] and dtype `int64` (numba turns a mix of unsigned and signed words into floats). All arithmetic is
masked to 32 bits, so that interpreted Python, which does not wrap, and compiled code, which does,
agree. It is not for dealing games between people: see `cabochon.fair`.
"""

from __future__ import annotations

import numpy as np

from cabochon.core.compilation import jit
from cabochon.core.state import IntArray

WORD = 0xFFFFFFFF
STREAM_DTYPE = np.dtype(np.int64)
STREAM_WORDS = 2


@jit
def _mix(word: int) -> int:
    """The finaliser of MurmurHash3: every bit of the word affects every bit of the result."""
    word = ((word ^ (word >> 16)) * 0x85EBCA6B) & WORD
    word = ((word ^ (word >> 13)) * 0xC2B2AE35) & WORD
    return word ^ (word >> 16)


@jit
def seed_stream(stream: IntArray, seed: int, index: int) -> None:
    """Start the stream number `index` of `seed`; streams of other numbers are unrelated."""
    low = _mix((seed & WORD) ^ 0x9E3779B9)
    low = _mix(low ^ ((seed >> 32) & WORD))
    low = _mix(low ^ (index & WORD))
    high = _mix(low ^ ((index >> 32) & WORD) ^ 0x6A09E667)
    stream[0] = low
    stream[1] = high | 1  # the all-zero state is the one that never leaves itself


@jit
def next_word(stream: IntArray) -> int:
    """The next 32 random bits."""
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
    """A random integer in 0..bound-1; for the small bounds of these games its bias is below 2**-25."""
    return (next_word(stream) * bound) >> 32
