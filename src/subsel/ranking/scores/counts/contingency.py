"""Scores of contingency tables: the departure of values and classes from independence.

Every score takes ``discretise`` (``"auto"``, None or a discretiser:
:func:`subsel.data.statistics.count_statistics.discrete` says what each does to numbers) and
``sample_weight``; a missing value (NaN) is a value of its own. ``finish`` finishes tables counted
before with :func:`subsel.data.statistics.counts.joint_counts`. Formulas use the frequencies
:math:`n_{ij}` of value i with class j, their margins and n, and :math:`P = n_{ij}/n`.
"""

from typing import Any

import numpy as np

from subsel.data.statistics.count_statistics import finish, table_statistic
from subsel.data.statistics.entropy import entropies
from subsel.data.statistics.joint_counts import JointCounts, over_classes
from subsel.ranking.laws.contingency_table import table_p_value
from subsel.ranking.laws.sequential import MOST_PERMUTATIONS
from subsel.ranking.registry import score

__all__ = ["chi_square", "chi_square_p_value", "g_statistic", "g_statistic_p_value"]


def expected(tables: JointCounts) -> np.ndarray:
    """Give the expected counts under independence, row total times column total over n."""
    class_totals = tables.class_totals
    shares = class_totals / over_classes(class_totals)[:, None]
    return tables.value_totals[:, None] * tables.spread(shares)


@table_statistic()
def chi_square_p_value(
    tables: JointCounts, n_permutations: int = MOST_PERMUTATIONS, random_state: Any = 0
) -> np.ndarray:
    """Give the p-value of :func:`chi_square`.

    For a column of two values, or of few rare ones, it is the exact one under permuted labels, for
    any number of classes, where the margins allow few tables (:mod:`subsel.ranking.laws.ties`).
    Otherwise it follows chi-square with (V - 1)(K - 1) degrees of freedom (the source has K - 1) if
    all expected counts are at least 5. If they are not, it is estimated from random tables
    (:mod:`subsel.ranking.laws.random_tables`).

    Parameters
    ----------
    n_permutations : int
        The most random tables of a column.
    random_state : int, Generator or None
        Their seed.

    Examples
    --------
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 1, 1]
    >>> chi_square_p_value(X, y).round(4)
    array([0.3333, 1.    ])
    """
    return table_p_value(_chi_square, tables, 5, n_permutations, random_state)


def _chi_square(tables: JointCounts) -> np.ndarray:
    return finish(chi_square, tables)


@score(
    "chi-square",
    "contingency-chi2",
    p_value=chi_square_p_value,
    multiclass=True,
    univariate=True,
    sparse=True,
    weights=True,
)
@table_statistic()
def chi_square(tables: JointCounts) -> np.ndarray:
    r"""Score columns by the chi-square statistic of their contingency table [1]_ [2]_.

    .. math::

        \chi^2 = \sum_{ij} (n_{ij} - e_{ij})^2 / e_{ij}, \qquad
        e_{ij} = n_{i\cdot} n_{\cdot j} / n

    This is not scikit-learn's ``chi2``, which treats the values themselves as counts. Columns with
    different numbers of values can be compared by their p-values only.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       the chi-square statistic.
    .. [2] G. Dreyfus and I. Guyon, "Assessment Methods", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, chapter 2, the chi-square test of contingency tables.

    Examples
    --------
    >>> X = np.repeat([0, 0, 1, 1], [30, 10, 15, 45])[:, None]
    >>> chi_square(X, np.repeat([0, 1, 0, 1], [30, 10, 15, 45])).round(4)
    array([24.2424])
    """
    expectation = expected(tables)
    terms = ratio((tables.counts - expectation) ** 2, expectation)
    return tables.per_column(over_classes(terms))


@table_statistic()
def g_statistic_p_value(
    tables: JointCounts, n_permutations: int = MOST_PERMUTATIONS, random_state: Any = 0
) -> np.ndarray:
    """Give the p-value of :func:`g_statistic`, as :func:`chi_square_p_value` does.

    The chi-square law is used where all expected counts are at least 20, because G needs larger
    counts to follow it than the chi-square statistic.

    Examples
    --------
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 1, 1]
    >>> g_statistic_p_value(X, y).round(4)
    array([0.3333, 1.    ])
    """
    return table_p_value(_g_statistic, tables, 20, n_permutations, random_state)


def _g_statistic(tables: JointCounts) -> np.ndarray:
    return finish(g_statistic, tables)


@score(
    "g-statistic",
    "likelihood-ratio",
    p_value=g_statistic_p_value,
    multiclass=True,
    univariate=True,
    sparse=True,
    weights=True,
)
@table_statistic()
def g_statistic(tables: JointCounts) -> np.ndarray:
    r"""Score columns by the likelihood ratio statistic of their table [1]_ [2]_.

    .. math:: G = 2 \sum_{ij} n_{ij} \ln (n_{ij} / e_{ij}) = 2 n I

    with I the mutual information in nats. It follows chi-square in large samples and is too large
    for it where counts are small, for which :func:`g_statistic_p_value` allows.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       the chi-square statistic.
    .. [2] K. Torkkola, "Information-Theoretic Methods", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, chapter 6, univariate ranking by information.

    Examples
    --------
    >>> X = np.repeat([0, 0, 1, 1], [30, 10, 15, 45])[:, None]
    >>> g_statistic(X, np.repeat([0, 1, 0, 1], [30, 10, 15, 45])).round(4)
    array([25.1607])
    """
    of_values, of_classes, jointly = entropies(tables)
    return 2 * tables.totals * np.maximum(of_values + of_classes - jointly, 0.0)


def chance_of_equal_class(tables: JointCounts) -> np.ndarray:
    """Give the probability that two rows drawn independently have the same class."""
    return (tables.class_totals**2).sum(axis=1) / tables.totals**2


def ratio(numerator: np.ndarray, denominator: np.ndarray) -> np.ndarray:
    """Divide, with 0 where the divisor is not positive."""
    return np.divide(numerator, denominator, out=np.zeros_like(numerator), where=denominator > 0)
