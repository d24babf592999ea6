"""Saffari: columns by correlation or by single-variable classifiers, and a committee of small networks."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.decomposition import PCA
from sklearn.feature_selection import VarianceThreshold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MaxAbsScaler, StandardScaler

from subsel.literature.challenge.entries.dense_step import Dense
from subsel.literature.challenge.entry import Entry, enter
from subsel.literature.challenge.problem import Problem
from subsel.literature.models.committees.mlp_committee import MLPCommittee
from subsel.literature.models.decisions.decision_threshold import DecisionThreshold
from subsel.ranking.selector import RankingSelector

__all__ = ["CorrelationCommittee"]

COLUMNS = {"arcene": 2018, "dexter": 1001, "dorothea": 1248, "gisette": 505, "madelon": 10}
SCORES = {"arcene": "pearson", "dexter": "pearson"}
HIDDEN = {"arcene": 5, "dexter": 2, "dorothea": 2, "gisette": 3, "madelon": 25}
COMPONENTS = {"arcene": 60, "gisette": 100}


@enter("collection2")
class CorrelationCommittee(Entry):
    """Rank by correlation or by the nearest of two class means, keep as many as the author, average 25 small networks.

    Columns are centred and brought to [-1, 1]; ARCENE and GISETTE go through principal components. DOROTHEA: a row is
    positive above the threshold of least balanced error in five folds of the whole, as the author had found his first.

    References
    ----------
    .. [1] Saffari Azar Alamdari, *Variable selection using correlation and single variable classifier methods: applications*, in Guyon, Gunn, Nikravesh and Zadeh
       (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 14.

    Examples
    --------
    >>> CorrelationCommittee().chapter
    '14'
    """

    title, team, chapter = "Collection2", "Amir Reza Saffari Azar Alamdari", "14"

    def procedure(self, problem: Problem) -> Any:
        """Rank, scale, and train the committee."""
        name = problem.recipe
        score = SCORES.get(name, "single-variable-classifier")
        kept = min(COLUMNS.get(name, 10), problem.n_features)
        steps: list[Any] = [
            VarianceThreshold(),
            RankingSelector(score, cut=kept),
            Dense(),
            _scaling(name),
        ]
        if name in COMPONENTS:
            steps.append(PCA(min(COMPONENTS[name], len(problem.y) - 1, kept)))
            steps.append(StandardScaler())
        committee = MLPCommittee(5 if self.quick else 25, hidden=HIDDEN.get(name, 5))
        model = make_pipeline(*steps, committee)
        if name == "dorothea":
            return DecisionThreshold(model, "ber", cv=5)
        return model


def _scaling(name: str) -> Any:
    """To [-1, 1]; absent marks of DOROTHEA become -1."""
    if name == "dorothea":
        return FunctionTransformer(lambda X: 2 * np.asarray(X) - 1)
    return make_pipeline(StandardScaler(with_std=False), MaxAbsScaler())
