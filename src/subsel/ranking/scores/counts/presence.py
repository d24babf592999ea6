"""Scores of the presence of a column, for words, motifs or bits that are mostly zero.

A column is present in a row where it is neither zero nor missing. ``sample_weight`` and tables
counted beforehand are as in :mod:`subsel.ranking.scores.counts.contingency`. Zeros of a sparse
table are never visited.
"""

from typing import Any

import numpy as np
from scipy import sparse

from subsel.data.statistics.blocks import entry_blocks, parts
from subsel.data.statistics.count_statistics import contingency_tables, table_statistic
from subsel.data.statistics.joint_counts import JointCounts
from subsel.data.statistics.score_input import as_stored, weights
from subsel.ranking.registry import score

__all__ = [
    "frequency_difference",
    "presence_count",
    "presence_divergence",
    "presence_predictive_value",
    "presence_rates",
    "presence_sensitivity",
]


@score(
    "presence-count",
    "frequency",
    multiclass=True,
    regression=True,
    univariate=True,
    sparse=True,
    weights=True,
    missing=True,
)
def presence_count(X: Any, y: Any = None, sample_weight: Any = None) -> np.ndarray:  # noqa: ARG001
    """Score columns by the number of rows in which they are present.

    The target is ignored. As a first filter, a threshold of 4 removes columns that hardly ever
    occur [1]_. For rare bits the order is that of their variance, so that it is the selection by
    high variance [2]_.

    References
    ----------
    .. [1] R. M. Neal and J. Zhang, "High Dimensional Classification with Bayesian Neural Networks
       and Dirichlet Diffusion Trees", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter
       10, section 10.2, union of tests.
    .. [2] K. Grabczewski and N. Jankowski, "Mining for Complex Models Comprising Feature Selection
       and Classification", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 23, simple
       filters.

    Examples
    --------
    >>> presence_count(np.array([[1, 0], [1, 3], [1, 0]]))
    array([3., 1.])
    """
    X = as_stored(X, finite="allow-nan")
    weight = weights(X, sample_weight)
    scores = np.empty(X.shape[1])
    for block, part in parts(X, entry_blocks(X)):
        if sparse.issparse(part):
            there = np.where((part.data != 0) & ~np.isnan(part.data), weight[part.indices], 0.0)
            column = np.repeat(np.arange(part.shape[1]), np.diff(part.indptr))
            scores[block] = np.bincount(column, there, part.shape[1])
        else:
            scores[block] = weight @ ((part != 0) & ~np.isnan(part))
    return scores


@score("presence-divergence", "infogain2", univariate=True, sparse=True, weights=True)
@table_statistic(bins=False)
def presence_divergence(tables: JointCounts) -> np.ndarray:
    r"""Score columns by the divergence of their frequencies in the two classes [1]_.

    .. math:: s = (p - q) \ln (p / q), \qquad p = \frac{n_{1+} + 1/2}{n_{\cdot+} + 1}

    and q likewise for the other class: the part of Jeffreys' divergence that presence contributes.
    The source does not give the denominator; this one keeps frequencies inside (0, 1).

    References
    ----------
    .. [1] R. Gilad-Bachrach and A. Navot, "Margin Based Feature Selection and Infogain with
       Standard Classifiers", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 17,
       Infogain2.

    Examples
    --------
    >>> presence_divergence(np.array([[1, 1], [1, 0], [0, 1], [0, 0]]), [1, 1, 0, 0]).round(4)
    array([1.073, 0.   ])
    """
    first, second = _two_classes((_present(tables) + 0.5) / (tables.class_totals + 1))
    return (second - first) * np.log(second / first)


