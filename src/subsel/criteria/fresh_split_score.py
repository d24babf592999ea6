"""The score of any estimator on a fresh split for every evaluation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.metrics import check_scoring

from subsel.candidates import Candidates
from subsel.criteria.base import Evaluation, Evaluator, refuse_weights
from subsel.criteria.fresh_splits import FreshSplits, Split
from subsel.criteria.icomp import N_FINAL, IcompTerms
from subsel.criteria.registry import criterion
from subsel.criteria.traits import Traits
from subsel.parameters import Parameters
from subsel.task import Task

__all__ = ["FreshSplitScore"]


@criterion("fresh-split-score")
@dataclass(frozen=True)
class FreshSplitScore(Parameters):
    """The score of an estimator trained on a random part of the rows and tested on the rest, another part each time [1]_.

    Parameters
    ----------
    estimator : estimator
        Any of scikit-learn's kind.
    scoring : str, callable or None, default=None
        As in ``cross_val_score``.
    train_share : float, default=0.2
        Share of the rows (of each class) to train on.
    splits : int or None, default=None
        None draws a fresh split for every evaluation; a number: so many splits are drawn once, and the quality is the
        median over them.
    keep : bool, default=False
        Keep every evaluation in ``evaluator.record``; its score and errors are minus the scores on test and training rows.

    References
    ----------
    .. [1] Howe and Bozdogan, *Regularized SVM classification with a new complexity-driven stochastic optimizer*, European
       Journal of Pure and Applied Mathematics 9, 2016, conclusion, on other classifiers.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> evaluator = FreshSplitScore(GaussianNB(), splits=5).bind(Task.of(*load_iris(return_X_y=True)), seed=0)
    >>> evaluator.explain(np.array([2, 3])).quality > evaluator.explain(np.array([0, 1])).quality
    True
    """

    estimator: Any
    scoring: str | Callable | None = None
    train_share: float = 0.2
    splits: int | None = None
    keep: bool = False

    def bind(self, task: Task, seed: int | np.random.SeedSequence | None = None) -> Evaluator:
        """Draw the fixed splits."""
        refuse_weights(task, "FreshSplitScore")
        return _Fitted(self, task, seed)

    def choosing(self, setting: Mapping[str, Any]) -> FreshSplitScore:
        """The same with these parameters of the estimator."""
        return replace(self, estimator=clone(self.estimator).set_params(**setting))


class _Fitted(Evaluator):
    """Fits once per evaluation and split."""

    def __init__(self, criterion: FreshSplitScore, task: Task, seed: Any) -> None:
        self.criterion, self.task, self.seed = criterion, task, seed
        self.X, self.y = np.asarray(task.matrix), task.y
        self.scorer = check_scoring(criterion.estimator, criterion.scoring)
        self.draws = FreshSplits(task, criterion.train_share, seed)
        name = f"{type(criterion.estimator).__name__} on fresh splits"
        self.traits = Traits(name, deterministic=criterion.splits is not None, exact=False, heavy=True)
        self.fixed = [self.draws.draw(number) for number in range(criterion.splits or 0)]
        self.record: list[tuple[np.ndarray, IcompTerms]] = []

    @cached_property
    def final(self) -> Evaluator | None:  # type: ignore[override]
        """With fresh splits: the evaluator of the finalists, on splits drawn once."""
        if self.traits.deterministic:
            return None
        return replace(self.criterion, splits=N_FINAL, keep=False).bind(self.task, self.seed)

    def evaluate(self, candidates: Candidates) -> np.ndarray:
        """Fit each candidate on the split of its request, or on all fixed ones."""
        restart, first = candidates.stream
        qualities = np.empty(len(candidates))
        for i, columns in enumerate(candidates.columns()):
            found = [self.terms(columns, split) for split in self.fixed or [self.draws.draw(restart, first + i)]]
            qualities[i] = -np.median([terms.score for terms in found])
            if self.criterion.keep:
                self.record += [(columns, terms) for terms in found]
        return qualities

    def explain(self, columns: np.ndarray) -> Evaluation:
        """The median over the splits that the finalists are evaluated on."""
        final = self if self.final is None else self.final
        scores = np.array([-final.terms(columns, split).score for split in final.fixed])  # type: ignore[attr-defined]
        return Evaluation(float(np.median(scores)), fold_scores=scores)

    def sampled(self, columns: np.ndarray, n_splits: int, stream: int = 2**31) -> list[IcompTerms]:
        """Evaluate a subset on splits of its own, which no search has seen."""
        return [self.terms(columns, self.draws.draw(stream, number)) for number in range(n_splits)]

    def terms(self, columns: np.ndarray, split: Split) -> IcompTerms:
        """Fit and score on one split."""
        X = self.X[:, columns]
        model = clone(self.criterion.estimator).fit(X[split.train], self.y[split.train])
        train, test = (float(self.scorer(model, X[rows], self.y[rows])) for rows in split)
        support = getattr(model, "support_", None)
        n_support = float(len(support)) if support is not None and np.asarray(support).dtype.kind == "i" else np.nan
        return IcompTerms(-test, 0.0, -train, -test, n_support)
