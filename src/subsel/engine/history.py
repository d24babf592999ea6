"""The history of one restart: qualities, incumbent, best per size and finalists."""

from __future__ import annotations

from array import array
from heapq import heappush, heapreplace

import numpy as np

from subsel.result.pareto import dominates
from subsel.space.candidates import Candidates, Subset
from subsel.space.space import Space

__all__ = ["History"]

N_FINALISTS = 100  # subsets kept for the final choice
ROOM = 2**22  # evaluations of a restart that are stored for the trace, 48 MiB


class History:
    """Records evaluations; only eligible subsets become incumbent, front or finalists.

    Quality and size take 12 bytes per evaluation, up to 50 megabytes: whenever four million are
    stored, every second one is dropped.

    Parameters
    ----------
    space : Space
        The space that is searched.

    Attributes
    ----------
    n : int
        Number of evaluations.
    step : int
        Every ``step``-th evaluation is stored, from the first on.
    qualities, sizes : array
        Quality and number of columns of the stored evaluations.
    n_computed : int
        Number of evaluations that were neither cached nor repeated.
    incumbent : Subset or None
        The best eligible subset, of quality ``best_quality``.
    last_improvement : int
        Number of the evaluation that found it.
    improvements : list of (evaluation, seconds, quality, subset)
        Every new incumbent.
    best_per_size : dict
        For each size, quality and subset of the best eligible one.
    fallback : (quality, subset) or None
        The best subset seen, while none is eligible.
    pareto : list of (size, minus quality, cost, subset)
        Undominated subsets, only where features have costs.
    """

    def __init__(self, space: Space) -> None:
        self.space, self._has_costs = space, space.has_costs
        self.qualities, self.sizes = array("d"), array("i")
        self.n, self.step = 0, 1
        self.n_computed = 0
        self.incumbent: Subset | None = None
        self.best_quality = -np.inf
        self.last_improvement = 0
        self.improvements: list[tuple[int, float, float, Subset]] = []
        self.best_per_size: dict[int, tuple[float, Subset]] = {}
        self._best_of_size = np.full(space.high + 1, np.nan)  # the same for array operations
        self.fallback: tuple[float, Subset] | None = None
        self.pareto: list[tuple[int, float, float, Subset]] = []  # size, minus quality, cost
        self._finalists: list[tuple[float, int, int, Subset]] = []
        self._threshold = -np.inf
        self._finalist_quality: dict[int, float] = {}  # by the bits of the subset

    def __len__(self) -> int:
        return self.n

    def record(self, subset: Subset, quality: float, seconds: float) -> None:
        """Record one evaluation."""
        size = subset.size
        if self.step == 1 and self.n < ROOM:  # the usual case, without a call
            self.qualities.append(quality)
            self.sizes.append(size)
            self.n += 1
        else:
            self._append(quality, size)
        best = self.best_per_size.get(size)
        if best is None or quality > best[0] or quality > self._threshold or self._has_costs:
            self._consider(subset, quality, seconds, self.n)

    def _append(self, quality: float, size: int) -> None:
        """Count an evaluation, and store it if it is a ``step``-th one."""
        if self.n % self.step == 0:
            self.qualities.append(quality)
            self.sizes.append(size)
        self.n += 1
        if len(self.qualities) > ROOM:
            self._thin()

    def _thin(self) -> None:
        """Drop every second stored evaluation until there is room."""
        while len(self.qualities) > ROOM:
            self.qualities, self.sizes = self.qualities[::2], self.sizes[::2]
            self.step *= 2

    def settle(self) -> None:
        """Drop an evaluation that an interruption has left incomplete."""
        whole = -(-self.n // self.step)
        del self.qualities[whole:], self.sizes[whole:]

    def record_relevance(self, subset: Subset) -> None:
        """Count an evaluation of relevances, which has no quality."""
        self._append(-np.inf, subset.size)

    def record_batch(self, candidates: Candidates, qualities: np.ndarray, seconds: float) -> None:
        """Record a batch, with the same effect as recording its candidates one by one."""
        first, size, kept = self.n, candidates.one_size, slice(-self.n % self.step, None, self.step)
        stored = np.ascontiguousarray(qualities[kept], dtype=np.float64)
        self.qualities.frombytes(stored.tobytes())
        if size is None:
            sizes = np.ascontiguousarray(candidates.sizes[kept], dtype=np.int32)
            self.sizes.frombytes(sizes.tobytes())
            notable = self._notable(qualities, candidates.sizes)
        else:
            self.sizes.extend(array("i", [size]) * len(stored))
            notable = self._notable_of(size, qualities)
        self.n += len(qualities)
        if len(self.qualities) > ROOM:
            self._thin()
        seen = zip(candidates.subsets(notable), qualities[notable].tolist(), notable.tolist())
        for subset, quality, i in seen:
            self._consider(subset, quality, seconds, first + i + 1)

    def _notable(self, qualities: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        """Find a superset of the candidates of a batch that change any record."""
        # A candidate matters if it is the first best of its size and better than that size's
        # record, or exceeds the worst of a full list of finalists. Where no size of the batch is
        # eligible, only its best can become the fallback. With costs, every candidate may be
        # undominated.
        if len(qualities) == 0 or self._has_costs:
            return np.arange(len(qualities))
        least, most = int(np.minimum.reduce(sizes)), int(np.maximum.reduce(sizes))
        if least == most:
            return self._notable_of(least, qualities)
        low, high = self.space.low, self.space.high
        inside = (sizes >= low) & (sizes <= high)
        if not inside.any():
            best: np.ndarray = qualities.argmax(axis=0, keepdims=True)
            return best
        return np.union1d(
            self._above(qualities, inside), self._better_of_size(qualities, sizes, inside)
        )

    def _notable_of(self, size: int, qualities: np.ndarray) -> np.ndarray:
        """Find the same for a batch of subsets of one size."""
        if len(qualities) == 0 or self._has_costs:
            return np.arange(len(qualities))
        if self.space.low <= size <= self.space.high and len(above := self._above(qualities)):
            return above  # the first best is among them
        best: np.ndarray = qualities.argmax(axis=0, keepdims=True)
        return best

    def _above(self, qualities: np.ndarray, inside: np.ndarray | bool = True) -> np.ndarray:
        """Find the candidates better than the worst finalist, at most as many as finalists."""
        above = ((qualities > self._threshold) & inside).nonzero()[0]
        if len(above) > N_FINALISTS:
            first: np.ndarray = above[_first_largest(qualities[above], N_FINALISTS)]
            return first
        return above

    def _better_of_size(
        self, qualities: np.ndarray, sizes: np.ndarray, inside: np.ndarray
    ) -> np.ndarray:
        """Find the first best of each size, where it is better than the record of that size."""
        seen = self._best_of_size.take(sizes, mode="clip")
        better = np.flatnonzero(~(qualities <= seen) & inside)
        order = better[np.lexsort((-qualities[better], sizes[better]))]
        return order[np.flatnonzero(np.diff(sizes[order], prepend=-1))]

    def _consider(self, subset: Subset, quality: float, seconds: float, index: int) -> None:
        """Update all records by one subset; ``index`` is the number of its evaluation."""
        if not self.space.eligible(subset):
            if self.incumbent is None and (self.fallback is None or quality > self.fallback[0]):
                self.fallback = quality, subset
            return
        if quality > self.best_quality or self.incumbent is None:
            if quality == np.inf:
                raise ValueError(
                    "a quality must be finite, or minus infinity for a subset without one, got "
                    f"infinity for the columns {self.space.columns(subset).tolist()}."
                )
            self.incumbent, self.best_quality, self.last_improvement = subset, quality, index
            self.improvements.append((index, seconds, quality, subset))
        best = self.best_per_size.get(subset.size)
        if best is None or quality > best[0]:
            self.best_per_size[subset.size] = quality, subset
            self._best_of_size[subset.size] = quality
        if quality > self._threshold:
            self._keep(subset, quality, index)
        if self._has_costs:
            self._keep_undominated(subset, quality)

    def _keep(self, subset: Subset, quality: float, index: int) -> None:
        """Add a finalist to the heap, dropping the worst, and update the threshold."""
        if self._finalist_quality.get(subset.bits, -np.inf) >= quality:
            return
        self._finalist_quality[subset.bits] = quality
        entry = (quality, -index, subset.bits, subset)
        if len(self._finalists) < N_FINALISTS:
            heappush(self._finalists, entry)
        else:
            dropped = heapreplace(self._finalists, entry)
            if self._finalist_quality.get(dropped[2]) == dropped[0]:
                del self._finalist_quality[dropped[2]]
        if len(self._finalists) == N_FINALISTS:
            self._threshold = self._finalists[0][0]

    def _keep_undominated(self, subset: Subset, quality: float) -> None:
        """Add a subset to the Pareto front if none there dominates it."""
        point = subset.size, -quality, self.space.cost(subset)
        if any(dominates(other[:3], point) for other in self.pareto):
            return
        self.pareto = [other for other in self.pareto if not dominates(point, other[:3])]
        self.pareto.append((*point, subset))

    @property
    def finalists(self) -> list[tuple[float, Subset]]:
        """The best hundred eligible subsets, best first, the first seen among equals."""
        best: dict[int, tuple[float, Subset]] = {}
        for quality, _, bits, subset in sorted(
            self._finalists, reverse=True, key=lambda e: (e[0], e[1])
        ):
            best.setdefault(bits, (quality, subset))
        return list(best.values())


def _first_largest(values: np.ndarray, n: int) -> np.ndarray:
    """Find the positions of the n largest values in ascending order, the first among equals."""
    edge = np.partition(values, -n)[-n]
    largest = values > edge
    largest[np.flatnonzero(values == edge)[: n - np.count_nonzero(largest)]] = True
    return np.flatnonzero(largest)
