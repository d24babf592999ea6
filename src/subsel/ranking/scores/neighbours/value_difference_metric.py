"""The value difference metric: values are as far apart as the classes they make likely."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from subsel.data.statistics.blocks import column_blocks, parts
from subsel.data.statistics.counts import joint_counts
from subsel.data.statistics.differences import nominal_mask
from subsel.data.statistics.score_input import as_stored, weights
from subsel.data.storage import csr_if_sparse, dense

__all__ = ["feature_value_difference", "value_difference_metric"]

Array = np.ndarray

BLOCK_POSTERIORS = 1 << 18  # of rows, written out at a time
LEAST_BINS = 5  # of a numeric column; as many as there are classes if these are more


def value_difference_metric(
    X: Any,
    y: Any,
    Z: Any = None,
    *,
    numeric: Any = None,
    n_bins: int | None = None,
    sample_weight: Any = None,
) -> Array:
    r"""Give the distances of rows of Z, or of X, to those of X by the classes that their values make likely [1]_.

    .. math:: \mathrm{VDM}(a, b)^2 = \sum_f \sum_j \bigl(P(j \mid a_f) - P(j \mid b_f)\bigr)^2

    The posteriors P are class shares of the rows of X that have the value, counted in weights. Rows
    whose values have equal posteriors are at distance 0; the names of the values do not matter. In
    a single nominal column the square expected between two rows is the score
    :func:`subsel.ranking.value_difference`.

    A missing value (NaN) is a value of its own, as in all tables of values and classes. A value
    that no row of X has, none of positive weight, tells nothing: the class shares of all rows stand
    in for its posterior.

    Numbers are compared by the modified metric: the posteriors of bins of equal width stand at the
    middles of the bins, are interpolated linearly between them, and are those of the end bins
    beyond. Empty bins are passed over.

    Parameters
    ----------
    X : array or sparse table of shape (n, p)
        The rows that posteriors are learnt from.
    Z : array or sparse table of shape (m, p)
        Rows to compare with those of X, as nearest neighbours by a precomputed metric want it; X if
        not given.
    numeric : array of bool or list of int, optional
        Mask or list of the numeric features. All others are nominal, their numbers are names.
    n_bins : int
        Bins of a numeric column; one for each class and at least 5 if not given.

    Returns
    -------
    array of shape (m, n)
        Memory is taken for two such arrays, for the posteriors of all values of all columns, and
        for those of the m + n rows in a few columns at a time. Time is O(m n p K) for K classes.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       equation 3.24, the value difference metric.

    Examples
    --------
    >>> value_difference_metric([[0], [0], [1], [2]], [0, 1, 1, 1], [[0], [7]]).round(4)
    array([[0.    , 0.    , 0.7071, 0.7071],
           [0.3536, 0.3536, 0.3536, 0.3536]])
    """
    X = as_stored(X, finite="allow-nan")
    Z = X if Z is None else as_stored(Z, finite="allow-nan")
    if Z.shape[1] != X.shape[1]:
        raise ValueError(f"Z must have the {X.shape[1]} features of X, got {Z.shape[1]}.")
    learnt = _learn(X, y, numeric, n_bins, sample_weight)
    squared = np.zeros((Z.shape[0], X.shape[0]))
    blocks = list(column_blocks(X, copies=len(learnt[0].prior), depth=X.shape[0] + Z.shape[0]))
    for (block, known), (_, asked) in zip(parts(X, blocks), parts(Z, blocks)):
        profiles = [
            _profiles(part, learnt[block]).reshape(part.shape[0], -1) for part in (asked, known)
        ]
        squared += cdist(*profiles, "sqeuclidean")
    return np.sqrt(squared, out=squared)


def feature_value_difference(
    X: Any, y: Any, *, numeric: Any = None, n_bins: int | None = None, sample_weight: Any = None
) -> Array:
    r"""Give the distances between features by the classes that their values make likely, row by row [1]_.

    .. math:: d(f, g)^2 = \sum_i w_i \sum_j \bigl(P(j \mid x_{if}) - P(j \mid x_{ig})\bigr)^2 / \sum_i w_i

    Redundant features, which tell the same of the class in every row, are at distance 0, whatever
    the names of their values; two that tell nothing are, too. The distance of a nominal feature to
    one that tells nothing is the root of half its score :func:`subsel.ranking.value_difference`.
    Posteriors, parameters and missing values are those of :func:`value_difference_metric`.

    Returns
    -------
    array of shape (p, p)
        Memory is taken for two such arrays, for the posteriors of all values of all columns, and
        for those of some rows at a time. Time is O(n p^2 K) for K classes.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       equation 3.24, the value difference metric.

    Examples
    --------
    >>> feature_value_difference([[0, 5, 1], [0, 5, 2], [1, 3, 1], [1, 3, 2]], [0, 0, 1, 1]).round(4)
    array([[0.    , 0.    , 0.7071],
           [0.    , 0.    , 0.7071],
           [0.7071, 0.7071, 0.    ]])
    """
    X = csr_if_sparse(as_stored(X, finite="allow-nan"))
    learnt = _learn(X, y, numeric, n_bins, sample_weight)
    (n, p), weight = X.shape, weights(X, sample_weight)
    share, squared = np.sqrt(weight / weight.sum()), np.zeros((p, p))
    height = max(1, BLOCK_POSTERIORS // (p * len(learnt[0].prior)))
    for first in range(0, n, height):
        rows = slice(first, first + height)
        profiles = _profiles(X[rows], learnt) * share[rows, None, None]
        by_feature = np.moveaxis(profiles, 1, 0).reshape(p, -1)
        squared += cdist(by_feature, by_feature, "sqeuclidean")
    return np.sqrt(squared, out=squared)


@dataclass(frozen=True, slots=True, eq=False)
class Posteriors:
    """The class shares of a column's values, or of bins by their middles, of missing values, and of all rows."""

    values: Array
    shares: Array
    missing: Array
    prior: Array
    numeric: bool

    def of(self, x: Array) -> Array:
        """Give the class shares of each value, a row each."""
        if not len(self.values):
            found = np.tile(self.prior, (len(x), 1))
        elif self.numeric:
            found = np.stack([np.interp(x, self.values, share) for share in self.shares.T], axis=1)
        else:
            place = np.minimum(np.searchsorted(self.values, x), len(self.values) - 1)
            found = np.where((self.values[place] == x)[:, None], self.shares[place], self.prior)
        found[np.isnan(x)] = self.missing
        return found


