"""A table taken a few columns at a time, so that what is written out stays small."""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

__all__ = ["column_blocks", "entry_blocks", "parts", "without_duplicates"]

BLOCK_CELLS = 200_000  # values written out at a time: about what a core's cache holds
BLOCK_ENTRIES = 1 << 16  # of a dense table, visited at a time
BLOCK_STORED = (
    1 << 14
)  # of a sparse table, visited at a time: a small part of any table whose memory matters


def column_blocks(X: Any, copies: float = 1, depth: int | None = None) -> Iterator[slice]:
    """Yield slices of columns of which `copies` copies, each `depth` values a column, can be written out.

    The depth is that of the table if not given, the longest column of a sparse one.

    Examples
    --------
    >>> list(column_blocks(np.zeros((100_000, 5))))
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    if depth is None and sparse.issparse(X):
        depth = 1 + int(_stored(X).max(initial=0))
    elif depth is None:
        depth = len(X)
    width = max(1, int(BLOCK_CELLS / (depth * copies)))
    for first in range(0, X.shape[1], width):
        yield slice(first, min(first + width, X.shape[1]))


def entry_blocks(X: Any, larger: int = 1) -> list[slice]:
    """Give slices of columns with a bounded number of entries to visit, an empty column counting as one.

    They are the usual number, or so many times ``larger``.

    Examples
    --------
    >>> entry_blocks(np.zeros((40_000, 3)))
    [slice(0, 1, None), slice(1, 2, None), slice(2, 3, None)]
    """
    n, p = X.shape
    if sparse.issparse(X):
        limit, visited = larger * BLOCK_STORED, np.cumsum(_stored(X) + 1)
        if 0 < p <= limit - X.nnz:
            return [slice(0, p)]
    else:
        limit, visited = larger * BLOCK_ENTRIES, n * np.arange(1, p + 1)
    ends = [0]
    while ends[-1] < p:
        done = 0
        if ends[-1] > 0:
            done = visited[ends[-1] - 1]
        ends.append(max(ends[-1] + 1, int(np.searchsorted(visited, done + limit, side="right"))))
    return [slice(*block) for block in pairwise(ends)]


def parts(X: Any, blocks: Iterable[slice]) -> Iterator[tuple[slice, Any]]:
    """Yield each block, in order from the first column on, and its columns as floats.

    A part of a sparse table is in compressed columns that store every cell at most once, whether the table is stored by
    rows or by columns, in whatever numbers. The table itself is not copied, unless it is stored by rows and visiting
    every row for every block would take longer than turning it round.

    Examples
    --------
    >>> X = sparse.csr_array(np.array([[0, 3], [1, 0]], dtype=np.uint8))
    >>> [part.toarray().ravel().tolist() for _, part in parts(X, [slice(0, 1), slice(1, 2)])]
    [[0.0, 1.0], [3.0, 0.0]]
    """
    if not sparse.issparse(X):
        return ((block, _as_floats(X[:, block])) for block in blocks)
    X, blocks = without_duplicates(X), list(blocks)
    if X.format == "csr" and len(blocks) * X.shape[0] > 8 * (X.nnz + X.shape[1]):
        X = X.tocsc()
    if X.format == "csr":
        return _parts_of_rows(X, blocks)
    return _parts_of_columns(X, blocks)


def without_duplicates(X: Any) -> Any:
    """Give a compressed table in which every cell is stored at most once."""
    if not X.has_canonical_format:
        X = X.astype(
            _as_floats(X.data[:0]).dtype, copy=True
        )  # sums of small whole numbers may be large
        X.sum_duplicates()
    return X


def _parts_of_columns(X: Any, blocks: Iterable[slice]) -> Iterator[tuple[slice, sparse.csc_array]]:
    for block in blocks:
        if block == slice(0, X.shape[1]) and X.dtype == np.float64:
            yield block, X
            continue
        pointers = X.indptr[block.start : block.stop + 1]
        stored = slice(pointers[0], pointers[-1])
        yield block, _part(X.data[stored], X.indices[stored], pointers - pointers[0], X.shape[0])


def _parts_of_rows(X: Any, blocks: Iterable[slice]) -> Iterator[tuple[slice, sparse.csc_array]]:
    from subsel._loops.statistics.compressed_rows import columns_of_rows

    cursor, ends = X.indptr[:-1].copy(), X.indptr[1:]
    for block in blocks:
        places, rows, pointers = columns_of_rows(X.indices, cursor, ends, block.start, block.stop)
        yield block, _part(X.data[places], rows, pointers, X.shape[0])


def _part(
    data: np.ndarray, rows: np.ndarray, pointers: np.ndarray, n_rows: int
) -> sparse.csc_array:
    part = sparse.csc_array((_as_floats(data), rows, pointers), shape=(n_rows, len(pointers) - 1))
    part.has_canonical_format = True
    return part


def _as_floats(values: np.ndarray) -> np.ndarray:
    if values.dtype in (np.float64, np.float32):
        return values
    return values.astype(np.float64)


def _stored(X: Any) -> np.ndarray:
    """How many entries each column of a compressed table stores."""
    if X.format == "csc":
        return np.diff(X.indptr)
    from subsel._loops.statistics.compressed_rows import stored_by_column

    return stored_by_column(X.indices, X.shape[1])
