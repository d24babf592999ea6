"""Neal and Zhang: a Bayesian network on principal components of all columns, where that did better than few columns."""

from __future__ import annotations

from typing import Any

from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import StandardScaler

from subsel.construct.inputs.rare_counts import RareCounts
from subsel.literature.challenge.entries.bayes.bayesian_network import small_network
from subsel.literature.challenge.entries.bayes.bayesian_parts import (
    components,
    reselected,
    voting_network,
)
from subsel.literature.challenge.entries.dense_step import Dense
from subsel.literature.challenge.entries.unlabelled_rows import FittedOnAll
from subsel.literature.challenge.entry import Entry, enter
from subsel.literature.challenge.problem import Problem
from subsel.ranking.selector import RankingSelector

__all__ = ["BayesianComponents", "large_network"]

FEW = ("dexter", "madelon")


@enter("bayesnn-large")
class BayesianComponents(Entry):
    """50 principal components, for DOROTHEA with 60 columns of a first network and counts of rare columns, then a network.

    DEXTER and MADELON are those of BayesNN-small. Components and counts are those of all rows, labelled or not.

    References
    ----------
    .. [1] Neal and Zhang, *High dimensional classification with Bayesian neural networks and Dirichlet diffusion trees*,
       in Guyon, Gunn, Nikravesh and Zadeh (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 10.

    Examples
    --------
    >>> BayesianComponents().chapter
    '10'
    """

    title, team, chapter = "BayesNN-large", "Radford Neal and Jianguo Zhang", "10"

    def procedure(self, problem: Problem) -> Any:
        """Construct, scale, and sample the network."""
        return large_network(problem, self.quick)

    def same_as(self, problem: Problem) -> str | None:
        """BayesNN-small where few columns are kept."""
        return "bayesnn-small" if problem.recipe in FEW else None

    def looks_at_others(self, problem: Problem) -> bool:
        """Where components are made."""
        return problem.recipe not in FEW


def large_network(problem: Problem, quick: bool) -> Any:
    """The pipeline of the entry, for those that share it."""
    if problem.recipe in FEW:
        return small_network(problem, quick)
    if problem.recipe != "dorothea":
        return make_pipeline(components(problem, 50), voting_network(quick))
    ranked = RankingSelector("hypergeometric", cut=min(500, problem.n_features))
    sixty = make_pipeline(ranked, Dense(), reselected(quick, min(60, problem.n_features)))
    rare = make_pipeline(FittedOnAll(RareCounts(), problem.others), StandardScaler())
    scaled = make_pipeline(sixty, StandardScaler())
    inputs = FeatureUnion(
        [("components", components(problem, 50)), ("sixty", scaled), ("rare", rare)]
    )
    return make_pipeline(inputs, voting_network(quick))
