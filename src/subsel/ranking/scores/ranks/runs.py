"""The runs test: how often neighbours in the order of a column share their class."""

from collections.abc import Callable
from functools import cache, partial
from math import comb
from typing import Any

import numpy as np
from scipy import special

from subsel.data.statistics.score_input import classes_and_codes
from subsel.data.statistics.ties import over_ties
from subsel.ranking.laws.exact_tails import runs_tail
from subsel.ranking.laws.random_tables import sampled_tails
from subsel.ranking.laws.sequential import MOST_PERMUTATIONS
from subsel.ranking.laws.ties import tied_log_tails
from subsel.ranking.registry import score

__all__ = ["runs", "runs_p_value"]

Array = np.ndarray
LARGEST_CHECKED = 0.1  # the largest p-value of the normal law that is checked by random tables


def runs_p_value(
    X: Any, y: Any, *, n_permutations: int = MOST_PERMUTATIONS, random_state: Any = 0
) -> Array:
    """Compute the one-sided p-value of `runs`.

    It is the probability of at least as many agreements of neighbours under permuted labels.
    Without ties it is exact, by Wald and Wolfowitz. It is also exact where ties allow few tables
    (`subsel.ranking.laws.ties`), as for columns of two values. Otherwise it is normal, with the
    exact mean and variance of the tie-averaged count, if that gives more than 0.1. Smaller p-values
    are estimated from random labellings (`subsel.ranking.laws.random_tables`): the distribution of
    a column with ties is skewed to the right, so that the normal law's p-values are too small (of
    counts that are mostly zero, 0.001 is reached eight times as often). A constant column has
    p-value 1.

    Parameters
    ----------
    X, y : array-like
        As in `runs`.
    n_permutations : int
        The most random labellings of a column.
    random_state : int, Generator or None
        Their seed.

    Examples
    --------
    >>> runs_p_value([[0.0], [2.0], [8.0], [10.0]], [0, 0, 1, 1]).round(6)
    array([0.333333])
    """
    codes = classes_and_codes(X, y, 2)[1]
    n, m = np.bincount(codes)
    drawn = partial(
        sampled_tails,
        statistic=_agreements,
        n_permutations=n_permutations,
        random_state=random_state,
    )
    law = partial(_p_value, n=int(n), m=int(m), untied_tail=cache(runs_tail), drawn=drawn)
    return over_ties(X, y, None, law, 2)


def _p_value(
    masses: Array,
    n: int,
    m: int,
    untied_tail: Callable[[int, int], Array],
    drawn: Callable[[Array], Array],
) -> Array:
    """Give the p-value of each column of masses, of shape (2, n_columns, n_values).

    `n` and `m` are the sizes of the classes, `untied_tail` gives the law without ties, and `drawn`
    the p-values of masses by random tables.
    """
    agreement, variance, depth = _agreement(masses, sizes=(n, m))
    excess = agreement - (n * (n - 1) + m * (m - 1)) / (n + m)
    safe = variance > 1e-12
    p = np.where(safe, special.ndtr(-excess / np.sqrt(np.where(safe, variance, 1.0))), 1.0)
    exact = np.exp(tied_log_tails(masses, _agreements)[1])
    p = np.where(np.isnan(exact), p, exact)
    untied = depth == n + m
    if untied.any():
        p[untied] = untied_tail(n, m)[np.rint(agreement[untied]).astype(int)]
    doubtful = np.flatnonzero(np.isnan(exact) & ~untied & (p <= LARGEST_CHECKED))
    if len(doubtful):
        p[doubtful] = drawn(masses[:, doubtful])
    return p


