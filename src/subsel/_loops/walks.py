"""Moves of many walks at once, each in constant time."""

from typing import NamedTuple

import numpy as np

from subsel._loops.compiler import compiled

__all__ = ["Walks", "propose_steps", "subsets_after", "turn_over"]


class Walks(NamedTuple):
    """Where n walks are; ``turn_over`` updates all of it in place."""

    order: np.ndarray  # (n, units) int32: the units of each walk, those that are on first
    place: np.ndarray  # (n, units) int32: where each unit is in `order`
    n_on: np.ndarray  # (n,) int64: how many units are on
    sizes: np.ndarray  # (n,) int64: the size of each subset, fixed columns included
    words: np.ndarray  # (n, words) uint64: the units that are on, as bits
    keys: np.ndarray  # (n,) uint64: the hash key of each subset


@compiled
def propose_steps(walks, bounds, chances, flips):
    """Write into ``flips`` a unit to turn on and one to turn off for each walk, -1 where there is none.

    ``bounds`` are the sizes and the least number of units that are on, ``chances`` three random numbers for each walk.
    The three kinds of move are equally likely. False where a walk cannot move.
    """
    order, n_units, (low, high, least) = walks.order, walks.order.shape[1], bounds
    for i in range(len(walks.n_on)):
        on, size = walks.n_on[i], walks.sizes[i]
        swap, add = 0 < on < n_units, size < high and on < n_units
        drop = size > low and on > least
        side = int(chances[0, i] * (int(swap) + int(add) + int(drop)))
        if not (swap or add or drop):
            return False
        swaps, adds = swap and side == 0, add and side == int(swap)
        flips[0, i] = flips[1, i] = -1
        if swaps or adds:
            flips[0, i] = order[i, on + int(chances[1, i] * (n_units - on))]
        if not adds:
            flips[1, i] = order[i, int(chances[2, i] * on)]
    return True


@compiled
def subsets_after(flips, unit_keys, words, keys, sizes):
    """Change ``words``, ``keys`` and ``sizes`` to those after a proposal, none changed where a unit is -1.

    The units in the first row of flips are turned on, those in the second off, one for each walk.
    """
    for i in range(len(keys)):
        for side in range(2):
            unit = flips[side, i]
            if unit >= 0:
                words[i, unit >> 6] ^= np.uint64(1) << np.uint64(unit & 63)
                keys[i] ^= unit_keys[unit]
                sizes[i] += 1 - 2 * side


@compiled
def turn_over(walks, unit_keys, flips, which):
    """Turn the units in each row of flips over, one for each walk of the mask ``which``; updates ``walks`` in place.

    A unit that is turned over changes places with the one at the edge between on and off.
    """
    order, place, n_on = walks.order, walks.place, walks.n_on
    for i in range(len(which)):
        if not which[i]:
            continue
        for row in range(len(flips)):
            unit = flips[row, i]
            if unit < 0:
                continue
            at, off = place[i, unit], place[i, unit] < n_on[i]
            edge = n_on[i] - 1 if off else n_on[i]
            other = order[i, edge]
            order[i, at], order[i, edge] = other, unit
            place[i, other], place[i, unit] = at, edge
            growth = -1 if off else 1
            n_on[i] += growth
            walks.sizes[i] += growth
            walks.keys[i] ^= unit_keys[unit]
            walks.words[i, unit >> 6] ^= np.uint64(1) << np.uint64(unit & 63)
