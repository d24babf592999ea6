"""Neal and Zhang's winner: trees of all rows by diffusion, Bayesian networks, and means of both."""

from __future__ import annotations

from typing import Any

from sklearn.ensemble import VotingClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from subsel.literature.challenge.entries.bayes.bayesian_components import large_network
from subsel.literature.challenge.entries.bayes.bayesian_network import small_network
from subsel.literature.challenge.entries.unlabelled_rows import FittedOnAll, TrainedWithOthers
from subsel.literature.challenge.entry import Entry, enter
from subsel.literature.challenge.problem import Problem
from subsel.literature.embedding.gram_pca import GramPCA
from subsel.literature.models.decisions.decision_threshold import DecisionThreshold
from subsel.literature.models.hierarchies.diffusion_classifier import DiffusionTreeClassifier

__all__ = ["DiffusionCombo"]

TREES = ("arcene", "madelon")


@enter("dft-combo")
class DiffusionCombo(Entry):
    """ARCENE by the mean of four runs of diffusion trees, MADELON by that of a tree and a network, others by a network.

    The trees are those of all rows, labelled or not: ARCENE's of 100 components, of columns scaled or not and themselves
    scaled or not; MADELON's of six. Other problems are those of BayesNN-large. Chains are 3,000 sweeps long, of which 120
    trees are kept.

    References
    ----------
    .. [1] Neal and Zhang, *High dimensional classification with Bayesian neural networks and Dirichlet diffusion trees*,
       in Guyon, Gunn, Nikravesh and Zadeh (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 10.

    Examples
    --------
    >>> DiffusionCombo().chapter
    '10'
    """

    title, team, chapter = "BayesNN-DFT-combo", "Radford Neal and Jianguo Zhang", "10"

    def procedure(self, problem: Problem) -> Any:
        """Trees, a network, or both."""
        if problem.recipe == "arcene":
            runs = [(f"run{i}", self._trees(problem, 100, i < 2, i % 2 == 0)) for i in range(4)]
            return DecisionThreshold(VotingClassifier(runs, voting="soft"), "prior", cv=None)
        if problem.recipe == "madelon":
            both = [
                ("network", small_network(problem, self.quick)),
                ("trees", self._trees(problem, 6, False, False)),
            ]
            return VotingClassifier(both, voting="soft")
        return large_network(problem, self.quick)

    def same_as(self, problem: Problem) -> str | None:
        """BayesNN-large where no trees are grown."""
        return None if problem.recipe in TREES else "bayesnn-large"

    def looks_at_others(self, problem: Problem) -> bool:
        """Where trees or components are made."""
        return problem.recipe != "dexter"

    def _trees(
        self, problem: Problem, number: int, columns_scaled: bool, components_scaled: bool
    ) -> Any:
        """Trees of so many principal components."""
        number = min(number, len(problem.y) - 1, problem.n_features)
        steps: list[Any] = [FittedOnAll(GramPCA(number, scale=columns_scaled), problem.others)]
        if components_scaled:
            steps.append(StandardScaler())
        draws, warmup, thin = (20, 60, 5) if self.quick else (120, 600, 20)
        trees = DiffusionTreeClassifier(draws, n_warmup=warmup, thin=thin)
        return TrainedWithOthers(make_pipeline(*steps), trees, problem.others)
