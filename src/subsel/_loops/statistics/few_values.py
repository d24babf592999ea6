"""Which columns have few distinct values."""

import numpy as np

from subsel._loops.compiler import compiled

__all__ = ["few_stored", "few_values"]


@compiled
def _are_few(values, seen, n_seen, limit):
    """Return whether `values`, with `n_seen` of `seen`, have at most `limit` distinct ones.

    The first `n_seen` values of `seen` (limit,) are given; the rest is overwritten.
    """
    for x in values:
        k = 0
        while k < n_seen and seen[k] != x:
            k += 1
        if k == n_seen:
            if n_seen == limit:
                return False
            seen[k] = x
            n_seen += 1
    return True


@compiled
def few_values(lines, limit):
    """Return which lines (p,) of a table (p, n) have at most `limit` distinct values.

    A line is left at the first value beyond the limit.
    """
    few = np.empty(len(lines), dtype=np.bool_)
    seen = np.empty(limit)
    for j in range(len(lines)):
        few[j] = _are_few(lines[j], seen, 0, limit)
    return few


@compiled
def few_stored(data, indptr, n_rows, limit):
    """Return the same as `few_values` for compressed columns of `n_rows` rows; others are zeros.

    `data` (entries,) and `indptr` (columns + 1,) are those of a CSC matrix.
    """
    few = np.empty(len(indptr) - 1, dtype=np.bool_)
    seen = np.zeros(limit)
    for j in range(len(few)):
        stored = data[indptr[j] : indptr[j + 1]]
        seen[0] = 0.0
        few[j] = _are_few(stored, seen, 1 if len(stored) < n_rows else 0, limit)
    return few
