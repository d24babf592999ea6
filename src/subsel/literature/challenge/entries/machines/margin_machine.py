"""Gilad-Bachrach and Navot: columns by margins or by information, and a learner for each problem."""

from __future__ import annotations

from typing import Any

from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import SVC

from subsel.criteria.neighbours.margin import Margin
from subsel.engine.budget import Budget
from subsel.literature.challenge.entries.dense_step import Dense
from subsel.literature.challenge.entries.unlabelled_rows import TrainedWithOthers
from subsel.literature.challenge.entry import Entry, enter
from subsel.literature.challenge.problem import Problem
from subsel.literature.models.bayes.sleeping_naive_bayes import SleepingNaiveBayes
from subsel.literature.models.decisions.self_training import SelfTraining
from subsel.literature.models.planes.aggressive_perceptron import AggressivePerceptron
from subsel.ranking.selector import RankingSelector
from subsel.search.walks.gflip import GFlip
from subsel.selector.subset import SubsetSelector

__all__ = ["MarginMachine"]

LARGEST = 999.0  # of all values in the problems of 2003


@enter("greatest-hits")
class MarginMachine(Entry):
    """Flip features while nearest-neighbour margins grow, or rank by information, then the learner of the problem.

    ARCENE: margins of principal components, an RBF machine (of the printed widths, 50 and 0.005, one is wrong or both; 5 is
    what folds of the training rows prefer among powers around them). DEXTER: information of columns cut at their medians, a linear
    machine that trains itself on other rows. DOROTHEA: presence in the classes, a naive Bayes of what is present. GISETTE:
    all columns, a perceptron with a margin. MADELON: margins, an RBF machine that trains itself on other rows; the printed
    width is read as one of the raw values. Flips end by themselves, on MADELON after four passes. The authors took margins
    on rows held out; here each row is held out from its own neighbours.

    References
    ----------
    .. [1] Gilad-Bachrach and Navot, *Margin based feature selection and infogain with standard classifiers*, in Guyon,
       Gunn, Nikravesh and Zadeh (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 17.

    Examples
    --------
    >>> MarginMachine().chapter
    '17'
    """

    title, team, chapter = "greatest hits", "Ran Gilad-Bachrach and Amir Navot", "17"

    def procedure(self, problem: Problem) -> Any:
        """Select and train."""
        p = problem.n_features
        to_one = FunctionTransformer(_over_largest, feature_names_out="one-to-one")
        if problem.recipe == "arcene":
            parts = PCA(min(len(problem.y) - 1, p))
            return make_pipeline(
                to_one, parts, self._flips(), SVC(C=8.0, gamma=_gamma(5.0), class_weight="balanced")
            )
        if problem.recipe == "dexter":
            front = make_pipeline(RankingSelector("median-information", cut=min(1400, p)), Dense())
            learner = SelfTraining(SVC(kernel="linear", C=10.0), n_rounds=3, share=0.1)
            return TrainedWithOthers(front, learner, problem.others)
        if problem.recipe == "dorothea":
            present = RankingSelector("presence-divergence", cut=min(300, p))
            return make_pipeline(present, SleepingNaiveBayes())
        if problem.recipe == "gisette":
            return make_pipeline(to_one, AggressivePerceptron(600.0))
        machine = SVC(C=5.0, gamma=_gamma(50.0 / LARGEST))
        learner = SelfTraining(machine, n_rounds=13, share=0.1)
        return TrainedWithOthers(make_pipeline(to_one, self._flips()), learner, problem.others)

    def looks_at_others(self, problem: Problem) -> bool:
        """Where the machine trains itself."""
        return problem.recipe not in ("arcene", "dorothea", "gisette")

    def _flips(self) -> SubsetSelector:
        return SubsetSelector(
            Margin(), search=GFlip(), budget=Budget(evaluations=10_000), alternatives=False
        )


def _over_largest(X: Any) -> Any:
    return X / LARGEST


def _gamma(width: float) -> float:
    return 1 / (2 * width**2)
