"""The margin of the nearest-neighbour rule: how far rows could move with their label unchanged."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.special import expit

from subsel.data.statistics.score_input import classes_and_codes, columns

__all__ = ["margin_evaluation", "margin_utility", "margins", "mean_distance"]

BLOCK = 256  # rows whose distances to all rows are in memory at a time


def margins(X: Any, y: Any, weights: Any = None) -> np.ndarray:
    r"""Give the margin of each row under the nearest-neighbour rule [1]_.

    .. math::

        \theta(x) = \tfrac12 \big( \|x - \mathrm{miss}(x)\|_w - \|x - \mathrm{hit}(x)\|_w \big),
        \quad \|z\|_w = \sqrt{\textstyle\sum_f w_f^2 z_f^2}

    Hit and miss are the nearest other rows of the same and of any other class, so that the margin
    is positive exactly where leave-one-out is right. A row alone in its class has no hit, and its
    margin is NaN. Distances of 256 rows are in memory at a time.

    Parameters
    ----------
    X, y : array-like
        Numeric features and classes.
    weights : array of shape (p,), optional
        Weights of the features, 1 by default.

    References
    ----------
    .. [1] Gilad-Bachrach, Navot & Tishby, in Guyon et al. (eds.), *Feature Extraction*, 2006,
       section 29.2.1.
    .. [2] R. Gilad-Bachrach, A. Navot and N. Tishby, "Large Margin Principles for Feature
       Selection", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 29, section 29.2.

    Examples
    --------
    >>> margins([[0.0], [1.0], [5.0], [7.0]], [0, 0, 1, 1])
    array([2. , 1.5, 1. , 2. ])
    """
    values = columns(X, accept_sparse=False).astype(np.float64)
    _, codes = classes_and_codes(X, y)
    return margins_of_codes(values * _weights(weights, values.shape[1]), codes)


def margin_evaluation(
    X: Any, y: Any, weights: Any = None, *, utility: str = "linear", beta: float | None = None
) -> float:
    r"""Sum the utility of the margins of all rows, a criterion of features for 1-NN [1]_.

    .. math::

        e(w) = \sum_x u(\theta^w(x)),\quad
        u = \theta,\ \ 1[\theta > 0],\ \ 1 / (1 + e^{-\beta\theta})

    With ``utility="zero-one"`` it counts the rows that leave-one-out classifies correctly (the
    chapter's text says errors). Rows without a hit are ignored.

    Parameters
    ----------
    X, y : array
        Numeric features and classes. The scale matters: nothing is scaled here.
    weights : array of shape (p,), optional
        Weights of the features, 1 by default; the indicator of a subset evaluates the subset.
    utility : {"linear", "zero-one", "sigmoid"}
        The utility u of a margin.
    beta : float, optional
        The steepness of the sigmoid; by default one over the mean distance of two rows with all
        weights 1.

    References
    ----------
    .. [1] Gilad-Bachrach, Navot & Tishby, in Guyon et al. (eds.), *Feature Extraction*, 2006,
       section 29.2.2, eqs 29.1 and 29.2.
    .. [2] R. Gilad-Bachrach, A. Navot and N. Tishby, "Large Margin Principles for Feature
       Selection", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 29, equations 29.1
       and 29.2.

    Examples
    --------
    >>> X = [[0.0], [1.0], [5.0], [7.0]]
    >>> margin_evaluation(X, [0, 0, 1, 1]), margin_evaluation(X, [0, 0, 1, 1], utility="zero-one")
    (6.5, 4.0)
    """
    if utility == "sigmoid" and beta is None:
        beta = 1 / mean_distance(columns(X, accept_sparse=False).astype(np.float64))
    return margin_utility(margins(X, y, weights), utility, beta)


def margin_utility(theta: np.ndarray, utility: str, beta: float | None = None) -> float:
    """Sum the utility of margins, ignoring NaN.

    Examples
    --------
    >>> margin_utility(np.array([1.0, -2.0]), "linear")
    -1.0
    """
    theta = theta[~np.isnan(theta)]
    if utility == "linear":
        return float(theta.sum())
    if utility == "zero-one":
        return float(np.count_nonzero(theta > 0))
    if utility == "sigmoid":
        return float(expit((beta or 0.0) * theta).sum())
    raise ValueError(f"utility must be 'linear', 'zero-one' or 'sigmoid', got {utility!r}.")


def mean_distance(X: np.ndarray) -> float:
    """Give the mean Euclidean distance of two different rows, 1 if all rows coincide.

    Examples
    --------
    >>> float(mean_distance(np.array([[0.0], [3.0]])))
    3.0
    """
    total = sum(np.sqrt(squared).sum() for _, squared in _squared_distances(X))
    return float(total / (len(X) * (len(X) - 1))) or 1.0


def margins_of_codes(X: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Give the margin of each row, shape (n_rows,), NaN without a hit; X is weighted."""
    # Neighbours are found by squared distances that cancel, see below; the distances to the two
    # neighbours are then computed from the rows themselves.
    theta = np.full(len(X), np.nan)
    for rows, squared in _squared_distances(X):
        alike = codes[rows, None] == codes
        to_hits = np.where(alike, squared, np.inf)
        to_hits[np.arange(len(rows)), rows] = np.inf
        hit, miss = to_hits.argmin(axis=1), np.where(alike, np.inf, squared).argmin(axis=1)
        gap = np.linalg.norm(X[rows] - X[miss], axis=1) - np.linalg.norm(X[rows] - X[hit], axis=1)
        has_hit = np.isfinite(to_hits[np.arange(len(rows)), hit])
        theta[rows[has_hit]] = gap[has_hit] / 2
    return theta


def _squared_distances(X: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield numbers of rows and their squared distances to all rows, zero to themselves."""
    # |a - b|^2 = |a|^2 + |b|^2 - 2 a . b, one product of matrices per block. The rounding error is
    # relative to |a|^2 + |b|^2, which centring the columns makes small; negative values become 0.
    centred = X - X.mean(axis=0)
    lengths = np.einsum("ij,ij->i", centred, centred)
    for start in range(0, len(X), BLOCK):
        rows = np.arange(start, min(start + BLOCK, len(X)))
        squared = lengths[rows, None] + lengths - 2 * centred[rows] @ centred.T
        squared[np.arange(len(rows)), rows] = 0.0
        yield rows, np.maximum(squared, 0.0, out=squared)


def _weights(weights: Any, n_features: int) -> np.ndarray:
    """Check weights of features and give them as an array; None stands for ones."""
    if weights is None:
        return np.ones(n_features)
    weights = np.asarray(weights, dtype=np.float64)
    if weights.shape != (n_features,):
        raise ValueError(
            f"weights must have one entry per feature ({n_features}), got shape {weights.shape}."
        )
    return weights
