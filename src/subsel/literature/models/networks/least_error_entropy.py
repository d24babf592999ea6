"""Least entropy of the errors: a training loss that sees more of their distribution than its second moment."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import minimize
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

__all__ = ["ErrorEntropyRegressor", "error_entropy"]


def error_entropy(errors: Any, width: float) -> tuple[float, np.ndarray]:
    r"""Return Renyi's quadratic entropy of errors under a Parzen window, and its gradient by each error [1]_.

    .. math:: H_2 = -\ln \frac1{m^2} \sum_{ij} G(e_i - e_j;\, 2\sigma^2)

    It does not change when all errors move together, so that a model is free to set their mean to
    zero. Takes :math:`m^2` time and memory.

    Parameters
    ----------
    errors : array of shape (n_rows,)
        Target minus prediction.
    width : float
        Standard deviation of the window.

    References
    ----------
    .. [1] Erdogmus and Principe, "An error-entropy minimization algorithm for supervised training
       of nonlinear adaptive systems", *IEEE Transactions on Signal Processing* 50, 2002; Torkkola,
       Information-theoretic methods, in *Feature Extraction: Foundations and Applications*, 2006,
       section 6.8.

    Examples
    --------
    >>> value, slope = error_entropy([0.0, 0.0], 1.0)
    >>> round(value, 4), slope  # ln of twice the root of pi
    (1.2655, array([0., 0.]))
    """
    if not width > 0:
        raise ValueError(f"width must be positive, got {width}.")
    errors = np.asarray(errors, dtype=np.float64)
    gaps = errors[:, None] - errors
    near = np.exp(-((gaps / width) ** 2) / 4)
    total = near.sum()
    value = 2 * np.log(len(errors)) + np.log(2 * width * np.sqrt(np.pi)) - np.log(total)
    return float(value), (near * gaps).sum(axis=1) / (width**2 * total)


class ErrorEntropyRegressor(RegressorMixin, BaseEstimator):
    """A linear model whose errors have the least entropy; their mean is zero [1]_.

    Where noise is skewed or has two humps it uses more than the variance of the errors; where it is
    Gaussian it agrees with least squares, from which it starts.

    Parameters
    ----------
    width : float, optional
        Of the window, in standard deviations of the errors of least squares; Silverman's rule
        unless given.
    max_iter : int
        Steps of the descent.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Weights.
    intercept_ : float
        Sets the mean of the errors to zero.
    entropy_ : float
        Of the errors, in nats.
    n_iter_ : int
        Steps taken.

    References
    ----------
    .. [1] Erdogmus and Principe, "An error-entropy minimization algorithm for supervised training
       of nonlinear adaptive systems", *IEEE Transactions on Signal Processing* 50, 2002; Torkkola,
       Information-theoretic methods, in *Feature Extraction: Foundations and Applications*, 2006,
       section 6.8.

    Examples
    --------
    >>> X = np.arange(6.0)[:, None]
    >>> model = ErrorEntropyRegressor(width=0.3).fit(X, 3 * X[:, 0] + np.array([0, 0, 0, 0, 0, 6.0]))
    >>> model.coef_.round(2)  # five rows of six have one and the same error
    array([3.])
    """

    def __init__(self, width: float | None = None, max_iter: int = 200) -> None:
        self.width = width
        self.max_iter = max_iter

    def fit(self, X: Any, y: Any) -> ErrorEntropyRegressor:
        """Descend from least squares."""
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True)
        if self.width is not None and not self.width > 0:
            raise ValueError(f"width must be positive, got {self.width}.")
        middle, level = X.mean(axis=0), y.mean()
        spread = X.std(axis=0)
        scale = np.where(spread > 0, spread, 1.0)
        Z, target = (X - middle) / scale, y - level
        start = np.linalg.lstsq(Z, target)[0]
        deviation = float((target - Z @ start).std())
        unit, share = 1.0, 1.06 * len(y) ** -0.2
        if deviation > 1e-12 * max(1.0, float(np.abs(y).max())):
            unit = deviation
        if self.width is not None:
            share = self.width

        def height(weights: np.ndarray) -> tuple[float, np.ndarray]:
            value, slope = error_entropy((target - Z @ weights) / unit, share)
            return value, -Z.T @ slope / unit

        found = minimize(
            height, start, jac=True, method="L-BFGS-B", options={"maxiter": self.max_iter}
        )
        self.coef_ = found.x / scale
        self.intercept_ = float(level - middle @ self.coef_)
        self.n_iter_ = max(1, int(found.nit))
        self.entropy_ = float(found.fun + np.log(unit))
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Return the value of each row."""
        check_is_fitted(self)
        return validate_data(self, X, dtype=np.float64, reset=False) @ self.coef_ + self.intercept_
