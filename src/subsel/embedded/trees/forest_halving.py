"""Halving of a forest's ranking down to the size with the best cross-validated score."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.inspection import permutation_importance
from sklearn.model_selection import check_cv, cross_val_score, train_test_split
from sklearn.utils import check_random_state

from subsel.data.columns import ColumnSelector
from subsel.data.task import Kind, Task, guess_kind
from subsel.embedded.targets import kind_of, strata_of

__all__ = ["ForestHalving"]


class ForestHalving(ColumnSelector):
    """Select columns by one ranking of a random forest, halved until few columns are left [1]_.

    The forest is trained on half of the rows, and its permutation importance on the other half
    ranks the columns. The first n, n/2, n/4, ... columns are compared by cross-validation.

    Parameters
    ----------
    estimator : estimator, optional
        The forest; None stands for one of 500 trees.
    fewest : int, default=4
        Number of columns at which halving ends.
    cv : int or splitter, default=5
        Folds by which the size is chosen.
    scoring : str, callable or None
        The score; None stands for that of the forest.
    n_repeats : int, default=5
        Number of permutations of every column.
    random_state : int, RandomState or None
        Seed of the split, the permutations and the forest.

    Attributes
    ----------
    ranking_ : ndarray of int
        All columns, best first.
    sizes_, scores_ : list
        The sizes tried and their mean scores.
    support_ : ndarray of bool
        Mask of the selected columns.

    Notes
    -----
    The ranking depends on all rows, so that ``scores_`` are too optimistic: cross-validate the
    selector to assess it.

    References
    ----------
    .. [1] Chen and Lin, *Combining SVMs with various feature selection strategies*, in Guyon,
       Gunn, Nikravesh and Zadeh (eds.), *Feature Extraction*, 2006, chapter 12, section 3.3.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(90, 12))
    >>> trees = RandomForestClassifier(30, random_state=0)
    >>> importance = ForestHalving(trees, fewest=2, random_state=0).fit(X, X[:, 5] + X[:, 8] > 0)
    >>> sorted(importance.ranking_[:2].tolist())
    [5, 8]
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        fewest: int = 4,
        cv: Any = 5,
        scoring: Any = None,
        n_repeats: int = 5,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.fewest = fewest
        self.cv = cv
        self.scoring = scoring
        self.n_repeats = n_repeats
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> ForestHalving:
        """Rank the columns once, and choose among the halved sizes."""
        X, y = self._receive(X, y)
        rng = check_random_state(self.random_state)
        forest = self._forest(y, rng)
        task = Task.of(X, y, kind_of(forest))
        table, seed = task.matrix, int(rng.randint(2**31))
        first, second = train_test_split(
            np.arange(task.n_rows), test_size=0.5, random_state=seed, stratify=strata_of(task)
        )
        fitted = clone(forest).fit(table[first], task.y[first])
        importance = permutation_importance(
            fitted,
            table[second],
            task.y[second],
            scoring=self.scoring,
            n_repeats=self.n_repeats,
            random_state=seed,
        )
        self.ranking_ = np.argsort(-importance.importances_mean, kind="stable")
        classes = task.kind == "classification"
        folds = list(check_cv(self.cv, task.y, classifier=classes).split(table, task.y))
        self.sizes_, self.scores_, size = [], [], task.n_columns
        while True:
            scores = cross_val_score(
                forest, table[:, self.ranking_[:size]], task.y, cv=folds, scoring=self.scoring
            )
            self.sizes_.append(size)
            self.scores_.append(float(scores.mean()))
            if size <= max(1, self.fewest):
                break
            size = max(max(1, self.fewest), size // 2)
        best = max(range(len(self.sizes_)), key=lambda i: (self.scores_[i], -self.sizes_[i]))
        self.support_ = np.isin(np.arange(task.n_columns), self.ranking_[: self.sizes_[best]])
        return self

    def _forest(self, y: Any, rng: np.random.RandomState) -> Any:
        """Give the forest to train, with a seed."""
        forest = self.estimator
        if forest is None:
            forest = default_forest(guess_kind(np.asarray(y)))
        if forest.get_params().get("random_state", 0) is None:
            forest = clone(forest).set_params(random_state=int(rng.randint(2**31)))
        return forest

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        return tags


def default_forest(kind: Kind) -> RandomForestClassifier | RandomForestRegressor:
    """Build the forest that is trained where none is given."""
    if kind == "classification":
        return RandomForestClassifier(500)
    return RandomForestRegressor(500)
