"""Record linkage by agglomeration, with errors that weigh differently."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from math import ceil
from typing import ClassVar, Literal

import numpy as np
from scipy.cluster.hierarchy import fcluster
from scipy.cluster.hierarchy import linkage as agglomerate
from scipy.spatial.distance import squareform

from subsel.criteria.registry import criterion
from subsel.data.task import Kind, Task
from subsel.literature.linkage.accuracy import Linker, swappable_columns
from subsel.literature.linkage.near_values import full_name, is_cut_of, sound
from subsel.registry.parameters import Parameters

__all__ = ["PRICES", "GradedLinkage", "graded_distances"]


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
        are those of :data:`subsel.literature.linkage.graded.PRICES`.
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
    _: KW_ONLY
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


PRICES = {"edit": 1.0, "sound": 0.5, "nickname": 0.5, "cut": 0.5, "missing": 0.5, "swap": 0.5}
"""What an error of each kind weighs, where nothing else is said."""


def graded_distances(values: Sequence[str], prices: Mapping[str, float] = PRICES) -> np.ndarray:
    """Give the distances between all pairs of values: the cheapest way to see one as the other.

    An edit (neighbouring letters in the wrong order being one) costs ``prices["edit"]`` each; values that sound alike, that
    are nicknames of one name, of which one is the other cut short, or of which one is missing, cost what their kind does.

    >>> graded_distances(["anna", "ana", "philip", "filip", ""]).tolist()[0]
    [0.0, 1.0, 6.0, 5.0, 0.5]
    >>> graded_distances(["philip", "filip"])[0, 1]
    np.float64(0.5)
    """
    try:
        from rapidfuzz.distance import OSA
        from rapidfuzz.process import cdist
    except ImportError:
        raise ImportError(
            "record linkage needs rapidfuzz: pip install 'subsel[linkage]'."
        ) from None
    words = list(values)
    distances = prices["edit"] * cdist(words, words, scorer=OSA.distance, dtype=np.int32).astype(
        float
    )
    for kind, keys in (
        ("sound", [sound(w) for w in words]),
        ("nickname", [full_name(w) for w in words]),
    ):
        code = np.unique([key or f"\0{i}" for i, key in enumerate(keys)], return_inverse=True)[1]
        same = code[:, None] == code
        distances[same] = np.minimum(distances[same], prices[kind])
    for i, long in enumerate(words):
        cut = [j for j, short in enumerate(words) if j != i and is_cut_of(short, long)]
        distances[i, cut] = distances[cut, i] = np.minimum(distances[i, cut], prices["cut"])
    missing = np.array([not w for w in words])
    gap = missing[:, None] ^ missing
    distances[gap] = np.minimum(distances[gap], prices["missing"])
    np.fill_diagonal(distances, 0.0)
    return distances
