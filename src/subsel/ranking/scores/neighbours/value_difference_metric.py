"""The value difference metric: the distance of values is that of their class posteriors."""

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

BLOCK_POSTERIORS = 1 << 18  # posteriors of rows in memory at a time: 2 MB
LEAST_BINS = 5  # bins of a numeric column, or the number of classes if that is larger


def value_difference_metric(
    X: Any,
    y: Any,
    Z: Any = None,
    *,
    numeric: Any = None,
    n_bins: int | None = None,
    sample_weight: Any = None,
) -> Array:
    r"""Give the distances of rows of Z, or of X, to rows of X by their class posteriors [1]_.

    .. math:: \mathrm{VDM}(a, b)^2 = \sum_f \sum_j \bigl(P(j \mid a_f) - P(j \mid b_f)\bigr)^2

    The posteriors P of a value are the class shares, by weight, of the rows of X that have it. Rows
    whose values have equal posteriors are at distance 0; the names of the values do not matter. In
    a single nominal column the expected square between two rows is the score
    :func:`subsel.ranking.value_difference`.

    A missing value (NaN) is a value of its own, as in all tables of values and classes. The
    posterior of a value that no row of X with positive weight has is the class shares of all rows.

    Numbers are compared by the modified metric: posteriors of bins of equal width are assigned to
    the middles of the bins, interpolated linearly between them, and constant beyond. Empty bins are
    ignored.

    Parameters
    ----------
    X : array or sparse table of shape (n, p)
        The rows that posteriors are learnt from.
    y : array-like of shape (n,)
        The classes of the rows of X.
    Z : array or sparse table of shape (m, p), optional
        The rows whose distances to those of X are computed, in the order that nearest neighbours by
        a precomputed metric expect; X by default.
    numeric : array of bool or list of int, optional
        Mask or list of the numeric features. All others are nominal, their numbers are names.
    n_bins : int, optional
        The number of bins of a numeric column; by default one for each class and at least 5.
    sample_weight : array-like of shape (n,), optional
        The weights of the rows of X.

    Returns
    -------
    array of shape (m, n)
        The distances. Memory is needed for two such arrays, for the posteriors of all values of all
        columns, and for those of the m + n rows in a few columns at a time. Time is O(m n p K) for
        K classes.

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
    for (block, of_X), (_, of_Z) in zip(parts(X, blocks), parts(Z, blocks)):
        profiles = [
            _profiles(part, learnt[block]).reshape(part.shape[0], -1) for part in (of_Z, of_X)
        ]
        squared += cdist(*profiles, "sqeuclidean")
    return np.sqrt(squared, out=squared)


def feature_value_difference(
    X: Any, y: Any, *, numeric: Any = None, n_bins: int | None = None, sample_weight: Any = None
) -> Array:
    r"""Give the distances between features by the class posteriors of their values [1]_.

    .. math::

        d(f, g)^2 = \sum_i w_i \sum_j
        \bigl(P(j \mid x_{if}) - P(j \mid x_{ig})\bigr)^2 / \sum_i w_i

    Redundant features, whose values have the same posteriors in every row, are at distance 0,
    whatever the names of their values; so are two features without information. The distance of a
    nominal feature to one without information is the root of half its score
    :func:`subsel.ranking.value_difference`. Posteriors, parameters and missing values are those of
    :func:`value_difference_metric`.

    Returns
    -------
    array of shape (p, p)
        The distances. Memory is needed for two such arrays, for the posteriors of all values of all
        columns, and for those of some rows at a time. Time is O(n p^2 K) for K classes.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       equation 3.24, the value difference metric.

    Examples
    --------
    >>> X = [[0, 5, 1], [0, 5, 2], [1, 3, 1], [1, 3, 2]]
    >>> feature_value_difference(X, [0, 0, 1, 1]).round(4)
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
    """The class posteriors of the values of one column."""

    values: Array  # (n_values,) known values, or middles of bins, ascending
    shares: Array  # (n_values, n_classes) their class shares
    missing: Array  # (n_classes,) those of missing values
    prior: Array  # (n_classes,) those of all rows
    numeric: bool  # whether shares are interpolated between values

    def class_shares(self, x: Array) -> Array:
        """Give the class shares of values x, shape (len(x), n_classes)."""
        if not len(self.values):
            shares = np.tile(self.prior, (len(x), 1))
        elif self.numeric:
            shares = np.stack([np.interp(x, self.values, share) for share in self.shares.T], axis=1)
        else:
            place = np.minimum(np.searchsorted(self.values, x), len(self.values) - 1)
            shares = np.where((self.values[place] == x)[:, None], self.shares[place], self.prior)
        shares[np.isnan(x)] = self.missing
        return shares


def _profiles(X: Any, learnt: list[Posteriors]) -> Array:
    """Give the class shares of every value, shape (n_rows, n_columns, n_classes)."""
    return np.stack([column.class_shares(x) for column, x in zip(learnt, dense(X).T)], axis=1)


def _learn(
    X: Any, y: Any, numeric: Any, n_bins: int | None, sample_weight: Any
) -> list[Posteriors]:
    """Give the posteriors of every column."""
    tables = joint_counts(X, y, sample_weight=sample_weight)
    n_classes = tables.counts.shape[1]
    if n_bins is None:
        n_bins = max(LEAST_BINS, n_classes)
    if n_bins < 1:
        raise ValueError(f"n_bins must be at least 1, got {n_bins}.")
    prior = tables.class_totals[0] / tables.totals[0]
    posteriors = []
    for (values, counts), number in zip(tables, nominal_mask(numeric, X.shape[1], "numeric")):
        known = ~np.isnan(values)
        missing_counts = counts[~known].sum(axis=0)
        weighted = known & counts.any(axis=1)
        values, counts = values[weighted], counts[weighted]
        if number and len(values):
            values, counts = _bins(values.astype(np.float64), counts, n_bins)
        missing = prior
        if missing_counts.any():
            missing = missing_counts / missing_counts.sum()
        shares = counts / counts.sum(axis=1, keepdims=True)
        posteriors.append(Posteriors(values, shares, missing, prior, bool(number)))
    return posteriors


def _bins(values: Array, counts: Array, n_bins: int) -> tuple[Array, Array]:
    """Give the middles of bins of equal width that are not empty, and the class counts in them."""
    low, high = values[0], values[-1]
    if low == high:
        return values, counts
    place = np.minimum(((values - low) / (high - low) * n_bins).astype(np.intp), n_bins - 1)
    bins, first = np.unique(place, return_index=True)
    middles = low + (bins + 0.5) / n_bins * (high - low)
    return middles, np.add.reduceat(counts, first, axis=0)
