"""Association of single columns with the target: the share of variance explained."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.multiclass import type_of_target

from subsel.data.task import guess_kind

__all__ = ["association", "holds_classes"]


def association(X: Any, y: np.ndarray) -> np.ndarray:
    """Compute the share of variance that each column and the target have in common.

    It is the squared correlation with a numeric target, and the share of the variance between
    classes otherwise, 0 for a constant column. It has the same order as the F statistic but is
    finite for a perfect relation. The answer has shape (columns,).

    >>> X, y = np.array([[0.0, 1.0], [1.0, 1.0], [2.0, 1.0]]), np.array([0.5, 1.5, 2.5])
    >>> association(X, y).round(2)
    array([1., 0.])
    """
    squares = sums_of_squares(X)
    if not issparse(X):
        X = X - X.mean(axis=0)
    # sum (x - mean)^2 = sum x^2 - (sum x)^2 / n. A dense table is centred before, so that nothing
    # cancels; in a sparse one, what is left after cancellation counts as zero below 1e-14.
    total = sums_of_squares(X) - np.asarray(X.sum(axis=0)).ravel() ** 2 / len(y)
    share = np.divide(
        _explained(X, y), total, out=np.zeros_like(total), where=total > 1e-14 * squares
    )
    return np.clip(share, 0.0, 1.0)


def sums_of_squares(X: Any) -> np.ndarray:
    """Compute the sum of squares of each column.

    >>> sums_of_squares(np.array([[3.0], [4.0]]))
    array([25.])
    """
    if issparse(X):
        return np.asarray(X.multiply(X).sum(axis=0)).ravel()
    return np.einsum("ij,ij->j", X, X)


def _explained(X: Any, y: np.ndarray) -> np.ndarray:
    """Compute the sum of squares of each column that the target explains."""
    # The squared projections on an orthonormal target, or between classes
    # sum_c n_c (mean_c - mean)^2 = sum_c ((indicator_c - n_c / n)' x)^2 / n_c.
    if holds_classes(y):
        member = np.equal.outer(np.unique(y), y).astype(float)
        design = (member - member.mean(axis=1, keepdims=True)) / np.sqrt(
            member.sum(axis=1, keepdims=True)
        )
    else:
        centred = (y - y.mean())[None]
        design = centred / max(np.linalg.norm(centred), np.finfo(float).tiny)
    return ((design @ X) ** 2).sum(axis=0)


def holds_classes(y: np.ndarray) -> bool:
    """Say whether a target holds classes, by the rule of `subsel.data.task.guess_kind`.

    A target that is neither classes nor numbers is refused.

    >>> holds_classes(np.array(["a", "b"])), holds_classes(np.array([0.5, 1.0]))
    (True, False)
    """
    type_of_target(y, raise_unknown=True)
    return guess_kind(y) == "classification"
