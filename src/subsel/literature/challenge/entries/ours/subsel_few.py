"""Our own, with one feature in twenty: real columns by their structure, and a model that suits each problem."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.decomposition import PCA, FastICA
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.feature_selection import SelectorMixin
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import BernoulliNB, MultinomialNB
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, Normalizer, StandardScaler
from sklearn.svm import SVC
from sklearn.utils.validation import validate_data

from subsel.assessment.folds.procedure import selected_columns
from subsel.literature.challenge.entry import Entry, enter
from subsel.literature.challenge.problem import Problem
from subsel.literature.models.bayes.class_mixture import ClassMixture
from subsel.literature.models.committees.output_committee import OutputCommittee
from subsel.literature.models.decisions.decision_threshold import DecisionThreshold
from subsel.models.kernels import tanimoto
from subsel.models.planes.least_squares_classifier import LeastSquaresClassifier
from subsel.ranking.selector import RankingSelector

__all__ = ["SubselFew", "SubselRecipes", "SystematicSample"]


class SubselRecipes(Entry):
    """One recipe a problem, given its number of columns p; MADELON's serves those of another name.

    Every number in a recipe was fixed by cross-validation of training rows. The structure of MADELON is that which its
    makers published: clusters on the vertices of a cube, seen through combinations and copies. Columns that the others
    predict are the real ones, independent components turn them to the cube's axes, and a Gaussian stands at each vertex.
    DOROTHEA: of the columns that resemble another, as permuted ones do not, those that differ most in frequency, for a
    logistic model, a machine on Tanimoto's similarity and trees; beside them naive Bayes.
    """

    team, chapter = "subsel", "none"

    def procedure(self, problem: Problem) -> Any:
        """The recipe of this problem."""
        recipes = {
            "arcene": self.arcene,
            "dexter": self.dexter,
            "dorothea": self.dorothea,
            "gisette": self.dexter,
        }
        return recipes.get(problem.name, self.madelon)(problem.n_features)

    def madelon(self, p: int) -> Any:  # noqa: ARG002
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

    def dorothea(self, p: int) -> Any:
        """Three models of columns that resemble another, naive Bayes of any, the threshold of least balanced error."""
        alike = RankingSelector("closest-column", cut=min(20_000, p))

        def differing(n: int) -> RankingSelector:
            return RankingSelector("frequency-difference", cut=min(n, p))

        models = OutputCommittee(
            [
                ("logistic", LogisticRegression(C=0.02, class_weight="balanced", max_iter=300)),
                ("machine", SVC(C=0.3, kernel=tanimoto, class_weight="balanced")),
                ("trees", ExtraTreesClassifier(200, min_samples_leaf=3, class_weight="balanced")),
            ]
        )
        bayes = make_pipeline(differing(500), BernoulliNB(alpha=0.5))
        members = [("models", make_pipeline(alike, differing(1000), models)), ("bayes", bayes)]
        return DecisionThreshold(OutputCommittee(members), "ber", cv=10)

    def features(self, fitted: Any, problem: Problem) -> np.ndarray:
        """Those that reach any model."""
        return _reaching(fitted, np.arange(problem.n_features))


@enter("subsel-few")
class SubselFew(SubselRecipes):
    """At most 5 % of the features on average over the four problems.

    ARCENE: a systematic sample of the real columns; ridge and a Gaussian machine on powers of the intensities, rows of
    length one. DEXTER: logarithms of counts, columns by signal to noise, ridge and naive Bayes.

    Examples
    --------
    >>> SubselFew().title
    'subsel, few features'
    """

    title = "subsel, few features"

    def arcene(self, p: int) -> Any:  # noqa: ARG002
        """Machines on a sample of the real columns."""
        return make_pipeline(predicted(), SystematicSample(1150), spectra())

    def dexter(self, p: int) -> Any:
        """Ridge and naive Bayes on the same words."""
        return OutputCommittee(
            [
                ("ridge", words(min(500, p), RidgeClassifier(1.0))),
                ("bayes", words(min(500, p), MultinomialNB(alpha=0.1))),
            ]
        )


def predicted() -> RankingSelector:
    """Keeps the columns that the others predict."""
    return RankingSelector("multiple-correlation", cut="threshold:0.3")


def spectra() -> OutputCommittee:
    """Ridge and a Gaussian machine on powers of the intensities, rows of length one."""
    ridge = RidgeClassifier(0.003, class_weight="balanced")
    gaussian = LeastSquaresClassifier(0.001, kernel="rbf", gamma=1.0)
    members = [(f"ridge {power}", power, ridge) for power in (1.0, 1.5, 2.0)] + [
        ("gaussian", 1.5, gaussian)
    ]
    unit = [Normalizer(), StandardScaler(with_std=False)]
    return OutputCommittee(
        [
            (
                name,
                make_pipeline(FunctionTransformer(raised, kw_args={"power": power}), *unit, model),
            )
            for name, power, model in members
        ]
    )


def raised(X: np.ndarray, power: float) -> np.ndarray:
    """Every value to a power.

    >>> raised(np.array([[4.0, 9.0]]), 1.5)
    array([[ 8., 27.]])
    """
    return X**power


def words(n_columns: int, model: Any) -> Pipeline:
    """Logarithms of counts, rows of length one, before and after the choice of columns."""
    logarithms = TfidfTransformer(sublinear_tf=True, use_idf=False)
    return make_pipeline(
        logarithms, RankingSelector("signal-to-noise", cut=n_columns), Normalizer(), model
    )


def _reaching(model: Any, columns: np.ndarray) -> np.ndarray:
    """Of the columns that a model is given, those that pass the last selection on the way to any of its models."""
    if hasattr(model, "members_"):
        return np.unique(np.concatenate([_reaching(member, columns) for member in model.members_]))
    if hasattr(model, "threshold_"):
        return _reaching(model.estimator_, columns)
    if not isinstance(model, Pipeline):
        return columns
    selections = [i for i, (_, step) in enumerate(model.steps) if hasattr(step, "get_support")]
    if selections:
        columns = columns[selected_columns(model[: selections[-1] + 1])]
    return _reaching(model[-1], columns)


class SystematicSample(SelectorMixin, BaseEstimator):
    """Of columns that tell much the same as others, keep some of every spread [1]_.

    Parameters
    ----------
    n_columns : int
        How many to keep; all where there are no more.

    References
    ----------
    .. [1] Cochran, *Sampling Techniques*, 3rd edition, 1977, chapter 8.

    Examples
    --------
    >>> X = np.array([[0.0, 0.0, 0.0, 0.0], [4.0, 3.0, 2.0, 1.0]])
    >>> SystematicSample(2).fit(X).get_support(indices=True).tolist()
    [0, 2]
    """

    def __init__(self, n_columns: int = 100) -> None:
        self.n_columns = n_columns

    def fit(self, X: Any, y: Any = None) -> SystematicSample:  # noqa: ARG002
        """Order the columns by their standard deviation and step through them."""
        X = validate_data(self, X)
        kept = min(self.n_columns, X.shape[1])
        order = np.argsort(X.std(axis=0), kind="stable")
        places = (np.arange(kept) + 0.5) * X.shape[1] / kept
        self.support_ = np.isin(np.arange(X.shape[1]), order[places.astype(int)])
        return self

    def _get_support_mask(self) -> np.ndarray:
        return self.support_
