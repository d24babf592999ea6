"""How well a few rows, as the only neighbours, classify all of them."""

from __future__ import annotations

from dataclasses import dataclass
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

__all__ = ["PrototypeAccuracy", "nearest_codes", "trained"]


@criterion("prototype-accuracy")
@dataclass(frozen=True)
class PrototypeAccuracy(Parameters):
    """Accuracy of k-nearest neighbours on all rows, with only the chosen rows to choose neighbours from [1]_ [2]_.

    The space says what is searched: a block named ``"rows"`` holds the prototypes, a block named
    ``"features"`` the columns that distances are taken over. A block that is missing stands for all
    rows, or all columns.

    Parameters
    ----------
    n_neighbors : int, default=1
        How many prototypes vote. Fewer prototypes than that all vote. Ties of distance go to the
        lower row, ties of votes to the smaller class.
    leave_self_out : bool, default=False
        A prototype is not its own neighbour. Published is False, which suits a few prototypes of a
        given number; where the number is free, all rows would be perfect, and only True has a best
        number.
    memory : float, default=1e9
        Bytes that the distances between all rows may take; beyond, they are computed for each
        candidate.
    estimator : classifier or None, default=None
        Any learner to be trained on the chosen rows and columns in place of nearest neighbours;
        rows of one class alone predict that class. With it, prototypes cannot be left out of their
        own prediction.

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
    >>> PrototypeAccuracy().bind(task).evaluate(Candidates.of(space, [space.subset([0, 3]), space.subset([0, 2])]))
    array([0.75, 1.  ])
    """

    serves: ClassVar[tuple[Kind, ...]] = ("classification",)

    n_neighbors: int = 1
    leave_self_out: bool = False
    memory: float = 1e9
    estimator: Any = None

    def footprint(self, shape: Shape) -> Footprint:
        """Distances between all rows."""
        return Footprint(
            2 * shape.table + 2.5 * shape.squared, 2 * shape.table + 3.5 * shape.squared
        )

    def bind(self, task: Task, seed: int | np.random.SeedSequence | None = None) -> Evaluator:  # noqa: ARG002
        """Take the distances between all rows, where there is room."""
        if task.kind != "classification":
            raise ValueError("prototypes classify: the target must be classes.")
        if self.n_neighbors < 1:
            raise ValueError(f"n_neighbors must be at least 1, got {self.n_neighbors}.")
        if self.estimator is not None and self.leave_self_out:
            raise ValueError("leave_self_out is for nearest neighbours, not for any estimator.")
        if self.estimator is None:
            return _Prototypes(self, task)
        return _Trained(self, task)


class _Trained(Evaluator):
    """Trains the learner on the chosen rows and columns, and asks it for all rows."""

    def __init__(self, criterion: PrototypeAccuracy, task: Task) -> None:
        self.estimator, self.codes, self.X = criterion.estimator, task.codes, task.matrix
        self.traits = Traits(
            f"{type(criterion.estimator).__name__} of prototypes", exact=False, heavy=True
        )

    def evaluate(self, candidates: Candidates) -> np.ndarray:
        """Share of the rows that the learner gets right."""
        return np.array([self._accuracy(candidates.space, subset) for subset in candidates])

    def _accuracy(self, space: Space, subset: Subset) -> float:
        rows, columns = _chosen(space, subset, "rows"), _chosen(space, subset, "features")
        X = self.X
        if rows is None:
            rows = np.arange(len(X))
        if columns is not None:
            X = X[:, columns]
        predicted = trained(self.estimator, X[rows], self.codes[rows]).predict(X)
        return float(np.mean(predicted == self.codes))


def trained(estimator: Any, X: np.ndarray, codes: np.ndarray) -> Any:
    """A clone fitted to these rows; one class alone is always predicted."""
    if len(np.unique(codes)) == 1:
        return DummyClassifier().fit(X, codes)
    return clone(estimator).fit(X, codes)


class _Prototypes(Evaluator):
    """Distances once for all columns, anew for some of them."""

    def __init__(self, criterion: PrototypeAccuracy, task: Task) -> None:
        self.criterion, self.codes, self.n_classes = criterion, task.codes, len(task.classes)
        self.X = np.ascontiguousarray(task.matrix)
        self.distances = None
        if 8.0 * task.n_rows**2 <= criterion.memory:
            self.distances = cdist(self.X, self.X, "sqeuclidean")
        self.traits = Traits(f"{criterion.n_neighbors}-nearest prototypes")

    def evaluate(self, candidates: Candidates) -> np.ndarray:
        """Share of the rows whose nearest prototypes vote for their class."""
        return np.array([self._accuracy(candidates.space, subset) for subset in candidates])

    def _accuracy(self, space: Space, subset: Subset) -> float:
        rows = _chosen(space, subset, "rows")
        if rows is None:
            rows = np.arange(len(self.X))
        distances = self._from(rows, _chosen(space, subset, "features"))
        if self.criterion.leave_self_out:
            distances[np.arange(len(rows)), rows] = np.inf
        predicted = nearest_codes(
            distances, self.codes[rows], self.criterion.n_neighbors, self.n_classes
        )
        return np.count_nonzero(predicted == self.codes) / len(self.codes)

    def _from(self, rows: np.ndarray, columns: np.ndarray | None) -> np.ndarray:
        """Squared distances of all rows from some, over some columns: one line per prototype."""
        if columns is None and self.distances is not None:
            return self.distances[rows]
        X = self.X
        if columns is not None:
            X = X[:, columns]
        return cdist(X[rows], X, "sqeuclidean")


def nearest_codes(
    distances: np.ndarray, codes: np.ndarray, n_neighbors: int, n_classes: int
) -> np.ndarray:
    """The class that the nearest prototypes (lines of ``distances``) vote for; -1 where all are infinitely far.

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


def _chosen(space: Space, subset: Subset, name: str) -> Any:
    """The members of a block that are on; None where the space has no such block."""
    for number, block in enumerate(space.blocks):
        if block.name == name:
            return space.columns(subset, number)
    return None
