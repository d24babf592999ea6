"""Selections that keep to what the user asked: fixed columns in, groups whole."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.utils import get_tags

from subsel.columns import ColumnSelector
from subsel.ranking.selector import RankingSelector
from subsel.task import select_columns

__all__ = ["ScreenedSearch", "WholeGroups", "closed"]


def closed(support: np.ndarray, groups: Sequence[Sequence[int]], fixed: Sequence[int]) -> np.ndarray:
    """A mask with the fixed columns and every group that it touches.

    >>> closed(np.array([True, False, False, False]), [[0, 2]], [3])
    array([ True, False,  True,  True])
    """
    support = support.copy()
    support[list(fixed)] = True
    for group in groups:
        support[list(group)] |= support[list(group)].any()
    return support


class WholeGroups(ColumnSelector):
    """Any selector, with the fixed columns added and groups taken whole.

    Parameters
    ----------
    selector : selector
        What chooses.
    groups : list of lists of int, optional
        Columns that are selected together.
    fixed : list of int, optional
        Columns that are always selected.

    Examples
    --------
    >>> from sklearn.feature_selection import SelectKBest
    >>> X = np.array([[0.0, 3, 1], [0, 1, 2], [1, 2, 3], [1, 1, 4]])
    >>> WholeGroups(SelectKBest(k=1), groups=[[0, 1]]).fit(X, [0, 0, 1, 1]).get_support()
    array([ True,  True, False])
    """

    def __init__(self, selector: Any, groups: list[list[int]] | None = None, fixed: list[int] | None = None) -> None:
        self.selector = selector
        self.groups = groups
        self.fixed = fixed

    def fit(self, X: Any, y: Any) -> WholeGroups:
        """Select, then complete the selection."""
        X, y = self._receive(X, y)
        self.selector_ = clone(self.selector).fit(X, y)
        self.support_ = closed(self.selector_.get_support(), self.groups or [], self.fixed or [])
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = get_tags(self.selector).input_tags.sparse
        return tags


class ScreenedSearch(ColumnSelector):
    """A search among the columns that do best one by one.

    Parameters
    ----------
    selector : SubsetSelector
        The search; its groups and fixed columns are given here instead.
    width : int, default=500
        How many columns are searched; a table with no more is searched whole.
    screen_by : str, default="anova-f"
        Score by which the columns are screened.
    groups : list of lists of int, optional
        Columns that are selected together.
    fixed : list of int, optional
        Columns that are always selected.

    Attributes
    ----------
    result_ : Result
        Of the search, told in the columns of the whole table.
    screened_ : ndarray of int
        The columns that were searched.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from subsel import SubsetSelector
    >>> X, y = load_wine(return_X_y=True)
    >>> ScreenedSearch(SubsetSelector(GaussianNB(), "sfs", n_features=2), width=5).fit(X, y).screened_
    array([ 0,  6,  9, 11, 12])
    """

    def __init__(
        self,
        selector: Any,
        width: int = 500,
        screen_by: str = "anova-f",
        groups: list[list[int]] | None = None,
        fixed: list[int] | None = None,
    ) -> None:
        self.selector = selector
        self.width = width
        self.screen_by = screen_by
        self.groups = groups
        self.fixed = fixed

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> ScreenedSearch:
        """Screen, then search what is left."""
        X, y = self._receive(X, y)
        self.screened_ = self._screen(X, y)
        place = {int(column): i for i, column in enumerate(self.screened_)}
        inside = [[place[c] for c in group] for group in self.groups or [] if group[0] in place]
        search = clone(self.selector).set_params(
            feature_groups=inside or None, fixed=[place[c] for c in self.fixed or []] or None
        )
        search.set_params(n_features=_within(search.n_features, len(self.screened_), len(search.fixed or [])))
        narrow = select_columns(X, self.screened_)
        narrow = narrow.toarray() if sparse.issparse(narrow) else np.asarray(narrow)
        search.fit(narrow, y, sample_weight=sample_weight, groups=groups)
        names = tuple(getattr(self, "feature_names_in_", ()))
        self.result_ = search.result_.in_columns(self.screened_, names)
        self.support_ = np.isin(np.arange(self.n_features_in_), self.result_.chosen)
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        return tags

    def transform(self, X: Any) -> Any:
        """Keep the selected columns, as a dense table: they are few, and not every model reads sparse ones."""
        kept = super().transform(X)
        return kept.toarray() if sparse.issparse(kept) else kept

    def _screen(self, X: Any, y: Any) -> np.ndarray:
        everything = np.arange(self.n_features_in_)
        if len(everything) <= self.width:
            return everything
        best = RankingSelector(self.screen_by, cut=self.width).fit(X, y).get_support()
        return np.flatnonzero(closed(best, self.groups or [], self.fixed or []))


def _within(n_features: Any, n_columns: int, n_fixed: int) -> Any:
    """Bounds of the size that fit the columns at hand."""
    low, high = n_features if isinstance(n_features, tuple) else (n_features, n_features)
    high = n_columns if high is None else min(max(high, n_fixed, 1), n_columns)
    return min(low or 1, high), high
