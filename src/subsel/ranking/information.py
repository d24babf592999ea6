"""Scores of information: what the values of a column tell about the classes.

The parameters ``discretise`` and ``sample_weight``, and counting ahead, are those of
:mod:`subsel.ranking.contingency`. All logarithms are natural unless a docstring says otherwise.
"""

from typing import Any

import numpy as np
from scipy.special import entr, gammaln, xlogy

from subsel.ranking.contingency import expected, g_statistic_p_value
from subsel.ranking.registry import score
from subsel.tables.counts import JointCounts, finish, of_tables, tables_of
from subsel.tables.entropy import entropies

__all__ = [
    "bayes_error_bounds",
    "entropy_distance",
    "gain_ratio",
    "j_measure_terms",
    "mantaras_distance",
    "mdl_index",
    "median_information",
    "median_information_p_value",
    "miller_madow_information",
    "mutual_information",
    "mutual_information_p_value",
    "symmetrical_uncertainty",
    "threshold_gain",
]

# 2 n I is the G statistic: one law, one function. With the entropies of column and classes given, as they are when the
# labels are permuted, the ratios and distances below only grow with I: its p-value is theirs.
mutual_information_p_value = g_statistic_p_value


@score(
    "mutual-information",
    "information-gain",
    "infogain",
    "j-measure",
    "maximum-marginal-diversity",
    p_value=mutual_information_p_value,
    multiclass=True,
    univariate=True,
    sparse=True,
    weights=True,
)
@of_tables()
def mutual_information(tables: JointCounts) -> np.ndarray:
    r"""Score columns by the information they share with the classes, in nats [1]_ [2]_ [3]_.

    .. math:: I = H(X) + H(Y) - H(X, Y) = \sum_{ij} P_{ij} \ln \frac{P_{ij}}{P_{i\cdot} P_{\cdot j}}

    Information gain, the J-measure and maximum marginal diversity are the same number. Frequencies overstate it by
    about (V - 1)(K - 1)/(2n): see :func:`miller_madow_information`. With ``discretise=MDL()`` this is the score of
    chapter 22, zero for columns that are nowhere worth a cut.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3, Kullback-Leibler
       divergence and mutual information; the J-measure.
    .. [2] K. Torkkola, "Information-Theoretic Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter
       6, entropy and mutual information; univariate ranking by information; MIFS and its kin.
    .. [3] D. Roobaert, G. Karakoulas and N. V. Chawla, "Information Gain, Correlation and Support Vector Machines",
       in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 22, information gain.

    Examples
    --------
    >>> mutual_information(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), [0, 0, 1, 1]).round(4)
    array([0.6931, 0.    ])
    """
    of_values, of_classes, jointly = entropies(tables)
    return np.maximum(of_values + of_classes - jointly, 0.0)


@score(
    "miller-madow",
    p_value=mutual_information_p_value,
    multiclass=True,
    univariate=True,
    sparse=True,
    weights=True,
)
@of_tables()
def miller_madow_information(tables: JointCounts) -> np.ndarray:
    r"""Score columns by mutual information less its first-order bias, in nats [1]_.

    Each entropy gains (c - 1)/(2n), with c its occupied cells; where all cells are occupied, information
    loses (V - 1)(K - 1)/(2n). Negative values are kept: a column may tell less than chance would.

    References
    ----------
    .. [1] K. Torkkola, "Information-Theoretic Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter
       6, estimators of entropy.

    Examples
    --------
    >>> miller_madow_information(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), [0, 0, 1, 1]).round(4)
    array([ 0.8181, -0.125 ])
    """
    n_values = tables.per_column((tables.value_totals > 0).astype(float))
    n_classes = np.count_nonzero(tables.class_totals, axis=1)
    n_cells = tables.per_column(np.count_nonzero(tables.counts, axis=1).astype(float))
    of_values, of_classes, jointly = entropies(tables)
    correction = (n_values + n_classes - n_cells - 1) / (2 * tables.totals)
    return of_values + of_classes - jointly + correction


