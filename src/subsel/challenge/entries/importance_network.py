"""Lemaire and Clerot: columns whose other values move the output of a network, and that network on few of them."""

from __future__ import annotations

from typing import Any

from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from subsel.challenge.entries.dense import Dense
from subsel.challenge.entry import Entry, enter
from subsel.challenge.problem import Problem
from subsel.embedded.importance_elimination import ImportanceElimination
from subsel.learners.decision_threshold import DecisionThreshold
from subsel.ranking.selector import RankingSelector

__all__ = ["ImportanceNetwork"]


@enter("robelon")
class ImportanceNetwork(Entry):
    """Drop what moves the output of a network least, round after round; the smallest set that is nearly as good.

    A single network, as the authors wished. Tables are first brought to the 500 columns most correlated, and a fifth is
    dropped a round, for the sake of time; the authors began with all columns and dropped one.

    References
    ----------
    .. [1] Lemaire and Clerot, *An input variable importance definition based on empirical data probability distribution*, in
       Guyon, Gunn, Nikravesh and Zadeh (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 26.

    Examples
    --------
    >>> ImportanceNetwork().chapter
    '26'
    """

    title, team, chapter = "ROBELON", "Vincent Lemaire and Fabrice Clerot", "26"

    def procedure(self, problem: Problem) -> Any:
        """Filter, eliminate, and train."""
        steps: list[Any] = [Dense()]
        if problem.n_features > 500:
            steps.insert(0, RankingSelector("pearson", cut=500))
        drop, values = (0.5, 3) if self.quick else (0.2, 7)
        settings: dict[str, Any] = {"drop": drop, "n_values": values, "scoring": "balanced_accuracy"}
        elimination = ImportanceElimination(self._network(), **settings)
        last = DecisionThreshold(self._network(), "prior", cv=None)
        return make_pipeline(*steps, elimination, StandardScaler(), last)

    def _network(self) -> MLPClassifier:
        """One hidden layer, stopped by rows of its own."""
        stopping: dict[str, Any] = {"early_stopping": True, "validation_fraction": 0.3, "n_iter_no_change": 20}
        return MLPClassifier(
            (10,), activation="tanh", batch_size=20, learning_rate_init=0.003, max_iter=200, **stopping
        )
