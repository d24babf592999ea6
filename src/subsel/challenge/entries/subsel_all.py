"""Our own, without a limit on features."""

from __future__ import annotations

from typing import Any

from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.feature_selection import VarianceThreshold
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import BernoulliNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, StandardScaler
from sklearn.svm import LinearSVC

from subsel.challenge.entries.subsel_few import SubselRecipes, likely_odds, words
from subsel.challenge.entry import enter
from subsel.learners.decision_threshold import DecisionThreshold
from subsel.learners.output_committee import OutputCommittee
from subsel.ranking.selector import RankingSelector

__all__ = ["SubselAll"]


@enter("subsel-all")
class SubselAll(SubselRecipes):
    """As many features as help.

    ARCENE: ridge on all real columns, rows of length one. DEXTER: machines on all words weighted by rarity, beside one and
    naive Bayes on a thousand. DOROTHEA: one member more than with few features. MADELON: the same, as probes help nobody.

    Examples
    --------
    >>> SubselAll().title
    'subsel, any features'
    """

    title = "subsel, any features"

    def arcene(self, p: int) -> Any:
        """Ridge on all real columns."""
        real = RankingSelector("multiple-correlation", cut="threshold:0.3")
        ridge = RidgeClassifier(0.002, class_weight="balanced")
        return make_pipeline(real, Normalizer(), StandardScaler(with_std=False), ridge)

    def dexter(self, p: int) -> Any:
        """Two machines on all words, one machine and naive Bayes on a thousand."""
        rare = lambda sublinear: make_pipeline(
            VarianceThreshold(), TfidfTransformer(sublinear_tf=sublinear), LinearSVC()
        )
        return OutputCommittee(
            [
                ("logarithms", rare(True)),
                ("counts", rare(False)),
                ("machine", words(min(1000, p), LinearSVC())),
                ("bayes", words(min(1000, p), MultinomialNB(alpha=0.1))),
            ]
        )

    def dorothea(self, p: int) -> Any:
        """Two logistic models and naive Bayes, each with columns of its own."""
        logistic = lambda C: LogisticRegression(C=C, class_weight="balanced", max_iter=300)
        members = [
            ("many", make_pipeline(RankingSelector("chi-square", cut=min(3000, p)), logistic(0.01))),
            ("few", make_pipeline(RankingSelector(likely_odds, cut=min(500, p)), logistic(0.03))),
            ("bayes", make_pipeline(RankingSelector("frequency-difference", cut=min(1000, p)), BernoulliNB(alpha=0.5))),
        ]
        return DecisionThreshold(OutputCommittee(members), "ber", cv=10)