@score(
    "gain-ratio",
    "information-gain-ratio",
    p_value=mutual_information_p_value,
    multiclass=True,
    univariate=True,
    sparse=True,
    weights=True,
)
@of_tables()
def gain_ratio(tables: JointCounts) -> np.ndarray:
    r"""Score columns by information per entropy of the column, in [0, 1] [1]_ [2]_.

    .. math:: I / H(X)

    Zero for a constant column. It makes up for many values, but flatters columns that are nearly constant.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3, the gain ratio.
    .. [2] K. Torkkola, "Information-Theoretic Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter
       6, univariate ranking by information.

    Examples
    --------
    >>> gain_ratio(np.array([[0, 0], [0, 1], [1, 2], [1, 3]]), [0, 0, 1, 1])
    array([1. , 0.5])
    """
    of_values, _, _ = entropies(tables)
    return _share(finish(mutual_information, tables), of_values)


@score(
    "symmetrical-uncertainty",
    "su",
    p_value=mutual_information_p_value,
    multiclass=True,
    univariate=True,
    sparse=True,
    weights=True,
)
@of_tables()
def symmetrical_uncertainty(tables: JointCounts) -> np.ndarray:
    r"""Score columns by information per mean entropy of column and classes, in [0, 1] [1]_.

    .. math:: SU = 2 I / (H(X) + H(Y))

    Little biased towards many values, but it falls as a number is cut into more bins: compare at equal bins.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3, entropy distance
       and symmetrical uncertainty.

    Examples
    --------
    >>> symmetrical_uncertainty(np.array([[0, 0], [0, 1], [1, 2], [1, 3]]), [0, 0, 1, 1]).round(4)
    array([1.    , 0.6667])
    """
    of_values, of_classes, _ = entropies(tables)
    return _share(2 * finish(mutual_information, tables), of_values + of_classes)


@score(
    "entropy-distance",
    "variation-of-information",
    p_value=mutual_information_p_value,
    multiclass=True,
    univariate=True,
    sparse=True,
    weights=True,
)
@of_tables()
def entropy_distance(tables: JointCounts) -> np.ndarray:
    r"""Score columns by minus the entropy distance between column and classes, in nats [1]_.

    .. math:: -D_H = H(X) + H(Y) - 2 H(X, Y)

    The source minimises the distance, a metric also known as variation of information.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3, entropy distance
       and symmetrical uncertainty.

    Examples
    --------
    >>> entropy_distance(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), [0, 0, 1, 1]).round(4)
    array([ 0.    , -1.3863])
    """
    of_values, of_classes, jointly = entropies(tables)
    return np.minimum(of_values + of_classes - 2 * jointly, 0.0)


@score(
    "mantaras-distance",
    "mantaras",
    p_value=mutual_information_p_value,
    multiclass=True,
    univariate=True,
    sparse=True,
    weights=True,
)
@of_tables()
def mantaras_distance(tables: JointCounts) -> np.ndarray:
    r"""Score columns by minus the distance of Lopez de Mantaras, in [-1, 0] [1]_.

    .. math:: -D_M = I / H(X, Y) - 1

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3, entropy distance
       and symmetrical uncertainty.

    Examples
    --------
    >>> mantaras_distance(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), [0, 0, 1, 1])
    array([ 0., -1.])
    """
    _, _, jointly = entropies(tables)
    return _share(finish(mutual_information, tables), jointly) - 1


@score("mdl-index", "mdl", multiclass=True, univariate=True, sparse=True, weights=True)
@of_tables()
def mdl_index(tables: JointCounts, symmetric: bool = False) -> np.ndarray:
    r"""Score columns by the share of the classes' description length that they save [1]_.

    .. math::
        \mathrm{prior} = \ln \frac{n!}{\prod_j n_{\cdot j}!} + \ln \binom{n+K-1}{K-1}, \quad
        \mathrm{post} = \sum_i \ln \frac{n_{i\cdot}!}{\prod_j n_{ij}!}
        + \ln \binom{n_{i\cdot}+K-1}{K-1}, \quad
        J = 1 - \mathrm{post} / \mathrm{prior}

    Zero for a constant column and below zero for one that costs more than it saves: a natural place to cut.
    ``symmetric`` averages it with that of the column given the classes (Hall).

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3, the MDL index.

    Examples
    --------
    >>> X = np.repeat([[0, 0], [0, 1], [1, 0], [1, 1]], 25, axis=0)
    >>> mdl_index(X, np.repeat([0, 0, 1, 1], 25)).round(5)
    array([ 0.88986, -0.01969])
    """
    given_value = tables.per_column(_description(tables.counts, tables.counts.shape[1]))
    of_class = _saved(_description(tables.class_totals, tables.counts.shape[1]), given_value)
    if not symmetric:
        return of_class
    margin = tables.value_totals[:, None]
    alone = _ragged_description(tables, margin)[:, 0]
    given_class = _ragged_description(tables, tables.counts).sum(axis=1)
    return (of_class + _saved(alone, given_class)) / 2


