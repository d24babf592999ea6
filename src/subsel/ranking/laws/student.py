"""P-values of t, F and correlations by Student's, Welch's and Fisher's laws, or by permutations.

The laws assume nearly normal numbers or large classes. Columns of at most six distinct values (and
of at most half as many as rows) that allow few outcomes, above all rare bits, have the exact
p-value instead, which is the probability of a score at least as large under permuted labels
(:mod:`subsel.ranking.laws.few_values`). For other columns the law may be doubtful, where columns
are skewed or heavy-tailed and classes uneven (:mod:`subsel.ranking.laws.sums` has the rule): they
have that probability from random permutations, unless the law gives more than 0.1. All this
requires that no weights are given or that all are whole numbers. From class moments alone, only
columns of zeros and ones have exact p-values; the others have those of the law.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from math import factorial, prod
from typing import Any

import numpy as np
from scipy import special

from subsel.data.statistics.class_moments import ClassMoments, class_moments, over_moments, quotient
from subsel.data.statistics.score_input import as_stored, classes_and_codes, weights
from subsel.data.storage import dense
from subsel.ranking.laws.few_values import Statistic, exact_of_bits, exact_of_few_values
from subsel.ranking.laws.sequential import derived_seed, sequential_p_values
from subsel.ranking.laws.sums import Sums

__all__ = [
    "MomentLaw",
    "arrangements",
    "permuted_p_values",
    "permuted_unless",
    "permuted_where_doubtful",
    "student_p_value",
    "two_sided_t",
]

Array = np.ndarray


@dataclass(frozen=True)
class MomentLaw:
    """The law of a score of class moments, and the statistics that replace it where it fails.

    Attributes
    ----------
    law : callable
        ``law(moments)`` gives the p-values of :class:`ClassMoments`, one per column.
    few : callable
        The statistic of columns of few values (:mod:`subsel.ranking.laws.few_values`).
    sums : callable
        ``sums(codes)`` gives the statistic for permuted labels
        (:mod:`subsel.ranking.laws.sums`) from the classes of the rows.
    n_classes : int, optional
        The number of classes that the score is defined for; any number by default.
    """

    law: Callable[[ClassMoments], Array]
    few: Statistic
    sums: Callable[[Array], Sums]
    n_classes: int | None = None

    def p_values(
        self, X: Any, y: Any, sample_weight: Any, n_permutations: int, random_state: Any
    ) -> Array:
        """Give the p-value of each column.

        Parameters
        ----------
        X : array-like, sparse array or ClassMoments
            The table, or its accumulated moments.
        y : array-like
            The classes; None with moments.
        sample_weight : array-like or None
            The weights of the rows.
        n_permutations : int
            The most permutations of a column whose law is in doubt.
        random_state : int, Generator or None
            The seed of the permutations.
        """
        if isinstance(X, ClassMoments):
            return exact_of_bits(
                self.law(class_moments(X, y, sample_weight, self.n_classes)), self.few, X
            )
        X = as_stored(X, finite=False)
        labels, codes = classes_and_codes(X, y, self.n_classes, sample_weight)
        exact = exact_of_few_values(
            np.full(X.shape[1], np.nan), self.few, X, codes, len(labels), sample_weight
        )
        p = over_moments(self.law, X, codes, sample_weight)
        return permuted_unless(
            exact,
            p,
            lambda rows: self.sums(codes[rows]),
            X,
            sample_weight,
            n_permutations=n_permutations,
            random_state=random_state,
        )


def permuted_unless(
    exact: Array,
    p: Array,
    sums: Callable[[Array | slice], Sums],
    X: Any,
    sample_weight: Any,
    *,
    n_permutations: int,
    random_state: Any,
) -> Array:
    """Overwrite p with the exact p-values that there are, and check the others by permutations.

    Parameters
    ----------
    exact : ndarray of shape (n_columns,)
        Exact p-values, NaN where there is none.
    p : ndarray of shape (n_columns,)
        P-values by a law, overwritten.
    sums, X, sample_weight, n_permutations, random_state
        As of :func:`permuted_where_doubtful`.

    Returns
    -------
    ndarray of shape (n_columns,)
        The same array p.
    """
    known = ~np.isnan(exact)
    p[known] = 1.0  # too large to be checked
    p = permuted_where_doubtful(p, sums, X, sample_weight, n_permutations, random_state)
    np.copyto(p, exact, where=known)
    return p


def student_p_value(r: Array, freedom: float) -> Array:
    """Give the two-sided p-value of correlations, by Student's law.

    Examples
    --------
    >>> student_p_value(np.array([0.0, 1.0]), 8.0)
    array([1., 0.])
    """
    # t = r sqrt(f) / sqrt(1 - r^2); (1 - r)(1 + r) keeps the digits that 1 - r^2 loses near 1.
    t = quotient(np.abs(r) * np.sqrt(max(freedom, 0.0)), np.sqrt((1 - r) * (1 + r)))
    return two_sided_t(t, freedom)


def two_sided_t(t: Array, freedom: Any) -> Array:
    """Give the two-sided p-value of ``|t|`` by Student's law; it is 1 without degrees of freedom.

    Examples
    --------
    >>> two_sided_t(np.array([0.0, np.inf]), 3.0)
    array([1., 0.])
    """
    freedom = np.broadcast_to(freedom, t.shape)
    p = 2 * special.stdtr(np.where(freedom > 0, freedom, 1.0), -np.minimum(t, 1e300))
    return np.where(freedom > 0, np.where(np.isinf(t), 0.0, p), 1.0)


# Permutations that reach the observed score after which no more are drawn: the relative standard
# error of a p-value is about 1 / sqrt(20), or 22 %.
ENOUGH = 20
EXACT = 5_040  # arrangements of the target up to which all are enumerated: 7 rows without ties
CELLS = 1 << 20  # entries of a product of matrices in memory at a time: 8 MB
BLOCK = 1 << 17  # values of columns checked together, 1 MB: about the cache of one core
POOLED = 1 << 22  # values of doubtful columns that share one run of permutations: 32 MB
# The largest p-value of a law that is checked: a larger one is no evidence in any case.
LARGEST_CHECKED = 0.1


def permuted_where_doubtful(
    p: Array,
    statistic: Callable[[Array | slice], Sums],
    X: Any,
    sample_weight: Any,
    n_permutations: int,
    random_state: Any,
) -> Array:
    """Overwrite p with permutation p-values where it is at most 0.1 and its law is in doubt.

    Larger p-values stay: whatever the law is worth, they are no evidence. A row of whole weight w
    counts as w rows; with other weights p is returned unchanged.

    Parameters
    ----------
    p : ndarray of shape (n_columns,)
        P-values of all columns by a law, overwritten.
    statistic : callable
        ``statistic(rows)`` gives the :class:`subsel.ranking.laws.sums.Sums` of these rows, which
        are a slice or row numbers, repeated by weight.
    X : ndarray or sparse array
        The table.
    sample_weight : array-like or None
        The weights of the rows.
    n_permutations : int
        The most permutations that are drawn for a column.
    random_state : int, Generator or None
        The seed of the permutations.

    Returns
    -------
    ndarray of shape (n_columns,)
        The same array p.
    """
    checked = np.flatnonzero(p <= LARGEST_CHECKED)
    rows: Array | slice = slice(None)
    if sample_weight is not None:
        weight = weights(X, sample_weight)
        if (weight != np.rint(weight)).any():
            return p
        rows = np.repeat(np.arange(X.shape[0]), weight.astype(int))
    if len(checked) == 0:
        return p
    sums = statistic(rows)
    for block, columns in _doubtful(X, checked, rows, sums):
        p[block] = permuted_p_values(columns, sums, n_permutations, random_state)
    return p


def _doubtful(
    X: Any, checked: Array, rows: Array | slice, sums: Sums
) -> Iterator[tuple[Array, Array]]:
    """Yield the numbers and prepared columns, among those checked, whose law is in doubt.

    They are prepared and checked in small blocks and yielded in large ones, so that many columns
    share the permutations.
    """
    width = max(1, BLOCK // max(X.shape[0], 1))
    pool: list[tuple[Array, Array]] = []
    for start in range(0, len(checked), width):
        block = checked[start : start + width]
        columns = sums.prepared(dense(X[:, block])[rows].astype(float, copy=False))
        doubtful = sums.doubtful(columns)
        pool.append((block[doubtful], columns[:, doubtful]))
        if sum(columns.size for _, columns in pool) > POOLED or start + width >= len(checked):
            numbers, pooled = (np.concatenate(parts, axis=-1) for parts in zip(*pool))
            pool = []
            if len(numbers):
                yield numbers, pooled


def permuted_p_values(
    columns: Array, statistic: Sums, n_permutations: int, random_state: Any
) -> Array:
    """Give P(statistic at least as large) under permuted labels, for each column.

    It is exact where the target allows at most 5,040 arrangements, otherwise by sequential Monte
    Carlo (:func:`subsel.ranking.laws.sequential.sequential_p_values`). All columns see the same
    permutations, so that the p-value of a column does not depend on the other columns.

    Parameters
    ----------
    columns : ndarray of shape (n_rows, n_columns)
        Columns as ``statistic.prepared`` gives them: centred and of unit scatter.
    statistic : Sums
        The statistic and its target.
    n_permutations : int
        The most permutations that are drawn for a column.
    random_state : int, Generator or None
        The seed of the permutations.
    """
    # The statistic of a permutation needs only sums of the columns weighted by the permuted target:
    # powers (n_columns, n_rows) times labels (n_rows, n_permutations * n_sums). Columns are of unit
    # scatter, so that permutations of equal statistic differ by rounding far below the slack.
    powers, target = [columns.T ** (1 + k) for k in range(statistic.n_powers)], statistic.target
    bars = _statistics(powers, statistic, _labels(target, np.arange(len(target))[None]))[:, 0]
    bars -= 1e-9 * np.abs(bars) + 1e-14
    if (all_orders := arrangements(target)) is not None:
        labels = (
            _labels(target, all_orders[start : start + 512])
            for start in range(0, len(all_orders), 512)
        )
        return _n_reaching(powers, statistic, bars, labels) / len(all_orders)
    seed = derived_seed(random_state)

    def n_reaching(open_: Array, stage: int, size: int) -> Array:
        labels = _random_labels(target, size, np.random.default_rng([seed, stage]))
        return _n_reaching([power[open_] for power in powers], statistic, bars[open_], labels)

    return sequential_p_values(n_reaching, columns.shape[1], n_permutations, ENOUGH)


def _n_reaching(
    powers: list[Array], statistic: Sums, bars: Array, labels: Iterator[Array]
) -> Array:
    """Count, for each column, the permutations whose statistic is at least the column's bar.

    Parameters
    ----------
    powers : list of ndarray of shape (n_columns, n_rows)
        The columns, and their squares if the statistic needs them.
    statistic : Sums
        The statistic.
    bars : ndarray of shape (n_columns,)
        The observed statistics, less the slack for rounding.
    labels : iterator of ndarray of shape (n_rows, n_permutations, n_sums)
        Permuted targets, some at a time.
    """
    reached = np.zeros(len(bars))
    for part in labels:
        width = max(1, CELLS // part[0].size)
        for start in range(0, len(bars), width):
            block = slice(start, start + width)
            permuted = _statistics([power[block] for power in powers], statistic, part)
            reached[block] += (permuted >= bars[block, None]).sum(axis=1)
    return reached


def _statistics(powers: list[Array], statistic: Sums, labels: Array) -> Array:
    """Give the statistic of each column with each permuted target: (n_columns, n_permutations).

    `powers` and `labels` are as of :func:`_n_reaching`.
    """
    flat = labels.reshape(len(labels), -1)
    return statistic.finish(
        np.stack([(power @ flat).reshape(len(power), *labels.shape[1:]) for power in powers])
    )


def _labels(target: Array, orders: Array) -> Array:
    """Give the target in some orders of its rows, of shape (n_rows, n_orders, n_sums).

    `target` has shape (n_rows, n_sums), `orders` shape (n_orders, n_rows).
    """
    return np.ascontiguousarray(target[orders].transpose(1, 0, 2))


def _random_labels(target: Array, size: int, rng: np.random.Generator) -> Iterator[Array]:
    """Yield `size` random permutations of the target, some at a time, as :func:`_labels` does."""
    rows = np.arange(len(target))
    at_once = min(size, max(64, CELLS // (4 * target.size)))
    for start in range(0, size, at_once):
        yield _labels(target, rng.permuted(np.tile(rows, (min(at_once, size - start), 1)), axis=1))


def arrangements(target: Array) -> Array | None:
    """Give orders of the rows that yield each distinct arrangement of the target once.

    The answer is None if there are more than 5,040, the multinomial coefficient of the frequencies
    of its distinct rows.

    Parameters
    ----------
    target : ndarray of shape (n_rows, n_sums)
        The target.

    Examples
    --------
    >>> arrangements(np.array([[0.0], [0.0], [1.0]]))
    array([[0, 1, 2],
           [0, 2, 1],
           [2, 0, 1]])
    """
    codes = np.unique(target, axis=0, return_inverse=True)[1].ravel()
    counts = np.bincount(codes)
    if (
        len(codes) > EXACT  # a target of n rows and two values or more has at least n
        or factorial(len(codes)) // prod(factorial(int(c)) for c in counts) > EXACT
    ):
        return None
    lines = np.array(list(_deals(len(codes), counts.tolist())))
    orders = np.empty_like(lines)
    members = np.argsort(codes, kind="stable")
    for line, order in zip(lines, orders):
        order[np.argsort(line, kind="stable")] = members
    return orders


def _deals(n: int, counts: list[int], code: int = 0) -> Iterator[Array]:
    """Yield every array of length n with ``counts[code]`` entries of each code from `code` on."""
    if code == len(counts) - 1:
        yield np.full(n, code)
        return
    for places in combinations(range(n), counts[code]):
        others = np.ones(n, dtype=bool)
        others[list(places)] = False
        for rest in _deals(n - counts[code], counts, code + 1):
            line = np.full(n, code)
            line[others] = rest
            yield line
