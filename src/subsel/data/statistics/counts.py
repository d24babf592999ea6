"""How often each class meets each value, for every column: accumulate, merge, finish."""

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

# Whole numbers from 0 to below this are counted without sorting.
SMALL_CODES = 64
# Cells of the full tables in which small codes are counted at a time: 1 MB, which stay in the cache.
TABLE_CELLS = 1 << 17
# Places in the full tables of a sparse table, for each entry it stores, up to which it is counted without sorting.
FULL = 8
# Blocks are so many times larger than usual: what is done once for each weighs more than what fits into the cache.
LARGER = 2


class _Entries(NamedTuple):
    """Entries of a table, sorted by column and value."""

    column: np.ndarray
    values: np.ndarray
    rows: np.ndarray


def count(
    X: Any, codes: np.ndarray, n_classes: int, weight: np.ndarray | None = None
) -> JointCounts:
    """Count, in each column of X, dense or in compressed columns, how often each class meets each value.

    Zeros that a sparse X does not store are counted without being visited.

    Examples
    --------
    >>> tables = count(np.array([[0.0, 5.0], [0.0, 5.0], [1.0, 5.0]]), np.array([0, 1, 1]), n_classes=2)
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
    """Count the columns of X block by block; small whole numbers of a dense table in one pass over many columns."""
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
    """Count columns of small whole numbers in one pass over the table; None where they hold anything else."""
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
            even = None
            if weight is None:
                even = np.bincount(codes, minlength=n_classes)
            return _occurring(table.reshape(-1, n_classes), n_values, n_columns, dtype, even)
        n_values *= 8
    return None


def _count_sorted(
    X: np.ndarray, codes: np.ndarray, n_classes: int, weight: np.ndarray | None
) -> JointCounts:
    """Count the values of dense columns, whatever they are, by sorting each column."""
    n, p = X.shape
    by_column = np.ascontiguousarray(X.T)
    rows = np.argsort(by_column, axis=1)
    values = np.take_along_axis(by_column, rows, axis=1)
    entries = _Entries(np.repeat(np.arange(p), n), values.ravel(), rows.ravel())
    return _count_entries(entries, p, codes, n_classes, weight)


def _occurring(
    counts: np.ndarray, n_values: int, n_columns: int, dtype: np.dtype, even: np.ndarray | None
) -> JointCounts:
    """The rows of full tables, one value after the other in each column, that are not empty."""
    there, starts = over_classes(counts) > 0, np.zeros(n_columns, dtype=np.intp)
    occurs = np.flatnonzero(there)
    values = np.tile(np.arange(n_values), n_columns)[occurs].astype(dtype)
    starts[1:] = np.cumsum(there)[n_values - 1 : -1 : n_values]
    return JointCounts(values, counts.take(occurs, axis=0).astype(np.float64), starts, even)


def _small_numbers(stored: np.ndarray) -> np.ndarray | None:
    """What a sparse table stores in bytes, where it is small whole numbers and nothing else."""
    with np.errstate(invalid="ignore"):  # of numbers that are none
        whole = stored.astype(np.uint8)
    if whole.max() < SMALL_CODES and np.array_equal(whole, stored):
        return whole
    return None


def _count_sparse(
    X: Any, codes: np.ndarray, n_classes: int, weight: np.ndarray | None
) -> JointCounts:
    """Count the stored entries; what they leave of each class is the count of zeros."""
    X = without_duplicates(X)
    p = X.shape[1]
    if weight is None and len(X.data) > 0:
        if X.data[0] > 0 and (X.data == X.data[0]).all():
            return _count_bits(X, codes, n_classes)
        whole = _small_numbers(X.data)
        if whole is not None and p * (int(whole.max()) + 1) <= FULL * X.nnz:
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
    # Some columns store nothing, so the starts of these tables alone are not usable: gather by column number.
    first = first_of_runs(column, values)
    return gather(
        np.concatenate([column[first], open_columns]),
        np.concatenate([tables.values, np.zeros(len(open_columns), dtype=values.dtype)]),
        np.concatenate([tables.counts, zeros[open_columns].astype(np.float64)]),
        p,
    )


def _count_bits(X: Any, codes: np.ndarray, n_classes: int) -> JointCounts:
    """Count bits, or whatever else is one positive number wherever it is stored: nothing is to be sorted.

    Running counts of each class along what is stored are read off where columns begin.
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
    """Count small whole numbers (``whole``, in the place of what is stored) in full tables; the zeros are the rest."""
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
    """Count as zeros what is left of each class; few classes one by one, because numpy is slow at short rows."""
    n_values, n_classes = tables.shape[1:]
    for some in range(n_classes) if n_classes < 8 else [slice(None)]:
        zeros = tables[:, 0, some]
        zeros[...] = totals[some]
        for value in range(1, n_values):
            zeros -= tables[:, value, some]


def _cells(cells: np.ndarray, weight: np.ndarray | None, n_rows: int, n_classes: int) -> np.ndarray:
    """Count cell numbers into a table."""
    return np.bincount(cells, weight, n_rows * n_classes).reshape(n_rows, n_classes)


def _count_entries(
    entries: _Entries,
    n_columns: int,
    codes: np.ndarray,
    n_classes: int,
    weight: np.ndarray | None,
) -> JointCounts:
    """Count sorted entries of a table, each of which stands for one row."""
    column, values, rows = entries
    first = first_of_runs(column, values)
    run = np.cumsum(first) - 1
    kept = np.flatnonzero(first)
    cells = run * n_classes + codes[rows]
    counts = _cells(cells, None if weight is None else weight[rows], len(kept), n_classes)
    starts = np.searchsorted(column[kept], np.arange(n_columns))
    return JointCounts(values[kept], counts.astype(np.float64), starts)


def column_blocks(X: Any) -> Iterator[Any]:
    """Give X in blocks of columns, each of a bounded number of entries to visit."""
    return (part for _, part in parts(X, entry_blocks(X, LARGER)))


def joint_counts(X: Any, y: Any, *, classes: Any = None, sample_weight: Any = None) -> JointCounts:
    """Count the classes of y against the values of every column of X: where every score of tables begins.

    Tables of several chunks of rows merge to those of all rows; ``classes`` names all labels in order, for
    chunks that lack some. A score finishes them: ``finish(chi_square, first.merge(second))``.

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
