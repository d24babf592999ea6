"""Columns in sorted order: the mass of each class at each distinct value, a block of columns at a time."""

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
    """Apply a functional of the tied masses to every column; it gives `n_results` numbers for each."""
    X = as_stored(X)
    labels, codes = classes_and_codes(X, y, n_classes, sample_weight)
    results = np.empty((n_results, X.shape[1]))
    for block, masses in tie_blocks(X, codes, len(labels), sample_weight):
        results[:, block] = functional(masses)
    return results if n_results > 1 else results[0]


def over_sorted(X: Any, y: Any, loop: Callable[[Array, Array], Array]) -> Array:
    """Apply a compiled loop to the sorted values of two classes, column by column; X is dense, without weights."""
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
    """Yield blocks of columns and their masses by class, column and distinct value, ascending, then zeros."""
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
    """Sort each class alone, which needs no order of rows, and merge."""
    from subsel._loops.statistics.distribution import tied_masses

    values, starts, carried = _sorted_classes(X, codes, n_classes, weight)
    masses = np.zeros((n_classes, X.shape[1], len(X)))
    depth = tied_masses(values, starts, carried, masses).max(initial=0)
    return masses[:, :, :depth]


def _sorted_classes(
    X: Array, codes: Array, n_classes: int, weight: Array | None
) -> tuple[Array, Array, Array]:
    """Each column as a row, its classes in turn, ascending and closed by an infinity; their starts; the weights."""
    members = [np.flatnonzero(codes == k) for k in range(n_classes)]
    starts = np.cumsum([0, *(len(rows) + 1 for rows in members)])
    values = np.full((X.shape[1], len(X) + n_classes), np.inf)
    carried = np.empty((0, 0))
    if weight is not None:
        carried = np.zeros(values.shape)
    for start, rows in zip(starts, members):
        part = values[:, start : start + len(rows)]
        part[:] = X[rows].T
        if weight is None:
            part.sort(axis=1)
        else:
            order = np.argsort(part, axis=1)
            carried[:, start : start + len(rows)] = weight[rows][order]
            part[:] = np.take_along_axis(part, order, axis=1)
    return values, starts, carried


def _sparse_masses(
    X: sparse.csc_array, codes: Array, n_classes: int, weight: Array | None
) -> Array:
    """Sort the stored values of all columns together with one zero per class and column."""
    n_rows, n_columns = X.shape
    if weight is None:
        weight = np.ones(n_rows)
    column = np.repeat(np.arange(n_columns), np.diff(X.indptr))
    stored = _table(column, codes[X.indices], weight[X.indices], n_columns, n_classes)
    rest = np.maximum(np.bincount(codes, weight, n_classes) - stored, 0.0)
    open_ = np.flatnonzero(np.diff(X.indptr) < n_rows)
    column = np.concatenate([column, np.repeat(open_, n_classes)])
    value = np.concatenate([X.data, np.zeros(len(open_) * n_classes, X.data.dtype)])
    code = np.concatenate([codes[X.indices], np.tile(np.arange(n_classes), len(open_))])
    mass = np.concatenate([weight[X.indices], rest[open_].ravel()])
    place = _places(column, value, n_columns)
    depth = int(place.max(initial=0)) + 1
    flat = (code * n_columns + column) * depth + place
    return np.bincount(flat, mass, n_classes * n_columns * depth).reshape(
        n_classes, n_columns, depth
    )


def _table(column: Array, code: Array, mass: Array, n_columns: int, n_classes: int) -> Array:
    return np.bincount(column * n_classes + code, mass, n_columns * n_classes).reshape(
        n_columns, n_classes
    )


def _places(column: Array, value: Array, n_columns: int) -> Array:
    """The number of distinct smaller values in the same column, for each entry."""
    order = np.lexsort((value, column))
    new_column = np.diff(column[order], prepend=-1) != 0
    new_value = new_column | (np.diff(value[order], prepend=0) != 0)
    step = np.cumsum(new_value) - 1
    first = np.zeros(n_columns, dtype=step.dtype)
    first[column[order][new_column]] = step[new_column]
    place = np.empty(len(column), dtype=np.intp)
    place[order] = step - first[column[order]]
    return place


def rank_blocks(X: Any, weight: Array) -> Iterator[tuple[slice, Any]]:
    """Yield blocks of columns and their midranks up to a constant per column; zeros stay unwritten."""
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
    """Midranks less the midrank of zero, so that what was not stored need not be."""
    n_rows, n_columns = X.shape
    stored = np.repeat(np.arange(n_columns), np.diff(X.indptr))
    column = np.concatenate([stored, np.arange(n_columns)])
    rest = np.maximum(weight.sum() - np.bincount(stored, weight[X.indices], n_columns), 0.0)
    mass = np.concatenate([weight[X.indices], np.where(np.diff(X.indptr) < n_rows, rest, 0.0)])
    place = _places(column, np.concatenate([X.data, np.zeros(n_columns, X.data.dtype)]), n_columns)
    depth = int(place.max(initial=0)) + 1
    masses = np.bincount(column * depth + place, mass, n_columns * depth).reshape(n_columns, depth)
    rank = (np.cumsum(masses, axis=1) - masses / 2)[column, place]
    shifted = rank[: len(stored)] - rank[len(stored) :][stored]
    return sparse.csc_array((shifted, X.indices, X.indptr), shape=X.shape)
