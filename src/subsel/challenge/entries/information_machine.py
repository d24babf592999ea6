"""Roobaert, Karakoulas and Chawla: columns with any information gain, and a weighted machine."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler
from sklearn.svm import SVC

from subsel.challenge.entries.dense import Dense
from subsel.challenge.entry import Entry, enter
from subsel.challenge.problem import Problem
from subsel.ranking.selector import RankingSelector

__all__ = ["InformationMachine"]

COLUMNS = {"arcene": 2825, "dexter": 120, "dorothea": 570, "gisette": 1523, "madelon": 20}


@enter("cba")
class InformationMachine(Entry):
    """Columns by information gain, on MADELON by their mean correlation with all columns, and a machine from a grid.

    The authors kept every column with a cut worth its description; here as many as they kept.

    References
    ----------
    .. [1] Roobaert, Karakoulas and Chawla, *Information gain, correlation and support vector machines*, in Guyon, Gunn, Nikravesh and Zadeh
       (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 22.

    Examples
    --------
    >>> InformationMachine().chapter
    '22'
    """

    title, team, chapter = "CBAMethod3", "Danny Roobaert, Grigoris Karakoulas and Nitesh Chawla", "22"

    def procedure(self, problem: Problem) -> Any:
        """Scale, rank and train."""
        score = "column-average-correlation" if problem.name == "madelon" else "threshold-gain"
        kept = min(COLUMNS.get(problem.name, 20), problem.n_features)
        scaled = MaxAbsScaler() if problem.sparse else MinMaxScaler()
        kernel = "rbf" if problem.name == "madelon" else "linear"
        step = 4 if self.quick else 2
        grid: dict[str, Any] = {"C": 2.0 ** np.arange(-7, 10, step)}
        if kernel == "rbf":
            grid["gamma"] = 2.0 ** np.arange(-9, 4, step)
        folds = StratifiedKFold(10, shuffle=True, random_state=0)
        machine = GridSearchCV(SVC(kernel=kernel, class_weight="balanced"), grid, scoring="balanced_accuracy", cv=folds)
        return make_pipeline(scaled, RankingSelector(score, cut=kept), Dense(), machine)
