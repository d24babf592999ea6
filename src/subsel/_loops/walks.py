"""Moves of many walks at once, each in constant time."""

import numpy as np

from subsel._loops import compiled

__all__ = ["follow", "propose_steps", "turn_over_each"]


@compiled
def propose_steps(order, n_on, sizes, bounds, side_chance, chance, flips):
    """A unit to turn on and one to turn off for each walk, -1 where there is none; False where a walk cannot move.

    ``bounds`` are the sizes and the least number of units that are on; the three kinds of move are equally likely.
    """
    n_units, (low, high, least) = order.shape[1], bounds
    for i in range(len(n_on)):
        on = n_on[i]
        swap, add = 0 < on < n_units, sizes[i] < high and on < n_units
        drop = sizes[i] > low and on > least
        side = int(side_chance[i] * (int(swap) + int(add) + int(drop)))
        if not (swap or add or drop):
            return False
        swaps, adds = swap and side == 0, add and side == int(swap)
        flips[0, i] = order[i, on + int(chance[0, i] * (n_units - on))] if swaps or adds else -1
        flips[1, i] = -1 if adds else order[i, int(chance[1, i] * on)]
    return True


@compiled
def turn_over_each(flips, unit_keys, words, keys, sizes):
    """Turn the units of the first row of flips on and those of the second off, a walk each, none where it is -1."""
    for i in range(len(keys)):
        for side in range(2):
            unit = flips[side, i]
            if unit >= 0:
                words[i, unit >> 6] ^= np.uint64(1) << np.uint64(unit & 63)
                keys[i] ^= unit_keys[unit]
                sizes[i] += 1 - 2 * side


@compiled
def follow(flips, which, there, here, order, place, n_on):
    """Let some walks (a mask) follow their flips; ``there`` and ``here`` are the words, keys and sizes before and after.

    A unit that is turned over changes places with the one at the edge between on and off.
    """
    (new_words, new_keys, new_sizes), (words, keys, sizes) = there, here
    for i in range(len(which)):
        if not which[i]:
            continue
        for side in range(2):
            unit = flips[side, i]
            if unit < 0:
                continue
            at, off = place[i, unit], place[i, unit] < n_on[i]
            edge = n_on[i] - 1 if off else n_on[i]
            other = order[i, edge]
            order[i, at], order[i, edge] = other, unit
            place[i, other], place[i, unit] = at, edge
            n_on[i] += -1 if off else 1
        for k in range(words.shape[1]):
            words[i, k] = new_words[i, k]
        keys[i], sizes[i] = new_keys[i], new_sizes[i]
