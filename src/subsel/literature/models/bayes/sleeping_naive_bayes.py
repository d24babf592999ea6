"""Naive Bayes that listens only to the features that are present."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from scipy.sparse import csr_matrix, issparse

from subsel.literature.models.decisions.cut_points import least_ber_cut
from subsel.models.two_classes import BinaryDecision

__all__ = ["SleepingNaiveBayes"]


class SleepingNaiveBayes(BinaryDecision):
    r"""Add the log-ratios of the features that are present (not zero); absent ones sleep.

    .. math:: s(x) = \sum_{i: x_i \ne 0} \log \frac{P(X_i | +)}{P(X_i | -)}, \qquad
        P(X_i | y) = \frac{n_y(i) + 1 / \#\{j: n_y(j) = n_y(i)\}}{n_y}

    with :math:`n_y(i)` the rows of class y that have feature i: a count is smoothed by one over how
    many features share it (at most 1 is believed). The threshold is that of the least balanced
    error rate on the training rows.

    Parameters
    ----------
    used : sequence of int or None
        Columns that are listened to; None: all.
    pool : {"all", "used"}
        Among which columns equal counts are counted; the source does not say which.

    Attributes
    ----------
    log_ratios_ : ndarray
        What the presence of each feature adds, 0 for those not used.
    threshold_ : float
        Above it the second class.

    References
    ----------
    .. [1] Gilad-Bachrach and Navot, *Margin based feature selection and infogain with standard
       classifiers*, in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 17.

    Examples
    --------
    >>> X = np.array([[1, 0, 1], [1, 0, 0], [0, 1, 1], [0, 1, 0]])
    >>> SleepingNaiveBayes().fit(X, [1, 1, 0, 0]).log_ratios_.round(3)
    array([ 0.693, -0.693,  0.   ])
    """

    _accept_sparse = "csr"

    def __init__(
        self, used: Sequence[int] | None = None, *, pool: Literal["all", "used"] = "all"
    ) -> None:
        self.used = used
        self.pool = pool

    def fit(self, X: Any, y: Any) -> SleepingNaiveBayes:
        """Count presences by class, then choose the threshold."""
        if self.pool not in ("all", "used"):
            raise ValueError(f"pool must be 'all' or 'used', got {self.pool!r}.")
        X, codes, _ = self._receive(X, y)
        used = pool = np.arange(X.shape[1])
        if self.used is not None:
            used = np.asarray(self.used, dtype=np.intp)
        if self.pool == "used":
            pool = used
        present = _present(X)
        logs = [_log_presence(present[codes == c], pool) for c in (0, 1)]
        self.log_ratios_ = np.zeros(X.shape[1])
        self.log_ratios_[used] = (logs[1] - logs[0])[used]
        self.threshold_ = least_ber_cut(present @ self.log_ratios_, codes == 1)
        return self

    def _decide(self, X: Any) -> np.ndarray:
        scores = _present(X) @ self.log_ratios_
        if np.isfinite(self.threshold_):
            return scores - self.threshold_
        return np.full(len(scores), -self.threshold_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # numbers that are never zero tell it nothing
        return tags


def _present(X: Any) -> csr_matrix:
    """Ones where a feature is present."""
    if not issparse(X):
        X = csr_matrix(X)
    kept = X.data != 0
    if not kept.all():
        X = X.copy()
        X.eliminate_zeros()
    return csr_matrix((np.ones(X.nnz), X.indices, X.indptr), shape=X.shape)


def _log_presence(present: csr_matrix, pool: np.ndarray) -> np.ndarray:
    """The log of the smoothed share of rows that have each feature."""
    n_rows = present.shape[0]
    counts = np.asarray(present.sum(axis=0)).ravel().astype(np.intp)
    sharing = np.bincount(counts[pool], minlength=n_rows + 1)
    smoothed = (counts + 1 / np.maximum(sharing[counts], 1)) / n_rows
    return np.log(np.minimum(smoothed, 1.0))
