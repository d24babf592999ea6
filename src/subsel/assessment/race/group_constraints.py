"""Selections that respect fixed columns and groups of columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import get_tags

from subsel.data.columns import ColumnSelector

__all__ = ["GroupConstraint", "complete_groups"]


def complete_groups(
    support: np.ndarray, groups: Sequence[Sequence[int]], fixed: Sequence[int]
) -> np.ndarray:
    """Add to a mask the fixed columns and every group of which a column is selected.

    >>> complete_groups(np.array([True, False, False, False]), [[0, 2]], [3])
    array([ True, False,  True,  True])
    """
    support = support.copy()
    support[list(fixed)] = True
    for group in groups:
        support[list(group)] |= support[list(group)].any()
    return support


class GroupConstraint(ColumnSelector):
    """Any selector, with fixed columns added and groups completed.

    Parameters
    ----------
    selector : selector
        The selector.
    groups : list of lists of int, optional
        Columns that are selected together.
    fixed : list of int, optional
        Columns that are always selected.

    Examples
    --------
    >>> from sklearn.feature_selection import SelectKBest
    >>> X = np.array([[0.0, 3, 1], [0, 1, 2], [1, 2, 3], [1, 1, 4]])
    >>> GroupConstraint(SelectKBest(k=1), groups=[[0, 1]]).fit(X, [0, 0, 1, 1]).get_support()
    array([ True,  True, False])
    """

    def __init__(
        self, selector: Any, groups: list[list[int]] | None = None, fixed: list[int] | None = None
    ) -> None:
        self.selector = selector
        self.groups = groups
        self.fixed = fixed

    def fit(self, X: Any, y: Any) -> GroupConstraint:
        """Select, then complete the selection."""
        X, y = self._receive(X, y)
        self.selector_ = clone(self.selector).fit(X, y)
        self.support_ = complete_groups(
            self.selector_.get_support(), self.groups or [], self.fixed or []
        )
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = get_tags(self.selector).input_tags.sparse
        tags.input_tags.allow_nan = get_tags(self.selector).input_tags.allow_nan
        return tags
