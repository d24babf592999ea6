"""How a table is stored, sparse or dense, where an algorithm needs one of them."""

from typing import Any

import numpy as np
from scipy import sparse

__all__ = ["csr_if_sparse", "dense"]


def dense(X: Any) -> Any:
    """Give a sparse table as an array, and any other as it is.

    >>> dense(sparse.csr_array([[0.0, 1.0]]))
    array([[0., 1.]])
    """
    if sparse.issparse(X):
        return X.toarray()
    return X


def csr_if_sparse(X: Any) -> Any:
    """Give a table in a form that rows can be taken from: compressed rows if it is sparse, else an array.

    >>> csr_if_sparse(sparse.csc_array([[0.0, 1.0]])).format
    'csr'
    """
    if sparse.issparse(X):
        return X.tocsr()
    return np.asarray(X)
