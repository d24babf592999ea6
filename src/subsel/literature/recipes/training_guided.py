"""Guided by the training error, sized on rows that no guide has seen; and columns tried one at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.metrics import check_scoring
from sklearn.model_selection import train_test_split

from subsel.criteria.exact import criterion_of
from subsel.data.columns import ColumnSelector
from subsel.data.task import Task
from subsel.embedded.targets import kind_of
from subsel.space.space import Space

__all__ = ["TrainingGuided", "one_at_a_time"]


class TrainingGuided(ColumnSelector):
    """Add columns by the score on the training rows themselves, choose how many on other rows [1]_ [2]_.

    The guide is cheap and gives one set per size; the rows that choose the size see as many sets as there are sizes, few
    enough for little luck. What the chosen set scores on them is still the best of several: report on third rows.

    Parameters
    ----------
    estimator : estimator
        Trained and scored on the guiding rows at every step.
    scoring : str, callable or None
        As in ``cross_val_score``.
    max_features : int or None
        Sizes tried; None is all.
    validation_share : float
        Of the rows, stratified by class, that choose the size.
    random_state : int, RandomState or None
        Of the split.

    Attributes
    ----------
    support_ : ndarray of bool
        Mask of the columns kept.
    path_ : ndarray of int
        The columns in the order in which they were added.
    guide_scores_, validation_scores_ : ndarray
        Of each size, from 1.
    guide_rows_, validation_rows_ : ndarray of int
        The rows that guided, and those that chose the size.

    References
    ----------
    .. [1] Reunanen, *Search strategies*, in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 4, section 4.6.2.
    .. [2] Ng, *On feature selection: learning with exponentially many irrelevant features as training examples*, ICML 1998.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.linear_model import LinearRegression
    >>> selector = TrainingGuided(LinearRegression(), random_state=0).fit(*load_diabetes(return_X_y=True))
    >>> selector.path_[:2], bool(np.all(np.diff(selector.guide_scores_) >= 0))
    (array([2, 8]), True)
    """

    def __init__(
        self,
        estimator: Any,
        *,
        scoring: Any = None,
        max_features: int | None = None,
        validation_share: float = 0.33,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.scoring = scoring
        self.max_features = max_features
        self.validation_share = validation_share
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> TrainingGuided:
        """Grow the sets on one part of the rows, choose among them on the other."""
        X, y = self._receive(X, y)
        task = Task.of(X, y, kind_of(self.estimator))
        most = self.max_features
        if most is None:
            most = task.n_columns
        if not 1 <= most <= task.n_columns:
            raise ValueError(
                f"max_features must lie in [1, {task.n_columns}], got {self.max_features!r}."
            )
        stratify = None
        if task.kind == "classification":
            stratify = task.codes
        self.guide_rows_, self.validation_rows_ = train_test_split(
            np.arange(task.n_rows),
            test_size=self.validation_share,
            random_state=self.random_state,
            stratify=stratify,
        )
        self._grow(task, most)
        best = int(np.argmax(self.validation_scores_)) + 1
        self.support_ = np.isin(np.arange(task.n_columns), self.path_[:best])
        return self

    def _grow(self, task: Task, most: int) -> None:
        a, b = self.guide_rows_, self.validation_rows_
        scorer, table = check_scoring(self.estimator, self.scoring), np.asarray(task.matrix)
        guide = criterion_of(self.estimator, self.scoring, [(a, a)], "never").bind(task)
        space = Space.of(task.n_columns)
        here = space.empty()
        path: list[int] = []
        guided: list[float] = []
        evaluated: list[float] = []
        for _ in range(most):
            candidates = space.additions(here)
            qualities = guide.evaluate(candidates)
            here = candidates[int(np.argmax(qualities))]
            columns = space.columns(here)
            path.append(int(np.setdiff1d(columns, path)[0]))
            model = clone(self.estimator).fit(table[np.ix_(a, columns)], task.y[a])
            guided.append(float(np.max(qualities)))
            evaluated.append(float(scorer(model, table[np.ix_(b, columns)], task.y[b])))
        self.path_, self.guide_scores_, self.validation_scores_ = (
            np.array(path),
            np.array(guided),
            np.array(evaluated),
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        return tags


def one_at_a_time(
    estimator: Any, X: Any, y: Any, base: Any = (), *, scoring: Any = None, cv: Any = 5
) -> np.ndarray:
    """Score each column by the cross-validated score of the base columns with it added; NaN for those of the base [1]_.

    References
    ----------
    .. [1] Grabczewski and Jankowski, *Mining for complex models comprising feature selection and classification*, in Guyon
       et al. (eds.), *Feature Extraction*, 2006, chapter 23.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> one_at_a_time(GaussianNB(), *load_iris(return_X_y=True), base=[3]).round(2)
    array([0.95, 0.94, 0.96,  nan])
    """
    task = Task.of(X, y, kind_of(estimator))
    space = Space.of(task.n_columns)
    start = space.subset(list(base))
    candidates = space.additions(start)
    scores = np.full(task.n_columns, np.nan)
    added = [np.setdiff1d(columns, list(base))[0] for columns in candidates.columns()]
    scores[added] = criterion_of(estimator, scoring, cv).bind(task).evaluate(candidates)
    return scores
