"""Rank whole columns: text and dates, which are told in several columns of numbers, have one score each."""

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
    """A :class:`RankingSelector` of columns of which each may be told in several columns of numbers.

    A column scores as the best of its parts. The best of many noisy scores is high by chance, so
    that evidence counts the parts: a p-value is that of the best part times their number [1]_, a
    probe is a whole column with its rows in another order and scores as its best part, and shuffled
    labels are scored in the same way. An order takes a column where it takes the first of its
    parts. Cuts by a number know no evidence, and do not correct.

    ``scores_``, ``ranking_``, ``support_``, ``p_values_`` and ``q_values_`` have one entry for each
    column.

    Attributes
    ----------
    parts_ : Parts
        Which columns of numbers make a column.
    best_part_ : ndarray of int
        Of each column, the number of its best part in the table of numbers.

    References
    ----------
    .. [1] O. J. Dunn, *Multiple comparisons among means*, Journal of the American Statistical
       Association, 1961.

    Examples
    --------
    >>> X = np.array([[1.0, 0, 0, 3], [1, 0, 0, 1], [0, 1, 0, 4], [0, 0, 1, 1], [0, 1, 0, 5], [0, 0, 1, 2]])
    >>> ranking = WholeColumnRanking("anova-f", "fdr:0.1").fit(X, list("uuvvvv"), origin=[0, 0, 0, 1])
    >>> ranking.scores_.round(2), ranking.best_part_, ranking.support_
    (array([ inf, 0.44]), array([0, 3]), array([False, False]))
    """

    parts_: Parts

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, origin: Any = None
    ) -> WholeColumnRanking:
        """Score every column and cut; ``origin`` numbers, for each column of X, the column it is a part of, in order."""
        if origin is None:
            origin = np.arange(np.shape(X)[1])
        self.parts_ = Parts(np.asarray(origin))
        self.best_part_ = self.parts_.starts
        super().fit(X, y, sample_weight)
        return self

    def _ranked(
        self, X: Any, y: Any, score: Callable, p_value: Callable | None, *given: Any
    ) -> OrderedScores:
        parts = self.parts_
        if p_value is not None:
            p_value = _whole(p_value, parts.corrected)
        ranked = _RankedWhole(
            X, y, _whole(score, parts.best), p_value, *given, parts=parts, score_parts=score
        )
        if parts.several and ranked.probes != "permuted":
            raise ValueError(
                f"{ranked.probes} probes know numbers only, the table holds text or dates: use permuted."
            )
        self.best_part_ = parts.best_places(ranked.part_scores)
        return ranked

    def _n_columns(self, X: Any) -> int:  # noqa: ARG002
        return len(self.parts_)

    def _path(
        self, take: Callable[..., FeatureOrder], X: Any, y: np.ndarray, limit: dict[str, Any]
    ) -> FeatureOrder:
        """Each column where its first part is taken."""
        asked = limit.get("n_features")
        if asked is not None:
            limit = limit | {"n_features": self.parts_.enough_for(asked)}
        path = take(X, y, **limit)
        columns, first = np.unique(self.parts_.of[path.features], return_index=True)
        order = np.argsort(first)[:asked]
        return FeatureOrder(columns[order], path.scores[first[order]])

    def _columns_of(self, ranked: np.ndarray) -> np.ndarray:
        return self.parts_.columns(ranked)


def _whole(
    function: Callable[..., np.ndarray], together: Callable[[np.ndarray], np.ndarray]
) -> Callable:
    """A function of parts that gives one number for each column."""

    @wraps(function)
    def of_columns(X: Any, y: Any, **parameters: Any) -> np.ndarray:
        return together(np.asarray(function(X, y, **parameters), dtype=float))

    return of_columns


@dataclass(frozen=True, eq=False, kw_only=True)
class _RankedWhole(OrderedScores):
    """A ranking of columns for the cuts; ``score`` and ``p_value`` give one number for each, ``score_parts`` for a part."""

    parts: Parts
    score_parts: Callable[..., np.ndarray]

    @cached_property
    def part_scores(self) -> np.ndarray:
        """The score of each part."""
        return np.asarray(self.weighted(self.score_parts)(self.X, self.y), dtype=float)

    @cached_property
    def scores(self) -> np.ndarray:
        """The score of each column."""
        return self.parts.best(self.part_scores)

    def p_values(self, finest: float) -> np.ndarray | None:
        """The p-values of the score, if it has any, fine enough for the best of the parts."""
        return super().p_values(finest / int(self.parts.widths.max()))

    def probing(self, finest: float) -> Probing:
        """P-values from whole columns whose rows are in another order."""
        rng, parts, left = (
            np.random.default_rng(self.random_state),
            self.parts,
            self._n_of_probes(finest),
        )
        score, n = self.weighted(self.score_parts), self.X.shape[1]
        constant = np.logical_and.reduceat(constant_columns(self.X), parts.starts)
        varied = np.flatnonzero(constant == constant.all())
        beside, alone = [], []
        while left > 0:
            drawn = varied[probe_origins(len(varied), min(len(parts), left), rng)]
            probes, left = self._permuted(drawn, rng), left - len(drawn)
            if self.univariate:
                scores = np.asarray(score(probes, self.y), dtype=float)
            else:
                both = np.asarray(score(np.hstack((self.X, probes)), self.y), dtype=float)
                scores = both[n:]
                beside.append(parts.best(both[:n]))
            alone.append(Parts(np.repeat(np.arange(len(drawn)), parts.widths[drawn])).best(scores))
        probe_scores = np.concatenate(alone)
        scores = np.mean(beside, axis=0) if beside else self.scores
        p_values = np.where(constant, 1.0, probe_p_value(scores, probe_scores))
        return Probing(p_values, scores, probe_scores, "permuted")

    def _permuted(self, drawn: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Columns with their rows in another order, the parts of each in the same."""
        n_rows = self.X.shape[0]
        return np.hstack(
            [self.X[:, self.parts.columns([j])][rng.permutation(n_rows)] for j in drawn]
        )
