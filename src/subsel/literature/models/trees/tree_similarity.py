"""The similarity of rows in the trees of a forest, as a kernel."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from scipy import sparse

__all__ = ["forest_kernel"]


def forest_kernel(forest: Any, X: Any, Y: Any = None, least: int = 0) -> np.ndarray:
    """Return the share of nodes that two rows have in common, averaged over trees [1]_.

    The nodes are those on the paths of both rows, relative to the longer path. As a kernel for
    least squares or support vector machines (``kernel="precomputed"``), it applies to whatever
    tables the forest accepts, such as columns of mixed scales with missing values. It is 1 for a
    row with itself.

    Parameters
    ----------
    forest : estimator
        A fitted forest or ensemble of trees with ``decision_path``.
    X, Y : array of shape (n_rows_X, n_features), (n_rows_Y, n_features)
        The rows; Y is X if None.
    least : int, default=0
        A tree in which the paths share fewer nodes than this contributes 0.

    Returns
    -------
    ndarray of shape (n_rows_X, n_rows_Y)
        The similarities.

    References
    ----------
    .. [1] Torkkola and Tuv, *Ensembles of regularized least squares classifiers for
       high-dimensional problems*, in Guyon, Gunn, Nikravesh and Zadeh (eds.), *Feature Extraction*,
       2006, chapter 11, section 6, where it is proposed, not tried.

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> X, y = np.array([[0.0], [1.0], [9.0]]), [0, 0, 1]
    >>> forest = RandomForestClassifier(20, bootstrap=False, random_state=0).fit(X, y)
    >>> forest_kernel(forest, X).round(2)
    array([[1. , 1. , 0.5], [1. , 1. , 0.5], [0.5, 0.5, 1. ]])
    """
    first, bounds = forest.decision_path(X)
    second = first
    if Y is not None:
        second = forest.decision_path(Y)[0]
    total = np.zeros((first.shape[0], second.shape[0]))
    for a, b in itertools.pairwise(bounds):
        one, other = sparse.csr_matrix(first[:, a:b]), sparse.csr_matrix(second[:, a:b])
        shared = (one.astype(float) @ other.astype(float).T).toarray()
        longer = np.maximum.outer(np.diff(one.indptr), np.diff(other.indptr))
        total += np.where(shared >= least, shared / longer, 0.0)
    return total / (len(bounds) - 1)
