"""Grabczewski and Jankowski: rankings by separability and correlation, a committee of folds, and a learner for each problem."""

from __future__ import annotations

from typing import Any

from sklearn.decomposition import PCA
from sklearn.feature_selection import VarianceThreshold
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from subsel.embedded.trees.ssv_tree import ssv_tree_ranks
from subsel.literature.challenge.entries.dense_step import Dense
from subsel.literature.challenge.entry import Entry, enter
from subsel.literature.challenge.problem import Problem
from subsel.literature.models.committees.fold_committee import FoldCommittee
from subsel.literature.models.prototypes.normalised_rbf import NormalisedRBF
from subsel.ranking.aggregation.committee import Committee
from subsel.ranking.selector import RankingSelector

__all__ = ["SelectionCommittee"]

WIDTHS = [0.3, 0.5, 0.7, 1.0, 1.4, 2.0]


@enter("ghostminer")
class SelectionCommittee(Entry):
    """Composed models: ARCENE a vote of nine machines, MADELON a committee of rankings before a network of all rows.

    The committee of rankings is a separability ranking, the ranks of a separability tree and the correlation; each selects
    equally many, ten on MADELON, so that together they select the printed fifteen. The width of the network is not
    printed: folds of the training rows choose it.

    References
    ----------
    .. [1] Grabczewski and Jankowski, *Mining for complex models comprising feature selection and classification*, in Guyon,
       Gunn, Nikravesh and Zadeh (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 23.

    Examples
    --------
    >>> SelectionCommittee().chapter
    '23'
    """

    title, team, chapter = "GhostMiner", "Krzysztof Grabczewski and Norbert Jankowski", "23"

    def procedure(self, problem: Problem) -> Any:
        """The composed model of the problem."""

        def first(score: str, n: int) -> RankingSelector:
            return RankingSelector(score, cut=min(n, problem.n_features))

        linear = SVC(kernel="linear", class_weight="balanced")
        if problem.recipe == "arcene":
            member = make_pipeline(first("ssv", 7000), linear)
            return make_pipeline(StandardScaler(), FoldCommittee(member, 3 if self.quick else 9))
        if problem.recipe == "dexter":
            return make_pipeline(first("pearson", 8000), linear)
        if problem.recipe == "dorothea":
            common = RankingSelector("presence-count", cut="threshold:12")
            separate = RankingSelector("ssv-balanced", cut=_at_most(2000, problem))
            machine = SVC(C=50.0, class_weight="balanced")
            return make_pipeline(common, separate, Dense(), PCA(2), machine)
        if problem.recipe == "gisette":
            return make_pipeline(
                first("pearson", 700), Dense(), StandardScaler(), SVC(C=1000.0, gamma=0.002)
            )
        rankings = Committee(("ssv", ssv_tree_ranks, "pearson"), at_least=1)
        chosen = RankingSelector(rankings, cut=min(15, problem.n_features))
        folds = StratifiedKFold(5, shuffle=True, random_state=0)
        network = GridSearchCV(
            NormalisedRBF(), {"width": WIDTHS}, scoring="balanced_accuracy", cv=folds
        )
        return make_pipeline(VarianceThreshold(), StandardScaler(), chosen, network)


def _at_most(n: int, problem: Problem) -> int:
    """So many columns, or a tenth of those of a small problem."""
    return min(n, max(1, problem.n_features // 10))
