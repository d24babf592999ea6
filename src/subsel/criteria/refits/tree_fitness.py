"""The fitness of SET-Gen: the accuracy of a tree less its size and number of columns."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier

from subsel.criteria.base import Evaluator, refuse_weights
from subsel.criteria.registry import criterion
from subsel.criteria.traits import Traits
from subsel.data.folds import make_folds
from subsel.data.task import Kind, Task
from subsel.registry.parameters import Parameters

__all__ = ["TreeFitness"]


@criterion("tree-fitness")
@dataclass(frozen=True)
class TreeFitness(Parameters):
    r"""The fitness of SET-Gen: accurate, small trees of few columns [1]_ [2]_.

    .. math:: a A + (1 - a) \Big(1 - \frac{S + F}{2}\Big)

    with A the mean accuracy on held-out rows, S the mean number of nodes over the number of
    training rows, F the share of    columns selected, and a = 3/4.

    Parameters
    ----------
    estimator : tree or None, default=None
        An estimator that has ``tree_.node_count`` when fitted; None is scikit-learn's tree with
        ``random_state=0``.
    cv : int, splitter or list of pairs, default=10
        The folds.
    accuracy_weight : float, default=0.75
        a.

    References
    ----------
    .. [1] Cherkauer and Shavlik, *Growing simpler decision trees to facilitate knowledge
       discovery*, KDD 1996.
    .. [2] Stracuzzi, *Randomized feature selection*, in Liu and Motoda (eds.), *Computational
       Methods of Feature Selection*, 2007, genetic algorithms.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> evaluator = TreeFitness(cv=3).bind(Task.of(*load_iris(return_X_y=True)))
    >>> evaluator.quality(np.array([2, 3])) > evaluator.quality(np.array([0, 1, 2, 3]))
    True
    """

    serves: ClassVar[tuple[Kind, ...]] = ("classification",)

    estimator: Any = None
    cv: Any = 10
    _: KW_ONLY
    accuracy_weight: float = 0.75

    def bind(
        self,
        task: Task,
        seed: int | np.random.SeedSequence | None = None,  # noqa: ARG002
    ) -> Evaluator:
        """Make the folds."""
        if task.kind != "classification":
            raise ValueError("y must hold classes for TreeFitness, got a quantity.")
        if not 0 <= self.accuracy_weight <= 1:
            raise ValueError(f"accuracy_weight must lie in [0, 1], got {self.accuracy_weight!r}.")
        refuse_weights(task, "TreeFitness")
        return _Trees(self, task)


class _Trees(Evaluator):
    """Grows a tree per fold."""

    traits = Traits("fitness of trees", exact=False, heavy=True)

    def __init__(self, criterion: TreeFitness, task: Task) -> None:
        self.criterion, self.task, self.folds = criterion, task, make_folds(criterion.cv, task)
        self.X = np.asarray(task.matrix, dtype=np.float64)
        self.tree = criterion.estimator
        if self.tree is None:
            self.tree = DecisionTreeClassifier(random_state=0)

    def quality(self, columns: np.ndarray) -> float:
        """Compute the weighted sum of accuracy and smallness."""
        X, y = self.X[:, columns], self.task.codes
        accuracies, sizes = [], []
        for train, test in zip(self.folds.train, self.folds.test):
            tree = clone(self.tree).fit(X[train], y[train])
            accuracies.append(np.mean(tree.predict(X[test]) == y[test]))
            sizes.append(tree.tree_.node_count / len(train))
        size = (np.mean(sizes) + len(columns) / self.task.n_columns) / 2
        weight = self.criterion.accuracy_weight
        return float(weight * np.mean(accuracies) + (1 - weight) * (1 - size))
