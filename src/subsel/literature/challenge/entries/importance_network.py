"""Lemaire and Clerot: columns whose other values move the output of a network, and that network on few of them."""

from __future__ import annotations

from typing import Any

from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from subsel.embedded.importance.importance_elimination import ImportanceElimination
from subsel.literature.challenge.entries.dense_step import Dense
from subsel.literature.challenge.entry import Entry, enter
from subsel.literature.challenge.problem import Problem
from subsel.literature.models.decisions.decision_threshold import DecisionThreshold
from subsel.literature.models.networks.stopped_network import StoppedNetwork
from subsel.ranking.selector import RankingSelector

__all__ = ["ImportanceNetwork"]

LARGEST = 20_000  # columns that a network begins with


@enter("robelon")
class ImportanceNetwork(Entry):
    """Drop what moves the output of a network least, round after round; the smallest set that is nearly as good.

    A single network, as the authors wished, trained row by row and stopped by three tenths of the rows, which also choose
    one of four strengths of its decay. A tenth of the columns is dropped a round, for the sake of time; the authors dropped
    one. DOROTHEA begins with the 5,000 columns most correlated. A row is positive where that is more probable than the
    share of the class.

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
        if problem.n_features > LARGEST:
            steps.insert(0, RankingSelector("pearson", cut=5000))
        elimination = ImportanceElimination(
            self._network(), drop=0.1, n_values=7, scoring="balanced_accuracy"
        )
        if self.quick:
            elimination.set_params(drop=0.3, n_values=3)
        last = DecisionThreshold(self._network(), "prior", cv=None)
        return make_pipeline(*steps, elimination, StandardScaler(), last)

    def _network(self) -> StoppedNetwork:
        """One hidden layer, stopped by rows that it does not learn from."""
        return StoppedNetwork(10, rate=0.01, decay=(0.001, 0.01, 0.03, 0.1))
