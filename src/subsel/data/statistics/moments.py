"""Moments of blocks of columns: class means, scatters, and cross moments with a target."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from subsel.data.statistics.blocks import column_blocks, entry_blocks, parts
from subsel.data.statistics.score_input import as_stored, weights

if TYPE_CHECKING:
    from subsel._loops.statistics.moments import ClassRows

__all__ = []

Array = np.ndarray


def unchecked(X: Any) -> Any:
    """Return X as it is stored, not checked for NaN: `block_moments` finds it in the sums."""
    return as_stored(X, finite=False)


def checked_chunk(X: Any, sample_weight: Any, n_features: int) -> tuple[Any, Array]:
    """Check the number of columns of a chunk; return it and the weight of each row."""
    X = unchecked(X)
    if X.shape[1] != n_features:
        raise ValueError(f"X must have {n_features} columns, got {X.shape[1]}.")
    return X, weights(X, sample_weight)


def block_moments(
    X: Any, codes: Array, weight: Array, mass: Array, pull: Array | None = None
) -> Iterator[tuple[slice, Array, Array, Array]]:
    """Yield blocks of columns and their moments.

    Parameters
    ----------
    X : array, CSR or CSC table of shape (n, p)
        The table.
    codes : ndarray of int of shape (n,)
        The class of each row.
    weight : ndarray of shape (n,)
        The weight of each row.
    mass : ndarray of shape (n_classes,)
        The sum of the weights of each class.
    pull : ndarray of shape (n,), optional
        The centred target times the weight of each row.

    Yields
    ------
    block : slice
        The columns.
    mean, scatter : ndarray of shape (n_classes, width)
        The class means and sums of squared deviations; overwritten by the next block.
    cross : ndarray of shape (width,)
        The scalar product of each column with `pull`; empty or zero without it.
    """
    if sparse.issparse(X):
        moments = _sparse_moments(X, codes, weight, mass, pull)
    else:
        moments = _dense_moments(X, codes, weight, mass, pull)
    for block, not_finite, mean, scatter, cross in moments:
        if not_finite:
            as_stored(X[:, block])  # raises the error for NaN or infinity
        yield block, mean, scatter, cross


def _dense_moments(
    X: Array, codes: Array, weight: Array, mass: Array, pull: Array | None
) -> Iterator[tuple[slice, bool, Array, Array, Array]]:
    from subsel._loops.statistics.moments import dense_cross, dense_moments

    classes = rows_by_class(codes, weight, len(mass))
    in_place = lies_in_rows(X)
    # the loop reads long runs of the rows of a C-contiguous table, of which only the running sums
    # need the cache; any other table is copied block by block
    blocks = list(column_blocks(X))
    if in_place:
        blocks = list(column_blocks(X, copies=10, depth=1))
    sums = np.empty((2, len(mass), blocks[0].stop))
    for block in blocks:
        table, first, last = X, block.start, block.stop
        if not in_place:
            table = np.ascontiguousarray(X[:, block], dtype=np.float64)
            first, last = 0, table.shape[1]
        mean, scatter = sums[:, :, : last - first]
        not_finite = dense_moments(table, first, last, classes, mean, scatter)
        cross = np.empty(0)
        if pull is not None:
            cross = dense_cross(table, first, last, classes.rows, pull)
        yield block, not_finite > 0, mean, scatter, cross


def rows_by_class(codes: Array, weight: Array, n_classes: int) -> ClassRows:
    """Return the rows with a positive weight, sorted by class and by falling weight."""
    from subsel._loops.statistics.moments import ClassRows

    rows = np.lexsort((-weight, codes))
    rows = rows[weight[rows] > 0]
    return ClassRows(rows, np.searchsorted(codes[rows], np.arange(n_classes + 1)), weight)


def lies_in_rows(X: Any) -> bool:
    """Whether compiled loops can read the table without a copy: C-contiguous and float64."""
    return isinstance(X, np.ndarray) and X.flags.c_contiguous and X.dtype == np.float64


def _sparse_moments(
    X: Any, codes: Array, weight: Array, mass: Array, pull: Array | None
) -> Iterator[tuple[slice, bool, Array, Array, Array]]:
    from subsel._loops.statistics.compressed_rows import Compressed
    from subsel._loops.statistics.moments import sparse_moments

    n_rows = np.bincount(codes, minlength=len(mass))
    if pull is None:
        pull = np.empty(0)
    for block, part in parts(X, entry_blocks(X)):
        stored = Compressed(part.data.astype(np.float64, copy=False), part.indices, part.indptr)
        mean, scatter, cross = sparse_moments(stored, codes, weight, mass, n_rows, pull)
        yield block, not np.isfinite(scatter.sum()), mean, scatter, cross


def shares(own: Array, mass: Array) -> Array:
    """Return the share of `mass` in ``own + mass``; 0 where both are 0."""
    total = own + mass
    return np.divide(mass, total, out=np.zeros_like(total), where=total > 0)
