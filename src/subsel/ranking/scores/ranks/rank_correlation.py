"""Rank correlations with a numeric or two-class target: Spearman, Kendall."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy import special

from subsel.data.statistics.blocks import column_blocks, parts
from subsel.data.statistics.co_moments import CoMoments, numeric_target
from subsel.data.statistics.score_input import as_stored, weights
from subsel.data.statistics.ties import rank_blocks
from subsel.data.storage import dense
from subsel.ranking.laws.exact_tails import inversions_tail
from subsel.ranking.laws.few_values import concordance, exact_of_few_classes, rank_correlation
from subsel.ranking.laws.sequential import MOST_PERMUTATIONS
from subsel.ranking.laws.student import permuted_unless, student_p_value
from subsel.ranking.laws.sums import RankCovariance
from subsel.ranking.registry import score
from subsel.ranking.scores.ranks.mann_whitney import auc_p_value

__all__ = ["kendall", "kendall_p_value", "spearman", "spearman_p_value"]

Array = np.ndarray
EXACT_ROWS = 33  # rows up to which Kendall's law without ties is counted, as in scipy


def spearman_p_value(
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    n_permutations: int = MOST_PERMUTATIONS,
    random_state: Any = 0,
) -> Array:
    """Compute the two-sided p-value of `spearman`, by Student's law for more than 30 rows.

    For fewer rows p-values of at most 0.1 are replaced by permuted labels: all orders of 7 rows, at
    most `n_permutations` random ones of more. With a target of two values the coefficient is the
    area under the ROC curve in other units and has the p-value of `auc_p_value`, which is exact for
    columns of two values. With a target of 3 to 13 values, columns of few values, such as rare
    bits, have their exact p-value (`subsel.ranking.laws.few_values`).

    Parameters
    ----------
    X, y, sample_weight : array-like
        As in `spearman`.
    n_permutations : int
        The most permutations of a column.
    random_state : int, Generator or None
        The seed of the permutations.

    Examples
    --------
    >>> spearman_p_value([[0.0], [2.0], [1.0], [9.0]], [0.0, 1.0, 2.0, 3.0]).round(6)
    array([0.2])
    """
    if (classes := _two_classes(y)) is not None:
        return auc_p_value(X, classes, sample_weight)
    X = as_stored(X)
    y = numeric_target(X, y)
    mass = len(y) if sample_weight is None else np.sum(sample_weight)
    p = student_p_value(spearman(X, y, sample_weight), mass - 2)
    exact = exact_of_few_classes(
        np.full(len(p), np.nan), lambda _: rank_correlation, X, y, sample_weight
    )
    return permuted_unless(
        exact,
        p,
        lambda rows: RankCovariance(y[rows]),
        X,
        sample_weight,
        n_permutations=n_permutations,
        random_state=random_state,
    )


@score(
    "spearman",
    p_value=spearman_p_value,
    regression=True,
    univariate=True,
    sparse=True,
    weights=True,
)
def spearman(X: Any, y: Any, sample_weight: Any = None) -> Array:
    """Score features by Spearman's rank correlation, in absolute value [1]_.

    It is the Pearson correlation of the ranks, where ties share their mean rank. A constant column
    scores 0.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       correlation.

    Examples
    --------
    >>> spearman([[0.0, 1.0], [2.0, 1.0], [1.0, 1.0], [9.0, 1.0]], [0.0, 1.0, 2.0, 3.0])
    array([0.8, 0. ])
    """
    X = as_stored(X)
    weight = weights(X, sample_weight)
    ranked_y = next(rank_blocks(numeric_target(X, y)[:, None], weight))[1][:, 0]
    rho = np.empty(X.shape[1])
    for block, ranks in rank_blocks(X, weight):
        moments = CoMoments(ranks.shape[1])
        moments.accumulate(ranks, ranked_y, weight)
        rho[block] = np.abs(moments.correlation())
    return rho


def kendall_p_value(X: Any, y: Any) -> Array:
    """Compute the two-sided p-value of `kendall`.

    It is exact for at most 33 rows without ties, and otherwise normal, with the variance corrected
    for the ties of both sides. With a target of two values it is that of `auc_p_value`; with a
    target of 3 to 13 values, columns of few values have their exact p-value, as for `spearman`.

    Parameters
    ----------
    X, y : array-like
        As in `kendall`.

    Examples
    --------
    >>> kendall_p_value([[0.0], [2.0], [1.0], [3.0]], [0.0, 1.0, 2.0, 3.0]).round(6)
    array([0.333333])
    """
    if (classes := _two_classes(y)) is not None:
        return auc_p_value(X, classes)
    X = as_stored(X)
    y = numeric_target(X, y)
    return exact_of_few_classes(_over_pairs(_kendall_p_value, X, y), lambda _: concordance, X, y)


def _two_classes(y: Any) -> Array | None:
    """Give the target as 0 and 1 if it has two values, otherwise None."""
    values, codes = np.unique(np.asarray(y), return_inverse=True)
    return codes.ravel() if len(values) == 2 else None


def _kendall_p_value(n: int, excess: Array, pairs: tuple, triples: tuple, spread: tuple) -> Array:
    """Give the p-values of a block of columns; arguments as `_over_pairs` passes them."""
    # The variance of the excess of concordant over discordant pairs with ties on both sides
    # (Kendall, Rank Correlation Methods, 1948, 4.9).
    total, (tied_x, tied_y) = n * (n - 1), pairs
    variance = (total * (2 * n + 5) - spread[0] - spread[1]) / 18 + tied_x * tied_y / (
        2 * max(total, 1)
    )
    variance += triples[0] * triples[1] / (9 * max(total * (n - 2), 1))
    z = np.divide(
        np.abs(excess),
        np.sqrt(np.maximum(variance, 0.0)),
        out=np.zeros_like(excess),
        where=excess != 0,
    )
    p = 2 * special.ndtr(-z)
    if n <= EXACT_ROWS and tied_y == 0:
        exact = tied_x == 0
        concordant = np.rint((total / 2 + np.abs(excess[exact])) / 2).astype(int)
        p[exact] = np.minimum(2 * inversions_tail(n)[concordant], 1.0)
    return p


@score(
    "kendall", "kendall-tau", p_value=kendall_p_value, regression=True, univariate=True, sparse=True
)
def kendall(X: Any, y: Any) -> Array:
    r"""Score features by Kendall's tau-b, in absolute value.

    .. math:: s_j = |c - d| \,/\, \sqrt{(c + d + t_x)(c + d + t_y)}

    with c concordant and d discordant pairs, and the pairs tied on one side only. Discordant pairs
    are counted in ``n log n`` per column. Sparse columns are made dense, a block at a time. A
    constant column scores 0. The chapter names it with Spearman's coefficient, without a formula
    [1]_.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       correlation.

    Examples
    --------
    >>> kendall([[0.0, 1.0], [2.0, 1.0], [1.0, 1.0], [3.0, 1.0]], [0.0, 1.0, 2.0, 3.0]).round(4)
    array([0.6667, 0.    ])
    """
    return _over_pairs(_tau, X, y)


def _tau(n: int, excess: Array, pairs: tuple, *_: tuple) -> Array:
    """Give tau-b of a block of columns; arguments as `_over_pairs` passes them."""
    total, (tied_x, tied_y) = n * (n - 1), pairs
    spread = np.sqrt((total - tied_x) / 2) * np.sqrt((total - tied_y) / 2)
    return np.minimum(
        np.divide(np.abs(excess), spread, out=np.zeros_like(excess), where=spread > 0), 1.0
    )


def _over_pairs(finish: Callable[..., Array], X: Any, y: Any) -> Array:
    """Apply a function of counted pairs to each column.

    `finish` is called for a block of columns with the number of rows, the concordant less the
    discordant pairs of each column, and three pairs: the sums of t(t-1), t(t-1)(t-2) and
    t(t-1)(2t+5) over the ties of t rows, of each column and of y.
    """
    # With rows sorted by x, ties by y, the discordant pairs are the inversions of y, which a binary
    # indexed tree counts in n log n (Fenwick, "A new data structure for cumulative frequency
    # tables", Software: Practice and Experience 24, 1994). All pairs are concordant, discordant or
    # tied, so that the excess follows from discordant and tied pairs, those tied twice only once.
    from subsel._loops.statistics.distribution import discordance

    X = as_stored(X)
    y = np.unique(numeric_target(X, y), return_inverse=True)[1]
    rows = np.argsort(y, kind="stable")
    n, y = len(y), y[rows]
    t = np.bincount(y).astype(float)
    ties = [float((t * (t - 1) * factor).sum()) for factor in (1.0, t - 2, 2 * t + 5)]
    scores = np.empty(X.shape[1])
    for block, values in _dense_blocks(X, rows):
        discordant, both, *ties_x = discordance(
            values, np.argsort(values, axis=1, kind="stable"), y
        ).T
        excess = n * (n - 1) / 2 - ties_x[0] / 2 - ties[0] / 2 + both - 2 * discordant
        scores[block] = finish(n, excess, *zip(ties_x, ties))
    return scores


def _dense_blocks(X: Any, rows: Array) -> Iterator[tuple[slice, Array]]:
    """Yield slices of columns with their values, shape (n_columns, n_rows), in order of `rows`."""
    for block, part in parts(X, column_blocks(X, copies=3, depth=X.shape[0])):
        yield block, np.ascontiguousarray(dense(part)[rows].T, dtype=np.float64)
