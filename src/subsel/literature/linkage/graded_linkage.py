"""Record linkage by agglomeration, with errors that weigh differently."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from typing import ClassVar, Literal

import numpy as np
from scipy.cluster.hierarchy import fcluster
from scipy.cluster.hierarchy import linkage as agglomerate
from scipy.spatial.distance import squareform

from subsel.criteria.registry import criterion
from subsel.data.task import Kind, Task
from subsel.literature.linkage.accuracy import Linker, swappable_columns
from subsel.literature.linkage.graded_distances import PRICES, graded_distances
from subsel.registry.parameters import Parameters

__all__ = ["GradedLinkage"]


@criterion("graded-linkage")
@dataclass(frozen=True)
class GradedLinkage(Parameters):
    """The share of persons whose records all land in one cluster of their own, by agglomeration [1]_.

    As :class:`LinkageAccuracy`, but an error weighs what its kind does (an edit more than a sound-alike or a nickname), the
    distance of two records is the sum over the chosen attributes, and clusters are joined, nearest first, up to
    ``threshold``. With all weights 1, single linkage and a threshold of 1 it is :class:`LinkageAccuracy`.

    Parameters
    ----------
    threshold : float, default=1.0
        Up to which distance clusters are joined.
    linkage : {"single", "complete", "average"}, default="average"
        The distance of two clusters: of their nearest, their furthest, or all their pairs of records.
    prices : mapping, default=None
        What errors weigh: any of ``"edit"``, ``"sound"``, ``"nickname"``, ``"cut"``, ``"missing"`` and ``"swap"``; the others
        are those of :data:`subsel.literature.linkage.graded_distances.PRICES`.
    swappable : pair of str or int, or None, default=("first_name", "last_name")
        As in :class:`LinkageAccuracy`.
    max_component : int, default=2000
        Agglomeration looks at all pairs among records that chains of near ones connect; where such a set is larger than
        this, it stays one cluster.

    Notes
    -----
    Only records that are connected by near ones, as many errors apart as the threshold could buy at the least price, are
    compared: no cross product of all records is formed.

    References
    ----------
    .. [1] Saha, Rajasekaran and Ramprasad, *Novel randomized feature selection algorithms*, International Journal of
       Foundations of Computer Science 26, 2015, section 3.3; Mi, Rajasekaran and Aseltine, *Efficient algorithms for fast
       integration on large data sets from multiple sources*, BMC Med Inform Decis Mak 12:59, 2012.

    Examples
    --------
    >>> import pandas as pd
    >>> records = pd.DataFrame({"first_name": ["philip", "filip", "phyllis"], "last_name": ["lee", "lee", "lee"]})
    >>> evaluator = GradedLinkage().bind(Task.of(records, [0, 0, 1], "classification"))
    >>> evaluator.quality(np.array([0, 1])), evaluator.clusters(np.array([0])).tolist()
    (1.0, [1, 1, 0])
    """

    serves: ClassVar[tuple[Kind, ...]] = ("classification",)

    threshold: float = 1.0
    linkage: Literal["single", "complete", "average"] = "average"
    prices: Mapping[str, float] | None = None
    swappable: tuple[str | int, str | int] | None = ("first_name", "last_name")
    max_component: int = 2000

    def bind(self, task: Task, seed: int | np.random.SeedSequence | None = None) -> Linker:  # noqa: ARG002
        """Find the near values of every attribute."""
        if self.linkage not in ("single", "complete", "average"):
            raise ValueError(
                f"linkage must be 'single', 'complete' or 'average', got {self.linkage!r}."
            )
        if self.threshold < 0:
            raise ValueError(f"threshold must not be negative, got {self.threshold!r}.")
        unknown = set(self.prices or {}) - set(PRICES)
        if unknown:
            raise ValueError(
                f"prices must be of {', '.join(PRICES)}, got {', '.join(sorted(unknown))}."
            )
        prices = {**PRICES, **(self.prices or {})}
        if min(prices.values()) <= 0:
            raise ValueError(f"prices must be positive, got {min(prices.values())!r}.")
        return _Agglomerating(self, task, prices, swappable_columns(self.swappable, task.names))


class _Agglomerating(Linker):
    """Joins records within the components of near ones."""

    def __init__(
        self,
        criterion: GradedLinkage,
        task: Task,
        prices: dict[str, float],
        swappable: tuple[int, int] | None,
    ) -> None:
        super().__init__(task, ceil(criterion.threshold / min(prices.values())), swappable)
        self.criterion, self.prices = criterion, prices

    def clusters(self, columns: np.ndarray) -> np.ndarray:
        """The cluster of each record, numbered from 0."""
        columns = np.asarray(columns)
        connected = super().clusters(columns)
        records, number = np.unique(self.codes[:, columns], axis=0, return_inverse=True)
        number = number.ravel()
        component = np.empty(len(records), dtype=np.int64)
        component[number] = connected
        found = np.empty(len(records), dtype=np.int64)
        order = np.argsort(component, kind="stable")
        start = 0
        for members in np.split(order, np.flatnonzero(np.diff(component[order])) + 1):
            parts = self._parts(columns, records[members])
            found[members], start = start + parts, start + parts.max() + 1
        return np.unique(found[number], return_inverse=True)[1]

    def _parts(self, columns: np.ndarray, records: np.ndarray) -> np.ndarray:
        """The clusters within one component, from 0."""
        if len(records) == 1 or len(records) > self.criterion.max_component:
            return np.zeros(len(records), dtype=np.int64)
        between = squareform(self._distances(columns, records), checks=False)
        tree = agglomerate(between, self.criterion.linkage)
        return fcluster(tree, self.criterion.threshold + 1e-9, "distance") - 1

    def _distances(self, columns: np.ndarray, records: np.ndarray) -> np.ndarray:
        """Sums over the attributes, names exchanged or not."""
        place = {int(j): i for i, j in enumerate(columns)}
        apart = {j: self._attribute(j, records[:, i], records[:, i]) for j, i in place.items()}
        total = np.sum(list(apart.values()), axis=0)
        if self.swappable is None or not {*self.swappable} <= place.keys():
            return total
        first, second = self.swappable
        kept = total - apart[first] - apart[second]
        crossed = self._attribute(first, records[:, place[first]], records[:, place[second]])
        return np.minimum(total, kept + crossed + crossed.T + self.prices["swap"])

    def _attribute(self, column: int, one: np.ndarray, other: np.ndarray) -> np.ndarray:
        """Distances between the values of one column, or of two that share their vocabulary."""
        used, at = np.unique(np.concatenate([one, other]), return_inverse=True)
        between = graded_distances(self.values[column][used].tolist(), self.prices)
        return between[np.ix_(at[: len(one)], at[len(one) :])]
