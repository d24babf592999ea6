"""Moments that can be streamed: accumulate chunks of rows, merge what was accumulated apart, finish."""

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
    """Give X as it is stored, without the pass that looks for NaN: the sums show them (see `block_moments`)."""
    return as_stored(X, finite=False)


def checked_chunk(X: Any, sample_weight: Any, n_features: int) -> tuple[Any, Array]:
    X = unchecked(X)
    if X.shape[1] != n_features:
        raise ValueError(f"X must have {n_features} columns, got {X.shape[1]}.")
    return X, weights(X, sample_weight)


def block_moments(
    X: Any, codes: Array, weight: Array, mass: Array, pull: Array | None = None
) -> Iterator[tuple[slice, Array, Array, Array]]:
    """Yield blocks of columns, their class means and scatters, and the cross moment with a centred, weighted target."""
    if sparse.issparse(X):
        measured = _sparse_moments(X, codes, weight, mass, pull)
    else:
        measured = _dense_moments(X, codes, weight, mass, pull)
    for block, spoilt, mean, scatter, cross in measured:
        if spoilt:
            as_stored(X[:, block])  # names the NaN or the infinity
        yield block, mean, scatter, cross


def _dense_moments(
    X: Array, codes: Array, weight: Array, mass: Array, pull: Array | None
) -> Iterator[tuple[slice, bool, Array, Array, Array]]:
    from subsel._loops.statistics.moments import dense_cross, dense_moments

    classes = rows_by_class(codes, weight, len(mass))
    as_it_is = lies_in_rows(X)
    # the loop reads a table of rows where it lies, in long strokes: only the running sums need the cache
    blocks = list(column_blocks(X))
    if as_it_is:
        blocks = list(column_blocks(X, copies=10, depth=1))
    sums = np.empty((2, len(mass), blocks[0].stop))
    for block in blocks:
        table, first, last = X, block.start, block.stop
        if not as_it_is:
            table = np.ascontiguousarray(X[:, block], dtype=np.float64)
            first, last = 0, table.shape[1]
        mean, scatter = sums[:, :, : last - first]
        spoilt = dense_moments(table, first, last, classes, mean, scatter)
        cross = np.empty(0)
        if pull is not None:
            cross = dense_cross(table, first, last, classes.rows, pull)
        yield block, spoilt > 0, mean, scatter, cross


def rows_by_class(codes: Array, weight: Array, n_classes: int) -> ClassRows:
    """The rows of each class that have a weight."""
    from subsel._loops.statistics.moments import ClassRows

    rows = np.lexsort((-weight, codes))
    rows = rows[weight[rows] > 0]
    return ClassRows(rows, np.searchsorted(codes[rows], np.arange(n_classes + 1)), weight)


def lies_in_rows(X: Any) -> bool:
    """Whether a loop can read the table where it lies."""
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


def shares(held: Array, mass: Array) -> Array:
    total = held + mass
    return np.divide(mass, total, out=np.zeros_like(total), where=total > 0)