def _description(counts: np.ndarray, n_kinds: int) -> np.ndarray:
    """Length of the labels of a set and of their counts, by rows of counts, in nats."""
    n = counts.sum(axis=-1)
    return gammaln(n + n_kinds) - gammaln(n_kinds) - gammaln(counts + 1.0).sum(axis=-1)


def _ragged_description(tables: JointCounts, counts: np.ndarray) -> np.ndarray:
    """The same for the values of each column, by columns of counts."""
    n, sizes = tables.per_column(counts), tables.sizes[:, None]
    return gammaln(n + sizes) - gammaln(sizes) - tables.per_column(gammaln(counts + 1.0))


def _saved(alone: np.ndarray, given: np.ndarray) -> np.ndarray:
    """The share of a description that is saved; nothing where there was nothing to describe."""
    return _share(alone - given, alone)


@score("threshold-gain", multiclass=True, univariate=True, sparse=True, weights=True)
@of_tables(bins=False)
def threshold_gain(tables: JointCounts) -> np.ndarray:
    r"""Score columns by the information of their best two-way cut, in nats [1]_.

    The largest mutual information of the classes with :math:`x > t` over all thresholds t: numbers and
    two-valued columns on one scale. The values count by their order alone, a missing one as the largest. It
    is a maximum over many tables, so chi-square is not its law.

    References
    ----------
    .. [1] K. Torkkola, "Information-Theoretic Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter
       6, univariate ranking by information.

    Examples
    --------
    >>> threshold_gain(np.array([[1, 4], [2, 2], [3, 3], [4, 1]]), [0, 0, 1, 1]).round(4)
    array([0.6931, 0.2158])
    """
    below = np.cumsum(tables.counts, axis=0)
    below -= tables.spread(below[tables.starts] - tables.counts[tables.starts])
    whole = tables.class_totals
    above = np.maximum(tables.spread(whole) - below, 0.0)
    left = _length(tables.spread(whole)) - _length(below) - _length(above)
    return np.maximum(np.maximum.reduceat(left, tables.starts) / tables.totals, 0.0)


def _length(counts: np.ndarray) -> np.ndarray:
    """Entropy times size, by rows."""
    n = counts.sum(axis=1)
    return xlogy(n, n) - xlogy(counts, counts).sum(axis=1)


@of_tables(bins=False)
def median_information_p_value(tables: JointCounts) -> np.ndarray:
    """Give the p-value of :func:`median_information`: the labels have no part in the cut, so G's law holds.

    Examples
    --------
    >>> median_information_p_value(np.array([[1, 0], [2, 0], [3, 0], [9, 1]]), [0, 0, 1, 1]).round(4)
    array([0.3333, 1.    ])
    """
    return finish(mutual_information_p_value, _halves(tables))


@score(
    "median-information",
    "infogain1",
    p_value=median_information_p_value,
    multiclass=True,
    univariate=True,
    sparse=True,
    weights=True,
)
@of_tables(bins=False)
def median_information(tables: JointCounts) -> np.ndarray:
    """Score columns by the information of lying above their median, in nats [1]_.

    A column of two values is left as it is. Above is meant strictly, so that a sparse column whose median is
    zero becomes the presence of something; missing values count as above everything.

    References
    ----------
    .. [1] R. Gilad-Bachrach and A. Navot, "Margin Based Feature Selection and Infogain with Standard Classifiers", in
       Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 17, Infogain1.

    Examples
    --------
    >>> median_information(np.array([[1, 0], [2, 0], [3, 0], [9, 1]]), [0, 0, 1, 1]).round(4)
    array([0.6931, 0.2158])
    """
    return finish(mutual_information, _halves(tables))


