"""Compressed rows (CSR) read by columns, a block of columns at a time."""

from typing import NamedTuple

import numpy as np

from subsel._loops.compiler import compiled

__all__ = ["Compressed", "columns_of_rows", "stored_by_column"]


class Compressed(NamedTuple):
    """Compressed columns, as in a CSC matrix."""

    data: np.ndarray  # (entries,) stored values
    indices: np.ndarray  # (entries,) their rows
    indptr: np.ndarray  # (columns + 1,) first entry of each column, and the end


@compiled
def stored_by_column(indices, n_columns):
    """Return how many entries (columns,) each column stores, given the column of each entry."""
    stored = np.zeros(n_columns, np.int64)
    for j in indices:
        stored[j] += 1
    return stored


@compiled
def columns_of_rows(indices, cursor, ends, first, last):
    """Return the entries of the columns ``first:last`` in the order of compressed columns (CSC).

    Moves `cursor` on in place, so that blocks must be read in order, from the first column on.

    Parameters
    ----------
    indices : ndarray of shape (entries,)
        The column of each entry, ascending within a row.
    cursor : ndarray of shape (n,)
        The first entry of each row that has not been read; updated.
    ends : ndarray of shape (n,)
        Where the entries of each row end.
    first, last : int
        The block of columns.

    Returns
    -------
    places : ndarray of shape (entries in the block,)
        The position of each entry in `indices`.
    rows : ndarray of shape (entries in the block,)
        The row of each entry.
    pointers : ndarray of shape (columns in the block + 1,)
        The first of these entries of each column, and the end.
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