def _profiles(X: Any, learnt: list[Posteriors]) -> Array:
    """Give the class shares of every value, an array of rows by columns by classes."""
    return np.stack([column.of(x) for column, x in zip(learnt, dense(X).T)], axis=1)


def _learn(
    X: Any, y: Any, numeric: Any, n_bins: int | None, sample_weight: Any
) -> list[Posteriors]:
    """Learn the posteriors of every column."""
    tables = joint_counts(X, y, sample_weight=sample_weight)
    n_classes = tables.counts.shape[1]
    if n_bins is None:
        n_bins = max(LEAST_BINS, n_classes)
    if n_bins < 1:
        raise ValueError(f"n_bins must be at least 1, got {n_bins}.")
    prior = tables.class_totals[0] / tables.totals[0]
    found = []
    for (values, counts), number in zip(tables, nominal_mask(numeric, X.shape[1], "numeric")):
        known = ~np.isnan(values)
        aside = counts[~known].sum(axis=0)
        weighing = known & counts.any(axis=1)
        values, counts = values[weighing], counts[weighing]
        if number and len(values):
            values, counts = _bins(values.astype(np.float64), counts, n_bins)
        missing = aside / aside.sum() if aside.any() else prior
        found.append(
            Posteriors(
                values, counts / counts.sum(axis=1, keepdims=True), missing, prior, bool(number)
            )
        )
    return found


def _bins(values: Array, counts: Array, n_bins: int) -> tuple[Array, Array]:
    """Give the middles of bins of equal width, empty ones left out, and the counts in them."""
    low, high = values[0], values[-1]
    if low == high:
        return values, counts
    place = np.minimum(((values - low) / (high - low) * n_bins).astype(np.intp), n_bins - 1)
    bins, first = np.unique(place, return_index=True)
    middles = low + (bins + 0.5) / n_bins * (high - low)
    return middles, np.add.reduceat(counts, first, axis=0)
