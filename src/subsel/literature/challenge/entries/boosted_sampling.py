"""Borisov, Eruhimov and Tuv: boosted trees that draw columns by what earlier trees found in them."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.feature_selection import SelectFromModel
from sklearn.pipeline import make_pipeline

from subsel.literature.challenge.entries.dense_step import Dense
from subsel.literature.challenge.entry import Entry, enter
from subsel.literature.challenge.problem import Problem
from subsel.literature.models.decisions.decision_threshold import DecisionThreshold
from subsel.literature.models.trees.mart import MARTClassifier
from subsel.ranking.selector import RankingSelector

__all__ = ["BoostedSampling"]

COLUMNS = {"dexter": 200, "gisette": 600}


@enter("mart-ws")
class BoostedSampling(Entry):
    """Boosted trees with weighted sampling of columns; two passes, selection and model, where the authors made two.

    What is drawn at a node, shrinkage, depth and rounds are not printed. On MADELON, by a split of the training rows, a tenth
    of the columns, 0.03, seven and 200, which ends the start's weight within the first fifty trees; elsewhere half the root of
    the number of columns, 0.1, four and 400.

    DOROTHEA is first brought to the 5,000 columns most informative, for the sake of time; with one positive row in ten, a row
    is positive above the threshold of least balanced error in five folds of the whole, of which the chapter does not speak.

    References
    ----------
    .. [1] Borisov, Eruhimov and Tuv, *Tree-based ensembles with dynamic soft feature selection*, in Guyon, Gunn, Nikravesh and Zadeh
       (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 15.

    Examples
    --------
    >>> BoostedSampling().chapter
    '15'
    """

    title, team, chapter = "IDEAL", "Alexander Borisov, Victor Eruhimov and Eugene Tuv", "15"

    def procedure(self, problem: Problem) -> Any:
        """Boost, on what a first pass kept where there is one."""
        if problem.recipe == "madelon":
            draws = max(1, problem.n_features // 10)
            return MARTClassifier(
                200, n_draws=draws, learning_rate=0.03, max_depth=7, min_samples_leaf=5
            )
        boosted = MARTClassifier(50 if self.quick else 400, max_depth=4, subsample=0.6)
        steps: list[Any] = [Dense()]
        if problem.n_features > 20_000:
            steps.insert(0, RankingSelector("anova-f", cut=5000))
        if (kept := COLUMNS.get(problem.recipe, problem.n_features)) < problem.n_features:
            steps.append(SelectFromModel(clone(boosted), max_features=kept, threshold=-np.inf))
        model = make_pipeline(*steps, boosted)
        if problem.recipe == "dorothea":
            return DecisionThreshold(model, "ber", cv=5)
        return model
