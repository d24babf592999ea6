"""A search among the columns that a screening leaves, its folds repeated, its size chosen on rows it has not seen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.utils import check_random_state, get_tags

from subsel.assessment.folds.splits import make_splits
from subsel.assessment.race.group_constraints import closed
from subsel.criteria.exact import judge_of
from subsel.data.columns import ColumnSelector
from subsel.data.encoding.missing_values import without_gaps
from subsel.data.routing import takes_weights
from subsel.data.storage import dense
from subsel.data.task import Kind, Task, select_columns
from subsel.ranking.selector import RankingSelector
from subsel.result.result import Found, Result

__all__ = ["ScreenedSearch"]

N_FOLDS = 5
Pairs = list[tuple[np.ndarray, np.ndarray]]


class ScreenedSearch(ColumnSelector):
    """A search among the columns that do best one by one.

    A search is guided by folds of the rows it searches, and the best of what it saw looks better than it is, the more so
    the more columns it may take. With ``held_out_size`` the whole of it, screening included, is therefore run anew
    without the rows of each fold; the size is the one that does best on those; and the answer is the best subset of that
    size among all rows.

    Parameters
    ----------
    selector : SubsetSelector
        The search; its groups, fixed columns and folds are given here instead.
    width : int, default=500
        How many columns are searched; a table with no more is searched whole.
    screen_by : str, default="anova-f"
        Score by which the columns are screened.
    groups : list of lists of int, optional
        Columns that are selected together.
    fixed : list of int, optional
        Columns that are always selected.
    sizes : sequence of int, optional
        What each column adds to the size of a selection; by default 1.
    repeats : int, default=1
        How often the five folds that guide the search are drawn.
    held_out_size : bool, default=False
        Whether the size is chosen on rows that the search has not seen.
    most_rows : int, optional
        A table with more rows is screened and searched on a sample of so many.

    Attributes
    ----------
    result_ : Result
        Of the search, told in the columns of the whole table.
    screened_ : ndarray of int
        The columns that were searched.
    sizes_ : dict of int to float
        With ``held_out_size``, the mean quality of every size on the rows held out.

    References
    ----------
    .. [1] Reunanen, *Search strategies*, in Guyon, Gunn, Nikravesh and Zadeh (eds.), *Feature Extraction: Foundations and
       Applications*, 2006, chapter 4.

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
        *,
        screen_by: str = "anova-f",
        groups: list[list[int]] | None = None,
        fixed: list[int] | None = None,
        sizes: Sequence[int] | None = None,
        repeats: int = 1,
        held_out_size: bool = False,
        most_rows: int | None = None,
    ) -> None:
        self.selector = selector
        self.width = width
        self.screen_by = screen_by
        self.groups = groups
        self.fixed = fixed
        self.sizes = sizes
        self.repeats = repeats
        self.held_out_size = held_out_size
        self.most_rows = most_rows

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> ScreenedSearch:
        """Screen, then search what is left."""
        X, y = self._receive(X, y)
        kind: Kind = "regression"
        if is_classifier(self.selector.estimator):
            kind = "classification"
        gaps = get_tags(self.selector).input_tags.allow_nan
        if not takes_weights(self.selector.estimator):
            sample_weight = None
        task = Task.of(X, y, kind, sample_weight=sample_weight, groups=groups, allow_nan=gaps)
        seed = int(check_random_state(self.selector.random_state).randint(2**31 - 10**4))
        if self.most_rows is not None and task.n_rows > self.most_rows:
            task = task.rows(
                np.random.default_rng(seed).choice(task.n_rows, self.most_rows, replace=False)
            )
        result, self.screened_ = self._found(task, seed)
        if self.held_out_size and len(result.front) > 1:
            result = self._of_held_out_size(result, task, seed)
        self.result_ = replace(result, names=tuple(getattr(self, "feature_names_in_", ())))
        self.support_ = np.isin(np.arange(self.n_features_in_), self.result_.chosen)
        return self

    def transform(self, X: Any) -> Any:
        """Keep the selected columns, as a dense table: they are few, and not every model reads sparse ones."""
        return dense(super().transform(X))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        searches = self.selector is not None  # a saved model has no search any more
        tags.input_tags.allow_nan = searches and get_tags(self.selector).input_tags.allow_nan
        return tags

    def _found(self, task: Task, seed: int) -> tuple[Result, np.ndarray]:
        """Screen and search these rows; the result in the columns of the whole table, and the columns searched."""
        screened = self._screen(task)
        place = {int(column): i for i, column in enumerate(screened)}
        inside = [[place[c] for c in group] for group in self.groups or [] if group[0] in place]
        fixed = [place[c] for c in self.fixed or []]
        sizes = None
        if self.sizes is not None:
            sizes = [self.sizes[c] for c in screened]
        search = clone(self.selector).set_params(
            feature_groups=inside or None,
            fixed=fixed or None,
            feature_sizes=sizes,
            n_features=_within(
                self.selector.n_features, self._size(screened), self._size(self.fixed or [])
            ),
            cv=[
                pair
                for repeat in range(self.repeats)
                for pair in _pairs(task, seed + repeat, self._cv)
            ],
        )
        search.fit(_dense(task.X, screened), task.y, sample_weight=task.sample_weight)
        return search.result_.in_columns(screened, ()), screened

    @property
    def _cv(self) -> Any:
        """Folds that follow time where that is asked for."""
        if isinstance(self.selector.cv, str):
            return self.selector.cv
        return N_FOLDS

    def _size(self, columns: Iterable[int]) -> int:
        if self.sizes is None:
            return len(list(columns))
        return sum(self.sizes[c] for c in columns)

    def _screen(self, task: Task) -> np.ndarray:
        everything = np.arange(task.n_columns)
        if len(everything) <= self.width:
            return everything
        best = (
            RankingSelector(self.screen_by, cut=self.width)
            .fit(without_gaps(task.X), task.y)
            .get_support()
        )
        return np.flatnonzero(closed(best, self.groups or [], self.fixed or []))

    def _of_held_out_size(self, result: Result, task: Task, seed: int) -> Result:
        """The best subset of the size that does best where rows are held out from everything."""
        largest = max(found.size for found in result.front)
        curves = [
            self._held_out(task, pair, largest, seed)
            for pair in _pairs(task, seed + 10**3, self._cv)
        ]
        mean = np.mean(curves, axis=0)
        self.sizes_ = dict(enumerate(mean.tolist(), start=1))
        chosen = _largest_within(result.front, int(np.argmax(mean)) + 1)
        return replace(result, chosen=chosen.columns, chosen_quality=chosen.quality)

    def _held_out(
        self, task: Task, pair: tuple[np.ndarray, np.ndarray], largest: int, seed: int
    ) -> np.ndarray:
        """The quality, on the rows held out, of the best subset of each size that the others give."""
        front = self._found(task.rows(pair[0]), seed)[0].front
        columns = np.unique(np.concatenate([found.columns for found in front]))
        narrow = Task(
            _dense(task.X, columns),
            task.y,
            task.kind,
            [str(c) for c in columns],
            task.sample_weight,
        )
        evaluator = judge_of(
            self.selector.estimator, self.selector.scoring, [pair], self.selector.exact
        ).bind(narrow)
        qualities = {
            f.size: evaluator.explain(np.searchsorted(columns, f.columns)).quality for f in front
        }
        return np.array(
            [qualities[_largest_within(front, size).size] for size in range(1, largest + 1)]
        )


def _pairs(task: Task, seed: int, cv: Any = N_FOLDS) -> Pairs:
    """Shuffled folds, fewer where a class or the groups are few; or those that follow time."""
    return [(split.train, split.test) for split in make_splits(cv, task, seed)]


def _largest_within(front: tuple[Found, ...], size: int) -> Found:
    """The largest of the front that has no more columns; the smallest where all have more."""
    within = [found for found in front if found.size <= size]
    if not within:
        return min(front, key=lambda found: found.size)
    return max(within, key=lambda found: found.size)


def _dense(X: Any, columns: np.ndarray) -> np.ndarray:
    return np.asarray(dense(select_columns(X, columns)))


def _within(n_features: Any, n_columns: int, n_fixed: int) -> Any:
    """Bounds of the size that fit the columns at hand."""
    if not isinstance(n_features, tuple):
        n_features = (n_features, n_features)
    low, high = n_features
    if high is None:
        high = n_columns
    high = min(max(high, n_fixed, 1), n_columns)
    return min(low or 1, high), high
