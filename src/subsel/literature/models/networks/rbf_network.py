"""Radial basis function networks whose centres are chosen by orthogonal least squares."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from subsel.literature.models.networks.orthogonal_least_squares import orthogonal_least_squares

__all__ = ["RBFNetworkClassifier", "RBFNetworkRegressor"]


class _RBFNetwork(BaseEstimator):
    """Centres and weights for any targets."""

    def __init__(self, n_centres: int = 20, *, gamma: float | None = None) -> None:
        self.n_centres = n_centres
        self.gamma = gamma

    def _learn(self, X: np.ndarray, T: np.ndarray) -> None:
        if self.n_centres < 1:
            raise ValueError(f"n_centres must be at least 1, got {self.n_centres!r}.")
        self.gamma_ = self.gamma or 1 / (X.shape[1] * (X.var() or 1.0))
        P, middle = rbf_kernel(X, gamma=self.gamma_), T.mean(axis=0)
        rows = orthogonal_least_squares(P - P.mean(axis=0), T - middle, self.n_centres)
        self.centres_ = X[rows]
        design = np.column_stack([P[:, rows], np.ones(len(X))])
        solution = np.linalg.lstsq(design, T, rcond=None)[0]
        self.weights_, self.intercept_ = solution[:-1], solution[-1]

    def _output(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return rbf_kernel(X, self.centres_, gamma=self.gamma_) @ self.weights_ + self.intercept_


class RBFNetworkRegressor(RegressorMixin, _RBFNetwork):
    r"""A sum of Gaussian units around rows chosen by orthogonal least squares.

    Parameters
    ----------
    n_centres : int
        Most centres, chosen among the training rows.
    gamma : float or None
        Of the units :math:`\exp(-\gamma |x - c|^2)`; None is one over the number of columns times their variance.

    Attributes
    ----------
    centres_ : ndarray of shape (n_centres, n_features)
        The chosen rows, best first.
    weights_ : ndarray of shape (n_centres, n_outputs)
        Their weights.

    References
    ----------
    .. [1] Jankowski and Grabczewski, *Learning machines*, in Guyon, Gunn, Nikravesh and Zadeh (eds.), *Feature
       Extraction*, 2006, chapter 1, section 3.4.

    Examples
    --------
    >>> X = np.linspace(0, 6, 60)[:, None]
    >>> RBFNetworkRegressor(8, gamma=1.0).fit(X, np.sin(X[:, 0])).score(X, np.sin(X[:, 0])) > 0.999
    True
    """

    def fit(self, X: Any, y: Any) -> RBFNetworkRegressor:
        """Choose centres and solve for their weights."""
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True)
        self._learn(X, np.asarray(y, dtype=np.float64)[:, None])
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Give the output of each row."""
        return self._output(X)[:, 0]


class RBFNetworkClassifier(ClassifierMixin, _RBFNetwork):
    r"""Gaussian units around rows chosen by orthogonal least squares, one output per class.

    Parameters
    ----------
    n_centres : int
        Most centres, chosen among the training rows.
    gamma : float or None
        Of the units :math:`\exp(-\gamma |x - c|^2)`; None is one over the number of columns times their variance.

    Attributes
    ----------
    centres_ : ndarray of shape (n_centres, n_features)
        The chosen rows, best first.
    weights_ : ndarray of shape (n_centres, n_outputs)
        Their weights.

    References
    ----------
    .. [1] Jankowski and Grabczewski, *Learning machines*, in Guyon, Gunn, Nikravesh and Zadeh (eds.), *Feature
       Extraction*, 2006, chapter 1, section 3.4.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> RBFNetworkClassifier(10).fit(X, y).score(X, y) > 0.9
    True
    """

    def fit(self, X: Any, y: Any) -> RBFNetworkClassifier:
        """Choose centres and solve for the weights of the classes' indicators."""
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        self.classes_ = np.unique(y)
        if len(self.classes_) < 2:
            raise ValueError(f"y holds one class only ({y[0]!r}): there is nothing to tell apart.")
        self._learn(X, (y[:, None] == self.classes_).astype(np.float64))
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Give the class of the largest output."""
        outputs = self._output(X)
        return self.classes_[outputs.argmax(axis=1)]
