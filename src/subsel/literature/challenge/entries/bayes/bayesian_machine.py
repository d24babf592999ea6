"""Chu, Keerthi, Ong and Ghahramani: inputs by the evidence of an ARD kernel, and a machine on those."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.feature_selection import SelectFromModel
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from subsel.embedded.bayes.posterior_selection import PosteriorSelector
from subsel.literature.challenge.entries.dense_step import Dense
from subsel.literature.challenge.entry import Entry, enter
from subsel.literature.challenge.problem import Problem
from subsel.models.bayes.ard_classifier import ARDKernelClassifier
from subsel.ranking.selector import RankingSelector

__all__ = ["BayesianMachine"]


@enter("bayesian-svm")
class BayesianMachine(Entry):
    """On MADELON the eight inputs most relevant to an ARD kernel of largest evidence; elsewhere a linear machine.

    The price of slack of the linear machine is not printed: folds of the training rows choose it. Columns are standardised
    but those of DOROTHEA, which are binary, and of DEXTER, whose counts as they are leave as many columns as printed and err
    half as often on folds of the training rows. The ARD kernel is given the 40 columns that ReliefF ranks first, for the
    sake of time; the authors gave it all.

    References
    ----------
    .. [1] Chu, Keerthi, Ong and Ghahramani, *Bayesian support vector machines for feature ranking and selection*, in Guyon, Gunn, Nikravesh and Zadeh
       (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 18.

    Examples
    --------
    >>> BayesianMachine().chapter
    '18'
    """

    title, team, chapter = (
        "Bayesian +",
        "Wei Chu, Sathiya Keerthi, Chong Jin Ong and Zoubin Ghahramani",
        "18",
    )

    def procedure(self, problem: Problem) -> Any:
        """Select by evidence, or train the machine on all."""
        folds = StratifiedKFold(5, shuffle=True, random_state=0)
        if problem.recipe == "madelon":
            ranked = RankingSelector("relieff", cut=min(40, problem.n_features))
            ard = ARDKernelClassifier(n_starts=10, max_iter=100)
            if self.quick:
                ard.set_params(n_starts=1, max_iter=4)
            eight = PosteriorSelector([ard], n_features=min(8, problem.n_features))
            grid = {"C": 10.0 ** np.arange(-0.5, 3, 0.5), "gamma": 10.0 ** np.arange(-3, 0.5, 0.5)}
            machine = GridSearchCV(SVC(), grid, scoring="balanced_accuracy", cv=folds)
            return make_pipeline(StandardScaler(), ranked, eight, machine)
        prices = {"C": 10.0 ** np.arange(-5, 1)}
        linear = GridSearchCV(_linear(), prices, scoring="balanced_accuracy", cv=folds)
        if problem.recipe == "dorothea":
            return make_pipeline(linear)
        if problem.recipe == "dexter":
            used = SelectFromModel(_linear(0.01), threshold=1e-8)
            return make_pipeline(used, Dense(), linear)
        return make_pipeline(StandardScaler(with_mean=not problem.sparse), linear)


def _linear(C: float = 1.0) -> LinearSVC:
    return LinearSVC(C=C, loss="hinge", class_weight="balanced", max_iter=5000)
