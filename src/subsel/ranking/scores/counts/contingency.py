"""Scores of contingency tables: how far values and classes are from being independent.

Every score takes ``discretise`` (``"auto"``, None or a discretiser:
:func:`subsel.data.statistics.count_statistics.discrete` says what each does to numbers) and
``sample_weight``; a missing value (NaN) is a value of its own. ``finish`` finishes tables counted
before with :func:`subsel.data.statistics.counts.joint_counts`. Formulas use the frequencies
:math:`n_{ij}` of value i with class j, their margins and n, and :math:`P = n_{ij}/n`.
"""

from typing import Any

import numpy as np

from subsel.data.statistics.count_statistics import finish, of_tables
from subsel.data.statistics.entropy import entropies
from subsel.data.statistics.joint_counts import JointCounts, over_classes
from subsel.ranking.laws.contingency_table import table_p_value
from subsel.ranking.laws.sequential import MOST_PERMUTATIONS
from subsel.ranking.registry import score

__all__ = ["chi_square", "chi_square_p_value", "g_statistic", "g_statistic_p_value"]


def expected(tables: JointCounts) -> np.ndarray:
    """Give the counts to be expected if values and classes were independent: row times column over n."""
    class_totals = tables.class_totals
    shares = class_totals / over_classes(class_totals)[:, None]
    return tables.value_totals[:, None] * tables.spread(shares)


@of_tables()
def chi_square_p_value(
    tables: JointCounts, n_permutations: int = MOST_PERMUTATIONS, random_state: Any = 0
) -> np.ndarray:
    """Give the p-value of :func:`chi_square`, of (V - 1)(K - 1) degrees of freedom; the source has K - 1.

    For a column of two values, or few rare ones, the law is the exact one under permuted labels,
    for any number of classes as long as the outcomes are few (:mod:`subsel.ranking.laws.ties`);
    elsewhere chi-square's where every count to be expected is at least 5, and where not, by at most
    `n_permutations` random tables (:mod:`subsel.ranking.laws.random_tables`), drawn from
    `random_state`.

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
@of_tables()
def chi_square(tables: JointCounts) -> np.ndarray:
    r"""Score columns by the chi-square statistic of their contingency table [1]_ [2]_.

    .. math:: \chi^2 = \sum_{ij} (n_{ij} - e_{ij})^2 / e_{ij}, \qquad e_{ij} = n_{i\cdot} n_{\cdot j} / n

    Not scikit-learn's ``chi2``, which takes the values themselves for counts. Scores of columns
    with different numbers of values are comparable through their p-values only.

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


@of_tables()
def g_statistic_p_value(
    tables: JointCounts, n_permutations: int = MOST_PERMUTATIONS, random_state: Any = 0
) -> np.ndarray:
    """Give the p-value of :func:`g_statistic`, as :func:`chi_square_p_value` does.

    Chi-square's law is believed where every count to be expected is at least 20: G follows it later
    than chi-square.

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
@of_tables()
def g_statistic(tables: JointCounts) -> np.ndarray:
    r"""Score columns by the likelihood ratio statistic of their table [1]_ [2]_.

    .. math:: G = 2 \sum_{ij} n_{ij} \ln (n_{ij} / e_{ij}) = 2 n I

    with I the mutual information in nats. Where counts are small it is too large for the law of
    chi-square, which it follows in large samples; its p-values mind that.

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
    """The probability that two rows drawn independently have equal class."""
    return (tables.class_totals**2).sum(axis=1) / tables.totals**2


def ratio(numerator: np.ndarray, denominator: np.ndarray) -> np.ndarray:
    """Divide, nothing by nothing being nothing."""
    return np.divide(numerator, denominator, out=np.zeros_like(numerator), where=denominator > 0)
