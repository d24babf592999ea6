"""Discretisers: a number becomes the number of the interval it lies in."""

from __future__ import annotations

from abc import ABC, abstractmethod
from numbers import Integral
from typing import Any, Self

import numpy as np
from scipy.special import xlogy
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from subsel.ranking.counts import JointCounts, column_blocks, count
from subsel.ranking.modl_intervals import best_partition, greedy_partition
from subsel.ranking.table import classes_and_codes

__all__ = ["MDL", "MODL", "Discretiser", "EqualFrequency", "EqualWidth", "TreeCuts"]


class Discretiser(OneToOneFeatureMixin, TransformerMixin, BaseEstimator, ABC):
    """What all discretisers share: cut points learnt column by column from the table of values and classes.

    A value equal to a cut point belongs to the interval on its left, as in decision trees. A missing value
    (NaN) is left out of the learning and gets the code after the last interval's.

    Attributes
    ----------
    cut_points_ : list of arrays
        The sorted cut points of each column; a column that is not cut has none.
    n_features_in_ : int
    """

    _min_samples = 1

    @abstractmethod
    def cuts(self, values: np.ndarray, table: np.ndarray) -> np.ndarray:
        """Give the cut points of a column from its sorted values and how often each class meets each."""

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the cut points."""
        X = validate_data(
            self,
            X,
            dtype=[np.float64, np.float32],
            ensure_all_finite="allow-nan",
            ensure_min_samples=self._min_samples,
        )
        self._check_parameters()
        self.cut_points_ = self._learn(X, y)
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Give the code of every entry, whole numbers from 0."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=[np.float64, np.float32], ensure_all_finite="allow-nan")
        codes = [interval(column, cuts) for column, cuts in zip(X.T, self.cut_points_)]
        return np.stack(codes, axis=1)

    def recode(self, tables: JointCounts) -> np.ndarray:
        """Give the code of every value in tables of counts, by cuts learnt from them and not kept."""
        return np.concatenate([interval(values, self._cuts_aside(values, table)) for values, table in tables])

    def _check_parameters(self) -> None:
        n_bins = getattr(self, "n_bins", 2)
        if not isinstance(n_bins, Integral) or n_bins < 2:
            raise ValueError(f"n_bins must be a whole number of at least 2, got {n_bins!r}.")

    def _learn(self, X: np.ndarray, y: Any) -> list[np.ndarray]:
        labels, codes = self._classes(X, y)
        blocks = (count(block, codes, len(labels)) for block in column_blocks(X))
        return [self._cuts_aside(values, table) for tables in blocks for values, table in tables]

    def _classes(self, X: np.ndarray, y: Any) -> tuple[np.ndarray, np.ndarray]:
        return np.zeros(1), np.zeros(len(X), dtype=np.intp)

    def _cuts_aside(self, values: np.ndarray, table: np.ndarray) -> np.ndarray:
        """Cut the values that are there."""
        n_present = len(values) - int(np.isnan(values[-1]))
        return self.cuts(values[:n_present], table[:n_present]) if n_present > 1 else np.empty(0)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = []
        return tags


class SupervisedDiscretiser(Discretiser):
    """A discretiser that looks at the classes."""

    _min_samples = 2

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the cut points from numbers and classes."""
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None.")
        return super().fit(X, y)

    def _classes(self, X: np.ndarray, y: Any) -> tuple[np.ndarray, np.ndarray]:
        return classes_and_codes(X, y)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def interval(x: np.ndarray, cuts: np.ndarray) -> np.ndarray:
    """Give the interval that each number lies in, counted from 0; the one after the last if missing."""
    return np.where(np.isnan(x), len(cuts) + 1, np.searchsorted(cuts, x))


def between(values: np.ndarray, last: np.ndarray) -> np.ndarray:
    """Give the cut points halfway between the values at ``last`` and their successors."""
    low, high = values[last].astype(np.float64), values[last + 1].astype(np.float64)
    middle = low + (high - low) / 2
    return np.where(middle < high, middle, low)


class EqualWidth(Discretiser):
    """Cut the range of each column into intervals of equal width (book-01 F22).

    Parameters
    ----------
    n_bins : int
        The number of intervals; a constant column has one.

    Examples
    --------
    >>> EqualWidth(n_bins=2).fit_transform(np.array([[0.0], [1.0], [2.0], [10.0]])).ravel()
    array([0, 0, 0, 1])
    """

    def __init__(self, n_bins: int = 8) -> None:
        self.n_bins = n_bins

    def cuts(self, values: np.ndarray, table: np.ndarray) -> np.ndarray:
        """Divide the range."""
        return self._divide(float(values[0]), float(values[-1]))

    def _learn(self, X: np.ndarray, y: Any) -> list[np.ndarray]:
        """Read the range off without sorting."""
        low, high = np.fmin.reduce(X, axis=0), np.fmax.reduce(X, axis=0)
        return [self._divide(*ends) for ends in zip(low.astype(np.float64), high.astype(np.float64))]

    def _divide(self, low: float, high: float) -> np.ndarray:
        steps = np.arange(1, self.n_bins) / self.n_bins
        return np.unique(low * (1 - steps) + high * steps) if low < high else np.empty(0)


