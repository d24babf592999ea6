"""Counts of rows that agree in their values and not in their class."""

from typing import NamedTuple

import numpy as np

from subsel._loops.compiler import compiled

__all__ = ["HashTable", "Labelled", "hits_of_additions", "hits_of_flips"]


class Labelled(NamedTuple):
    """A discrete table and its classes."""

    codes: np.ndarray  # (columns, rows)
    keys: np.ndarray  # (columns, values) a random word for each value of a column
    classes: np.ndarray  # (rows,)
    n_classes: int


class HashTable(NamedTuple):
    """Room to count groups of rows by open addressing, overwritten by each call."""

    row: np.ndarray  # (rows,) the hash of each row
    names: np.ndarray  # (slots,) a power of two, at least twice the rows; zero marks an empty slot
    used: np.ndarray  # (rows,) the slots in use
    counts: np.ndarray  # (slots * classes,) rows of each class


@compiled
def hits_of_additions(place, n_cells, codes, added, n_classes, counts):
    """Majority rows of the groups of a base, each split by one more column: a direct table of counts per candidate.

    ``place[i]`` is where the counts of row i begin (its group, the first value, its class); a value further on is
    ``n_classes`` counts further on.
    """
    n = len(place)
    hits = np.empty(len(added), dtype=np.int64)
    for k in range(len(added)):
        values = codes[added[k]]
        for cell in range(n_cells):
            counts[cell] = 0
        for i in range(n):
            counts[place[i] + values[i] * n_classes] += 1
        total = 0
        if n_classes == 2:
            for cell in range(0, n_cells, 2):
                total += max(counts[cell], counts[cell + 1])
        else:
            for cell in range(0, n_cells, n_classes):
                most = counts[cell]
                for c in range(1, n_classes):
                    most = max(most, counts[cell + c])
                total += most
        hits[k] = total
    return hits


@compiled
def hits_of_flips(base, table, flips, room):
    """Majority rows after columns enter or leave the subset whose row hashes are ``base``; a flip of -1 is padding.

    The hash of a row is the exclusive or of the words of its values, so that a column enters or leaves by one pass.
    """
    codes, keys, classes, n_classes = table
    row, names, used, counts = room
    n = len(base)
    hits = np.empty(len(flips), dtype=np.int64)
    mask = len(names) - 1
    for k in range(len(flips)):
        for i in range(n):
            row[i] = base[i]
        for j in flips[k]:
            if j >= 0:
                values, words = codes[j], keys[j]
                for i in range(n):
                    row[i] ^= words[values[i]]
        names[:] = 0
        n_used = 0
        for i in range(n):
            name = row[i]
            slot = np.int64(name) & mask
            while names[slot] != name:
                if names[slot] == 0:
                    names[slot] = name
                    used[n_used] = slot
                    n_used += 1
                    for c in range(n_classes):
                        counts[slot * n_classes + c] = 0
                    break
                slot = (slot + 1) & mask
            counts[slot * n_classes + classes[i]] += 1
        total = 0
        for u in range(n_used):
            start = used[u] * n_classes
            most = counts[start]
            for c in range(1, n_classes):
                most = max(most, counts[start + c])
            total += most
        hits[k] = total
    return hits
