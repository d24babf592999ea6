"""Conversions between sparse and dense tables."""

from typing import Any

import numpy as np
from scipy import sparse

__all__ = ["csr_if_sparse", "dense"]


def dense(X: Any) -> Any:
    """Return a sparse table as an array, and any other as it is.

    >>> dense(sparse.csr_array([[0.0, 1.0]]))
    array([[0., 1.]])
    """
    if sparse.issparse(X):
        return X.toarray()
    return X


def csr_if_sparse(X: Any) -> Any:
    """Return a sparse table as CSR, from which rows can be selected, and any other as an array.

    >>> csr_if_sparse(sparse.csc_array([[0.0, 1.0]])).format
    'csr'
    """
    if sparse.issparse(X):
        return X.tocsr()
    return np.asarray(X)
