"""The accuracy on all rows of a few rows that serve as the only neighbours."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.dummy import DummyClassifier

from subsel.criteria.base import Evaluator
from subsel.criteria.evaluators.footprint import Footprint, Shape
from subsel.criteria.registry import criterion
from subsel.criteria.traits import Traits
from subsel.data.task import Kind, Task
from subsel.registry.parameters import Parameters
from subsel.space.candidates import Candidates, Subset
from subsel.space.space import Space

__all__ = ["PrototypeAccuracy", "fit_or_constant", "nearest_codes"]


@criterion("prototype-accuracy")
@dataclass(frozen=True)
class PrototypeAccuracy(Parameters):
    """Accuracy on all rows of k-nearest neighbours among the selected rows [1]_ [2]_.

    The blocks of the space say what is searched: a block named ``"rows"`` holds the prototypes, a
    block named ``"features"`` the columns of the distances. If a block is missing, all rows or all
    columns are used.

    Parameters
    ----------
    n_neighbors : int, default=1
        Number of prototypes that vote; if there are fewer, all of them vote. Ties of distance go to
        the lower row number, ties of votes to the smaller class.
    leave_self_out : bool, default=False
        Whether a prototype is excluded from its own neighbours. The published method is False,
        which suits a given small number of prototypes. Where the number is free, the set of all
        rows would be perfect, and only True makes the number meaningful.
    memory : float, default=1e9
        Bytes that the distances between all rows may take; where they need more, they are computed
        for each candidate.
    estimator : classifier or None, default=None
        A learner to be trained on the selected rows and columns in place of nearest neighbours;
        rows of a single class predict that class. It cannot be combined with ``leave_self_out``.

    References
    ----------
    .. [1] Skalak, *Prototype and feature selection by sampling and random mutation hill climbing
       algorithms*, ICML 1994.
    .. [2] Stracuzzi, *Randomized feature selection*, in Liu and Motoda (eds.), *Computational
       Methods of Feature Selection*, 2007, chapter 3, figures 1.3 and 1.5.

    Examples
    --------
    >>> from subsel.space.space import Block
    >>> task = Task.of(np.array([[0.0], [1.0], [2.0], [9.0]]), [0, 0, 1, 1])
    >>> space = Space((Block(4, name="rows"),))
    >>> candidates = Candidates.of(space, [space.subset([0, 3]), space.subset([0, 2])])
    >>> PrototypeAccuracy().bind(task).evaluate(candidates)
    array([0.75, 1.  ])
    """

    serves: ClassVar[tuple[Kind, ...]] = ("classification",)

    n_neighbors: int = 1
    leave_self_out: bool = False
    _: KW_ONLY
    memory: float = 1e9
    estimator: Any = None

    def footprint(self, shape: Shape) -> Footprint:
        """Distances between all rows."""
        return Footprint(
            2 * shape.table + 2.5 * shape.squared, 2 * shape.table + 3.5 * shape.squared
        )

    def bind(
        self,
        task: Task,
        seed: int | np.random.SeedSequence | None = None,  # noqa: ARG002
    ) -> Evaluator:
        """Compute the distances between all rows, if they fit into ``memory``."""
        if task.kind != "classification":
            raise ValueError("y must hold classes for prototypes, got a quantity.")
        if self.n_neighbors < 1:
            raise ValueError(f"n_neighbors must be at least 1, got {self.n_neighbors}.")
        if self.estimator is not None and self.leave_self_out:
            raise ValueError(
                "leave_self_out must be False where an estimator is given, got True: only nearest "
                "neighbours can leave a prototype out of its own prediction."
            )
        if self.estimator is None:
            return _Prototypes(self, task)
        return _Trained(self, task)


class _Trained(Evaluator):
    """Trains the learner on the selected rows and columns, and scores it on all rows."""

    def __init__(self, criterion: PrototypeAccuracy, task: Task) -> None:
        self.estimator, self.codes, self.X = criterion.estimator, task.codes, task.matrix
        self.traits = Traits(
            f"{type(criterion.estimator).__name__} of prototypes", exact=False, heavy=True
        )

    def evaluate(self, candidates: Candidates) -> np.ndarray:
        """Compute the share of rows that the learner predicts correctly."""
        return np.array([self._accuracy(candidates.space, subset) for subset in candidates])

    def _accuracy(self, space: Space, subset: Subset) -> float:
        rows, columns = _members(space, subset, "rows"), _members(space, subset, "features")
        X = self.X
        if rows is None:
            rows = np.arange(len(X))
        if columns is not None:
            X = X[:, columns]
        predicted = fit_or_constant(self.estimator, X[rows], self.codes[rows]).predict(X)
        return float(np.mean(predicted == self.codes))


def fit_or_constant(estimator: Any, X: np.ndarray, codes: np.ndarray) -> Any:
    """Fit a clone to these rows, or a constant classifier where they have a single class."""
    if len(np.unique(codes)) == 1:
        return DummyClassifier().fit(X, codes)
    return clone(estimator).fit(X, codes)


class _Prototypes(Evaluator):
    """Classifies by nearest prototypes; distances over all columns are computed once."""

    def __init__(self, criterion: PrototypeAccuracy, task: Task) -> None:
        self.criterion, self.codes, self.n_classes = criterion, task.codes, len(task.classes)
        self.X = np.ascontiguousarray(task.matrix)
        self.distances = None
        if 8.0 * task.n_rows**2 <= criterion.memory:
            self.distances = cdist(self.X, self.X, "sqeuclidean")
        self.traits = Traits(f"{criterion.n_neighbors}-nearest prototypes")

    def evaluate(self, candidates: Candidates) -> np.ndarray:
        """Compute the share of rows whose nearest prototypes vote for their class."""
        return np.array([self._accuracy(candidates.space, subset) for subset in candidates])

    def _accuracy(self, space: Space, subset: Subset) -> float:
        rows = _members(space, subset, "rows")
        if rows is None:
            rows = np.arange(len(self.X))
        distances = self._distances_from(rows, _members(space, subset, "features"))
        if self.criterion.leave_self_out:
            distances[np.arange(len(rows)), rows] = np.inf
        predicted = nearest_codes(
            distances, self.codes[rows], self.criterion.n_neighbors, self.n_classes
        )
        return np.count_nonzero(predicted == self.codes) / len(self.codes)

    def _distances_from(self, rows: np.ndarray, columns: np.ndarray | None) -> np.ndarray:
        """Squared distances (prototypes, n) of the prototypes from all rows over some columns."""
        if columns is None and self.distances is not None:
            return self.distances[rows]
        X = self.X
        if columns is not None:
            X = X[:, columns]
        return cdist(X[rows], X, "sqeuclidean")


def nearest_codes(
    distances: np.ndarray, codes: np.ndarray, n_neighbors: int, n_classes: int
) -> np.ndarray:
    """Find the class that the nearest prototypes vote for.

    ``distances`` has shape (prototypes, n), ``codes`` (prototypes,). A row that is infinitely far
    from all prototypes gets -1.

    >>> nearest_codes(np.array([[0.0, 4.0], [1.0, 1.0]]), np.array([0, 1]), 1, 2)
    array([0, 1])
    """
    if n_neighbors == 1:
        best = distances.argmin(axis=0)
        found = codes[best]
        found[np.isinf(distances[best, np.arange(distances.shape[1])])] = -1
        return found
    nearest = np.argsort(distances, axis=0, kind="stable")[:n_neighbors]
    reached = np.isfinite(np.take_along_axis(distances, nearest, axis=0))
    votes = np.array([(reached & (codes[nearest] == c)).sum(axis=0) for c in range(n_classes)])
    return np.where(reached.any(axis=0), votes.argmax(axis=0), -1)


def _members(space: Space, subset: Subset, name: str) -> Any:
    """Return the members of a block that a subset has; None where the space lacks the block."""
    for number, block in enumerate(space.blocks):
        if block.name == name:
            return space.columns(subset, number)
    return None
