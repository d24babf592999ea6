"""Hochreiter and Obermayer: columns by the potential support vector machine, and a nu-machine without offset."""

from __future__ import annotations

from typing import Any

from sklearn.feature_selection import VarianceThreshold
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, NuSVC

from subsel.embedded.l1.potential_svm import PotentialSVM
from subsel.embedded.networks.nonlinear_psvm import NonlinearPSVM
from subsel.literature.challenge.entries.dense_step import Dense
from subsel.literature.challenge.entry import Entry, enter
from subsel.literature.challenge.problem import Problem
from subsel.literature.models.decisions.decision_threshold import DecisionThreshold
from subsel.ranking.selector import RankingSelector

__all__ = ["PotentialMachine"]

COLUMNS = {"arcene": 700, "dexter": 500, "dorothea": 200, "gisette": 600, "madelon": 7}


@enter("p-svm")
class PotentialMachine(Entry):
    """Standardise, keep columns by the potential machine, train a support vector machine on them.

    MADELON: those by which the potential machine explains the hidden units of a network, as the chapter's own study of its
    columns does; elsewhere the linear one. Tables of more than 5,000 columns are first brought to the 2,000 most correlated
    (quick: 1,000), for the sake of time. DOROTHEA: a row is positive above the threshold of least balanced error in five folds of
    the whole, of which the chapter does not speak.

    References
    ----------
    .. [1] Hochreiter and Obermayer, *Nonlinear feature selection with the potential support vector machine*, in Guyon, Gunn, Nikravesh and Zadeh
       (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 19.

    Examples
    --------
    >>> PotentialMachine().chapter
    '19'
    """

    title, team, chapter = "P-SVM", "Sepp Hochreiter and Klaus Obermayer", "19"

    def procedure(self, problem: Problem) -> Any:
        """Prefilter, select, and train."""
        p = problem.n_features
        kept = min(COLUMNS.get(problem.recipe, 10), p)
        steps: list[Any] = [VarianceThreshold()]
        if p > 5000:
            steps.append(RankingSelector("pearson", cut=max(1000, kept) if self.quick else 2000))
        few: Any = PotentialSVM(0.05, n_features=kept)
        grid: dict[str, Any] = {"nu": [0.1, 0.2, 0.3, 0.5], "gamma": ["scale"]}
        kernel = "linear"
        if problem.recipe == "madelon":
            few, kernel = NonlinearPSVM(kept, hidden=20), "rbf"
            grid["gamma"] = [0.02, 0.2, 2.0]
        steps += [Dense(), StandardScaler(), few]
        n_folds = 3 if problem.recipe in ("gisette", "madelon") else 5
        folds = StratifiedKFold(n_folds, shuffle=True, random_state=0)
        if problem.recipe == "dorothea":
            model = make_pipeline(*steps, SVC(kernel="linear", class_weight="balanced"))
            return DecisionThreshold(model, "ber", cv=5)
        machine = GridSearchCV(NuSVC(kernel=kernel), grid, scoring="balanced_accuracy", cv=folds)
        return make_pipeline(*steps, machine)
