"""Student's, Welch's and Fisher's laws, and exact p-values in their place where columns have few values.

The laws suppose numbers that are nearly normal, or large classes. Columns of at most six distinct values (and half as
many as rows) that leave few outcomes, rare bits above all, have the exact p-value instead: the chance of a score at
least as large when the labels are permuted (:mod:`subsel.ranking.laws.few_values`). So it is where no weights are given
or all are whole. From moments alone, columns of zeros and ones are known.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special

from subsel.ranking.laws.few_values import (
    Statistic,
    exact_of_bits,
    exact_of_few_values,
)
from subsel.ranking.separation import quotient
from subsel.tables.checked import as_stored, classes_and_codes
from subsel.tables.class_moments import ClassMoments, class_moments, over_moments

__all__ = ["or_exact", "student_p_value", "two_sided_t"]

Array = np.ndarray


def or_exact(
    law: Callable[[ClassMoments], Array],
    statistic: Statistic,
    X: Any,
    y: Any,
    sample_weight: Any,
    n_classes: int | None = None,
) -> Array:
    """The p-values of a law of moments, and the exact ones of a statistic where columns have few values."""
    if isinstance(X, ClassMoments):
        return exact_of_bits(law(class_moments(X, y, sample_weight, n_classes)), statistic, X)
    X = as_stored(X, finite=False)
    labels, codes = classes_and_codes(X, y, n_classes, sample_weight)
    p = over_moments(law, X, codes, sample_weight)
    return exact_of_few_values(p, statistic, X, codes, len(labels), sample_weight)


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
