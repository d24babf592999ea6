"""A hash table of numbers by 64-bit key, looked up and filled many keys at a time."""

import numpy as np

from subsel._loops import compiled

__all__ = ["find_keys", "first_of_each_key", "store_keys"]


@compiled
def find_keys(held, values, keys, found):
    """Look up the numbers of the keys that ``found`` does not hold yet; slots without a key are zero."""
    mask = np.uint64(len(held) - 1)
    for i in range(len(keys)):
        if found[i] == found[i]:
            continue
        key = max(keys[i], np.uint64(1))
        slot = key & mask
        while held[slot] != 0:
            if held[slot] == key:
                found[i] = values[slot]
                break
            slot = (slot + np.uint64(1)) & mask


@compiled
def store_keys(held, values, keys, given):
    """Keep the number of each key; gives how many keys are new."""
    mask, n_new = np.uint64(len(held) - 1), 0
    for i in range(len(keys)):
        key = max(keys[i], np.uint64(1))
        slot = key & mask
        while held[slot] != 0 and held[slot] != key:
            slot = (slot + np.uint64(1)) & mask
        n_new += held[slot] == 0
        held[slot], values[slot] = key, given[i]
    return n_new


@compiled
def first_of_each_key(keys, slots, same):
    """For each key the first place that holds the same; ``slots`` come in as -1, a power of two of them."""
    mask = np.uint64(len(slots) - 1)
    for i in range(len(keys)):
        slot = keys[i] & mask
        while slots[slot] >= 0 and keys[slots[slot]] != keys[i]:
            slot = (slot + np.uint64(1)) & mask
        if slots[slot] < 0:
            slots[slot] = i
        same[i] = slots[slot]
