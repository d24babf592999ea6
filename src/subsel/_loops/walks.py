"""Moves of many walks at the same time, each in constant time."""

from typing import NamedTuple

import numpy as np

from subsel._loops.compiler import compiled

__all__ = ["Walks", "propose_steps", "subsets_after", "turn_over"]


class Walks(NamedTuple):
    """The positions of n walks; `turn_over` updates all of them in place."""

    order: np.ndarray  # (n, units) int32: units of each walk, those that are on first
    place: np.ndarray  # (n, units) int32: position of each unit in `order`
    n_on: np.ndarray  # (n,) int64: number of units that are on
    sizes: np.ndarray  # (n,) int64: size of each subset, fixed columns included
    words: np.ndarray  # (n, words) uint64: units that are on, as bits
    keys: np.ndarray  # (n,) uint64: hash key of each subset


@compiled
def propose_steps(walks, bounds, chances, flips):
    """Fill `flips` with a random step of each walk: a unit to turn on, one to turn off, or both.

    The kinds of step that are possible are equally likely.

    Parameters
    ----------
    walks : Walks
        The positions, read only.
    bounds : tuple of int
        The smallest and the largest size, and the least number of units that are on.
    chances : ndarray of shape (3, n)
        Random numbers in [0, 1).
    flips : ndarray of shape (2, n)
        Overwritten with the unit to turn on and the unit to turn off, -1 for none.

    Returns
    -------
    bool
        False where a walk cannot move; `flips` is then undefined.
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
    """Change `words`, `keys` and `sizes` in place to those after the proposed steps.

    Parameters
    ----------
    flips : ndarray of shape (2, n)
        The unit that each walk turns on and the one it turns off, -1 for none.
    unit_keys : ndarray of shape (units,)
        The random word of each unit, uint64.
    words : ndarray of shape (n, words)
        Subsets as bits, updated.
    keys, sizes : ndarray of shape (n,)
        Hash keys and sizes, updated.
    """
    # Zobrist hashing: the key of a subset is the exclusive or of the words of its units, so that a
    # flip is one exclusive or (A. Zobrist, "A new hashing method with application for game
    # playing", 1970).
    for i in range(len(keys)):
        for side in range(2):
            unit = flips[side, i]
            if unit >= 0:
                words[i, unit >> 6] ^= np.uint64(1) << np.uint64(unit & 63)
                keys[i] ^= unit_keys[unit]
                sizes[i] += 1 - 2 * side


@compiled
def turn_over(walks, unit_keys, flips, which):
    """Turn units over; updates all arrays of `walks` in place.

    A unit that is turned over changes places with the one at the edge between units that are on and
    off.

    Parameters
    ----------
    walks : Walks
        The positions, updated.
    unit_keys : ndarray of shape (units,)
        The random word of each unit, uint64.
    flips : ndarray of shape (rows, n)
        The units that each walk turns over, -1 for none.
    which : ndarray of shape (n,)
        The walks that move.
    """
    order, place, n_on = walks.order, walks.place, walks.n_on
    for i in range(len(which)):
        if not which[i]:
            continue
        for row in range(len(flips)):
            unit = flips[row, i]
            if unit < 0:
                continue
            position, turned_off = place[i, unit], place[i, unit] < n_on[i]
            edge = n_on[i] - 1 if turned_off else n_on[i]
            other = order[i, edge]
            order[i, position], order[i, edge] = other, unit
            place[i, other], place[i, unit] = position, edge
            growth = -1 if turned_off else 1
            n_on[i] += growth
            walks.sizes[i] += growth
            walks.keys[i] ^= unit_keys[unit]
            walks.words[i, unit >> 6] ^= np.uint64(1) << np.uint64(unit & 63)
