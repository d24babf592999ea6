"""Sparse Bayesian classification: logistic regression with one prior width per weight."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.special import expit

from subsel.models.two_classes import BinaryClassifier

__all__ = ["ARDClassifier", "penalised_logistic"]

BROAD = 1e-6  # precision of the intercept


class ARDClassifier(BinaryClassifier):
    r"""Logistic regression with automatic relevance determination [1]_ [2]_.

    The prior widths of the weights maximise the evidence.

    Each weight is :math:`N(0, 1/\beta_j)`. The weights are set to the mode of their posterior, and
    then

    .. math:: \beta_j \leftarrow \gamma_j / w_j^2, \qquad \gamma_j = 1 - \beta_j (H^{-1})_{jj}

    with H the negative Hessian of the log posterior at the mode; :math:`\gamma_j` lies between 0
    and 1 and measures how far the data determine the weight. A weight whose :math:`\beta_j` passes
    ``cap`` is zero from then on. For regression use ``sklearn.linear_model.ARDRegression``.

    Parameters
    ----------
    max_iter : int
        The largest number of rounds.
    tol : float
        Rounds end when no :math:`\ln \beta_j` changes by more.
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
        The number of rounds.
    classes_ : ndarray of shape (2,)
        The class labels.

    Notes
    -----
    A round costs :math:`O(m n \min(m, n))`: with more weights than rows it works in the span of the
    rows.

    References
    ----------
    .. [1] Lal, Chapelle, Weston and Elisseeff, *Embedded methods*, in Guyon, Gunn, Nikravesh and
       Zadeh (eds.), *Feature Extraction*, 2006, chapter 5, section 3.2.
    .. [2] Tipping, *Sparse Bayesian learning and the relevance vector machine*, Journal of Machine
       Learning Research 1, 2001.

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
        """Alternate between updates of the weights and of the widths."""
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


def penalised_logistic(
    X: np.ndarray, y: np.ndarray, weights: np.ndarray, precisions: np.ndarray, tol: float = 1e-10
) -> tuple[np.ndarray, np.ndarray]:
    r"""Compute the mode of a logistic posterior and how far the data determine each weight.

    Newton's method is used in the coordinates :math:`v = \sqrt\beta w`, in which the prior has unit
    precision, and on the span of the rows if there are more coordinates than rows.

    Parameters
    ----------
    X : ndarray of shape (m, n)
        The columns of the weights; an intercept is one of them.
    y : ndarray of shape (m,)
        Zeros and ones.
    weights : ndarray of shape (m,)
        The weights of the rows.
    precisions : ndarray of shape (n,)
        The prior precision :math:`\beta` of each weight.
    tol : float
        The size of the last Newton step, relative to the coordinates.

    Returns
    -------
    mode, determination : ndarrays of shape (n,)
        The weights w, and :math:`1 - \beta_j (H^{-1})_{jj}`.

    Examples
    --------
    >>> X, y = np.array([[1.0], [-1.0]]), np.array([1.0, 0.0])
    >>> w, gamma = penalised_logistic(X, y, np.ones(2), np.ones(1))
    >>> w.round(4), np.allclose(w, 2 / (1 + np.exp(w))), gamma.round(3)
    (array([0.6748]), True, array([0.309]))
    """
    # at the mode v = Z' (weighted residuals), so v lies in the span of the rows of Z; outside that
    # span the Hessian is the identity and the data determine nothing, which gives `known` below
    Z = X / np.sqrt(precisions)
    A, basis = Z, None
    if Z.shape[1] > Z.shape[0]:
        basis = np.linalg.qr(Z.T)[0]
        A = Z @ basis

    def value(v: np.ndarray) -> float:
        return weights @ (y * (A @ v) - np.logaddexp(0, A @ v)) - 0.5 * v @ v

    v = np.zeros(A.shape[1])
    current = value(v)
    for _ in range(100):
        p = expit(A @ v)
        factor = cho_factor(np.eye(len(v)) + A.T @ ((weights * p * (1 - p))[:, None] * A))
        step = cho_solve(factor, A.T @ (weights * (y - p)) - v)
        if np.abs(step).max() <= tol * (1 + np.abs(v).max()):
            break
        floor = current - 1e-12 * (1 + abs(current))  # a decrease by rounding is accepted
        while (ahead := value(v + step)) < floor and np.abs(step).max() > tol:
            step /= 2
        v, current = v + step, ahead
    inverse = cho_solve(factor, np.eye(len(v)))
    if basis is None:
        return v / np.sqrt(precisions), 1 - np.diag(inverse)
    known = np.einsum("jk,kl,jl->j", basis, np.eye(len(v)) - inverse, basis, optimize=True)
    return basis @ v / np.sqrt(precisions), known
