"""Compressed rows read by columns, a block of columns at a time."""

from typing import NamedTuple

import numpy as np

from subsel._loops.compiler import compiled

__all__ = ["Compressed", "columns_of_rows", "stored_by_column"]


class Compressed(NamedTuple):
    """Compressed columns, as in a CSC matrix."""

    data: np.ndarray
    indices: np.ndarray  # the rows
    indptr: np.ndarray  # where each column starts, and the end


@compiled
def stored_by_column(indices, n_columns):
    """How many entries each column stores."""
    stored = np.zeros(n_columns, np.int64)
    for j in indices:
        stored[j] += 1
    return stored


@compiled
def columns_of_rows(indices, cursor, ends, first, last):
    """Places, rows and column pointers of the entries in the columns ``first:last``, in the order of compressed columns.

    ``cursor[i]`` is the first entry of row i not yet taken, ``ends[i]`` where the row ends; the columns of a row
    ascend. The cursor moves on, so blocks must come in order, from the first column on.
    """
    pointers = np.zeros(last - first + 1, indices.dtype)
    for i in range(len(cursor)):
        t = cursor[i]
        while t < ends[i] and indices[t] < last:
            pointers[indices[t] - first + 1] += 1
            t += 1
    for j in range(last - first):
        pointers[j + 1] += pointers[j]
    free = pointers[:-1].copy()
    places = np.empty(pointers[-1], np.int64)
    rows = np.empty(pointers[-1], indices.dtype)
    for i in range(len(cursor)):
        t = cursor[i]
        while t < ends[i] and indices[t] < last:
            at = free[indices[t] - first]
            places[at], rows[at] = t, i
            free[indices[t] - first] += 1
            t += 1
        cursor[i] = t
    return places, rows, pointers
