"""Simba: weights of features that widen the margin of the nearest-neighbour rule."""

from typing import Any

import numpy as np

from subsel.data.statistics.score_input import classes_and_codes, columns
from subsel.ranking.registry import score
from subsel.ranking.scores.neighbours.hypothesis_margin import (
    margin_utility,
    margins_of_codes,
    mean_distance,
)

__all__ = ["simba"]


@score("simba", multiclass=True)
def simba(
    X: Any,
    y: Any,
    *,
    utility: str = "linear",
    beta: float | None = None,
    n_passes: int = 1,
    n_restarts: int = 10,
    step: float | None = None,
    random_state: Any = None,
) -> np.ndarray:
    r"""Score features by weights that increase the margins, by stochastic gradient ascent [1]_.

    From equal weights on, each row, in a random order, adds the gradient of the utility of its
    margin under the present weights:

    .. math::

        w_f \mathrel{+}= \tfrac12 u'(\theta) \Big(
        \frac{(x_f - \mathrm{miss}_f)^2}{\|x - \mathrm{miss}\|_w}
        - \frac{(x_f - \mathrm{hit}_f)^2}{\|x - \mathrm{hit}\|_w} \Big) w_f

    The scores are :math:`w_f^2 / \max w^2` of the restart with the largest
    :func:`margin_evaluation`. Features are standardised first, because the scale of the data acts
    as a step size; constant features score 0. Each of two equal columns scores about half: the
    summed metric is free of redundancy, the ranking is not. A term at distance zero is omitted. A
    pass takes :math:`n^2 p` differences.

    Parameters
    ----------
    X, y : array-like
        Numeric features and classes.
    utility : {"linear", "sigmoid"}
        The utility of a margin.
    beta : float, optional
        The steepness of the sigmoid; by default one over the mean distance of two standardised
        rows.
    n_passes, n_restarts : int
        The numbers of passes over all rows in a restart, and of restarts; 1 and 10 in the chapter's
        experiments.
    step : float, optional
        The factor of the gradient. It is 1 in the chapter and by default for the linear utility.
        For the sigmoid the default is 4 / beta, which makes the two steps equal at margin zero
        (with 1 the weights hardly change in a pass).
    random_state : int, Generator or None
        The seed of the orders of the rows.

    References
    ----------
    .. [1] Gilad-Bachrach, Navot & Tishby, in Guyon et al. (eds.), *Feature Extraction*, 2006,
       section 29.3.2.
    .. [2] R. Gilad-Bachrach, A. Navot and N. Tishby, "Large Margin Principles for Feature
       Selection", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 29, Simba.

    Examples
    --------
    >>> X = np.array([[0.0, 3.0], [1.0, 7.0], [9.0, 3.0], [10.0, 7.0]])
    >>> simba(X, [0, 0, 1, 1], random_state=0).argmax()
    np.int64(0)
    """
    if utility not in ("linear", "sigmoid"):
        raise ValueError(f"utility must be 'linear' or 'sigmoid', got {utility!r}.")
    if n_passes < 1 or n_restarts < 1:
        raise ValueError(
            f"n_passes and n_restarts must be at least 1, got {n_passes} and {n_restarts}."
        )
    if beta is not None and beta <= 0:
        raise ValueError(f"beta must be positive, got {beta}.")
    _, codes = classes_and_codes(X, y)
    values, varies = _standardised(columns(X, accept_sparse=False).astype(np.float64))
    if utility == "linear":
        beta = 0.0
    elif beta is None:
        beta = 1 / mean_distance(values)
    if step is None:
        step = 4 / beta if beta else 1.0
    rng = np.random.default_rng(random_state)
    restarts = (
        _climb(values, codes, varies, beta, step, n_passes=n_passes, rng=rng)
        for _ in range(n_restarts)
    )
    return max(
        restarts,
        key=lambda w: margin_utility(margins_of_codes(values * np.sqrt(w), codes), utility, beta),
    )


def _climb(
    X: np.ndarray,
    codes: np.ndarray,
    start: np.ndarray,
    beta: float,
    step: float,
    *,
    n_passes: int,
    rng: np.random.Generator,
) -> np.ndarray:
    """Give the squared weights of one restart, the largest being 1.

    `X` has standardised columns, `start` the mask of the columns that vary; other arguments are as
    of `simba`.
    """
    from subsel._loops.neighbours.simba import simba_pass

    weights = start.astype(np.float64)
    for _ in range(n_passes):
        simba_pass(X, codes, rng.permutation(len(X)), weights, beta, step)
    squares = weights**2
    return squares / (squares.max() or 1.0)


def _standardised(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Give columns of mean 0 and deviation 1, in row-major order, and which of them vary."""
    varies = np.ptp(X, axis=0) > 0
    spread = np.where(varies, X.std(axis=0), 1.0)
    return np.ascontiguousarray((X - X.mean(axis=0)) / spread), varies
