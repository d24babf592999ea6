"""Torkkola and Tuv: columns by a forest or by mutual information, and an ensemble of least-squares machines on samples."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectFromModel
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from subsel.literature.challenge.entries.dense_step import Dense
from subsel.literature.challenge.entry import Entry, enter
from subsel.literature.challenge.problem import Problem
from subsel.literature.models.committees.rlsc_committee import RLSCCommittee
from subsel.literature.models.decisions.decision_threshold import DecisionThreshold
from subsel.ranking.selector import RankingSelector

__all__ = ["ForestRLSC"]

COLUMNS = {"madelon": 19, "dexter": 500, "gisette": 307, "dorothea": 284}
MEMBERS = {"dorothea": 30}
SHARES = {"madelon": 0.4, "dexter": 0.7, "arcene": 0.8, "gisette": 0.3, "dorothea": 0.6}
WIDTHS = {
    "madelon": 1 / 30,
    "dexter": 1 / 2.5,
    "arcene": 1 / 10,
    "gisette": 1.0,
    "dorothea": 1 / 10,
}


@enter("rf-rlsc")
class ForestRLSC(Entry):
    """The columns that a forest ranks first, standardised, for a committee of regularised least squares on samples.

    DOROTHEA: with one positive row in ten a vote at zero calls no row positive; here folds of the training rows tell where to
    cut, of which the chapter does not speak.

    References
    ----------
    .. [1] Torkkola and Tuv, *Ensembles of regularized least squares classifiers for high-dimensional problems*, in Guyon,
       Gunn, Nikravesh and Zadeh (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 11.

    Examples
    --------
    >>> ForestRLSC().chapter
    '11'
    """

    title, team, chapter = "RF+RLSC", "Kari Torkkola and Eugene Tuv", "11"

    def procedure(self, problem: Problem) -> Any:
        """Select, scale, and train the committee."""
        kept, name = COLUMNS.get(problem.recipe), problem.recipe
        steps: list[Any] = []
        if name == "dexter":
            steps.append(RankingSelector("mutual-information", cut=min(500, problem.n_features)))
        elif kept is not None and kept < problem.n_features:
            forest = RandomForestClassifier(100 if self.quick else 500, class_weight="balanced")
            steps.append(SelectFromModel(forest, max_features=kept, threshold=-np.inf))
        scale = name in ("madelon", "dexter")
        steps += [Dense(), StandardScaler(with_std=scale)]
        gamma = 1e-4 if name == "dexter" else 0.0
        members = MEMBERS.get(name, 200)
        if self.quick:
            members = 20
        committee = RLSCCommittee(
            members, SHARES.get(name, 0.5), width=WIDTHS.get(name, 0.1), gamma=gamma
        )
        if name == "dorothea":
            return make_pipeline(*steps, DecisionThreshold(committee, "ber"))
        return make_pipeline(*steps, committee)
