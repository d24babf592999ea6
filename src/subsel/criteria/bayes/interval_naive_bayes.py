"""Naive Bayes on MODL intervals, scored without refitting: intervals belong to single columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar

import numpy as np

from subsel.criteria.base import Evaluator, refuse_weights
from subsel.criteria.bayes.discrete_naive_bayes import LogLikelihoods
from subsel.criteria.evaluators.footprint import CHUNK, Footprint, Shape
from subsel.criteria.linear.incremental import check_classes
from subsel.criteria.registry import Equivalent, criterion
from subsel.criteria.scoring.scoring import HeldOutFolds, Needs, scoring_of
from subsel.criteria.traits import Traits
from subsel.data.folds import Folds, make_folds
from subsel.data.intervals.base import interval
from subsel.data.task import Kind, Task
from subsel.models.bayes.interval_naive_bayes import interval_tables
from subsel.registry.parameters import Parameters

__all__ = ["IntervalNaiveBayes"]


@criterion("interval-naive-bayes")
@dataclass(frozen=True)
class IntervalNaiveBayes(Parameters):
    """The score of naive Bayes on MODL intervals, equal to refitting at every subset [1]_.

    Columns are discretised in every training part; intervals belong to one column each, so that all
    subsets share them, and forward selection runs at the speed of a filter.

    Parameters
    ----------
    cv : int, splitter, list of pairs or "train", default="train"
        ``"train"``, as published, scores the model on the rows it was trained on, which favours
        large subsets; otherwise the folds, as in ``cross_val_score``.
    scoring : str, callable or None, default="lift_area"
        As in ``cross_val_score``, or the area under the lift curve, which orders models of two
        classes as the area under the ROC does. None is accuracy.
    pooled : bool, default=False
        Score all held-out rows at once instead of taking the mean over folds.
    memory : int, default=2**30
        As in :class:`DiscreteNaiveBayes`.

    References
    ----------
    .. [1] M. Boulle, "An enhanced selective naive Bayes method with optimal discretization", in
       Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 25, section 25.2.

    Examples
    --------
    >>> X = np.array([[1, 7], [2, 8], [3, 7], [4, 8], [5, 7], [6, 8]])
    >>> evaluator = IntervalNaiveBayes().bind(Task.of(X, [0, 0, 0, 1, 1, 1]))
    >>> evaluator.explain(np.array([0])).quality, evaluator.explain(np.array([1])).quality
    (0.75, 0.5)
    """

    serves: ClassVar[tuple[Kind, ...]] = ("classification",)
    gives: ClassVar[tuple[Needs, ...]] = ("labels", "decision", "probability")
    answers: ClassVar[tuple[Equivalent, ...]] = (
        Equivalent(
            "subsel.models.bayes.interval_naive_bayes:IntervalNaiveBayes",
            lambda model: {},  # noqa: ARG005
        ),
    )

    cv: Any = "train"
    scoring: str | Callable | None = "lift_area"
    _: KW_ONLY
    pooled: bool = False
    memory: int = 1 << 30

    def footprint(self, shape: Shape) -> Footprint:
        """Return the bytes of the intervals of rows, and of log-likelihoods if they fit."""
        least = 6.0 * shape.table + min(CHUNK, 6 * shape.table)
        return Footprint(least, least + 2.0 * shape.table * shape.classes)

    def bind(
        self,
        task: Task,
        seed: int | np.random.SeedSequence | None = None,  # noqa: ARG002
    ) -> Evaluator:
        """Discretise every column in every training part, and count the classes."""
        if task.kind != "classification":
            raise ValueError("naive Bayes needs classes as target, got a quantity.")
        refuse_weights(task, "IntervalNaiveBayes")
        if _on_training_rows(self.cv):
            every = np.arange(task.n_rows)
            folds = Folds((every,), (every,), task.n_rows)
        else:
            folds = make_folds(self.cv, task)
        if self._two(task):
            scoring = scoring_of(self, task)
        else:
            scoring = scoring_of(replace(self, scoring="accuracy"), task)
        held = HeldOutFolds.of(task, folds, scoring, self.pooled)
        check_classes(held, folds)
        codes, weights, prior = _interval_likelihoods(task, folds)
        return _Intervals(held, codes, weights, prior, self.memory)

    def _two(self, task: Task) -> bool:
        """Return whether the scoring applies; the default is for two classes only."""
        return self.scoring != "lift_area" or len(task.classes) == 2


class _Intervals(LogLikelihoods):
    """Log-likelihoods whose decisions are log ratios, which rank where probabilities saturate."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.traits = Traits("exact naive Bayes on intervals", standard_error=len(self.prior) > 1)

    def _outputs(self, totals: np.ndarray) -> np.ndarray:
        if self.held.scoring.needs == "decision":
            # rows in the same intervals must tie
            return (totals[:, :, 1] - totals[:, :, 0]).round(9)
        return super()._outputs(totals)


def _on_training_rows(cv: Any) -> bool:
    """Return whether the model is scored on its training rows."""
    return isinstance(cv, str) and cv == "train"


def _interval_likelihoods(task: Task, folds: Folds) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the intervals of held-out rows and the likelihoods learnt in each fold.

    Returns
    -------
    codes : ndarray of shape (N, columns)
        The interval of each held-out row.
    weights : ndarray of shape (folds, columns, intervals, classes)
        The log-likelihood of each interval.
    prior : ndarray of shape (folds, classes)
        The log-probability of each class.
    """
    X, n_classes = np.asarray(task.matrix, dtype=np.float64), len(task.classes)
    tables_of_folds = [
        interval_tables(X[train], task.codes[train], n_classes) for train in folds.train
    ]
    widest = max(len(table) for _, tables in tables_of_folds for table in tables)
    weights = np.zeros((len(folds), task.n_columns, widest, n_classes))
    parts = []
    for f, (cuts, tables) in enumerate(tables_of_folds):
        for j, table in enumerate(tables):
            weights[f, j, : len(table)] = table
        held = X[folds.test[f]]
        parts.append(np.column_stack([interval(held[:, j], edges) for j, edges in enumerate(cuts)]))
    shares = [
        np.bincount(task.codes[train], minlength=n_classes) / len(train) for train in folds.train
    ]
    return np.concatenate(parts), weights, np.log(shares)
