"""What the entries of Neal and Zhang have in common: tests, components, and networks that decide by the class share."""

from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.pipeline import make_pipeline

from subsel.embedded.bayes.posterior_selection import PosteriorSelector
from subsel.literature.challenge.entries.unlabelled_rows import FittedOnAll
from subsel.literature.challenge.problem import Problem
from subsel.literature.embedding.gram_pca import GramPCA
from subsel.literature.models.decisions.decision_threshold import DecisionThreshold
from subsel.models.bayes.bayesian_network import BayesianNetworkClassifier
from subsel.ranking.aggregation.committee import UnionOfTests
from subsel.ranking.selector import RankingSelector

__all__ = ["components", "in_some_rows", "network", "reselected", "tested", "voting_network"]

TESTS: dict[str, dict[str, float]] = {
    "arcene": {"spearman": 0.0008, "hypergeometric": 0.002, "runs": 0.002},
    "dexter": {"spearman": 0.05, "hypergeometric": 0.05, "runs": 0.05},
    "dorothea": {"hypergeometric": 0.001},
}
MADELON = {"spearman": 0.01, "runs": 0.01}
TESTED = {"dexter": 298, "gisette": 1135, "madelon": 38}


def network(quick: bool) -> BayesianNetworkClassifier:
    """A network with two hidden layers, sampled; shorter and smaller where it must be quick.

    Its lengths were fixed on folds of training rows; the longest fit of the four problems takes about a minute.
    """
    if quick:
        return BayesianNetworkClassifier((8, 4), n_chains=1, n_warmup=40, n_draws=40, n_leapfrog=20)
    return BayesianNetworkClassifier((20, 8), n_chains=2, n_warmup=100, n_draws=150, n_leapfrog=40)


def voting_network(quick: bool) -> DecisionThreshold:
    """A network whose rows are positive where that is more probable than the share of the class."""
    return DecisionThreshold(network(quick), "prior", cv=None)


def in_some_rows(problem: Problem) -> Any:
    """Columns that are not zero in four training rows at least."""
    return RankingSelector("presence-count", cut=f"threshold:{min(4, len(problem.y) // 4)}")


def tested(problem: Problem) -> Any:
    """Columns that one of several tests of significance lets pass, at the levels of the authors or as many as they kept."""
    union = UnionOfTests(TESTS.get(problem.recipe, MADELON))
    if problem.recipe in TESTS and problem.recipe not in TESTED:
        return RankingSelector(union, cut="threshold:0")
    return RankingSelector(union, cut=min(TESTED.get(problem.recipe, 38), problem.n_features))


def reselected(quick: bool, n_features: int, n_runs: int = 1) -> PosteriorSelector:
    """Of these columns those most relevant to a first network, or to one of several."""
    return PosteriorSelector([network(quick) for _ in range(n_runs)], n_features=n_features)


def components(problem: Problem, number: int) -> Any:
    """Principal components of all rows, labelled or not; centred and scaled where zero does not stand for absence."""
    whole = not problem.sparse
    pca = GramPCA(min(number, len(problem.y) - 1, problem.n_features), centre=whole, scale=whole)
    return make_pipeline(FittedOnAll(pca, problem.others), LargestToOne())


class LargestToOne(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Divide all columns by one number, the largest standard deviation: how they compare stays.

    >>> import numpy as np
    >>> LargestToOne().fit_transform(np.array([[-2.0, 1.0], [2.0, -1.0]]))
    array([[-1. ,  0.5],
           [ 1. , -0.5]])
    """

    def fit(self, X: Any, y: Any = None) -> LargestToOne:  # noqa: ARG002
        """Find the number."""
        self.n_features_in_, self.scale_ = X.shape[1], float(X.std(axis=0).max())
        return self

    def transform(self, X: Any) -> Any:
        """Divide by it."""
        return X / self.scale_
