"""Student's, Welch's and Fisher's laws, and p-values by permuted labels in their place where they do not hold.

The laws suppose numbers that are nearly normal, or large classes. Columns of at most six distinct
values (and half as many as rows) that leave few outcomes, rare bits above all, have the exact
p-value instead: the chance of a score at least as large when the labels are permuted
(:mod:`subsel.ranking.laws.few_values`). Of the others, those skewed or of heavy tails where the
classes are uneven (:mod:`subsel.ranking.laws.sums` has the rule) have that chance from random
permutations (:mod:`subsel.ranking.laws.student`), unless the law gives more than 0.1. So it is
where no weights are given or all are whole. From moments alone, columns of zeros and ones are
known, and the others have the law.
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
from subsel.ranking.laws.sequential import seed_of, sequential_p_values
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
    """The law of a score of class moments, and what takes its place.

    Attributes
    ----------
    law : callable
        P-values of :class:`ClassMoments`.
    few : callable
        The statistic of columns of few values (:mod:`subsel.ranking.laws.few_values`).
    sums : callable
        Of the codes of the rows, the statistic for permuted labels
        (:mod:`subsel.ranking.laws.sums`).
    n_classes : int, optional
        How many classes it is defined for.
    """

    law: Callable[[ClassMoments], Array]
    few: Statistic
    sums: Callable[[Array], Sums]
    n_classes: int | None = None

    def p_values(
        self, X: Any, y: Any, sample_weight: Any, n_permutations: int, random_state: Any
    ) -> Array:
        """The p-value of each column."""
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
    """The exact p-values where there are, elsewhere those of a law, by permuted labels where that is in doubt."""
    known = ~np.isnan(exact)
    p[known] = 1.0  # is not asked for
    p = permuted_where_doubtful(p, sums, X, sample_weight, n_permutations, random_state)
    np.copyto(p, exact, where=known)
    return p


def student_p_value(r: Array, freedom: float) -> Array:
    """Two-sided p-value of a correlation, by Student's law.

    Examples
    --------
    >>> student_p_value(np.array([0.0, 1.0]), 8.0)
    array([1., 0.])
    """
    t = quotient(np.abs(r) * np.sqrt(max(freedom, 0.0)), np.sqrt((1 - r) * (1 + r)))
    return two_sided_t(t, freedom)


def two_sided_t(t: Array, freedom: Any) -> Array:
    """Two-sided p-value of Student's t; without degrees of freedom there is no evidence.

    Examples
    --------
    >>> two_sided_t(np.array([0.0, np.inf]), 3.0)
    array([1., 0.])
    """
    freedom = np.broadcast_to(freedom, t.shape)
    p = 2 * special.stdtr(np.where(freedom > 0, freedom, 1.0), -np.minimum(t, 1e300))
    return np.where(freedom > 0, np.where(np.isinf(t), 0.0, p), 1.0)


ENOUGH = 20  # permutations that did as well, after which no more are drawn
EXACT = 5_040  # arrangements of the target up to which all are enumerated
CELLS = 1 << 20  # of a product of matrices held at a time
BLOCK = 1 << 17  # values of columns looked at together: about what a core's cache holds
HELD = 1 << 22  # values of columns whose labels are permuted together
ASKED = 0.1  # p-values of a law up to which it is asked whether the law holds


def permuted_where_doubtful(
    p: Array,
    statistic: Callable[[Array | slice], Sums],
    X: Any,
    sample_weight: Any,
    n_permutations: int,
    random_state: Any,
) -> Array:
    """Put p-values by permuted labels in place of those of at most a tenth whose law is in doubt.

    Larger ones stay: whatever the law is worth, they are no evidence. A row of whole weight w
    counts as w rows; with other weights p is handed back as it is.

    Parameters
    ----------
    p : array
        P-values of all columns by a law. It is written into.
    statistic : callable
        Of the rows to take, the :class:`subsel.ranking.laws.sums.Sums`.
    """
    asked = np.flatnonzero(p <= ASKED)
    rows: Array | slice = slice(None)
    if sample_weight is not None:
        weight = weights(X, sample_weight)
        if (weight != np.rint(weight)).any():
            return p
        rows = np.repeat(np.arange(X.shape[0]), weight.astype(int))
    if len(asked) == 0:
        return p
    sums = statistic(rows)
    for block, columns in _doubtful(X, asked, rows, sums):
        p[block] = permuted_p_values(columns, sums, n_permutations, random_state)
    return p


def _doubtful(
    X: Any, asked: Array, rows: Array | slice, sums: Sums
) -> Iterator[tuple[Array, Array]]:
    """The columns of those asked for whose law is in doubt, prepared: looked for in small blocks, given in large ones."""
    width = max(1, BLOCK // max(X.shape[0], 1))
    held: list[tuple[Array, Array]] = []
    for start in range(0, len(asked), width):
        block = asked[start : start + width]
        columns = sums.prepared(dense(X[:, block])[rows].astype(float, copy=False))
        doubtful = sums.doubtful(columns)
        held.append((block[doubtful], columns[:, doubtful]))
        if sum(columns.size for _, columns in held) > HELD or start + width >= len(asked):
            numbers, found = (np.concatenate(parts, axis=-1) for parts in zip(*held))
            held = []
            if len(numbers):
                yield numbers, found


def permuted_p_values(
    columns: Array, statistic: Sums, n_permutations: int, random_state: Any
) -> Array:
    """P(statistic at least as large) of each column under permuted labels.

    Exact where the target leaves at most 5,040 arrangements, otherwise by sequential Monte Carlo
    (:func:`subsel.ranking.laws.sequential.sequential_p_values`). All columns see the same
    permutations, so that a column's p-value does not depend on its company.

    Parameters
    ----------
    columns : array, shape (n_rows, n_columns)
        Centred, of unit scatter: two permutations of equal statistic are told apart by rounding
        only.
    """
    powers, target = [columns.T ** (1 + k) for k in range(statistic.n_powers)], statistic.target
    bars = _statistics(powers, statistic, _labels(target, np.arange(len(target))[None]))[:, 0]
    bars -= 1e-9 * np.abs(bars) + 1e-14
    if (all_orders := arrangements(target)) is not None:
        labels = (
            _labels(target, all_orders[start : start + 512])
            for start in range(0, len(all_orders), 512)
        )
        return _n_reaching(powers, statistic, bars, labels) / len(all_orders)
    seed = seed_of(random_state)

    def n_reaching(open_: Array, stage: int, size: int) -> Array:
        labels = _random_labels(target, size, np.random.default_rng([seed, stage]))
        return _n_reaching([power[open_] for power in powers], statistic, bars[open_], labels)

    return sequential_p_values(n_reaching, columns.shape[1], n_permutations, ENOUGH)


def _n_reaching(
    powers: list[Array], statistic: Sums, bars: Array, labels: Iterator[Array]
) -> Array:
    reached = np.zeros(len(bars))
    for part in labels:
        width = max(1, CELLS // part[0].size)
        for start in range(0, len(bars), width):
            block = slice(start, start + width)
            found = _statistics([power[block] for power in powers], statistic, part)
            reached[block] += (found >= bars[block, None]).sum(axis=1)
    return reached


def _statistics(powers: list[Array], statistic: Sums, labels: Array) -> Array:
    """The statistic of each column with each of some labels, of shape (n_rows, n_permutations, n_sums)."""
    flat = labels.reshape(len(labels), -1)
    return statistic.finish(
        np.stack([(power @ flat).reshape(len(power), *labels.shape[1:]) for power in powers])
    )


def _labels(target: Array, orders: Array) -> Array:
    return np.ascontiguousarray(target[orders].transpose(1, 0, 2))


def _random_labels(target: Array, size: int, rng: np.random.Generator) -> Iterator[Array]:
    rows = np.arange(len(target))
    at_once = min(size, max(64, CELLS // (4 * target.size)))
    for start in range(0, size, at_once):
        yield _labels(target, rng.permuted(np.tile(rows, (min(at_once, size - start), 1)), axis=1))


def arrangements(target: Array) -> Array | None:
    """Orders of the rows that give every distinct arrangement of the target once; None where they are too many.

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
        len(codes) > 5040
        or factorial(len(codes)) // prod(factorial(int(c)) for c in counts) > EXACT
    ):
        return None
    lines = np.array(list(_deals(list(range(len(codes))), counts.tolist())))
    orders = np.empty_like(lines)
    members = np.argsort(codes, kind="stable")
    for line, order in zip(lines, orders):
        order[np.argsort(line, kind="stable")] = members
    return orders


def _deals(places: list[int], counts: list[int], code: int = 0) -> Iterator[Array]:
    """Every way to give the places their codes, one of so many each."""
    n = len(places)
    if code == len(counts) - 1:
        yield np.full(n, code)
        return
    for chosen in combinations(range(n), counts[code]):
        taken = np.zeros(n, dtype=bool)
        taken[list(chosen)] = True
        for rest in _deals(list(range(n - counts[code])), counts, code + 1):
            line = np.full(n, code)
            line[~taken] = rest
            yield line
