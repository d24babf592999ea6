"""Neal and Zhang, after the challenge: the same steps for every problem, the best of all that were tried."""

from __future__ import annotations

from typing import Any

from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from subsel.literature.challenge.entries.bayes.bayesian_parts import (
    components,
    in_some_rows,
    reselected,
    tested,
    voting_network,
)
from subsel.literature.challenge.entries.dense_step import Dense
from subsel.literature.challenge.entry import Entry, enter
from subsel.literature.challenge.problem import Problem

__all__ = ["NewBayesLarge", "NewBayesSmall", "reduced_network"]


@enter("new-bayes-large")
class NewBayesLarge(Entry):
    """A network on 40 principal components; DEXTER and MADELON are those of New-Bayes-nn-small.

    Of six methods the one that the authors' validation rows preferred. Components are those of all rows, labelled or not.

    References
    ----------
    .. [1] Neal and Zhang, *High dimensional classification with Bayesian neural networks and Dirichlet diffusion trees*,
       in Guyon, Gunn, Nikravesh and Zadeh (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 10,
       section 7.

    Examples
    --------
    >>> NewBayesLarge().chapter
    '10'
    """

    title, team, chapter = "New-Bayes-nn-large", "Radford Neal and Jianguo Zhang", "10"

    def procedure(self, problem: Problem) -> Any:
        """Components or re-selected columns, and the network."""
        if problem.recipe in REDUCED:
            return reduced_network(problem, self.quick)
        return make_pipeline(components(problem, 40), voting_network(self.quick))

    def same_as(self, problem: Problem) -> str | None:
        """New-Bayes-nn-small where few columns are kept."""
        return "new-bayes-small" if problem.recipe in REDUCED else None

    def looks_at_others(self, problem: Problem) -> bool:
        """Where components are made."""
        return problem.recipe not in REDUCED


REDUCED = {"dexter": 100, "madelon": 21}


@enter("new-bayes-small")
class NewBayesSmall(Entry):
    """Columns that one of several tests lets pass, on DEXTER and MADELON fewer by a first network, then a network.

    Which of the two a problem gets is what the authors' validation rows said.

    References
    ----------
    .. [1] Neal and Zhang, *High dimensional classification with Bayesian neural networks and Dirichlet diffusion trees*,
       in Guyon, Gunn, Nikravesh and Zadeh (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 10,
       section 7.

    Examples
    --------
    >>> NewBayesSmall().chapter
    '10'
    """

    title, team, chapter = "New-Bayes-nn-small", "Radford Neal and Jianguo Zhang", "10"

    def procedure(self, problem: Problem) -> Any:
        """Test, select again where the authors did, and sample the network."""
        if problem.recipe in REDUCED:
            return reduced_network(problem, self.quick)
        steps = (in_some_rows(problem), tested(problem), Dense(), StandardScaler())
        return make_pipeline(*steps, voting_network(self.quick))


def reduced_network(problem: Problem, quick: bool) -> Any:
    """Tests, a first network that tells the relevant columns, and a second one on those."""
    kept = min(REDUCED[problem.recipe], problem.n_features)
    steps = (
        in_some_rows(problem),
        tested(problem),
        Dense(),
        StandardScaler(),
        reselected(quick, kept),
    )
    return make_pipeline(*steps, voting_network(quick))
