"""Our own, with one feature in twenty: real columns by their structure, and a model that suits each problem."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from sklearn.decomposition import PCA, FastICA
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import BernoulliNB, MultinomialNB
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import Normalizer, StandardScaler
from sklearn.svm import SVC

from subsel.assessment.procedure import selected_columns
from subsel.challenge.entries.systematic_sample import SystematicSample
from subsel.challenge.entry import Entry, enter
from subsel.challenge.problem import Problem
from subsel.learners.class_mixture import ClassMixture
from subsel.learners.decision_threshold import DecisionThreshold
from subsel.learners.output_committee import OutputCommittee
from subsel.ranking.odds_ratio import odds_ratio_p_value
from subsel.ranking.selector import RankingSelector

__all__ = ["SubselFew", "SubselRecipes", "likely_odds"]


class SubselRecipes(Entry):
    """One recipe a problem, given its number of columns p; MADELON's serves those of another name.

    Every number in a recipe was fixed by cross-validation of training rows. The structure of MADELON is that which its
    makers published: clusters on the vertices of a cube, seen through combinations and copies. Columns that the others
    predict are the real ones, independent components turn them to the cube's axes, and a Gaussian stands at each vertex.
    """

    team, chapter = "subsel", "none"

    def procedure(self, problem: Problem) -> Any:
        """The recipe of this problem."""
        recipes = {"arcene": self.arcene, "dexter": self.dexter, "dorothea": self.dorothea, "gisette": self.dexter}
        return recipes.get(problem.name, self.madelon)(problem.n_features)

    def madelon(self, p: int) -> Any:
        """Real columns, the axes of the cube, a Gaussian a vertex."""
        axes = FastICA(whiten="unit-variance", fun="cube", max_iter=1000)
        real = RankingSelector("multiple-correlation", cut="threshold:0.1")
        return make_pipeline(real, StandardScaler(), PCA(0.95, whiten=True), axes, ClassMixture())

    @abstractmethod
    def arcene(self, p: int) -> Any:
        """For spectra."""

    @abstractmethod
    def dexter(self, p: int) -> Any:
        """For counts of words."""

    @abstractmethod
    def dorothea(self, p: int) -> Any:
        """For bits, few rows of which are positive."""

    def features(self, fitted: Any, problem: Problem) -> np.ndarray:
        """Those that reach any member."""
        fitted = getattr(fitted, "estimator_", fitted)
        return np.unique(np.concatenate([_columns(member) for member in getattr(fitted, "members_", [fitted])]))


@enter("subsel-few")
class SubselFew(SubselRecipes):
    """At most 5 % of the features on average over the four problems.

    ARCENE: a systematic sample of the real columns, rows of length one, machines of three kernels. DEXTER: logarithms of
    counts, columns by signal to noise, ridge and naive Bayes. DOROTHEA: columns by the p-value of the odds ratio for a
    logistic model, by difference of frequencies for naive Bayes, and the threshold of least balanced error.

    Examples
    --------
    >>> SubselFew().title
    'subsel, few features'
    """

    title = "subsel, few features"

    def arcene(self, p: int) -> Any:
        """Three machines on a sample of the real columns."""
        spectra = [RankingSelector("multiple-correlation", cut="threshold:0.3"), SystematicSample(1200)]
        machines = {
            "ridge": RidgeClassifier(0.003, class_weight="balanced"),
            "cubic": SVC(C=12.0, kernel="poly", degree=3, coef0=1.0, class_weight="balanced"),
            "gaussian": SVC(C=100.0, gamma=1.7, class_weight="balanced"),
        }
        unit = lambda: [Normalizer(), StandardScaler(with_std=False)]
        return OutputCommittee([(name, make_pipeline(*spectra, *unit(), m)) for name, m in machines.items()])

    def dexter(self, p: int) -> Any:
        """Ridge and naive Bayes on the same words."""
        return OutputCommittee(
            [
                ("ridge", words(min(500, p), RidgeClassifier(1.0))),
                ("bayes", words(min(500, p), MultinomialNB(alpha=0.1))),
            ]
        )

    def dorothea(self, p: int) -> Any:
        """A logistic model and naive Bayes, each with columns of its own."""
        logistic = LogisticRegression(C=0.03, class_weight="balanced", max_iter=300)
        bayes = BernoulliNB(alpha=0.5)
        members = [
            ("logistic", make_pipeline(RankingSelector(likely_odds, cut=min(500, p)), logistic)),
            ("bayes", make_pipeline(RankingSelector("frequency-difference", cut=min(500, p)), bayes)),
        ]
        return DecisionThreshold(OutputCommittee(members), "ber", cv=10)


def words(n_columns: int, model: Any) -> Pipeline:
    """Logarithms of counts, rows of length one, before and after the choice of columns."""
    logarithms = TfidfTransformer(sublinear_tf=True, use_idf=False)
    return make_pipeline(logarithms, RankingSelector("signal-to-noise", cut=n_columns), Normalizer(), model)


def likely_odds(X: Any, y: Any) -> np.ndarray:
    """The evidence for an odds ratio, as a score: less its p-value.

    >>> likely_odds(np.array([[1, 1], [1, 0], [0, 1], [0, 0]]), [1, 1, 0, 0]).round(2).tolist()
    [-0.14, -1.0]
    """
    return -odds_ratio_p_value(X, y)


def _columns(model: Any) -> np.ndarray:
    """Those that pass the last selection of a pipeline."""
    last = max(i for i, (_, step) in enumerate(model.steps) if hasattr(step, "get_support"))
    return np.asarray(selected_columns(model[: last + 1]))
