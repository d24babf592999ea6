"""The runs test: do neighbours in the order of a column share their class?"""

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
ASKED = 0.1  # p-values of the normal law up to which it is not believed


def runs_p_value(
    X: Any, y: Any, *, n_permutations: int = MOST_PERMUTATIONS, random_state: Any = 0
) -> Array:
    """One-sided p-value of `runs`: neighbours agree at least so often under permuted labels.

    The Wald-Wolfowitz law where a column has no ties, and the exact law of the tie-averaged count
    where the ties leave few outcomes (`subsel.ranking.laws.ties`), so for columns of two values;
    otherwise the normal law with the exact mean and variance of that count where that gives more
    than 0.1. Smaller ones are from at most `n_permutations` random labellings
    (`subsel.ranking.laws.random_tables`), drawn from `random_state`: the law of a column with ties
    leans to the right, so that the normal one promises too much, of counts that are mostly zero
    eight times at 0.001. A constant column gets 1.

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
    agreement, variance, depth = _agreement(masses, sizes=(n, m))
    excess = agreement - (n * (n - 1) + m * (m - 1)) / (n + m)
    safe = variance > 1e-12
    p = np.where(safe, special.ndtr(-excess / np.sqrt(np.where(safe, variance, 1.0))), 1.0)
    exact = np.exp(tied_log_tails(masses, _agreements)[1])
    p = np.where(np.isnan(exact), p, exact)
    untied = depth == n + m
    if untied.any():
        p[untied] = untied_tail(n, m)[np.rint(agreement[untied]).astype(int)]
    doubtful = np.flatnonzero(np.isnan(exact) & ~untied & (p <= ASKED))
    if len(doubtful):
        p[doubtful] = drawn(masses[:, doubtful])
    return p


@score("runs", "runs-test", "wald-wolfowitz", p_value=runs_p_value, univariate=True, sparse=True)
def runs(X: Any, y: Any) -> Array:
    r"""Score features by how many neighbours in their order are of the same class [1]_.

    With tied blocks b of ``n_b`` rows, ``p_b`` and ``q_b`` of each class, averaged over all orders
    of the ties:

    .. math:: s_j = \sum_b \frac{p_b(p_b - 1) + q_b(q_b - 1)}{n_b}
              + \sum_b \frac{p_b p_{b+1} + q_b q_{b+1}}{n_b n_{b+1}}

    Without ties it is the number of rows less the number of runs. It sees dependence that is not
    monotone. A constant column gets the expectation, ``[m^+(m^+ - 1) + m^-(m^- - 1)] / m``.

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
    return _agreement(masses)[0]


def _agreement(masses: Array, sizes: tuple[int, int] | None = None) -> Array:
    """Tie-averaged agreements of neighbours, their variance over permutations, the number of values."""
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
    """Variance over permutations of half the quadratic form of the signs s in which pairs meet with chance a.

    Pairs within a block meet with chance ``2 / n_b``, pairs of adjoining blocks with ``1 / (n_b
    n_{b+1})``; as s^2 = 1, ``E Q^2 = A + (R - 2 A) e2 + ((total - 1)^2 + A - R) e4``, with A the
    sum of squared chances over pairs, R that of squared row sums, and e2, e4 the mean products of
    two and of four signs.
    """
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
