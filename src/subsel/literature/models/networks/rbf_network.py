"""Radial basis function networks whose centres are chosen by orthogonal least squares."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

__all__ = ["RBFNetworkClassifier", "RBFNetworkRegressor", "orthogonal_least_squares"]


class _RBFNetwork(BaseEstimator):
    """Fitting centres and weights to any targets, of shape (n_rows, n_targets)."""

    def __init__(self, n_centres: int = 20, *, gamma: float | None = None) -> None:
        self.n_centres = n_centres
        self.gamma = gamma

    def _learn(self, X: np.ndarray, T: np.ndarray) -> None:
        """Choose the centres and fit the weights."""
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
        """Return the outputs, of shape (n_rows, n_targets)."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return rbf_kernel(X, self.centres_, gamma=self.gamma_) @ self.weights_ + self.intercept_


class RBFNetworkRegressor(RegressorMixin, _RBFNetwork):
    r"""A sum of Gaussian units around rows chosen by orthogonal least squares [1]_.

    Parameters
    ----------
    n_centres : int
        Most centres, chosen among the training rows.
    gamma : float or None
        The constant of the units :math:`\exp(-\gamma |x - c|^2)`; by default the inverse of the
        number of columns times the variance of the table.

    Attributes
    ----------
    centres_ : ndarray of shape (n_centres, n_features)
        The chosen rows, best first.
    weights_ : ndarray of shape (n_centres, n_outputs)
        The weights of the units.
    intercept_ : ndarray of shape (n_outputs,)
        The intercepts.
    gamma_ : float
        The constant of the units.

    References
    ----------
    .. [1] Jankowski and Grabczewski, *Learning machines*, in Guyon, Gunn, Nikravesh and Zadeh
       (eds.), *Feature Extraction*, 2006, chapter 1, section 3.4.

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
        """Return the output of each row."""
        return self._output(X)[:, 0]


class RBFNetworkClassifier(ClassifierMixin, _RBFNetwork):
    r"""A sum of Gaussian units around chosen rows, with one output per class [1]_.

    The target of an output is the indicator of its class; the largest output decides. Parameters
    are those of :class:`RBFNetworkRegressor`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    centres_ : ndarray of shape (n_centres, n_features)
        The chosen rows, best first.
    weights_ : ndarray of shape (n_centres, n_classes)
        The weights of the units.

    References
    ----------
    .. [1] Jankowski and Grabczewski, *Learning machines*, in Guyon, Gunn, Nikravesh and Zadeh
       (eds.), *Feature Extraction*, 2006, chapter 1, section 3.4.

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
        """Return the class of the largest output."""
        outputs = self._output(X)
        return self.classes_[outputs.argmax(axis=1)]


def orthogonal_least_squares(P: np.ndarray, T: np.ndarray, n_columns: int) -> np.ndarray:
    """Choose columns one at a time, the one that lowers the squared error of the targets most [1]_.

    Columns in the span of those chosen before are not chosen, so that there may be fewer than asked
    for.

    Parameters
    ----------
    P : ndarray of shape (m, n)
        Candidate columns.
    T : ndarray of shape (m, k)
        One or more targets.
    n_columns : int
        How many to choose at most.

    Returns
    -------
    ndarray of int
        The chosen columns, in order.

    References
    ----------
    .. [1] Chen, Billings and Luo, *Orthogonal least squares methods and their application to
       non-linear system identification*, International Journal of Control 50, 1989.

    Examples
    --------
    >>> orthogonal_least_squares(np.eye(3), np.array([[1.0], [5.0], [3.0]]), 2)
    array([1, 2])
    """
    # Forward selection with the candidates kept orthogonal to the chosen columns by Gram-Schmidt:
    # the squared error then falls by (t . p)^2 / (p . p), summed over targets (Chen, Billings and
    # Luo 1989). A candidate whose squared norm has fallen to 1e-10 of what it was, a norm of 1e-5
    # of its own, is taken as dependent on the chosen ones.
    P, chosen = P.astype(np.float64), list[int]()
    norms = np.einsum("ij,ij->j", P, P)
    smallest = 1e-10 * np.maximum(norms, np.finfo(float).tiny)
    while len(chosen) < n_columns:
        gains = np.divide(
            ((T.T @ P) ** 2).sum(axis=0),
            norms,
            out=np.full(len(norms), -1.0),
            where=norms > smallest,
        )
        best = int(np.argmax(gains))
        if gains[best] < 0:
            break
        chosen.append(best)
        q = P[:, best] / np.sqrt(norms[best])
        P -= np.outer(q, q @ P)
        norms = np.einsum("ij,ij->j", P, P)
        norms[best] = 0
    return np.array(chosen, dtype=int)