@score("presence-predictive-value", multiclass=True, univariate=True, sparse=True, weights=True)
@table_statistic(bins=False)
def presence_predictive_value(tables: JointCounts) -> np.ndarray:
    """Score columns by the largest share of one class in the rows where they are present [1]_.

    It is zero for a column that is never present.

    References
    ----------
    .. [1] A. Ben-Hur and D. Brutlag, "Sequence Motifs: Highly Predictive Features of Protein
       Function", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 31, statistics of
       motifs.

    Examples
    --------
    >>> presence_predictive_value(np.array([[1, 1], [1, 0], [0, 1], [0, 0]]), [1, 1, 0, 0])
    array([1. , 0.5])
    """
    return _rates(tables)[0].max(axis=1)


@score("presence-sensitivity", multiclass=True, univariate=True, sparse=True, weights=True)
@table_statistic(bins=False)
def presence_sensitivity(tables: JointCounts) -> np.ndarray:
    """Score columns by the largest share of a class in which they are present [1]_.

    References
    ----------
    .. [1] A. Ben-Hur and D. Brutlag, "Sequence Motifs: Highly Predictive Features of Protein
       Function", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 31, statistics of
       motifs.

    Examples
    --------
    >>> presence_sensitivity(np.array([[1, 1], [1, 0], [0, 0], [0, 0]]), [1, 1, 0, 0])
    array([1. , 0.5])
    """
    return _rates(tables)[1].max(axis=1)


@score("frequency-difference", multiclass=True, univariate=True, sparse=True, weights=True)
@table_statistic(bins=False)
def frequency_difference(tables: JointCounts) -> np.ndarray:
    """Score columns by the largest difference of frequencies inside and outside a class [1]_.

    References
    ----------
    .. [1] A. Ben-Hur and D. Brutlag, "Sequence Motifs: Highly Predictive Features of Protein
       Function", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 31, difference of
       frequencies.

    Examples
    --------
    >>> frequency_difference(np.array([[1, 1], [1, 0], [0, 0], [0, 0]]), [1, 1, 0, 0])
    array([1. , 0.5])
    """
    inside, totals = _present(tables), tables.class_totals
    outside = inside.sum(axis=1, keepdims=True) - inside
    rest = totals.sum(axis=1, keepdims=True) - totals
    return np.abs(_share(inside, totals) - _share(outside, rest)).max(axis=1)


def presence_rates(X: Any, y: Any, *, sample_weight: Any = None) -> tuple[np.ndarray, np.ndarray]:
    """Give predictive value and sensitivity of every column's presence for every class [1]_.

    Both arrays have shape (n_columns, n_classes). A column with both equal to 1 for a class is
    present in all rows of the class and in no other.

    References
    ----------
    .. [1] A. Ben-Hur and D. Brutlag, "Sequence Motifs: Highly Predictive Features of Protein
       Function", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 31, statistics of
       motifs.

    Examples
    --------
    >>> presence_rates(np.array([[1], [1], [1], [0]]), [1, 1, 0, 0])
    (array([[0.33333333, 0.66666667]]), array([[0.5, 1. ]]))
    """
    parts = [_rates(tables) for tables in contingency_tables(X, y, None, sample_weight)]
    predictive_value, sensitivity = (np.concatenate(rates) for rates in zip(*parts))
    return predictive_value, sensitivity


def _rates(tables: JointCounts) -> tuple[np.ndarray, np.ndarray]:
    """Give predictive values and sensitivities, both of shape (n_columns, n_classes)."""
    present = _present(tables)
    return _share(present, present.sum(axis=1, keepdims=True)), _share(present, tables.class_totals)


def _present(tables: JointCounts) -> np.ndarray:
    """Give the number of rows of each class where each column is present, by column and class."""
    there = (tables.values != 0) & ~np.isnan(tables.values)
    return tables.per_column(np.where(there[:, None], tables.counts, 0.0))


def _two_classes(by_class: np.ndarray) -> np.ndarray:
    """Give a row for each of two classes from an array with a column for each."""
    if by_class.shape[1] != 2:
        raise ValueError(f"this score is defined for 2 classes, y holds {by_class.shape[1]}.")
    return by_class.T


def _share(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """Divide, with 0 where the divisor is not positive."""
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)