def _halves(tables: JointCounts) -> JointCounts:
    """Cut columns of more than two values at the median."""
    weight = tables.value_totals
    below = np.cumsum(weight)
    below -= tables.spread(below[tables.starts] - weight[tables.starts])
    half = tables.spread(tables.totals) / 2
    # The median is the mean of the values where the cumulated weight reaches and where it passes one half:
    # a value is above it if half of the weight lies below that value, without it.
    above = below - weight >= half
    two_valued = tables.spread(tables.sizes) <= 2
    rank = np.arange(len(weight)) - tables.spread(tables.starts)
    return tables.coded(np.where(two_valued, rank, above))


def j_measure_terms(X: Any, y: Any, *, discretise: Any = "auto", sample_weight: Any = None) -> list[np.ndarray]:
    r"""Give what each value of each column contributes to the mutual information, in nats [1]_.

    .. math:: P_{i\cdot} \sum_j P(j \mid i) \ln \frac{P(j \mid i)}{P_{\cdot j}} \ge 0

    The measure of the rule "if the column has this value"; the values are in sorted order.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3, the J-measure.

    Examples
    --------
    >>> [terms.round(4).tolist() for terms in j_measure_terms(np.array([[0], [0], [1], [1]]), [0, 1, 1, 1])]
    [[0.0719, 0.1438]]
    """
    parts = tables_of(X, y, discretise, sample_weight)
    return [terms for tables in parts for terms in np.split(_j_terms(tables), tables.starts[1:])]


def _j_terms(tables: JointCounts) -> np.ndarray:
    expectation = expected(tables)
    ratio = np.divide(tables.counts, expectation, out=np.ones_like(expectation), where=expectation > 0)
    return xlogy(tables.counts, ratio).sum(axis=1) / tables.spread(tables.totals)


def bayes_error_bounds(
    X: Any, y: Any, *, discretise: Any = "auto", sample_weight: Any = None
) -> tuple[np.ndarray, np.ndarray]:
    r"""Bound the least error of telling the classes from each column, by the entropy left [1]_.

    .. math:: h(e) + e \log_2 (K - 1) \ge H(Y \mid X), \qquad e \le H(Y \mid X) / 2

    in bits, h the entropy of two chances: Fano's inequality in its sharp form, solved for the smallest e, and that of
    Hellman and Raviv. Columns of equal entropy may differ in error, so both bounds are attained. They bound the error in
    the law of the counts, which is optimistic for columns of many values.

    Returns
    -------
    lower, upper : ndarray
        The upper bound is at most that of always guessing the largest class.

    References
    ----------
    .. [1] K. Torkkola, "Information-Theoretic Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter
       6, bounds of the Bayes error.

    Examples
    --------
    >>> lower, upper = bayes_error_bounds(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), [0, 0, 1, 1])
    >>> lower.round(3), upper.round(3)
    (array([0. , 0.5]), array([0. , 0.5]))
    """
    found = [_error_bounds(tables) for tables in tables_of(X, y, discretise, sample_weight)]
    lower, upper = (np.concatenate(bounds) for bounds in zip(*found))
    return lower, upper


def _error_bounds(tables: JointCounts) -> tuple[np.ndarray, np.ndarray]:
    of_values, _, jointly = entropies(tables)
    left = np.maximum(jointly - of_values, 0.0) / np.log(2)
    guess = 1 - tables.class_totals.max(axis=1) / tables.totals
    n_classes = tables.counts.shape[1]
    low, high = np.zeros_like(left), np.full_like(left, 1 - 1 / n_classes)
    for _ in range(60):  # what stands left of Fano's inequality rises up to 1 - 1/K
        middle = (low + high) / 2
        enough = (entr(middle) + entr(1 - middle)) / np.log(2) + middle * np.log2(max(n_classes - 1, 1)) >= left
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    lower = np.where(left > 1e-12, low, 0.0)
    return lower, np.maximum(np.minimum(left / 2, guess), lower)


def _share(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """Divide where there is something to share."""
    return np.divide(part, whole, out=np.zeros_like(whole), where=whole > 0)
