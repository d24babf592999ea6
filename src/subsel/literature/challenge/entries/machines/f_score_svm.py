"""Chen and Lin: columns by F-score and by forests, an RBF machine from a grid, on MADELON one with a scale per column."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectFromModel, SelectorMixin
from sklearn.model_selection import (
    GridSearchCV,
    StratifiedKFold,
    StratifiedShuffleSplit,
    cross_val_score,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler
from sklearn.svm import SVC

from subsel.embedded.svm.scaling_factors import ScalingFactors
from subsel.literature.challenge.entries.dense_step import Dense
from subsel.literature.challenge.entries.unlabelled_rows import FittedOnAll
from subsel.literature.challenge.entry import Entry, enter
from subsel.literature.challenge.problem import Problem
from subsel.ranking.scores.moments.fisher import f_score
from subsel.ranking.selector import RankingSelector

__all__ = [
    "FScoreSVM",
    "SearchedCut",
    "ThresholdSearch",
    "machine_of_grid",
    "round_sizes",
    "to_unit_range",
]

COLUMNS = {"arcene": 10_000, "dexter": 209, "dorothea": 445, "gisette": 913}
BY_FOREST = {"dorothea": 200, "madelon": 24}


@enter("f-score-svm")
class FScoreSVM(Entry):
    """Rank by F-score, then by the importances of a forest where that helped, then an RBF machine by balanced error.

    Columns are brought to [0, 1] by the range of all rows, those without labels, too. The numbers of columns are those that
    the authors kept. MADELON: those of a forest, and the machine whose scale of every column makes a bound on its
    leave-one-out error small (the quick form: the one of the grid).

    References
    ----------
    .. [1] Chen and Lin, *Combining SVMs with various feature selection strategies*, in Guyon, Gunn, Nikravesh and Zadeh
       (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 12.

    Examples
    --------
    >>> FScoreSVM().team
    'Yi-Wei Chen and Chih-Jen Lin'
    """

    title, team, chapter = "final 2", "Yi-Wei Chen and Chih-Jen Lin", "12"
    transductive = True

    def procedure(self, problem: Problem) -> Any:
        """Scale, select, and train."""
        p = problem.n_features
        steps: list[Any] = [to_unit_range(problem)]
        if (kept := COLUMNS.get(problem.recipe, p)) < p:
            steps += [RankingSelector("f-score", cut=kept), Dense()]
        if (few := BY_FOREST.get(problem.recipe)) is not None:
            forest = RandomForestClassifier(100 if self.quick else 500, class_weight="balanced")
            steps.append(SelectFromModel(forest, max_features=min(few, p), threshold=-np.inf))
        if problem.recipe == "madelon" and not self.quick:
            return make_pipeline(*steps, ScalingFactors(tune_C=True, max_iter=20))
        return make_pipeline(*steps, machine_of_grid(self.quick))


def to_unit_range(problem: Problem) -> Any:
    """Columns to [0, 1] over all rows of the problem, zeros staying where there are many."""
    return FittedOnAll(unit_range_scaler(problem), problem.others)


def unit_range_scaler(problem: Problem) -> Any:
    """Columns to [0, 1], zeros staying where there are many."""
    if problem.sparse:
        return MaxAbsScaler()
    return MinMaxScaler()


def machine_of_grid(quick: bool) -> GridSearchCV:
    """Powers of two for C and gamma, by five folds."""
    step = 6 if quick else 2
    grid = {"C": 2.0 ** np.arange(-5, 16, step), "gamma": 2.0 ** np.arange(-15, 4, step)}
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    return GridSearchCV(SVC(class_weight="balanced"), grid, scoring="balanced_accuracy", cv=folds)


@enter("f-threshold-svm")
class ThresholdSearch(Entry):
    """Candidate thresholds of the F-score are round numbers; five random splits decide, a grid inside each.

    The authors chose candidates by eye, at gaps, and the thresholds that they print are round numbers: so are ours. As
    with them the scores are those of all training rows, which flatters the errors in the splits. The grid inside is a coarse
    one, the machine on the columns kept is that of the authors' own grid (quick: a single point for both). At most a
    fifth of the columns may be kept, and at most 1,000. Columns are brought to [0, 1] by the range of all rows.

    References
    ----------
    .. [1] Chen and Lin, *Combining SVMs with various feature selection strategies*, in Guyon, Gunn, Nikravesh and Zadeh
       (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 12, section 3.2.

    Examples
    --------
    >>> ThresholdSearch().chapter
    '12'
    """

    title, team, chapter = "final 1", "Yi-Wei Chen and Chih-Jen Lin", "12"
    transductive = True

    def procedure(self, problem: Problem) -> Any:
        """Scale, search the threshold, and train."""
        splits = StratifiedShuffleSplit(2 if self.quick else 5, test_size=0.2, random_state=0)
        tried: Any = _coarse_grid()
        last: Any = machine_of_grid(quick=False)
        if self.quick:
            tried = last = SVC(C=32.0, class_weight="balanced")
        cut = SearchedCut(tried, splits, most=min(1000, max(problem.n_features // 5, 1)))
        return make_pipeline(to_unit_range(problem), cut, Dense(), last)


class SearchedCut(SelectorMixin, BaseEstimator):
    """Keep the columns above that round threshold of the F-score with which a machine does best on held-out rows.

    Columns are ranked once, with all rows. Of equal errors the one of fewer columns counts.

    Parameters
    ----------
    machine : classifier
        What is trained on the columns above a threshold.
    cv : splitter
        The splits in training and held-out rows.
    most : int
        How many columns may be kept.

    Attributes
    ----------
    errors_ : dict of int to float
        The mean balanced error with each number of columns.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = np.tile([-1, 1], 40)
    >>> X = rng.normal(size=(80, 9)) + 4 * (np.arange(9) == 6) * y[:, None]
    >>> cut = SearchedCut(SVC(), StratifiedShuffleSplit(3, random_state=0), most=9).fit(X, y)
    >>> cut.get_support(indices=True)
    array([6])
    """

    def __init__(self, machine: Any, cv: Any, most: int) -> None:
        self.machine = machine
        self.cv = cv
        self.most = most

    def fit(self, X: Any, y: Any) -> SearchedCut:
        """Rank all rows, and try every candidate."""
        self.n_features_in_ = X.shape[1]
        scores = f_score(X, y)
        self.ranking_ = np.argsort(-scores, kind="stable")
        self.errors_ = {k: self._error(X, y, k) for k in round_sizes(scores, self.most).tolist()}
        self.n_kept_ = min(self.errors_, key=lambda k: (round(self.errors_[k], 10), k))
        return self

    def _error(self, X: Any, y: Any, k: int) -> float:
        first = Dense().fit_transform(X[:, np.sort(self.ranking_[:k])])
        return 1 - float(
            np.mean(
                cross_val_score(self.machine, first, y, scoring="balanced_accuracy", cv=self.cv)
            )
        )

    def _get_support_mask(self) -> np.ndarray:
        return np.isin(np.arange(self.n_features_in_), self.ranking_[: self.n_kept_])


def round_sizes(scores: np.ndarray, most: int) -> np.ndarray:
    """How many scores lie at or above 1, 1.5, 2, 3, 5 and 7 times a power of ten: numbers from 1 to ``most``, ascending.

    Where no such number is left, it is the number of the best.

    >>> round_sizes(np.array([0.9, 0.1, 0.85, 0.2, 0.5]), most=4)
    array([2, 3, 4])
    """
    digits = np.array([1.0, 1.5, 2.0, 3.0, 5.0, 7.0])
    thresholds = np.round(np.multiply.outer(10.0 ** np.arange(-6, 4), digits), 12)
    sizes = np.unique((scores >= thresholds.reshape(-1, 1)).sum(axis=1))
    sizes = sizes[(sizes >= 1) & (sizes <= most)]
    if len(sizes):
        return sizes
    return np.array([min(most, int((scores == scores.max()).sum()))])


def _coarse_grid() -> GridSearchCV:
    grid = {"C": [2.0, 64.0], "gamma": [2.0**-9, 2.0**-5, 0.5]}
    return GridSearchCV(SVC(class_weight="balanced"), grid, scoring="balanced_accuracy", cv=3)
