"""Counts of the rows in the majority class of their group: rows with equal values."""

from typing import NamedTuple

import numpy as np

from subsel._loops.compiler import compiled

__all__ = ["HashTable", "Labelled", "hits_of_additions", "hits_of_flips"]


class Labelled(NamedTuple):
    """A discrete table and its classes."""

    codes: np.ndarray  # (columns, rows) value of each row, from 0
    keys: np.ndarray  # (columns, values) random 64-bit word of each value of a column
    classes: np.ndarray  # (rows,) class codes
    n_classes: int  # number of classes


class HashTable(NamedTuple):
    """Room for counting groups of rows by open addressing, overwritten by each call."""

    row: np.ndarray  # (rows,) hash of each row
    names: np.ndarray  # (slots,) a power of two, at least twice the rows; zero marks an empty slot
    used: np.ndarray  # (rows,) slots in use
    counts: np.ndarray  # (slots * classes,) rows of each class


@compiled
def hits_of_additions(place, n_cells, codes, added, n_classes, counts):
    """Count, per candidate, the majority rows of the groups of a base split by one more column.

    Parameters
    ----------
    place : ndarray of shape (rows,)
        Where the counts of a row begin, those of its group, the first value and its class; the next
        value is `n_classes` further on.
    n_cells : int
        The number of groups, values and classes multiplied.
    codes : ndarray of shape (columns, rows)
        The value of each row, from 0.
    added : ndarray of shape (candidates,)
        The column of each candidate.
    n_classes : int
        The number of classes.
    counts : ndarray of shape (at least n_cells,)
        Overwritten.

    Returns
    -------
    ndarray of shape (candidates,)
        How many rows are of the majority class of their group.
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
    """Count, per candidate, the majority rows of the groups after columns enter or leave a subset.

    Parameters
    ----------
    base : ndarray of shape (rows,)
        The hash of each row over the columns of the subset.
    table : Labelled
        The data.
    flips : ndarray of shape (candidates, columns)
        The columns in which a candidate differs from the subset; -1 is padding.
    room : HashTable
        Overwritten.

    Returns
    -------
    ndarray of shape (candidates,)
        How many rows are of the majority class of their group.
    """
    # Zobrist hashing: the hash of a row is the exclusive or of the random words of its values,
    # which is its own inverse and updates hashes as a column enters or leaves (A. Zobrist, "A new
    # hashing method with application for game playing", 1970). Two different rows have the same
    # 64-bit hash with probability 2^-64.
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
            name = max(
                row[i], np.uint64(1)
            )  # 0, which the empty subset has in every row, is a free slot
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
