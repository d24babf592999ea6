"""How a table is stored, sparse or dense, where an algorithm needs one of them."""

from typing import Any

import numpy as np
from scipy import sparse

from subsel.task import Task

__all__ = ["csr_if_sparse", "dense", "numeric_table"]


def dense(X: Any) -> np.ndarray:
    """Give a table as an array; one that is an array is not copied.

    >>> dense(sparse.csr_array([[0.0, 1.0]]))
    array([[0., 1.]])
    """
    if sparse.issparse(X):
        return X.toarray()
    return np.asarray(X)


def csr_if_sparse(X: Any) -> Any:
    """Give a table in a form that rows can be taken from: compressed rows if it is sparse, else an array.

    >>> csr_if_sparse(sparse.csc_array([[0.0, 1.0]])).format
    'csr'
    """
    if sparse.issparse(X):
        return X.tocsr()
    return np.asarray(X)


def numeric_table(task: Task) -> Any:
    """Give the table of a task in numbers: a sparse one as it is, any other as an array.

    >>> numeric_table(Task.of([[0.0, 1.0], [2.0, 0.0]], [0, 1]))
    array([[0., 1.],
           [2., 0.]])
    """
    if sparse.issparse(task.X):
        return task.X
    return task.matrix
