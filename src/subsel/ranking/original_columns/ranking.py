"""Rankings of original columns: each column of text or dates has one score for all its parts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, wraps
from typing import Any

import numpy as np

from subsel.data.probes import probe_origins
from subsel.ranking.cuts.ordered_scores import OrderedScores
from subsel.ranking.cuts.probe_p_values import probe_p_value
from subsel.ranking.cuts.probe_scores import Probing, constant_columns
from subsel.ranking.feature_order import FeatureOrder
from subsel.ranking.original_columns.parts import Parts
from subsel.ranking.selector import RankingSelector

__all__ = ["WholeColumnRanking"]


class WholeColumnRanking(RankingSelector):
    """A :class:`RankingSelector` of columns that may be encoded in several columns of numbers each.

    The score of a column is the best of its parts. The best of many noisy scores is high by chance,
    so that evidence allows for the number of parts: a p-value is the smallest of the parts times
    their number [1]_, a probe is a column with all its parts in another order of the rows, whose
    score is also the best of its parts, and shuffled labels are scored in the same way. An order
    selects a column when it selects the first of its parts. Cuts by a number use no evidence and
    correct nothing.

    ``scores_``, ``ranking_``, ``support_``, ``p_values_`` and ``q_values_`` have one entry for each
    column.

    Attributes
    ----------
    parts_ : Parts
        The columns of numbers that are parts of each column.
    best_part_ : ndarray of int
        The number, in the table of numbers, of the best part of each column.

    References
    ----------
    .. [1] O. J. Dunn, *Multiple comparisons among means*, Journal of the American Statistical
       Association, 1961.

    Examples
    --------
    >>> towns, ages = np.array([0, 0, 1, 2, 1, 2]), np.array([3, 1, 4, 1, 5, 2])
    >>> X = np.column_stack([np.eye(3)[towns], ages])
    >>> ranking = WholeColumnRanking("anova-f", "fdr:0.1")
    >>> ranking = ranking.fit(X, list("uuvvvv"), origin=[0, 0, 0, 1])
    >>> ranking.scores_.round(2), ranking.best_part_, ranking.support_
    (array([ inf, 0.44]), array([0, 3]), array([False, False]))
    """

    parts_: Parts

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, origin: Any = None
    ) -> WholeColumnRanking:
        """Score every column and keep those above the cut.

        ``origin`` is, for each column of X, the number of the column it is a part of, ascending.
        """
        if origin is None:
            origin = np.arange(np.shape(X)[1])
        self.parts_ = Parts(np.asarray(origin))
        self.best_part_ = self.parts_.starts
        super().fit(X, y, sample_weight)
        return self

    def _ranked(
        self, X: Any, y: Any, score: Callable, p_value: Callable | None, *fields: Any
    ) -> OrderedScores:
        """Make the ranking that cuts receive; sets `best_part_`."""
        parts = self.parts_
        if p_value is not None:
            p_value = _by_column(p_value, parts.corrected)
        ranked = _RankedColumns(
            X, y, _by_column(score, parts.best), p_value, *fields, parts=parts, score_parts=score
        )
        if parts.several and ranked.probes != "permuted":
            raise ValueError(
                f"{ranked.probes} probes are for numbers only, the table holds text or dates: use "
                "permuted."
            )
        self.best_part_ = parts.best_places(ranked.part_scores)
        return ranked

    def _n_columns(self, X: Any) -> int:  # noqa: ARG002
        return len(self.parts_)

    def _path(
        self, order: Callable[..., FeatureOrder], X: Any, y: np.ndarray, limit: dict[str, Any]
    ) -> FeatureOrder:
        """Run an order of parts, and give each column at the place of its first part."""
        asked = limit.get("n_features")
        if asked is not None:
            limit = limit | {"n_features": self.parts_.enough_for(asked)}
        path = order(X, y, **limit)
        columns, first = np.unique(self.parts_.of[path.features], return_index=True)
        places = np.argsort(first)[:asked]
        return FeatureOrder(columns[places], path.scores[first[places]])

    def _columns_of(self, ranked: np.ndarray) -> np.ndarray:
        return self.parts_.columns(ranked)


def _by_column(
    function: Callable[..., np.ndarray], combine: Callable[[np.ndarray], np.ndarray]
) -> Callable:
    """Make a function of parts give one number per column; `combine` maps those of the parts."""

    @wraps(function)
    def by_column(X: Any, y: Any, **parameters: Any) -> np.ndarray:
        return combine(np.asarray(function(X, y, **parameters), dtype=float))

    return by_column


@dataclass(frozen=True, eq=False, kw_only=True)
class _RankedColumns(OrderedScores):
    """A ranking of columns with parts, as a cut receives it."""

    parts: Parts  # the columns of X that are parts of each column
    score_parts: Callable[..., np.ndarray]  # one number per part; `score` gives one per column

    @cached_property
    def part_scores(self) -> np.ndarray:
        """The score of each part."""
        return np.asarray(self.weighted(self.score_parts)(self.X, self.y), dtype=float)

    @cached_property
    def scores(self) -> np.ndarray:
        """The score of each column."""
        return self.parts.best(self.part_scores)

    def p_values(self, finest: float) -> np.ndarray | None:
        """Give the p-values of the score, if any, fine enough for the best of many parts."""
        return super().p_values(finest / int(self.parts.widths.max()))

    def probing(self, finest: float) -> Probing:
        """Give p-values from columns with all their parts in another order of the rows."""
        rng, parts = np.random.default_rng(self.random_state), self.parts
        left = self._n_of_probes(finest)  # probes still to be drawn
        score, n = self.weighted(self.score_parts), self.X.shape[1]
        constant = np.logical_and.reduceat(constant_columns(self.X), parts.starts)
        varied = np.flatnonzero(constant == constant.all())
        feature_rounds, probe_rounds = [], []
        while left > 0:
            drawn = varied[probe_origins(len(varied), min(len(parts), left), rng)]
            probes, left = self._permuted(drawn, rng), left - len(drawn)
            if self.univariate:
                scores = np.asarray(score(probes, self.y), dtype=float)
            else:
                both = np.asarray(score(np.hstack((self.X, probes)), self.y), dtype=float)
                scores = both[n:]
                feature_rounds.append(parts.best(both[:n]))
            probe_parts = Parts(np.repeat(np.arange(len(drawn)), parts.widths[drawn]))
            probe_rounds.append(probe_parts.best(scores))
        probe_scores = np.concatenate(probe_rounds)
        scores = np.mean(feature_rounds, axis=0) if feature_rounds else self.scores
        p_values = np.where(constant, 1.0, probe_p_value(scores, probe_scores))
        return Probing(p_values, scores, probe_scores, "permuted")

    def _permuted(self, drawn: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Give columns in another order of the rows, the same for all parts of a column."""
        n_rows = self.X.shape[0]
        return np.hstack(
            [self.X[:, self.parts.columns([j])][rng.permutation(n_rows)] for j in drawn]
        )
