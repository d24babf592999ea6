"""Counts of rows that agree in their values and not in their class."""

import numpy as np

from subsel._loops import compiled


@compiled
def hits_of_additions(group, n_groups, codes, added, n_values, classes, n_classes):
    """Majority rows of the groups of a base, each split by one more column: a direct table of counts per candidate."""
    n = len(group)
    counts = np.zeros(n_groups * n_values * n_classes, dtype=np.int32)
    most = np.zeros(n_groups * n_values, dtype=np.int32)
    stamp = np.full(n_groups * n_values, -1, dtype=np.int32)
    hits = np.empty(len(added), dtype=np.int64)
    for k in range(len(added)):
        values = codes[added[k]]
        total = 0
        for i in range(n):
            cell = group[i] * n_values + values[i]
            if stamp[cell] != k:
                stamp[cell] = k
                most[cell] = 0
                for c in range(n_classes):
                    counts[cell * n_classes + c] = 0
            at = cell * n_classes + classes[i]
            counts[at] += 1
            if counts[at] > most[cell]:
                most[cell] += 1
                total += 1
        hits[k] = total
    return hits


@compiled
def hits_of_flips(base, keys, codes, flips, classes, n_classes, n_slots):
    """Majority rows after turning columns over: rows hashed by the exclusive or of a random word per value.

    Open addressing in a table of ``n_slots`` (a power of two, at least twice the rows); a stamp marks the slots of the
    present candidate, so that nothing need be cleared. A flip of -1 is padding.
    """
    n = len(base)
    counts = np.zeros(n_slots * n_classes, dtype=np.int32)
    most = np.zeros(n_slots, dtype=np.int32)
    stamp = np.full(n_slots, -1, dtype=np.int32)
    names = np.zeros(n_slots, dtype=np.uint64)
    row = np.empty(n, dtype=np.uint64)
    hits = np.empty(len(flips), dtype=np.int64)
    mask = np.uint64(n_slots - 1)
    for k in range(len(flips)):
        row[:] = base
        for j in flips[k]:
            if j >= 0:
                values, words = codes[j], keys[j]
                for i in range(n):
                    row[i] ^= words[values[i]]
        total = 0
        for i in range(n):
            name = row[i]
            slot = name & mask
            while stamp[slot] == k and names[slot] != name:
                slot = (slot + np.uint64(1)) & mask
            if stamp[slot] != k:
                stamp[slot] = k
                names[slot] = name
                most[slot] = 0
                for c in range(n_classes):
                    counts[slot * np.uint64(n_classes) + np.uint64(c)] = 0
            at = slot * np.uint64(n_classes) + np.uint64(classes[i])
            counts[at] += 1
            if counts[at] > most[slot]:
                most[slot] += 1
                total += 1
        hits[k] = total
    return hits
