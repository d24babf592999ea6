"""Regression by least entropy of the errors, a loss that depends on all of their distribution."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import minimize
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

__all__ = ["ErrorEntropyRegressor", "error_entropy"]


def error_entropy(errors: Any, width: float) -> tuple[float, np.ndarray]:
    r"""Return Renyi's quadratic entropy of errors under a Parzen window, and its gradient [1]_.

    .. math:: H_2 = -\ln \frac1{m^2} \sum_{ij} G(e_i - e_j;\, 2\sigma^2)

    A constant added to all errors does not change it, so that a model is free to set their mean to
    zero. It takes :math:`m^2` time and memory.

    Parameters
    ----------
    errors : array of shape (n_rows,)
        Target minus prediction.
    width : float
        Standard deviation :math:`\sigma` of the window.

    Returns
    -------
    tuple of float and ndarray of shape (n_rows,)
        The entropy, and its derivatives with respect to the errors.

    References
    ----------
    .. [1] Erdogmus and Principe, "An error-entropy minimization algorithm for supervised training
       of nonlinear adaptive systems", *IEEE Transactions on Signal Processing* 50, 2002; Torkkola,
       Information-theoretic methods, in *Feature Extraction: Foundations and Applications*, 2006,
       section 6.8.

    Examples
    --------
    >>> value, slope = error_entropy([0.0, 0.0], 1.0)
    >>> round(value, 4), slope  # the logarithm of twice the square root of pi
    (1.2655, array([0., 0.]))
    """
    if not width > 0:
        raise ValueError(f"width must be positive, got {width}.")
    errors = np.asarray(errors, dtype=np.float64)
    gaps = errors[:, None] - errors
    near = np.exp(-((gaps / width) ** 2) / 4)
    total = near.sum()
    # the normalising constant of a normal density of variance 2 width^2 is 1 / (2 width sqrt(pi))
    value = 2 * np.log(len(errors)) + np.log(2 * width * np.sqrt(np.pi)) - np.log(total)
    return float(value), (near * gaps).sum(axis=1) / (width**2 * total)


class ErrorEntropyRegressor(RegressorMixin, BaseEstimator):
    r"""A linear model whose errors have the least entropy; their mean is zero [1]_.

    If the noise is skewed or bimodal, the loss uses more than the variance of the errors; if it is
    Gaussian, the model agrees with least squares, from which the descent starts.

    Parameters
    ----------
    width : float, optional
        Width of the window, in standard deviations of the errors of least squares; by default that
        of the normal reference rule, :math:`1.06\, m^{-1/5}` [2]_.
    max_iter : int
        Most steps of the descent.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Weights.
    intercept_ : float
        Intercept, for which the errors have mean zero.
    entropy_ : float
        Entropy of the errors, in nats.
    n_iter_ : int
        Number of steps.

    References
    ----------
    .. [1] Erdogmus and Principe, "An error-entropy minimization algorithm for supervised training
       of nonlinear adaptive systems", *IEEE Transactions on Signal Processing* 50, 2002; Torkkola,
       Information-theoretic methods, in *Feature Extraction: Foundations and Applications*, 2006,
       section 6.8.
    .. [2] Silverman, *Density estimation for statistics and data analysis*, 1986, section 3.4.2.

    Examples
    --------
    Five of the six rows can have the same error:

    >>> X = np.arange(6.0)[:, None]
    >>> y = 3 * X[:, 0] + np.array([0, 0, 0, 0, 0, 6.0])
    >>> ErrorEntropyRegressor(width=0.3).fit(X, y).coef_.round(2)
    array([3.])
    """

    def __init__(self, width: float | None = None, max_iter: int = 200) -> None:
        self.width = width
        self.max_iter = max_iter

    def fit(self, X: Any, y: Any) -> ErrorEntropyRegressor:
        """Minimise the entropy, starting from least squares."""
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

        def objective(weights: np.ndarray) -> tuple[float, np.ndarray]:
            value, slope = error_entropy((target - Z @ weights) / unit, share)
            return value, -Z.T @ slope / unit

        solution = minimize(
            objective, start, jac=True, method="L-BFGS-B", options={"maxiter": self.max_iter}
        )
        self.coef_ = solution.x / scale
        self.intercept_ = float(level - middle @ self.coef_)
        self.n_iter_ = max(1, int(solution.nit))
        # the entropy of errors in units of `unit` is smaller by the logarithm of the unit
        self.entropy_ = float(solution.fun + np.log(unit))
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Return the predicted value of each row."""
        check_is_fitted(self)
        return validate_data(self, X, dtype=np.float64, reset=False) @ self.coef_ + self.intercept_
