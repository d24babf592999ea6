"""Where the error of a learner comes from: noise, bias, variance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

__all__ = ["BiasVariance", "bias_variance"]


class BiasVariance(NamedTuple):
    """The mean squared error over training sets, split exactly into squared bias and variance, per row and on average.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> def draw():
    ...     x = rng.normal(size=(20, 1))
    ...     return x, x[:, 0] ** 2 + 0.1 * rng.normal(size=20)
    >>> from sklearn.linear_model import LinearRegression
    >>> new = np.array([[0.0], [1.0]])
    >>> found = bias_variance(LinearRegression(), draw, new, new[:, 0] ** 2, n_draws=50)
    >>> bool(abs(found.error - found.squared_bias - found.variance) < 1e-12), found.squared_bias > found.variance
    (True, True)
    """

    error: float
    squared_bias: float
    variance: float
    per_row: np.ndarray


def bias_variance(
    estimator: Any, draw: Callable[[], tuple[Any, Any]], X: Any, truth: Any, n_draws: int = 100
) -> BiasVariance:
    r"""Train on many training sets and split the error at given rows [1]_.

    .. math:: E_D (f - y)^2 = (E_D f - y)^2 + E_D (f - E_D f)^2

    with y the noiseless truth; the error on noisy targets is larger by their variance.

    Parameters
    ----------
    estimator : regressor
        Any.
    draw : callable
        Gives a training set, X and y, each time anew.
    X, truth : array
        The rows to predict, and what they should be.
    n_draws : int
        Training sets.

    Returns
    -------
    BiasVariance
        Its ``per_row`` has one column per row of X: squared bias, and below it variance.

    References
    ----------
    .. [1] Jankowski and Grabczewski, *Learning machines*, in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 1.
    """
    if n_draws < 1:
        raise ValueError(f"n_draws must be at least 1, got {n_draws!r}.")
    truth = np.asarray(truth, dtype=float)
    outputs = np.array(
        [clone(estimator).fit(*draw()).predict(X) for _ in range(n_draws)], dtype=float
    )
    bias, variance = (outputs.mean(axis=0) - truth) ** 2, outputs.var(axis=0)
    error = float(((outputs - truth) ** 2).mean())
    return BiasVariance(
        error, float(bias.mean()), float(variance.mean()), np.stack([bias, variance])
    )
