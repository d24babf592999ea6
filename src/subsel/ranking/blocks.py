"""A table taken a few columns at a time, so that what is written out stays small."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

__all__ = ["column_blocks", "without_duplicates"]

BLOCK_CELLS = 200_000  # values written out at a time: about what a core's cache holds


def column_blocks(X: Any, copies: float = 1, depth: int | None = None) -> Iterator[slice]:
    """Yield slices of columns of which `copies` copies, each `depth` values a column, can be written out.

    The depth is that of the table if not given, the longest column of a sparse one.

    Examples
    --------
    >>> list(column_blocks(np.zeros((100_000, 5))))
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    if depth is None:
        depth = 1 + np.diff(X.indptr).max(initial=0) if sparse.issparse(X) else len(X)
    width = max(1, int(BLOCK_CELLS / (depth * copies)))
    for first in range(0, X.shape[1], width):
        yield slice(first, min(first + width, X.shape[1]))


def without_duplicates(X: sparse.csc_array) -> sparse.csc_array:
    """Give compressed columns in which every cell is stored at most once."""
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X
