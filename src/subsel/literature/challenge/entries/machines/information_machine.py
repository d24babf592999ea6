"""Roobaert, Karakoulas and Chawla: columns with any information gain, and a weighted machine."""

from __future__ import annotations

from typing import Any

from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from subsel.literature.challenge.entries.dense_step import Dense
from subsel.literature.challenge.entries.machines.f_score_svm import unit_range_scaler
from subsel.literature.challenge.entry import Entry, enter
from subsel.literature.challenge.problem import Problem
from subsel.literature.models.decisions.pattern_search import PatternTuned
from subsel.ranking.selector import RankingSelector

__all__ = ["InformationMachine"]

COLUMNS = {"arcene": 2825, "dexter": 120, "dorothea": 570, "gisette": 1523, "madelon": 20}


@enter("cba")
class InformationMachine(Entry):
    """Columns by information gain, on MADELON by their mean correlation with all columns, and a machine by pattern search.

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

    title, team, chapter = (
        "CBAMethod3",
        "Danny Roobaert, Grigoris Karakoulas and Nitesh Chawla",
        "22",
    )

    def procedure(self, problem: Problem) -> Any:
        """Scale, rank and train."""
        score, kernel, start = "threshold-gain", "linear", {"C": 0.0}
        if problem.recipe == "madelon":
            score, kernel, start = "column-average-correlation", "rbf", {"C": 3.0, "gamma": -3.0}
        kept = min(COLUMNS.get(problem.recipe, 20), problem.n_features)
        n_folds, least_step = 10, 0.5
        if self.quick:
            n_folds, least_step = 5, 2.0
        machine = PatternTuned(
            SVC(kernel=kernel, class_weight="balanced"),
            start,
            least_step=least_step,
            cv=StratifiedKFold(n_folds, shuffle=True, random_state=0),
            scoring="balanced_accuracy",
        )
        scaled = unit_range_scaler(problem)
        return make_pipeline(scaled, RankingSelector(score, cut=kept), Dense(), machine)
