"""Contingency tables of the values of each column and the classes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils import check_consistent_length

from subsel.data.statistics.blocks import entry_blocks, parts, without_duplicates
from subsel.data.statistics.joint_counts import JointCounts, first_of_runs, gather, over_classes
from subsel.data.statistics.score_input import as_stored, classes_and_codes, weights

__all__ = ["column_blocks", "count", "count_in_blocks", "joint_counts"]

# Columns of whole numbers from 0 to below this are counted without sorting.
SMALL_CODES = 64
# Cells of the full tables in which small codes are counted at a time: 1 MB, which fits a cache.
TABLE_CELLS = 1 << 17
# A sparse table is counted without sorting if its full tables have at most so many cells per
# stored entry.
FULL_CELLS = 8
# Blocks are larger than usual by this factor, since the work done once per block outweighs the
# cache.
BLOCK_FACTOR = 2


class _Entries(NamedTuple):
    """Entries of a table, sorted by column and value; all arrays have the shape (n_entries,)."""

    column: np.ndarray  # the column of each entry
    values: np.ndarray  # its value
    rows: np.ndarray  # its row


def count(
    X: Any, codes: np.ndarray, n_classes: int, weight: np.ndarray | None = None
) -> JointCounts:
    """Count how often each class occurs with each value of each column.

    Parameters
    ----------
    X : ndarray or CSC table of shape (n, p)
        The columns; zeros that a sparse table does not store are counted without being visited.
    codes : ndarray of int of shape (n,)
        The class of each row.
    n_classes : int
        The number of classes.
    weight : ndarray of shape (n,), optional
        The weight of each row.

    Examples
    --------
    >>> X = np.array([[0.0, 5.0], [0.0, 5.0], [1.0, 5.0]])
    >>> tables = count(X, np.array([0, 1, 1]), n_classes=2)
    >>> tables.values.tolist(), tables.counts.tolist()
    ([0.0, 1.0, 5.0], [[1.0, 1.0], [0.0, 1.0], [1.0, 2.0]])
    """
    if sparse.issparse(X):
        return _count_sparse(X, codes, n_classes, weight)
    tables = _count_small_codes(X, slice(0, X.shape[1]), codes, n_classes, weight)
    if tables is None:
        tables = _count_sorted(X, codes, n_classes, weight)
    return tables


def count_in_blocks(
    X: Any, codes: np.ndarray, n_classes: int, weight: np.ndarray | None
) -> Iterator[JointCounts]:
    """Yield the contingency tables of blocks of columns of X, with the parameters of `count`."""
    if sparse.issparse(X):
        yield from (count(block, codes, n_classes, weight) for block in column_blocks(X))
        return
    width = max(1, TABLE_CELLS // (SMALL_CODES * n_classes))
    for low in range(0, X.shape[1], width):
        slab = slice(low, min(low + width, X.shape[1]))
        tables = _count_small_codes(X, slab, codes, n_classes, weight)
        if tables is not None:
            yield tables
        else:
            blocks = column_blocks(X[:, slab])
            yield from (_count_sorted(block, codes, n_classes, weight) for block in blocks)


def _count_small_codes(
    X: np.ndarray, slab: slice, codes: np.ndarray, n_classes: int, weight: np.ndarray | None
) -> JointCounts | None:
    """Count columns of small whole numbers in one pass over the rows; return None for others.

    `slab` are the columns of X to count.
    """
    from subsel._loops.statistics.counts import count_small_codes

    dtype, n_columns, n_values = X.dtype, slab.stop - slab.start, 8
    first = slab.start
    if dtype != np.float64 or not X.flags.c_contiguous:
        X, first = np.ascontiguousarray(X[:, slab], dtype=np.float64), 0
    row_weights = weight
    if weight is None:
        row_weights = np.ones(len(X))
    while n_values <= SMALL_CODES:
        table = np.zeros((n_columns, n_values, n_classes))
        if count_small_codes(X, first, codes, row_weights, table):
            common_totals = None
            if weight is None:
                common_totals = np.bincount(codes, minlength=n_classes)
            return _occurring(
                table.reshape(-1, n_classes), n_values, n_columns, dtype, common_totals
            )
        n_values *= 8
    return None


def _count_sorted(
    X: np.ndarray, codes: np.ndarray, n_classes: int, weight: np.ndarray | None
) -> JointCounts:
    """Count the values of dense columns by sorting each column."""
    n, p = X.shape
    by_column = np.ascontiguousarray(X.T)
    rows = np.argsort(by_column, axis=1)
    values = np.take_along_axis(by_column, rows, axis=1)
    entries = _Entries(np.repeat(np.arange(p), n), values.ravel(), rows.ravel())
    return _count_entries(entries, p, codes, n_classes, weight)


def _occurring(
    counts: np.ndarray,
    n_values: int,
    n_columns: int,
    dtype: np.dtype,
    common_totals: np.ndarray | None,
) -> JointCounts:
    """Return the tables of the values that occur.

    Parameters
    ----------
    counts : ndarray of shape (n_columns * n_values, n_classes)
        Full tables of the values 0 to n_values - 1, one below the other.
    n_values, n_columns : int
        Their sizes.
    dtype : dtype
        The type of the values of the result.
    common_totals : ndarray of shape (n_classes,) or None
        The counts of the classes, if all rows have weight 1.
    """
    occurs_mask, starts = over_classes(counts) > 0, np.zeros(n_columns, dtype=np.intp)
    occurs = np.flatnonzero(occurs_mask)
    values = np.tile(np.arange(n_values), n_columns)[occurs].astype(dtype)
    starts[1:] = np.cumsum(occurs_mask)[n_values - 1 : -1 : n_values]
    return JointCounts(
        values, counts.take(occurs, axis=0).astype(np.float64), starts, common_totals
    )


def _small_numbers(stored: np.ndarray) -> np.ndarray | None:
    """Return stored values as bytes if all are small whole numbers, else None."""
    with np.errstate(invalid="ignore"):  # NaN has no integer value
        whole = stored.astype(np.uint8)
    if whole.max() < SMALL_CODES and np.array_equal(whole, stored):
        return whole
    return None


def _count_sparse(
    X: Any, codes: np.ndarray, n_classes: int, weight: np.ndarray | None
) -> JointCounts:
    """Count the stored entries of a CSC table; the rest of each class are zeros."""
    X = without_duplicates(X)
    p = X.shape[1]
    if weight is None and len(X.data) > 0:
        if X.data[0] > 0 and (X.data == X.data[0]).all():
            return _count_bits(X, codes, n_classes)
        whole = _small_numbers(X.data)
        if whole is not None and p * (int(whole.max()) + 1) <= FULL_CELLS * X.nnz:
            return _count_small_stored(X, whole, codes, n_classes)
    column = np.repeat(np.arange(p), np.diff(X.indptr))
    stored = np.flatnonzero(X.data)
    stored = stored[np.lexsort((X.data[stored], column[stored]))]
    column, values, rows = column[stored], X.data[stored], X.indices[stored]
    cells = column * n_classes + codes[rows]
    n_zeros = np.bincount(codes, minlength=n_classes) - _cells(cells, None, p, n_classes)
    zeros = n_zeros
    if weight is not None:
        zeros = np.bincount(codes, weight, n_classes) - _cells(cells, weight[rows], p, n_classes)
        zeros = np.where(n_zeros > 0, np.maximum(zeros, 0.0), 0.0)
    open_columns = np.flatnonzero(n_zeros.any(axis=1))
    tables = _count_entries(_Entries(column, values, rows), p, codes, n_classes, weight)
    # Some columns store nothing, so that the starts of these tables are not usable: gather by
    # column number.
    first = first_of_runs(column, values)
    return gather(
        np.concatenate([column[first], open_columns]),
        np.concatenate([tables.values, np.zeros(len(open_columns), dtype=values.dtype)]),
        np.concatenate([tables.counts, zeros[open_columns].astype(np.float64)]),
        p,
    )


def _count_bits(X: Any, codes: np.ndarray, n_classes: int) -> JointCounts:
    """Count a CSC table whose stored values are all the same positive number, without sorting.

    The counts of a class are the differences of its running count over the stored entries, at the
    positions where columns begin.
    """
    tables = np.zeros((X.shape[1], 2, n_classes), dtype=np.intp)
    running = np.zeros(X.nnz + 1, dtype=np.int32)
    ones, totals = tables[:, 1], np.bincount(codes, minlength=n_classes)
    for number in range(1, n_classes):
        np.cumsum((codes == number).take(X.indices), out=running[1:])
        ones[:, number] = np.diff(running[X.indptr])
    ones[:, 0] = np.diff(X.indptr) - over_classes(ones[:, 1:])
    _give_zeros_the_rest(tables, totals)
    found = _occurring(tables.reshape(-1, n_classes), 2, X.shape[1], X.dtype, totals)
    return JointCounts(found.values * X.data[0], found.counts, found.starts, totals)


def _count_small_stored(
    X: Any, whole: np.ndarray, codes: np.ndarray, n_classes: int
) -> JointCounts:
    """Count a CSC table of small whole numbers in full tables, without sorting.

    `whole` has the stored values as bytes; the rest of each class are zeros.
    """
    p, n_values = X.shape[1], int(whole.max()) + 1
    cells = np.repeat(n_values * np.arange(p), np.diff(X.indptr))
    cells += whole
    cells *= n_classes
    cells += codes.take(X.indices)
    tables = _cells(cells, None, p * n_values, n_classes).reshape(p, n_values, n_classes)
    totals = np.bincount(codes, minlength=n_classes)
    _give_zeros_the_rest(tables, totals)
    return _occurring(tables.reshape(-1, n_classes), n_values, p, X.dtype, totals)


def _give_zeros_the_rest(tables: np.ndarray, totals: np.ndarray) -> None:
    """Set the counts of the value zero to the rest of each class; updates `tables` in place.

    Parameters
    ----------
    tables : ndarray of shape (n_columns, n_values, n_classes)
        The counts of each value, of which those of the value 0 are overwritten.
    totals : ndarray of shape (n_classes,)
        The counts of the classes.
    """
    # fewer than 8 classes one by one, since numpy is slow at short rows
    n_values, n_classes = tables.shape[1:]
    for some in range(n_classes) if n_classes < 8 else [slice(None)]:
        zeros = tables[:, 0, some]
        zeros[...] = totals[some]
        for value in range(1, n_values):
            zeros -= tables[:, value, some]


def _cells(cells: np.ndarray, weight: np.ndarray | None, n_rows: int, n_classes: int) -> np.ndarray:
    """Count cell numbers (row * n_classes + class) into an array of shape (n_rows, n_classes)."""
    return np.bincount(cells, weight, n_rows * n_classes).reshape(n_rows, n_classes)


def _count_entries(
    entries: _Entries,
    n_columns: int,
    codes: np.ndarray,
    n_classes: int,
    weight: np.ndarray | None,
) -> JointCounts:
    """Count sorted entries, each of which is the cell of one row."""
    column, values, rows = entries
    first = first_of_runs(column, values)
    run = np.cumsum(first) - 1
    kept = np.flatnonzero(first)
    cells = run * n_classes + codes[rows]
    counts = _cells(cells, None if weight is None else weight[rows], len(kept), n_classes)
    starts = np.searchsorted(column[kept], np.arange(n_columns))
    return JointCounts(values[kept], counts.astype(np.float64), starts)


def column_blocks(X: Any) -> Iterator[Any]:
    """Return an iterator over X in blocks of columns with a bounded number of entries."""
    return (part for _, part in parts(X, entry_blocks(X, BLOCK_FACTOR)))


def joint_counts(X: Any, y: Any, *, classes: Any = None, sample_weight: Any = None) -> JointCounts:
    """Count how often each class of y occurs with each value of every column of X.

    The tables of several chunks of rows can be merged to those of all rows, and a score can be
    computed from tables: ``finish(chi_square, first.merge(second))``.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, p)
        The table; NaN is a value of its own.
    y : array-like of shape (n,)
        The classes.
    classes : sequence, optional
        All labels in sorted order, for a chunk that may lack some.
    sample_weight : array-like of shape (n,), optional
        The weight of each row.

    Returns
    -------
    JointCounts
        The contingency tables of all columns.

    Examples
    --------
    >>> X, y = np.array([[0], [0], [1], [1]]), np.array(["a", "b", "b", "b"])
    >>> first = joint_counts(X[:2], y[:2])
    >>> both = first.merge(joint_counts(X[2:], y[2:], classes=["a", "b"]))
    >>> both.counts.tolist()
    [[1.0, 1.0], [0.0, 2.0]]
    """
    X = as_stored(X, finite="allow-nan")
    if classes is None:
        classes, codes = classes_and_codes(X, y)
    else:
        check_consistent_length(X, y)
        codes = np.searchsorted(classes, y)
        if not np.array_equal(np.take(classes, codes, mode="clip"), y):
            raise ValueError(
                f"classes must hold every label of y in sorted order, got {list(classes)}."
            )
    weight = None if sample_weight is None else weights(X, sample_weight)
    tables = list(count_in_blocks(X, codes, len(classes), weight))
    starts = np.concatenate([[0], np.cumsum([len(table.values) for table in tables])])
    return JointCounts(
        np.concatenate([table.values for table in tables]),
        np.concatenate([table.counts for table in tables]),
        np.concatenate([table.starts + start for table, start in zip(tables, starts)]),
    )
