"""Neal and Zhang: columns by tests of significance, and a Bayesian network whose inputs determine their relevance."""

from __future__ import annotations

from typing import Any

from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from subsel.construct.inputs.power import PowerChoice
from subsel.literature.challenge.entries.bayes.bayesian_parts import reselected, voting_network
from subsel.literature.challenge.entries.dense_step import Dense
from subsel.literature.challenge.entry import Entry, enter
from subsel.literature.challenge.problem import Problem
from subsel.ranking.selector import RankingSelector

__all__ = ["BayesianNetwork", "small_network"]

COLUMNS = {"arcene": 1070, "dexter": 303, "dorothea": 500, "gisette": 379, "madelon": 17}
SCORES = {"arcene": "spearman", "dorothea": "hypergeometric"}


@enter("bayesnn-small")
class BayesianNetwork(Entry):
    """Few columns by univariate tests, on MADELON by the relevances of first networks, then a network by Monte Carlo.

    On MADELON two networks see all columns; of the 40 that either finds most relevant a third tells the 17. The authors took
    them from more runs, one of them of a Gaussian process. The quick form has ReliefF for the first two. Chains are
    hundreds of draws long where theirs ran for days.

    References
    ----------
    .. [1] Neal and Zhang, *High dimensional classification with Bayesian neural networks and Dirichlet diffusion trees*,
       in Guyon, Gunn, Nikravesh and Zadeh (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 10.

    Examples
    --------
    >>> BayesianNetwork().chapter
    '10'
    """

    title, team, chapter = "BayesNN-small", "Radford Neal and Jianguo Zhang", "10"

    def procedure(self, problem: Problem) -> Any:
        """Select, scale, and sample the network."""
        return small_network(problem, self.quick)


def small_network(problem: Problem, quick: bool) -> Any:
    """The pipeline of the entry, for those that share it."""
    kept = min(COLUMNS.get(problem.recipe, 20), problem.n_features)
    if problem.recipe == "madelon":
        some = min(40, problem.n_features)
        first: Any = reselected(quick, some, n_runs=2)
        if quick:
            first = RankingSelector("relieff", cut=some)
        return make_pipeline(
            StandardScaler(), first, reselected(quick, kept), voting_network(quick)
        )
    ranked = RankingSelector(SCORES.get(problem.recipe, "t-test"), cut=kept)
    powers = [PowerChoice()] if problem.recipe == "dexter" else []
    return make_pipeline(ranked, Dense(), *powers, StandardScaler(), voting_network(quick))
