"""Chen and Lin: as many columns of largest F-score as an RBF machine from a grid does best with on held-out rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.feature_selection import SelectorMixin
from sklearn.model_selection import GridSearchCV, StratifiedShuffleSplit
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.svm import SVC

from subsel.challenge.entries.dense import Dense
from subsel.challenge.entries.f_score_svm import machine_of_grid, to_unit_range
from subsel.challenge.entry import Entry, enter
from subsel.challenge.problem import Problem
from subsel.ranking import f_score, gap_sizes
from subsel.ranking.selector import RankingSelector

__all__ = ["SearchedCut", "ThresholdSearch"]


@enter("f-threshold-svm")
class ThresholdSearch(Entry):
    """Candidate thresholds lie at the widest gaps of the F-scores; five random splits decide, a grid inside each.

    The scores are computed anew in every split. The grid inside is a coarse one, the machine on the columns kept is that of
    the authors' own grid (quick: a single point for both), and at most 1,000 columns may be kept. The widest gaps of the
    four problems lie among the first two dozen columns; the authors, by eye, kept hundreds of three of them.

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

    def procedure(self, problem: Problem) -> Any:
        """Scale, search the threshold, and train."""
        sizes = gap_sizes(f_score(problem.X, problem.y), most=min(1000, problem.n_features - 1))
        splits = StratifiedShuffleSplit(2 if self.quick else 5, test_size=0.2, random_state=0)
        tried = SVC(C=32.0, class_weight="balanced") if self.quick else _coarse_grid()
        ranked = Pipeline([("rank", RankingSelector("f-score")), ("dense", Dense()), ("machine", tried)])
        search = GridSearchCV(ranked, {"rank__cut": sizes.tolist()}, scoring="balanced_accuracy", cv=splits)
        last = SVC(C=32.0, class_weight="balanced") if self.quick else machine_of_grid(quick=False)
        return make_pipeline(to_unit_range(problem), SearchedCut(search), Dense(), last)


class SearchedCut(SelectorMixin, BaseEstimator):
    """Keep the columns that a ranking keeps with the cut that a search found best.

    Parameters
    ----------
    search : GridSearchCV
        Over pipelines whose step ``rank`` selects.

    Examples
    --------
    >>> X = np.arange(20.0)[:, None] % [2, 3, 20]
    >>> ranked = Pipeline([("rank", RankingSelector("f-score")), ("machine", SVC())])
    >>> search = GridSearchCV(ranked, {"rank__cut": [1, 2]}, cv=2)
    >>> SearchedCut(search).fit(X, X[:, 0]).get_support(indices=True).tolist()
    [0]
    """

    def __init__(self, search: GridSearchCV) -> None:
        self.search = search

    def fit(self, X: Any, y: Any) -> SearchedCut:
        """Search, and rank all rows."""
        self.n_features_in_ = X.shape[1]
        self.search_ = clone(self.search).fit(X, y)
        return self

    def _get_support_mask(self) -> np.ndarray:
        return self.search_.best_estimator_["rank"].get_support()


def _coarse_grid() -> GridSearchCV:
    grid = {"C": [2.0, 64.0], "gamma": [2.0**-9, 2.0**-5, 0.5]}
    return GridSearchCV(SVC(class_weight="balanced"), grid, scoring="balanced_accuracy", cv=3)
