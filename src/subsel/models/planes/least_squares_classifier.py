"""Regularised least-squares classification: the sign of kernel ridge on labels -1 and 1."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.kernel_ridge import KernelRidge

from subsel.models.two_classes import BinaryDecision

__all__ = ["LeastSquaresClassifier"]


class LeastSquaresClassifier(BinaryDecision):
    r"""Classification by the sign of kernel ridge regression on labels -1 and 1 (RLSC) [1]_.

    .. math:: (K + \alpha I) c = y, \qquad f(x) = \sum_i c_i k(x_i, x)

    There is no threshold. Subsets of columns are evaluated without refitting by
    :class:`subsel.criteria.KernelRidgeClassification`, leave-one-out included. The challenge entry
    of the chapter is a vote of many such classifiers, with a small ridge, on parts of the rows:
    ``BaggingClassifier(LeastSquaresClassifier(...), max_samples=0.4, bootstrap=False)``.

    Parameters
    ----------
    alpha : float
        The ridge, which is the chapter's gamma times the number of rows.
    kernel : str
        As in scikit-learn's ``KernelRidge``.
    gamma : float or None
        The width parameter of the kernel; None is one over the number of columns.
    degree, coef0 : float
        The degree and the constant of a polynomial kernel.

    Attributes
    ----------
    model_ : KernelRidge
        The fitted regression.

    References
    ----------
    .. [1] Torkkola and Tuv, *Ensembles of regularized least squares classifiers for
       high-dimensional problems*, in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 11,
       section 11.2.

    Examples
    --------
    >>> X, y = np.array([[-2.0], [-1.0], [1.0], [3.0]]), ["a", "a", "b", "b"]
    >>> LeastSquaresClassifier().fit(X, y).decision_function(np.array([[4.0]])).round(3)
    array([1.75])
    """

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        kernel: str = "linear",
        gamma: float | None = None,
        degree: float = 3,
        coef0: float = 1,
    ) -> None:
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LeastSquaresClassifier:
        """Solve for the coefficients c."""
        X, codes, weights = self._receive(X, y, sample_weight)
        settings = {
            "kernel": self.kernel,
            "gamma": self.gamma,
            "degree": self.degree,
            "coef0": self.coef0,
        }
        self.model_ = KernelRidge(alpha=self.alpha, **settings)
        if sample_weight is None:
            self.model_.fit(X, 2 * codes - 1)
        else:
            self.model_.fit(X, 2 * codes - 1, weights)
        return self

    def _decide(self, X: np.ndarray) -> np.ndarray:
        return self.model_.predict(X)
