"""The score of any estimator on a fresh split for every evaluation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.metrics import check_scoring

from subsel.criteria.base import Evaluator, refuse_weights
from subsel.criteria.refits.fresh_splits import FreshSplit
from subsel.criteria.refits.icomp import IcompTerms
from subsel.criteria.refits.split_evaluator import SplitEvaluator
from subsel.criteria.registry import criterion
from subsel.criteria.traits import Traits
from subsel.data.task import Task
from subsel.registry.parameters import Parameters

__all__ = ["FreshSplitScore"]


@criterion("fresh-split-score")
@dataclass(frozen=True)
class FreshSplitScore(Parameters):
    """The score of an estimator on a random split of the rows [1]_.

    It is trained on one part and tested on the rest; every evaluation draws another split.

    Parameters
    ----------
    estimator : estimator
        Any estimator of scikit-learn's interface.
    scoring : str, callable or None, default=None
        As in ``cross_val_score``.
    train_share : float, default=0.2
        Share of the rows (of each class) to train on.
    splits : int or None, default=None
        None draws a fresh split for every evaluation; a number: so many splits are drawn once, and
        the quality is the median over them.
    keep : bool, default=False
        Keep every evaluation in ``evaluator.record``; its score and errors are minus the scores on
        test and training rows.

    References
    ----------
    .. [1] Howe and Bozdogan, *Regularized SVM classification with a new complexity-driven
       stochastic optimizer*, European Journal of Pure and Applied Mathematics 9, 2016, conclusion,
       on other classifiers.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> task = Task.of(*load_iris(return_X_y=True))
    >>> evaluator = FreshSplitScore(GaussianNB(), splits=5).bind(task, seed=0)
    >>> evaluator.explain(np.array([2, 3])).quality > evaluator.explain(np.array([0, 1])).quality
    True
    """

    estimator: Any
    scoring: str | Callable | None = None
    _: KW_ONLY
    train_share: float = 0.2
    splits: int | None = None
    keep: bool = False

    def bind(self, task: Task, seed: int | np.random.SeedSequence | None = None) -> Evaluator:
        """Draw the fixed splits."""
        refuse_weights(task, "FreshSplitScore")
        return _Fitted(self, task, seed)

    def choosing(self, setting: Mapping[str, Any]) -> FreshSplitScore:
        """Return the criterion with these parameters of the estimator."""
        return replace(self, estimator=clone(self.estimator).set_params(**setting))


class _Fitted(SplitEvaluator):
    """Fits the estimator once per subset and split."""

    def __init__(self, criterion: FreshSplitScore, task: Task, seed: Any) -> None:
        name = f"{type(criterion.estimator).__name__} on fresh splits"
        traits = Traits(name, deterministic=criterion.splits is not None, exact=False, heavy=True)
        super().__init__(criterion, task, seed, traits)
        self.X, self.y = np.asarray(task.matrix), task.y
        self.scorer = check_scoring(criterion.estimator, criterion.scoring)

    def terms(self, columns: np.ndarray, split: FreshSplit) -> IcompTerms:
        """Fit and score on one split."""
        X = self.X[:, columns]
        model = clone(self.criterion.estimator).fit(X[split.train], self.y[split.train])
        train, test = (float(self.scorer(model, X[rows], self.y[rows])) for rows in split)
        support = getattr(model, "support_", None)
        n_support = np.nan
        if support is not None and np.asarray(support).dtype.kind == "i":
            n_support = float(len(support))
        return IcompTerms(-test, 0.0, -train, -test, n_support)
