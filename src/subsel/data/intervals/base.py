"""Base classes of discretisers, which replace a number by the number of its interval."""

from __future__ import annotations

from abc import ABC, abstractmethod
from numbers import Integral
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from subsel.data.statistics.counts import column_blocks, count
from subsel.data.statistics.joint_counts import JointCounts
from subsel.data.statistics.score_input import classes_and_codes

__all__ = ["Discretiser"]


class Discretiser(OneToOneFeatureMixin, TransformerMixin, BaseEstimator, ABC):
    """Base class of discretisers, which learn cut points of each column.

    A value equal to a cut point belongs to the interval on its left, as in decision trees. Missing
    values (NaN) are ignored by ``fit``; their code is the one after that of the last interval.

    Attributes
    ----------
    cut_points_ : list of ndarray
        The sorted cut points of each column; a column that is not cut has none.
    n_features_in_ : int
        The number of columns of the table in ``fit``.

    Examples
    --------
    >>> from subsel.data import EqualWidth
    >>> EqualWidth(n_bins=2).fit([[0.0], [4.0]]).cut_points_
    [array([2.])]
    """

    _min_samples = 1

    @abstractmethod
    def cuts(self, values: np.ndarray, table: np.ndarray) -> np.ndarray:
        """Return the sorted cut points of a column.

        Parameters
        ----------
        values : ndarray of shape (n_values,)
            The distinct values of the column, sorted, at least two, without NaN.
        table : ndarray of shape (n_values, n_classes)
            How often each class occurs with each value.
        """

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
        """Return the code of every entry, a whole number from 0, of shape (n, p)."""
        check_is_fitted(self)
        X = validate_data(
            self, X, reset=False, dtype=[np.float64, np.float32], ensure_all_finite="allow-nan"
        )
        codes = [interval(column, cuts) for column, cuts in zip(X.T, self.cut_points_)]
        return np.stack(codes, axis=1)

    def recode(self, tables: JointCounts) -> np.ndarray:
        """Return the code of every value in contingency tables, by cut points learnt from these.

        The cut points are not stored in the discretiser.
        """
        return np.concatenate(
            [interval(values, self._cuts_of_known(values, table)) for values, table in tables]
        )

    def _check_parameters(self) -> None:
        n_bins = getattr(self, "n_bins", 2)
        if not isinstance(n_bins, Integral) or n_bins < 2:
            raise ValueError(f"n_bins must be a whole number of at least 2, got {n_bins!r}.")

    def _learn(self, X: np.ndarray, y: Any) -> list[np.ndarray]:
        labels, codes = self._classes(X, y)
        blocks = (count(block, codes, len(labels)) for block in column_blocks(X))
        return [self._cuts_of_known(values, table) for tables in blocks for values, table in tables]

    def _classes(self, X: np.ndarray, y: Any) -> tuple[np.ndarray, np.ndarray]:  # noqa: ARG002
        return np.zeros(1), np.zeros(len(X), dtype=np.intp)

    def _cuts_of_known(self, values: np.ndarray, table: np.ndarray) -> np.ndarray:
        """Return the cut points of a column of which the last value may be NaN."""
        n_present = len(values) - int(np.isnan(values[-1]))
        if n_present < 2:
            return np.empty(0)
        return self.cuts(values[:n_present], table[:n_present])

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = []
        return tags


class SupervisedDiscretiser(Discretiser):
    """Base class of discretisers that need the classes."""

    _min_samples = 2

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the cut points from numbers and classes."""
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None."
            )
        return super().fit(X, y)

    def _classes(self, X: np.ndarray, y: Any) -> tuple[np.ndarray, np.ndarray]:
        return classes_and_codes(X, y)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def interval(x: np.ndarray, cuts: np.ndarray) -> np.ndarray:
    """Return the number of the interval of each number, one more than the last for NaN."""
    return np.where(np.isnan(x), len(cuts) + 1, np.searchsorted(cuts, x))


def between(values: np.ndarray, last: np.ndarray) -> np.ndarray:
    """Return the cut points halfway between the values at the positions ``last`` and the next ones.

    Where the midpoint rounds to the upper value, it is the lower one, which belongs to the left.
    """
    low, high = values[last].astype(np.float64), values[last + 1].astype(np.float64)
    middle = low + (high - low) / 2
    return np.where(middle < high, middle, low)
