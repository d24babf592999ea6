"""Lee, Yi and Zhang: two-valued columns, conditional information in buckets, clusters of columns, and both united."""

from __future__ import annotations

from typing import Any

from sklearn.naive_bayes import BernoulliNB
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from subsel.data.intervals.two_gaussians import TwoGaussians
from subsel.literature.challenge.entries.dense_step import Dense
from subsel.literature.challenge.entry import Entry, enter
from subsel.literature.challenge.problem import Problem
from subsel.ranking.selector import RankingSelector

__all__ = ["InformationUnion"]

COLUMNS = {"arcene": 417, "dexter": 1017, "dorothea": 770, "gisette": 465, "madelon": 12}


@enter("mixed")
class InformationUnion(Entry):
    """Cut columns between two Gaussians, drop those that say less than shuffled ones, unite buckets and clusters.

    At most as many columns as the authors kept, of at most 3,000 that say most, since all pairs are counted; buckets give
    out half as many values as there are columns, and clusters are a tenth of those in the pairs, as printed. The chapter does
    not tell which of two learners predicted: here naive Bayes where most values are zero, else a linear machine.

    References
    ----------
    .. [1] Lee, Yi and Zhang, *Combining information-based supervised and unsupervised feature selection*, in Guyon, Gunn,
       Nikravesh and Zadeh (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 24.

    Examples
    --------
    >>> InformationUnion().chapter
    '24'
    """

    title, team, chapter = "mixed", "Sang-Kyun Lee, Seung-Joon Yi and Byoung-Tak Zhang", "24"

    def procedure(self, problem: Problem) -> Any:
        """Cut, filter, unite, and train."""
        kept = min(COLUMNS.get(problem.recipe, 12), max(1, problem.n_features // 4))
        most = min(2 * kept if self.quick else 3000, problem.n_features)
        learner: Any = SVC(kernel="linear", C=10.0)
        if problem.sparse:
            learner = BernoulliNB()
        front: list[Any] = [Dense(), TwoGaussians()]
        if problem.recipe == "dorothea":
            front = []
        first = RankingSelector("mutual-information", cut=max(most, kept))
        number = {"n_values": max(1, problem.n_features // 2), "n_clusters": max(1, most // 10)}
        united = RankingSelector("information-union", cut=kept, options=number)
        return make_pipeline(*front, first, Dense(), united, learner)