class EqualFrequency(Discretiser):
    """Cut each column into intervals that hold equally many rows, as far as equal values allow (book-01 F22).

    A value goes to the bin that holds its middle rank, so that sizes differ by at most one without ties.

    Parameters
    ----------
    n_bins : int
        The number of intervals wanted; fewer result where one value fills several.

    Examples
    --------
    >>> EqualFrequency(n_bins=2).fit_transform(np.array([[0.0], [1.0], [2.0], [10.0]])).ravel()
    array([0, 0, 1, 1])
    """

    def __init__(self, n_bins: int = 8) -> None:
        self.n_bins = n_bins

    def cuts(self, values: np.ndarray, table: np.ndarray) -> np.ndarray:
        """Cut where the bin changes from one value to the next."""
        bins = JointCounts(values, table, np.zeros(1, dtype=np.intp)).equal_frequency(self.n_bins)
        return between(values, np.flatnonzero(np.diff(bins)))


class MDL(SupervisedDiscretiser):
    r"""Cut where the classes' entropy falls by more than the cut costs to describe (Fayyad and Irani 1993).

    A set of N rows with k classes is cut in two where the gain is largest, if

    .. math:: \mathrm{gain} > \frac{\log_2(N-1) + \log_2(3^k - 2) - k H + k_1 H_1 + k_2 H_2}{N}

    and both parts are treated alike. A column that is nowhere cut tells nothing of the classes, by this rule
    (book-04 22A).

    Examples
    --------
    >>> X = np.array([[1], [2], [3], [4], [5], [6], [7], [8]])
    >>> MDL().fit(X, [0, 0, 0, 0, 1, 1, 1, 1]).cut_points_
    [array([4.5])]
    """

    def cuts(self, values: np.ndarray, table: np.ndarray) -> np.ndarray:
        """Cut recursively, the left part first."""
        below = np.vstack([np.zeros(table.shape[1]), np.cumsum(table, axis=0)])
        found: list[int] = []
        waiting = [(0, len(values))]
        while waiting:
            begin, end = waiting.pop()
            cut = _accepted_cut(below[begin : end + 1] - below[begin])
            if cut:
                found.append(begin + cut)
                waiting += [(begin, begin + cut), (begin + cut, end)]
        return between(values, np.sort(np.array(found, dtype=np.intp)) - 1)


def _accepted_cut(below: np.ndarray) -> int:
    """Give the number of values left of the best cut, or 0 if none pays; ``below`` are cumulated counts."""
    left, whole = below[1:-1], below[-1]
    n = whole.sum()
    if len(left) == 0 or n <= 2:
        return 0
    right = whole - left
    left_bits, right_bits, bits = (_bits(part) for part in (left, right, whole))
    gain = (bits - left_bits - right_bits) / n
    cut = int(np.argmax(gain))
    k, k_left, k_right = (np.count_nonzero(part) for part in (whole, left[cut], right[cut]))
    entropies = k * bits / n - k_left * left_bits[cut] / left[cut].sum() - k_right * right_bits[cut] / right[cut].sum()
    price = np.log2(n - 1) + k * np.log2(3) + np.log2(1 - 2 * 3.0**-k) - entropies  # 3 ** k has no float from 647 on
    return cut + 1 if gain[cut] > price / n else 0


def _bits(counts: np.ndarray) -> np.ndarray:
    """Entropy times size, in bits."""
    total = counts.sum(axis=-1)
    return (xlogy(total, total) - xlogy(counts, counts).sum(axis=-1)) / np.log(2)


class MODL(SupervisedDiscretiser):
    r"""Cut each column into the most probable intervals given the classes (Boulle; book-05 NB1).

    See :func:`subsel.ranking.modl` for the cost. No parameter decides how many intervals there are.

    Parameters
    ----------
    exact : bool
        Find the best partition by dynamic programming, cubic in the number of runs of one class, instead of
        merging neighbours greedily down to one interval and keeping the best partition seen.

    Examples
    --------
    >>> X = np.array([[1], [2], [3], [4], [5], [6]])
    >>> MODL().fit(X, [0, 0, 0, 1, 1, 1]).cut_points_
    [array([3.5])]
    """

    def __init__(self, exact: bool = False) -> None:
        self.exact = exact

    def cuts(self, values: np.ndarray, table: np.ndarray) -> np.ndarray:
        """Cut before each interval but the first."""
        begins, _ = (best_partition if self.exact else greedy_partition)(table)
        return between(values, begins[1:] - 1)


class TreeCuts(SupervisedDiscretiser):
    """Cut each column where a decision tree on it alone would (book-01 F24).

    The tree sees ranks, so the cuts do not change under increasing transforms.

    Parameters
    ----------
    n_bins : int
        The number of leaves at most; the tree grows best first.
    criterion : {"gini", "entropy", "log_loss"}
    min_weight_fraction_leaf : float
        The share of all rows that a leaf must hold.

    Examples
    --------
    >>> X = np.array([[1], [2], [3], [4]])
    >>> TreeCuts().fit(X, [0, 0, 1, 1]).cut_points_
    [array([2.5])]
    """

    def __init__(self, n_bins: int = 8, criterion: str = "gini", min_weight_fraction_leaf: float = 0.0) -> None:
        self.n_bins = n_bins
        self.criterion = criterion
        self.min_weight_fraction_leaf = min_weight_fraction_leaf

    def cuts(self, values: np.ndarray, table: np.ndarray) -> np.ndarray:
        """Grow the tree on ranks of values, each class weighted by how often it meets the value."""
        from sklearn.tree import DecisionTreeClassifier

        tree = DecisionTreeClassifier(
            criterion=self.criterion,
            max_leaf_nodes=int(self.n_bins),
            min_weight_fraction_leaf=self.min_weight_fraction_leaf,
            random_state=0,
        )
        rank, label = np.nonzero(table)
        grown = tree.fit(rank[:, None], label, sample_weight=table[rank, label]).tree_
        return between(values, np.sort(grown.threshold[grown.feature == 0]).astype(np.intp))
