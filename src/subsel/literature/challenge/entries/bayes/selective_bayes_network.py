"""Boulle: the columns of the selective naive Bayes, and a small network on them."""

from __future__ import annotations

from typing import Any

from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from subsel.literature.challenge.entries.bayes.selective_bayes import selective_steps
from subsel.literature.challenge.entry import Entry, enter
from subsel.literature.challenge.problem import Problem
from subsel.literature.models.decisions.decision_threshold import DecisionThreshold

__all__ = ["SelectiveBayesNetwork"]


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
