"""Blocks of columns, which bound the memory of dense copies of a table."""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

__all__ = ["column_blocks", "entry_blocks", "parts", "without_duplicates"]

BLOCK_CELLS = 200_000  # values of a dense copy: 1.6 MB, about the cache of a core
BLOCK_ENTRIES = 1 << 16  # entries of a dense table that are visited in a block
BLOCK_STORED = 1 << 14  # stored entries of a sparse table that are visited in a block


def column_blocks(X: Any, copies: float = 1, depth: int | None = None) -> Iterator[slice]:
    """Yield slices of columns whose dense copies have at most `BLOCK_CELLS` values.

    Parameters
    ----------
    X : array or compressed sparse table of shape (n, p)
        The table.
    copies : float
        The number of copies of a block that exist at a time.
    depth : int, optional
        The number of values of a copied column: by default n, or one more than the entries of the
        longest column of a sparse table.

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
    """Return slices of columns with a bounded number of entries to visit.

    An empty column counts as one entry. The bound is `BLOCK_ENTRIES` or, of a sparse table,
    `BLOCK_STORED`, times `larger`.

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
        visited_before = 0
        if ends[-1] > 0:
            visited_before = visited[ends[-1] - 1]
        ends.append(
            max(ends[-1] + 1, int(np.searchsorted(visited, visited_before + limit, side="right")))
        )
    return [slice(*block) for block in pairwise(ends)]


def parts(X: Any, blocks: Iterable[slice]) -> Iterator[tuple[slice, Any]]:
    """Yield each block and the columns of the table in it, as floats.

    Columns of a sparse table are a CSC array without duplicates, whatever the format and type of
    the table. The table itself is not copied, unless it is CSR and visiting every row for every
    block would take longer than converting it to CSC.

    Parameters
    ----------
    X : array, CSR or CSC table of shape (n, p)
        The table.
    blocks : iterable of slice
        The blocks, in order and without gaps from the first column on.

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
    """Return a compressed table that stores every cell at most once; X itself if it does."""
    if not X.has_canonical_format:
        # floats, since sums of duplicates may exceed a small integer type
        X = X.astype(_as_floats(X.data[:0]).dtype, copy=True)
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
    """Return the number of entries that each column of a compressed table stores."""
    if X.format == "csc":
        return np.diff(X.indptr)
    from subsel._loops.statistics.compressed_rows import stored_by_column

    return stored_by_column(X.indices, X.shape[1])
