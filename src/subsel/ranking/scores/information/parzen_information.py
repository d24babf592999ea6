"""Information between numbers and classes under Gaussian windows."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.preprocessing import scale

from subsel.data.statistics.entropy import entropy
from subsel.data.statistics.score_input import classes_and_codes, columns
from subsel.ranking.registry import score
from subsel.ranking.scores.information.neighbour_information import column_slices

__all__ = ["parzen_information", "quadratic_information"]


@score("quadratic-information", "renyi-parzen", "torkkola", multiclass=True)
def quadratic_information(X: Any, y: Any, *, bandwidth: float | None = None) -> np.ndarray:
    r"""Score numbers by quadratic information with the classes under Gaussian windows [1]_.

    .. math:: I_T = \sum_c \int (p(c, x) - p(c)\, p(x))^2 dx
              = \frac{1}{n^2} \sum_{a,b} A_{ab}\, G(x_a - x_b; 2 s^2),
              \qquad A_{ab} = [y_a = y_b] + \sum_c \pi_c^2 - \pi_{y_a} - \pi_{y_b}

    This is the quadratic divergence that corresponds to Renyi's entropy of order two, whose window
    estimate :math:`-\ln n^{-2} \sum_{a,b} G(x_a - x_b; 2 s^2)` needs no integration either. Columns
    are scaled to unit variance first.

    Parameters
    ----------
    bandwidth : float, optional
        The width s of the windows on the scaled columns; :math:`1.06\, n^{-1/5}` if not given.

    References
    ----------
    .. [1] K. Torkkola, "Information-Theoretic Methods", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, chapter 6, Renyi's entropy; quadratic mutual information.

    Examples
    --------
    >>> X = np.array([[0.0, 0.0], [1.0, 9.0], [8.0, 1.0], [9.0, 8.0]])
    >>> quadratic_information(X, [0, 0, 1, 1]).round(4)
    array([0.0672, 0.0015])
    """
    from subsel._loops.statistics.neighbour_information import pairs_under_a_kernel

    X = columns(X, accept_sparse=False)
    _, codes = classes_and_codes(X, y)
    # The integral of a product of two windows of variance s^2 is a window of variance 2 s^2 at the
    # distance of their centres, which makes the integral a sum over pairs (Torkkola 2006, [1]).
    n, s = len(X), _width(bandwidth, len(X))
    prior = np.bincount(codes) / n
    pair_weights = np.eye(len(prior)) + (prior**2).sum() - prior[:, None] - prior
    sums = np.empty(X.shape[1])
    for block, ordered, classes in _ordered_classes(X, codes):
        pairs_under_a_kernel(ordered, classes, pair_weights, 1 / (4 * s**2), sums[block])
    return np.maximum(sums / (n**2 * np.sqrt(4 * np.pi) * s), 0.0)


@score("parzen-information", "kwak-choi", multiclass=True)
def parzen_information(X: Any, y: Any, *, bandwidth: float | None = None) -> np.ndarray:
    r"""Score numbers by information shared with the classes, under Gaussian windows [1]_.

    .. math:: I = H(Y) + \frac1n \sum_i \sum_c p(c \mid x_i) \ln p(c \mid x_i), \qquad
              p(c \mid x) = \sum_{y_j = c} G(x - x_j; s^2) \Big/ \sum_j G(x - x_j; s^2)

    in nats (Kwak and Choi 2002). This is Shannon's information without bins, where the integral
    over x is replaced by the mean over the rows. Each point is in its own window, so that a narrow
    window gives information even for noise. Columns are scaled to unit variance first.

    Parameters
    ----------
    bandwidth : float, optional
        The width s of the windows on the scaled columns; :math:`1.06\, n^{-1/5}` if not given.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       estimation for continuous features.

    Examples
    --------
    >>> X = np.array([[0.0, 0.0], [1.0, 9.0], [8.0, 1.0], [9.0, 8.0]])
    >>> parzen_information(X, [0, 0, 1, 1]).round(4)
    array([0.4942, 0.0005])
    """
    from subsel._loops.statistics.neighbour_information import class_masses_under_a_kernel

    X = columns(X, accept_sparse=False)
    labels, codes = classes_and_codes(X, y)
    s, left = _width(bandwidth, len(X)), np.empty(X.shape[1])
    masses = np.empty((len(X), len(labels)))
    for block, ordered, classes in _ordered_classes(X, codes):
        class_masses_under_a_kernel(ordered, classes, 1 / (2 * s**2), masses, left[block])
    gain = entropy(np.bincount(codes)) - left
    return np.where(gain > 1e-12, gain, 0.0)  # rounding of a column without information


def _width(bandwidth: float | None, n: int) -> float:
    """Check the width of the windows; None stands for Silverman's rule, 1.06 n^(-1/5)."""
    if bandwidth is None:
        return 1.06 * n**-0.2
    if not bandwidth > 0:
        raise ValueError(f"bandwidth must be positive, got {bandwidth}.")
    return bandwidth


def _ordered_classes(
    X: np.ndarray, codes: np.ndarray
) -> Iterator[tuple[slice, np.ndarray, np.ndarray]]:
    """Yield slices of columns, their values and the classes, both in ascending order of value.

    Values are scaled to unit variance; both arrays have shape (n_columns, n_rows).
    """
    for block in column_slices(X.shape):
        by_column = np.ascontiguousarray(scale(X[:, block].astype(np.float64), with_mean=False).T)
        order = np.argsort(by_column, axis=1)
        yield block, np.take_along_axis(by_column, order, axis=1), codes[order]
