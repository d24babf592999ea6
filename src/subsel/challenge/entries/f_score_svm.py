"""Chen and Lin: columns by F-score, where asked by a forest, and an RBF machine from a grid."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectFromModel
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler
from sklearn.svm import SVC

from subsel.challenge.entry import Entry, enter
from subsel.challenge.problem import Problem
from subsel.ranking.selector import RankingSelector

__all__ = ["FScoreSVM"]

COLUMNS = {"arcene": 10_000, "dexter": 209, "dorothea": 445, "gisette": 913, "madelon": 24}
BY_FOREST = {"dorothea": 200, "madelon": 16}


@enter("f-score-svm")
class FScoreSVM(Entry):
    """Rank by F-score, then by the importances of a forest where that helped, then an RBF machine by balanced error.

    Columns are brought to [0, 1]. The numbers of columns are those that the authors kept.

    References
    ----------
    .. [1] Chen and Lin, *Combining SVMs with various feature selection strategies*, in Guyon, Gunn, Nikravesh and Zadeh
       (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 12.

    Examples
    --------
    >>> FScoreSVM().team
    'Yi-Wei Chen and Chih-Jen Lin'
    """

    title, team, chapter = "final 1/2", "Yi-Wei Chen and Chih-Jen Lin", "12"

    def procedure(self, problem: Problem) -> Any:
        """Scale, select, and search the grid."""
        p = problem.n_features
        steps: list[Any] = [MaxAbsScaler() if problem.sparse else MinMaxScaler()]
        if (kept := COLUMNS.get(problem.name, 50)) < p and problem.name != "madelon":
            steps.append(RankingSelector("fisher", cut=kept))
        if (few := BY_FOREST.get(problem.name)) is not None:
            forest = RandomForestClassifier(100 if self.quick else 500, class_weight="balanced")
            steps.append(SelectFromModel(forest, max_features=min(few, p), threshold=-np.inf))
        return make_pipeline(*steps, self._machine())

    def _machine(self) -> GridSearchCV:
        """Powers of two, by five folds."""
        step = 6 if self.quick else 2
        grid = {"C": 2.0 ** np.arange(-5, 16, step), "gamma": 2.0 ** np.arange(-15, 4, step)}
        folds = StratifiedKFold(5, shuffle=True, random_state=0)
        return GridSearchCV(SVC(class_weight="balanced"), grid, scoring="balanced_accuracy", cv=folds)
