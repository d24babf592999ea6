"""A step that keeps every so-and-so-many-th column, in order of spread."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import validate_data

__all__ = ["SystematicSample"]


class SystematicSample(SelectorMixin, BaseEstimator):
    """Of columns that tell much the same as others, keep some of every spread [1]_.

    Parameters
    ----------
    n_columns : int
        How many to keep; all where there are no more.

    References
    ----------
    .. [1] Cochran, *Sampling Techniques*, 3rd edition, 1977, chapter 8.

    Examples
    --------
    >>> X = np.array([[0.0, 0.0, 0.0, 0.0], [4.0, 3.0, 2.0, 1.0]])
    >>> SystematicSample(2).fit(X).get_support(indices=True).tolist()
    [0, 2]
    """

    def __init__(self, n_columns: int = 100) -> None:
        self.n_columns = n_columns

    def fit(self, X: Any, y: Any = None) -> SystematicSample:  # noqa: ARG002
        """Order the columns by their standard deviation and step through them."""
        X = validate_data(self, X)
        kept = min(self.n_columns, X.shape[1])
        order = np.argsort(X.std(axis=0), kind="stable")
        places = (np.arange(kept) + 0.5) * X.shape[1] / kept
        self.support_ = np.isin(np.arange(X.shape[1]), order[places.astype(int)])
        return self

    def _get_support_mask(self) -> np.ndarray:
        return self.support_
