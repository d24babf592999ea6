"""Naive Bayes on the features that are present (not zero) alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from scipy.sparse import csr_matrix, issparse

from subsel.literature.models.decisions.cut_points import least_ber_cut
from subsel.models.two_classes import BinaryDecision

__all__ = ["SleepingNaiveBayes"]


class SleepingNaiveBayes(BinaryDecision):
    r"""Naive Bayes on the features that are present (not zero); absent ones sleep [1]_.

    .. math:: s(x) = \sum_{i: x_i \ne 0} \log \frac{P(X_i | +)}{P(X_i | -)}, \qquad
        P(X_i | y) = \frac{n_y(i) + 1 / \#\{j: n_y(j) = n_y(i)\}}{n_y}

    Here :math:`n_y(i)` is the number of rows of class y that have feature i. A count is smoothed by
    the inverse of the number of features with the same count, and the probability is at most 1. The
    threshold of the score is that of the least balanced error rate on the training rows.

    Parameters
    ----------
    used : sequence of int or None
        The columns used; all if None.
    pool : {"all", "used"}
        The columns j among which equal counts are counted, which the source does not specify.

    Attributes
    ----------
    log_ratios_ : ndarray of shape (n_features,)
        The contribution of the presence of each feature, 0 for those not used.
    threshold_ : float
        Rows with a larger score are of the second class.

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
        """Count the presences by class and choose the threshold."""
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
        tags.classifier_tags.poor_score = True  # columns without zeros carry no information for it
        return tags


def _present(X: Any) -> csr_matrix:
    """Return a table of ones where a feature is present."""
    if not issparse(X):
        X = csr_matrix(X)
    if not (X.data != 0).all():  # explicit zeros
        X = X.copy()
        X.eliminate_zeros()
    return csr_matrix((np.ones(X.nnz), X.indices, X.indptr), shape=X.shape)


def _log_presence(present: csr_matrix, pool: np.ndarray) -> np.ndarray:
    """Return the log of the smoothed share of rows that have each feature.

    ``present`` holds the rows of one class; ``pool`` are the columns among which equal counts are
    counted.
    """
    n_rows = present.shape[0]
    counts = np.asarray(present.sum(axis=0)).ravel().astype(np.intp)
    sharing = np.bincount(counts[pool], minlength=n_rows + 1)
    smoothed = (counts + 1 / np.maximum(sharing[counts], 1)) / n_rows
    return np.log(np.minimum(smoothed, 1.0))
