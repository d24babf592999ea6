"""Sorted columns: the mass of each class at each distinct value, and midranks, by blocks."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy import sparse

from subsel.data.statistics.blocks import column_blocks, parts
from subsel.data.statistics.score_input import as_stored, classes_and_codes, weights

__all__ = ["over_sorted", "over_ties", "rank_blocks", "tie_blocks"]

Array = np.ndarray


def over_ties(
    X: Any,
    y: Any,
    sample_weight: Any,
    functional: Callable[[Array], Array],
    n_classes: int | None = None,
    n_results: int = 1,
) -> Array:
    """Return a function of the masses of tied values of every column.

    Parameters
    ----------
    X, y, sample_weight : array-like
        The table, the classes and the weights of rows.
    functional : callable
        ``functional(masses)`` returns `n_results` numbers per column of the masses that
        :func:`tie_blocks` yields.
    n_classes : int, optional
        The number of classes that is required.
    n_results : int
        The number of results per column.

    Returns
    -------
    ndarray of shape (p,), or (n_results, p) if there are several
        The results.
    """
    X = as_stored(X)
    labels, codes = classes_and_codes(X, y, n_classes, sample_weight)
    results = np.empty((n_results, X.shape[1]))
    for block, masses in tie_blocks(X, codes, len(labels), sample_weight):
        results[:, block] = functional(masses)
    return results if n_results > 1 else results[0]


def over_sorted(X: Any, y: Any, loop: Callable[[Array, Array], Array]) -> Array:
    """Return the result of a compiled loop for every column of a dense table of two classes.

    ``loop(values, starts)`` returns one number per column, given what `_sorted_classes` returns.
    """
    X = as_stored(X)
    _, codes = classes_and_codes(X, y, 2)
    results = np.empty(X.shape[1])
    for block, part in parts(X, column_blocks(X)):
        values, starts, _ = _sorted_classes(part, codes, 2, None)
        results[block] = loop(values, starts)
    return results


def tie_blocks(
    X: Any, codes: Array, n_classes: int, sample_weight: Any
) -> Iterator[tuple[slice, Array]]:
    """Yield blocks of columns and the masses of their distinct values.

    The masses have the shape (n_classes, width, depth): the weight of each class at each distinct
    value in ascending order, then zeros for columns of fewer values than `depth`.
    """
    rows: Any = slice(None)
    weight = None
    if sample_weight is not None:
        weight = weights(X, sample_weight)
        rows = np.flatnonzero(weight)
        codes, weight = codes[rows], weight[rows]
    for block, part in parts(X, column_blocks(X, copies=n_classes)):
        if sparse.issparse(part):
            yield block, _sparse_masses(part[rows], codes, n_classes, weight)
        else:
            yield block, _dense_masses(part[rows], codes, n_classes, weight)


def _dense_masses(X: Array, codes: Array, n_classes: int, weight: Array | None) -> Array:
    """Return the masses of a dense block: sort each class by itself, then merge the classes."""
    from subsel._loops.statistics.distribution import tied_masses

    values, starts, sorted_weights = _sorted_classes(X, codes, n_classes, weight)
    masses = np.zeros((n_classes, X.shape[1], len(X)))
    depth = tied_masses(values, starts, sorted_weights, masses).max(initial=0)
    return masses[:, :, :depth]


def _sorted_classes(
    X: Array, codes: Array, n_classes: int, weight: Array | None
) -> tuple[Array, Array, Array]:
    """Sort the values of each class in each column.

    Returns
    -------
    values : ndarray of shape (p, n + n_classes)
        A row per column of X: the values of each class in ascending order, followed by infinity.
    starts : ndarray of int of shape (n_classes + 1,)
        The position at which each class begins.
    sorted_weights : ndarray of the shape of `values`, or (0, 0) without weights
        The weights of the sorted values.
    """
    members = [np.flatnonzero(codes == k) for k in range(n_classes)]
    starts = np.cumsum([0, *(len(rows) + 1 for rows in members)])
    values = np.full((X.shape[1], len(X) + n_classes), np.inf)
    sorted_weights = np.empty((0, 0))
    if weight is not None:
        sorted_weights = np.zeros(values.shape)
    for start, rows in zip(starts, members):
        part = values[:, start : start + len(rows)]
        part[:] = X[rows].T
        if weight is None:
            part.sort(axis=1)
        else:
            order = np.argsort(part, axis=1)
            sorted_weights[:, start : start + len(rows)] = weight[rows][order]
            part[:] = np.take_along_axis(part, order, axis=1)
    return values, starts, sorted_weights


def _sparse_masses(
    X: sparse.csc_array, codes: Array, n_classes: int, weight: Array | None
) -> Array:
    """Return the masses of a sparse block, for which each class has one zero in each column.

    That zero has the weight of all rows of the class that are not stored.
    """
    n_rows, n_columns = X.shape
    if weight is None:
        weight = np.ones(n_rows)
    column = np.repeat(np.arange(n_columns), np.diff(X.indptr))
    stored = _table(column, codes[X.indices], weight[X.indices], n_columns, n_classes)
    rest = np.maximum(np.bincount(codes, weight, n_classes) - stored, 0.0)
    with_zeros = np.flatnonzero(np.diff(X.indptr) < n_rows)
    column = np.concatenate([column, np.repeat(with_zeros, n_classes)])
    value = np.concatenate([X.data, np.zeros(len(with_zeros) * n_classes, X.data.dtype)])
    code = np.concatenate([codes[X.indices], np.tile(np.arange(n_classes), len(with_zeros))])
    mass = np.concatenate([weight[X.indices], rest[with_zeros].ravel()])
    rank_of_value = _places(column, value, n_columns)
    depth = int(rank_of_value.max(initial=0)) + 1
    flat = (code * n_columns + column) * depth + rank_of_value
    return np.bincount(flat, mass, n_classes * n_columns * depth).reshape(
        n_classes, n_columns, depth
    )


def _table(column: Array, code: Array, mass: Array, n_columns: int, n_classes: int) -> Array:
    """Return the sum of masses for each column and class, of shape (n_columns, n_classes)."""
    return np.bincount(column * n_classes + code, mass, n_columns * n_classes).reshape(
        n_columns, n_classes
    )


def _places(column: Array, value: Array, n_columns: int) -> Array:
    """Return, for each entry, the number of distinct smaller values in its column."""
    order = np.lexsort((value, column))
    new_column = np.diff(column[order], prepend=-1) != 0
    new_value = new_column | (np.diff(value[order], prepend=0) != 0)
    step = np.cumsum(new_value) - 1
    first = np.zeros(n_columns, dtype=step.dtype)
    first[column[order][new_column]] = step[new_column]
    rank_of_value = np.empty(len(column), dtype=np.intp)
    rank_of_value[order] = step - first[column[order]]
    return rank_of_value


def rank_blocks(X: Any, weight: Array) -> Iterator[tuple[slice, Any]]:
    """Yield blocks of columns and their midranks, shifted by a constant per column if sparse.

    The shift gives zeros the rank 0, so that a sparse block stays sparse.
    """
    for block, part in parts(X, column_blocks(X)):
        if sparse.issparse(part):
            yield block, _sparse_ranks(part, weight)
        else:
            yield block, _dense_ranks(part, weight)


def _dense_ranks(X: Array, weight: Array) -> Array:
    from subsel._loops.statistics.distribution import midranks

    values = np.ascontiguousarray(X.T, dtype=np.float64)
    return midranks(values, np.argsort(values, axis=1), weight).T


def _sparse_ranks(X: sparse.csc_array, weight: Array) -> sparse.csc_array:
    """Return midranks less the midrank of zero, for the stored entries only."""
    n_rows, n_columns = X.shape
    stored = np.repeat(np.arange(n_columns), np.diff(X.indptr))
    column = np.concatenate([stored, np.arange(n_columns)])
    rest = np.maximum(weight.sum() - np.bincount(stored, weight[X.indices], n_columns), 0.0)
    mass = np.concatenate([weight[X.indices], np.where(np.diff(X.indptr) < n_rows, rest, 0.0)])
    rank_of_value = _places(
        column, np.concatenate([X.data, np.zeros(n_columns, X.data.dtype)]), n_columns
    )
    depth = int(rank_of_value.max(initial=0)) + 1
    masses = np.bincount(column * depth + rank_of_value, mass, n_columns * depth).reshape(
        n_columns, depth
    )
    rank = (np.cumsum(masses, axis=1) - masses / 2)[column, rank_of_value]
    shifted = rank[: len(stored)] - rank[len(stored) :][stored]
    return sparse.csc_array((shifted, X.indices, X.indptr), shape=X.shape)
