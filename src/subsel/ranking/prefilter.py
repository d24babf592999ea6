"""A cheap filter of columns before anything is learnt."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import validate_data

from subsel.data.columns import ColumnSelector
from subsel.ranking.scores.moments.pearson import pearson

__all__ = ["PreFilter"]


class PreFilter(ColumnSelector):
    """Drop columns that are constant, nearly always zero, have outliers or are uncorrelated [1]_.

    In this order it drops

    1. constant columns;
    2. columns of two values, one of them zero, that are zero in ``rare`` of the rows or more;
    3. columns with a value more than ``outlier`` standard deviations from their mean;
    4. if more than ``many`` columns are left and there is a target, columns whose absolute
       correlation with it is below ``correlation``.

    The last step uses the target: fit it inside every fold. If all columns would be dropped, the
    one of largest variance stays.

    Parameters
    ----------
    rare : float
        The share of zeros from which a binary column is dropped.
    outlier : float
        The number of standard deviations.
    many : int
        The number of columns above which the fourth step applies.
    correlation : float
        The smallest absolute correlation that is kept.

    Attributes
    ----------
    support_ : ndarray of bool
        Mask of the columns kept.
    reasons_ : ndarray of str
        ``"constant"``, ``"rare"``, ``"outlier"``, ``"uncorrelated"`` or ``""``, for each column.

    References
    ----------
    .. [1] Embrechts, Bress and Kewley, *Feature selection via sensitivity analysis with direct
       kernel PLS*, in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 21.

    Examples
    --------
    >>> X = np.column_stack([np.zeros(200), np.arange(200) == 0, np.arange(200.0)])
    >>> PreFilter().fit(X).reasons_.tolist()
    ['constant', 'rare', '']
    """

    def __init__(
        self,
        rare: float = 0.99,
        *,
        outlier: float = 6.0,
        many: int = 1000,
        correlation: float = 0.1,
    ) -> None:
        self.rare = rare
        self.outlier = outlier
        self.many = many
        self.correlation = correlation

    def fit(self, X: Any, y: Any = None) -> PreFilter:
        """Find the columns to drop, using the target if there is one."""
        if y is None:
            X = validate_data(self, X, dtype=np.float64)
        else:
            X, y = validate_data(self, X, y, dtype=np.float64)
        spread = X.std(axis=0)
        safe = np.where(spread > 0, spread, 1.0)
        two = ((X == 0) | (X.max(axis=0) == X) | (X.min(axis=0) == X)).all(axis=0)
        two &= (X.min(axis=0) == 0) | (X.max(axis=0) == 0)
        tests = {
            "constant": np.ptp(X, axis=0) == 0,
            "rare": two & ((X == 0).mean(axis=0) >= self.rare),
            "outlier": (np.abs(X - X.mean(axis=0)) / safe).max(axis=0) > self.outlier,
        }
        reasons = np.full(X.shape[1], "", dtype=object)
        for name, failed in tests.items():
            reasons[(reasons == "") & failed] = name
        left = np.flatnonzero(reasons == "")
        if y is not None and len(left) > self.many:
            reasons[left[pearson(X[:, left], y) < self.correlation]] = "uncorrelated"
        if not (reasons == "").any():
            reasons[int(spread.argmax())] = ""
        self.reasons_ = reasons
        self.support_ = reasons == ""
        return self
