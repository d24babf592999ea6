"""Neal and Zhang: columns by tests of significance, and a Bayesian network whose inputs determine their relevance."""

from __future__ import annotations

from typing import Any

from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from subsel.challenge.entries.dense import Dense
from subsel.challenge.entry import Entry, enter
from subsel.challenge.problem import Problem
from subsel.embedded.posterior_selection import PosteriorSelector
from subsel.learners.bayesian_network import BayesianNetworkClassifier
from subsel.ranking.selector import RankingSelector

__all__ = ["BayesianNetwork"]

COLUMNS = {"arcene": 1070, "dexter": 303, "dorothea": 500, "gisette": 379, "madelon": 17}


@enter("bayesnn-small")
class BayesianNetwork(Entry):
    """Few columns by univariate tests, on MADELON by the relevances of a first network, then a network by Monte Carlo.

    The first network of MADELON sees the 40 columns that ReliefF ranks first, for the sake of time; the authors
    gave it all.

    References
    ----------
    .. [1] Neal and Zhang, *High dimensional classification with Bayesian neural networks and Dirichlet diffusion trees*, in Guyon, Gunn, Nikravesh and Zadeh
       (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 10.

    Examples
    --------
    >>> BayesianNetwork().chapter
    '10'
    """

    title, team, chapter = "BayesNN-small", "Radford Neal and Jianguo Zhang", "10"

    def procedure(self, problem: Problem) -> Any:
        """Select, scale, and sample the network."""
        kept = min(COLUMNS.get(problem.name, 20), problem.n_features)
        if problem.name == "madelon":
            first = RankingSelector("relieff", cut=min(40, problem.n_features))
            reduced = PosteriorSelector([self._network()], n_features=min(kept, problem.n_features))
            return make_pipeline(StandardScaler(), first, reduced, self._network())
        score = "spearman" if problem.name == "arcene" else "hypergeometric" if problem.name == "dorothea" else "t-test"
        return make_pipeline(RankingSelector(score, cut=kept), Dense(), StandardScaler(), self._network())

    def _network(self) -> BayesianNetworkClassifier:
        if self.quick:
            return BayesianNetworkClassifier((8, 4), n_chains=1, n_warmup=30, n_draws=30, n_leapfrog=20)
        return BayesianNetworkClassifier()
