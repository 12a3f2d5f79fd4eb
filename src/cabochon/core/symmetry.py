"""What stays the same when the places of the table are renamed.

The rules treat the four places of a level alike, and the places of the tiles. So a game goes on as before when the
cards of a level change places among themselves, or the tiles do: only the numbers of the actions that name a place,
and the features about it, change places too. The network has weights of its own for every place; over renamings it
can learn, or be averaged, as if it had none.

The places in a hand are left alone: its cards are always the first ones, so that what may change places there
depends on how many they are. So is the place of the noble beyond one a player, which is empty in Marvel (SET-4).
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from cabochon.core.cards import LEVELS
from cabochon.core.observation import CARDS_SHOWN, observation_size, parts_of
from cabochon.core.state import ACTIONS, BUY, CHOOSE_TILE, MARKET, PLACES, RESERVE, TILE_PLACES, Array

# The places that are renamed, counted through: those of the market, those of the tiles, and one for all the rest.
FIRST_TILE = MARKET
ELSEWHERE = FIRST_TILE + TILE_PLACES


class Renaming(NamedTuple):
    """Where each feature and action of the renamed table is found in the table as it was.

    Both gather: `row[features]` is the observation of the renamed table, `scores[actions]` are the scores of its
    actions. In the other direction both scatter: `scores[actions] = renamed_scores`.
    """

    features: Array  # [observation_size(players)] int64
    actions: Array  # [ACTIONS] int64


class _Layout(NamedTuple):
    """For each number in a row: the place that it is about, and how many numbers lie between neighbouring places."""

    places: Array
    strides: Array

    def gathered(self, renamed: Array) -> Array:
        found: Array = np.arange(len(self.places)) + (renamed[self.places] - self.places) * self.strides
        return found


@cache
def _features(players: int) -> _Layout:
    places = np.full(observation_size(players), ELSEWHERE)
    strides = np.zeros(observation_size(players), np.int64)
    for part in parts_of(players):
        subject = part.name.partition("_")[2] if part.name.startswith("next") else part.name
        if subject.startswith("tile"):
            first, count = FIRST_TILE, TILE_PLACES
        elif part.shape[0] == CARDS_SHOWN:
            first, count = 0, MARKET
        else:
            continue
        stride = part.size // part.shape[0]
        places[part.start : part.start + count * stride] = first + np.repeat(np.arange(count), stride)
        strides[part.start : part.start + count * stride] = stride
    return _Layout(places, strides)


@cache
def _actions() -> _Layout:
    places = np.full(ACTIONS, ELSEWHERE)
    places[BUY : BUY + MARKET] = places[RESERVE : RESERVE + MARKET] = np.arange(MARKET)
    places[CHOOSE_TILE : CHOOSE_TILE + TILE_PLACES] = FIRST_TILE + np.arange(TILE_PLACES)
    return _Layout(places, np.ones(ACTIONS, np.int64))


def draw_renaming(players: int, generator: np.random.Generator) -> Renaming:
    """One of the renamings of the market's places and of those that have a tile in both games, all equally likely."""
    renamed = np.arange(ELSEWHERE + 1)
    for level in range(LEVELS):
        generator.shuffle(renamed[level * PLACES : (level + 1) * PLACES])
    generator.shuffle(renamed[FIRST_TILE : FIRST_TILE + players])
    return Renaming(_features(players).gathered(renamed), _actions().gathered(renamed))
