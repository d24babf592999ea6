"""Sparse Bayesian classification: logistic regression whose prior has one width per weight."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit

from subsel.models.bayes.penalised_logistic import penalised_logistic
from subsel.models.two_classes import BinaryClassifier

__all__ = ["ARDClassifier"]

BROAD = 1e-6  # precision of the intercept


class ARDClassifier(BinaryClassifier):
    r"""Logistic regression with automatic relevance determination: the widths of the prior maximise the evidence.

    Each weight is :math:`N(0, 1/\beta_j)`. In turn, the weights are set to the mode of their posterior, and

    .. math:: \beta_j \leftarrow \gamma_j / w_j^2, \qquad \gamma_j = 1 - \beta_j (H^{-1})_{jj}

    with H the negative Hessian of the log posterior at the mode; :math:`\gamma_j` between 0 and 1 says how far the data
    determine the weight. A weight whose :math:`\beta_j` passes ``cap`` is zero from then on. For regression take
    ``sklearn.linear_model.ARDRegression``.

    Parameters
    ----------
    max_iter : int
        Most rounds.
    tol : float
        Done when no :math:`\ln \beta_j` changes by more.
    cap : float
        The :math:`\beta_j` at which a weight is dropped; inputs should be standardised.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features)
        The weights, zero where dropped.
    intercept_ : ndarray of shape (1,)
        The intercept.
    precisions_ : ndarray of shape (n_features,)
        The :math:`\beta_j`, infinite where dropped.
    determination_ : ndarray of shape (n_features,)
        The :math:`\gamma_j`, zero where dropped.
    n_iter_ : int
        Rounds made.
    classes_ : ndarray of shape (2,)
        The class labels.

    Notes
    -----
    A round costs :math:`O(m n \min(m, n))`: with more weights than rows it works in the span of the rows.

    References
    ----------
    .. [1] Lal, Chapelle, Weston and Elisseeff, *Embedded methods*, in Guyon, Gunn, Nikravesh and Zadeh (eds.),
       *Feature Extraction*, 2006, chapter 5, section 3.2.
    .. [2] Tipping, *Sparse Bayesian learning and the relevance vector machine*, Journal of Machine Learning Research 1,
       2001.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((200, 6))
    >>> y = X[:, 1] - X[:, 4] + rng.standard_normal(200) > 0
    >>> np.argsort(ARDClassifier().fit(X, y).precisions_)[:2].tolist()
    [1, 4]
    """

    def __init__(self, *, max_iter: int = 300, tol: float = 1e-3, cap: float = 1e6) -> None:
        self.max_iter = max_iter
        self.tol = tol
        self.cap = cap

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> ARDClassifier:
        """Alternate between weights and widths."""
        if self.max_iter < 1:
            raise ValueError(f"max_iter must be at least 1, got {self.max_iter!r}.")
        X, y, weights = self._receive(X, y, sample_weight)
        columns = np.column_stack([X, np.ones(len(X))])
        n = X.shape[1]
        beta, gamma = np.append(np.ones(n), BROAD), np.zeros(n + 1)
        active = np.ones(n + 1, dtype=bool)
        self.n_iter_ = 0
        while self.n_iter_ < self.max_iter:
            self.n_iter_ += 1
            w, gamma[active] = penalised_logistic(columns[:, active], y, weights, beta[active])
            before = beta.copy()
            with np.errstate(divide="ignore"):
                beta[active] = np.where(gamma[active] > 0, gamma[active] / w**2, np.inf)
            beta[n] = BROAD
            active = beta < self.cap
            if np.abs(np.log(beta[active] / before[active])).max() < self.tol:
                break
        self.precisions_ = np.where(active, beta, np.inf)[:n]
        w, gamma[active] = penalised_logistic(columns[:, active], y, weights, beta[active])
        full = np.zeros(n + 1)
        full[active] = w
        self.coef_, self.intercept_ = full[None, :n], full[n:]
        self.determination_ = np.where(active, gamma, 0)[:n]
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Give the log odds of the second class."""
        positive = self.predict_proba(X)[:, 1]
        with np.errstate(divide="ignore"):
            return np.log(positive) - np.log1p(-positive)

    def _positive(self, X: np.ndarray) -> np.ndarray:
        return expit(X @ self.coef_[0] + self.intercept_[0])
