"""Rosset and Zhu: columns that are common or that tell, and the path of an L1 penalty with the huberized hinge."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.decomposition import PCA
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from subsel.challenge.entries.dense import Dense
from subsel.challenge.entry import Entry, enter
from subsel.challenge.problem import Problem
from subsel.ranking.selector import RankingSelector

__all__ = ["L1Paths"]

COLUMNS = {"arcene": 3000, "dexter": 1152, "dorothea": 5210, "gisette": 1500, "madelon": 21}
KEPT = {"dexter": 112}


@enter("l1-paths")
class L1Paths(Entry):
    """Keep columns by a t test, then L1 paths of the huberized hinge, or a machine where linear boundaries do not do.

    ARCENE: a linear machine on principal components; MADELON: an RBF machine on columns ranked by ReliefF, which the
    authors do not describe.

    References
    ----------
    .. [1] Rosset and Zhu, *Sparse, flexible and efficient modeling using L1 regularization*, in Guyon, Gunn, Nikravesh and Zadeh
       (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 16.

    Examples
    --------
    >>> L1Paths().chapter
    '16'
    """

    title, team, chapter = "Depends I", "Saharon Rosset and Ji Zhu", "16"

    def procedure(self, problem: Problem) -> Any:
        """Prefilter, then the path or the machine."""
        name, p = problem.recipe, problem.n_features
        kept = min(COLUMNS.get(name, 50), p)
        if name == "madelon":
            grid = {"C": [1.0, 10.0, 100.0], "gamma": np.logspace(-3, 0, 3 if self.quick else 7)}
            chosen = [StandardScaler(), RankingSelector("relieff", cut=kept)]
            return make_pipeline(*chosen, GridSearchCV(SVC(), grid, scoring="balanced_accuracy", cv=_folds()))
        steps: list[Any] = [RankingSelector("t-test", cut=kept), Dense(), StandardScaler()]
        if name == "arcene":
            return make_pipeline(*steps, PCA(0.99), SVC(kernel="linear", class_weight="balanced"))
        path = RankingSelector("l1-huberized-hinge", cut=min(KEPT.get(name, 300), kept))
        grid = {"C": [0.001, 0.01, 0.1, 1.0]}
        last = GridSearchCV(LinearSVC(class_weight="balanced"), grid, scoring="balanced_accuracy", cv=_folds())
        return make_pipeline(*steps, path, last)


def _folds() -> StratifiedKFold:
    return StratifiedKFold(5, shuffle=True, random_state=0)
