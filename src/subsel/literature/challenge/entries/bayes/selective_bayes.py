"""Boulle: columns cut where that is most probable, and a naive Bayes that takes them while its lift curve rises."""

from __future__ import annotations

from typing import Any

from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from subsel.literature.challenge.entries.dense_step import Dense
from subsel.literature.challenge.entry import Entry, enter
from subsel.literature.challenge.problem import Problem
from subsel.literature.models.decisions.decision_threshold import DecisionThreshold
from subsel.literature.recipes.selective_naive_bayes import selective_naive_bayes
from subsel.ranking.selector import RankingSelector

__all__ = ["SelectiveBayes", "SelectiveBayesNetwork", "selective_steps"]


@enter("esnb")
class SelectiveBayes(Entry):
    """Optimal intervals, forward selection by the area under the lift curve, the threshold of largest chi-square.

    No setting is tuned. Columns that no cut tells from noise are left out first, at most 1,000 stay (quick: 200).

    References
    ----------
    .. [1] Boulle, *An enhanced selective naive Bayes method with optimal discretization*, in Guyon, Gunn, Nikravesh and Zadeh
       (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 25.

    Examples
    --------
    >>> SelectiveBayes().chapter
    '25'
    """

    title, team, chapter = "ESNB", "Marc Boulle", "25"

    def procedure(self, problem: Problem) -> Any:
        """The published system."""
        return selective_steps(problem, self.quick)


def selective_steps(problem: Problem, quick: bool) -> Any:
    """The pipeline: a first sieve, the selection, the classifier."""
    most = min(200 if quick else 1000, problem.n_features)
    found = selective_naive_bayes()
    found.steps[:0] = [("sieve", RankingSelector("modl", cut=most)), ("dense", Dense())]
    return found


@enter("esnb-nn")
class SelectiveBayesNetwork(Entry):
    """A network with one hidden unit, with 50 on MADELON, on the columns that the selective naive Bayes takes.

    The authors stopped training by the validation rows; here weight decay holds the network back, and a row is positive
    where that is more probable than the share of the class.

    References
    ----------
    .. [1] Boulle, *An enhanced selective naive Bayes method with optimal discretization*, in Guyon, Gunn, Nikravesh and Zadeh
       (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 25.

    Examples
    --------
    >>> SelectiveBayesNetwork().chapter
    '25'
    """

    title, team, chapter = "ESNB+NN", "Marc Boulle", "25"

    def procedure(self, problem: Problem) -> Any:
        """Select, scale, and train."""
        hidden = 50 if problem.recipe == "madelon" else 1
        network = MLPClassifier(
            (hidden,), activation="logistic", solver="lbfgs", alpha=1.0, max_iter=300
        )
        selection = selective_steps(problem, self.quick)[:-1]
        return make_pipeline(
            selection, StandardScaler(), DecisionThreshold(network, "prior", cv=None)
        )
