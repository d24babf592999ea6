"""Lal, Chapelle and Scholkopf: columns by Fisher's ratio, as many as do best where ranking is redone, and a machine."""

from __future__ import annotations

from typing import Any

from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC

from subsel.construct.inputs.normalisation import MeanNormScaler
from subsel.literature.challenge.entries.dense_step import Dense
from subsel.literature.challenge.entry import Entry, enter
from subsel.literature.challenge.problem import Problem
from subsel.ranking.selector import RankingSelector

__all__ = ["FisherMachine"]

SIZES = {"arcene": 4700, "dexter": 3714, "dorothea": 1000, "gisette": 700, "madelon": 20}


@enter("fs-svm")
class FisherMachine(Entry):
    """Rows of unit mean length, columns by Fisher's ratio, their number by ten folds in which the ranking is redone.

    References
    ----------
    .. [1] Lal, Chapelle and Schoelkopf, *Combining a filter method with SVMs*, in Guyon, Gunn, Nikravesh and Zadeh
       (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 20.

    Examples
    --------
    >>> FisherMachine().chapter
    '20'
    """

    title, team, chapter = (
        "FS+SVM",
        "Thomas Navin Lal, Olivier Chapelle and Bernhard Schoelkopf",
        "20",
    )

    def procedure(self, problem: Problem) -> Any:
        """Scale, rank and train, the number of columns by folds."""
        kernel = "rbf" if problem.recipe == "madelon" else "linear"
        machine = SVC(kernel=kernel, C=10, class_weight="balanced")
        steps = [
            ("scale", MeanNormScaler()),
            ("rank", RankingSelector("fisher")),
            ("dense", Dense()),
            ("machine", machine),
        ]
        printed = min(SIZES.get(problem.recipe, 20), problem.n_features)
        if self.quick:
            return Pipeline(steps).set_params(rank__cut=printed)
        sizes = sorted(
            {min(problem.n_features, max(1, int(printed * f))) for f in (0.25, 0.5, 1.0, 2.0)}
        )
        folds = StratifiedKFold(10, shuffle=True, random_state=0)
        return GridSearchCV(
            Pipeline(steps), {"rank__cut": sizes}, scoring="balanced_accuracy", cv=folds
        )
