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
    r"""Score features by the weights that climb the margin evaluation, one random row at a time [1]_.

    Starting from equal weights, each row in a random order finds its nearest hit and miss under the
    present weights and adds the gradient of its utility:

    .. math:: w_f \mathrel{+}= \tfrac12 u'(\theta) \Big( \frac{(x_f - \mathrm{miss}_f)^2}{\|x - \mathrm{miss}\|_w}
              - \frac{(x_f - \mathrm{hit}_f)^2}{\|x - \mathrm{hit}\|_w} \Big) w_f

    The scores are :math:`w_f^2 / \max w^2` of the restart with the largest evaluation. Features are
    standardised first, as the scale of the data acts as a step size; constant features score 0. Of
    two equal columns each gets about half: the summed metric, not the ranking, is free of
    redundancy. A term at distance zero is dropped. Takes :math:`n^2 p` differences per pass and
    restart.

    Parameters
    ----------
    utility : {"linear", "sigmoid"}
        What a margin is worth.
    beta : float, optional
        Steepness of the sigmoid, by default one over the mean distance of two standardised rows.
    n_passes, n_restarts : int
        Passes over all rows in a restart, and restarts; 1 and 10 in the chapter's experiments.
    step : float, optional
        What the gradient is multiplied by. The chapter has 1, our default for the linear utility;
        for the sigmoid it is 4 / beta, which makes the two steps equal at margin zero (with 1 the
        weights hardly move in a pass).
    random_state : int, Generator or None
        Where the orders of the rows come from.

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
    found = (
        _climb(values, codes, varies, beta, step, n_passes=n_passes, rng=rng)
        for _ in range(n_restarts)
    )
    return max(
        found,
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
    from subsel._loops.neighbours.simba import simba_pass

    weights = start.astype(np.float64)
    for _ in range(n_passes):
        simba_pass(X, codes, rng.permutation(len(X)), weights, beta, step)
    squares = weights**2
    return squares / (squares.max() or 1.0)


def _standardised(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Give columns of mean 0 and deviation 1, row by row in memory, and which of them vary."""
    varies = np.ptp(X, axis=0) > 0
    spread = np.where(varies, X.std(axis=0), 1.0)
    return np.ascontiguousarray((X - X.mean(axis=0)) / spread), varies
