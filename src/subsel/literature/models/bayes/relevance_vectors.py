"""The relevance vector machine: sparse Bayesian classification on kernel columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit

from subsel.models.bayes.sparse_bayes import ARDClassifier
from subsel.models.kernels import find_kernel
from subsel.models.two_classes import BinaryClassifier

__all__ = ["RelevanceVectorClassifier"]


class RelevanceVectorClassifier(BinaryClassifier):
    r"""Logistic regression on kernels with the training rows, with a sparse prior [1]_.

    The log odds are :math:`f(x) = b + \sum_i w_i k(x, x_i)`, where each weight has its own prior
    width, as in :class:`subsel.models.ARDClassifier`. Most weights become zero; the rows of the
    others are the relevance vectors.

    Parameters
    ----------
    kernel : str or callable
        The kernel; see :data:`subsel.models.KERNELS`.
    kernel_params : dict or None
        Parameters of the kernel.
    max_iter : int
        Most rounds.
    tol : float
        The fit ends when no logarithm of a precision changes by more.

    Attributes
    ----------
    relevance_vectors_ : ndarray of shape (n_relevant, n_features)
        The rows with a weight.
    dual_coef_ : ndarray of shape (n_relevant,)
        Their weights.
    support_ : ndarray of int
        Their indices.
    intercept_ : float
        The intercept.
    n_iter_ : int
        Number of rounds.
    classes_ : ndarray of shape (2,)
        The class labels.

    References
    ----------
    .. [1] Tipping, *Sparse Bayesian learning and the relevance vector machine*, Journal of Machine
       Learning Research 1, 2001.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((100, 2))
    >>> y = (X**2).sum(axis=1) > 1
    >>> model = RelevanceVectorClassifier().fit(X, y)
    >>> model.score(X, y) > 0.9, len(model.support_) < 20
    (True, True)
    """

    def __init__(
        self,
        kernel: Any = "gaussian",
        *,
        kernel_params: Any = None,
        max_iter: int = 100,
        tol: float = 1e-2,
    ) -> None:
        self.kernel = kernel
        self.kernel_params = kernel_params
        self.max_iter = max_iter
        self.tol = tol

    def fit(self, X: Any, y: Any) -> RelevanceVectorClassifier:
        """Fit weights and prior widths on the kernel columns."""
        X, y, _ = self._receive(X, y)
        model = ARDClassifier(max_iter=self.max_iter, tol=self.tol).fit(self._kernel()(X), y)
        self.support_ = np.flatnonzero(model.coef_[0])
        self.relevance_vectors_, self.dual_coef_ = X[self.support_], model.coef_[0, self.support_]
        self.intercept_, self.n_iter_ = float(model.intercept_[0]), model.n_iter_
        return self

    def _positive(self, X: np.ndarray) -> np.ndarray:
        if not len(self.support_):
            return np.full(len(X), expit(np.array(self.intercept_)))
        return expit(self._kernel()(X, self.relevance_vectors_) @ self.dual_coef_ + self.intercept_)

    def _kernel(self) -> Any:
        return find_kernel(self.kernel, **(self.kernel_params or {}))
