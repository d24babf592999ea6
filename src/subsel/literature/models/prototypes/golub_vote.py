"""Golub's weighted vote: every column votes with its signal-to-noise ratio."""

from __future__ import annotations

from typing import Any

import numpy as np

from subsel.models.two_classes import BinaryDecision

__all__ = ["GolubVote"]


class GolubVote(BinaryDecision):
    r"""A classifier of two classes by a weighted vote of the columns [1]_ [2]_.

    .. math:: w_j = (\mu_j^+ - \mu_j^-) / (\sigma_j^+ + \sigma_j^-), \qquad
        f(x) = \sum_j w_j \Big(x_j - \frac{\mu_j^+ + \mu_j^-}{2}\Big)

    The second class is predicted where f is positive. A column without any spread within the
    classes does not vote. After ranking by :func:`subsel.ranking.lambda_ranking` this is the
    baseline for the five tables of the NIPS 2003 challenge.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features)
        The weights.
    intercept_ : ndarray of shape (1,)
        The intercept.

    References
    ----------
    .. [1] Golub et al., *Molecular classification of cancer*, Science 286, 1999.
    .. [2] Guyon et al. (eds.), *Feature Extraction*, 2006, appendix B, the lambda method.

    Examples
    --------
    >>> X = np.array([[0.0, 1.0], [2.0, 1.0], [4.0, 1.0], [6.0, 1.0]])
    >>> GolubVote().fit(X, [0, 0, 1, 1]).coef_
    array([[2., 0.]])
    """

    def fit(self, X: Any, y: Any) -> GolubVote:
        """Compute the means and spreads of both classes."""
        X, codes, _ = self._receive(X, y)
        negative, positive = X[codes == 0], X[codes == 1]
        gap = positive.mean(axis=0) - negative.mean(axis=0)
        spread = positive.std(axis=0) + negative.std(axis=0)
        weights = np.divide(gap, spread, out=np.zeros_like(gap), where=spread > 0)
        self.coef_ = weights[None]
        self.intercept_ = np.array([-weights @ (positive.mean(axis=0) + negative.mean(axis=0)) / 2])
        return self

    def _decide(self, X: np.ndarray) -> np.ndarray:
        return X @ self.coef_[0] + self.intercept_[0]