@score("runs", "runs-test", "wald-wolfowitz", p_value=runs_p_value, univariate=True, sparse=True)
def runs(X: Any, y: Any) -> Array:
    r"""Score features by the number of neighbours in their order that share a class [1]_.

    With tied blocks b of ``n_b`` rows, ``p_b`` and ``q_b`` of each class, the average over all
    orders of the ties is

    .. math:: s_j = \sum_b \frac{p_b(p_b - 1) + q_b(q_b - 1)}{n_b}
              + \sum_b \frac{p_b p_{b+1} + q_b q_{b+1}}{n_b n_{b+1}}

    Without ties it is the number of rows less the number of runs. It also responds to dependence
    that is not monotone. A constant column scores the expectation under permuted labels,
    ``[m^+(m^+ - 1) + m^-(m^- - 1)] / m``.

    References
    ----------
    .. [1] R. M. Neal and J. Zhang, "High Dimensional Classification with Bayesian Neural Networks
       and Dirichlet Diffusion Trees", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter
       10, section 10.2, runs test (the tie average is closed here).

    Examples
    --------
    >>> runs([[0.0, 1.0], [1.0, 1.0], [2.0, 1.0], [3.0, 1.0]], [0, 1, 1, 1])
    array([2. , 1.5])
    """
    return over_ties(X, y, None, _agreements, 2)


def _agreements(masses: Array) -> Array:
    """Give the tie-averaged agreements of each column of masses (2, n_columns, n_values)."""
    return _agreement(masses)[0]


def _agreement(masses: Array, sizes: tuple[int, int] | None = None) -> Array:
    """Give agreements, their variance over permutations and the number of values: (3, n_columns).

    The variance is 0 unless the sizes of the classes are given.
    """
    tied = masses.sum(axis=0)
    full = tied > 0
    share = np.divide(masses, tied, out=np.zeros_like(masses), where=full)
    agreement = (share * (masses - 1) * (masses > 0)).sum(axis=(0, 2))
    agreement += np.einsum("kjv,kjv->j", share[:, :, :-1], share[:, :, 1:])
    variance = np.zeros_like(agreement)
    if sizes is not None:
        variance = _variance_of_agreement(tied, full, *sizes)
    return np.stack([agreement, variance, full.sum(axis=1)])


def _variance_of_agreement(tied: Array, full: Array, n: int, m: int) -> Array:
    """Give the variance of the tie-averaged agreements over permutations, for each column.

    Parameters
    ----------
    tied : ndarray of shape (n_columns, n_values)
        The rows of each value; values that occur come first.
    full : ndarray of bool, of the same shape
        Whether the value occurs.
    n, m : int
        The sizes of the classes.
    """
    # With signs s = +-1 for the classes, the agreements are a constant plus half of Q, the sum of
    # a_ij s_i s_j over pairs, where a_ij is the probability that i and j are neighbours: 2 / n_b
    # within a block, 1 / (n_b n_{b+1}) between adjoining ones. Pairs of pairs share two, one or no
    # rows, and s^2 = 1, so that E Q^2 = A + (R - 2 A) e2 + ((total - 1)^2 + A - R) e4, with A the
    # sum of a_ij^2, R that of squared row sums of a, and e2, e4 the mean products of 2 and 4 signs.
    total = n + m
    inverse = np.divide(1.0, tied, out=np.zeros_like(tied), where=full)
    depth = full.sum(axis=1)
    columns = np.arange(len(tied))
    ends = inverse[columns, 0], inverse[columns, depth - 1]
    squares = 2 * (full - inverse).sum(axis=1) + (inverse[:, :-1] * inverse[:, 1:]).sum(axis=1)
    row_squares = np.where(
        depth > 1, 4.0 * total - 8 + ends[0] + ends[1], total * (2 - 2.0 / total) ** 2
    )
    two = ((n - m) ** 2 - total) / (total * (total - 1))
    four = sum((-1) ** k * comb(n, 4 - k) * comb(m, k) for k in range(5)) / max(comb(total, 4), 1)
    second = (
        squares
        + (row_squares - 2 * squares) * two
        + ((total - 1) ** 2 + squares - row_squares) * four
    )
    return (second - ((total - 1) * two) ** 2) / 4
