"""Chen and Lin: columns by F-score and by forests, an RBF machine from a grid, on MADELON one with a scale per column."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectFromModel
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler
from sklearn.svm import SVC

from subsel.embedded.svm.scaling_factors import ScalingFactors
from subsel.literature.challenge.entries.dense_step import Dense
from subsel.literature.challenge.entries.unlabelled_rows import FittedOnAll
from subsel.literature.challenge.entry import Entry, enter
from subsel.literature.challenge.problem import Problem
from subsel.ranking.selector import RankingSelector

__all__ = ["FScoreSVM", "machine_of_grid", "to_unit_range"]

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
