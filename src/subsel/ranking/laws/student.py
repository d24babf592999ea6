"""Student's, Welch's and Fisher's laws, and p-values by permuted labels in their place where they do not hold.

The laws suppose numbers that are nearly normal, or large classes. Columns of at most six distinct values (and half as
many as rows) that leave few outcomes, rare bits above all, have the exact p-value instead: the chance of a score at
least as large when the labels are permuted (:mod:`subsel.ranking.laws.few_values`). Of the others, those skewed or of heavy
tails where the classes are uneven (:mod:`subsel.ranking.laws.sums` has the rule) have that chance from random permutations
(:mod:`subsel.ranking.laws.permuted_sums`), unless the law gives more than 0.1. So it is where no weights are given or all are
whole. From moments alone, columns of zeros and ones are known, and the others have the law.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from subsel.data.statistics.class_moments import ClassMoments, class_moments, over_moments, quotient
from subsel.data.statistics.score_input import as_stored, classes_and_codes
from subsel.ranking.laws.few_values import Statistic, exact_of_bits, exact_of_few_values
from subsel.ranking.laws.permuted_sums import permuted_where_doubtful
from subsel.ranking.laws.sums import Sums

__all__ = ["MomentLaw", "permuted_unless", "student_p_value", "two_sided_t"]

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
        Of the codes of the rows, the statistic for permuted labels (:mod:`subsel.ranking.laws.sums`).
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
