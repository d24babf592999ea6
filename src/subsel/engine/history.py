"""What one restart has seen: every quality, the incumbent, the best per size, the finalists."""

from __future__ import annotations

from array import array
from heapq import heappush, heapreplace

import numpy as np

from subsel.result.pareto import dominates
from subsel.space.candidates import Candidates, Subset
from subsel.space.space import Space

__all__ = ["History"]

N_FINALISTS = 100
ROOM = 2**22  # evaluations that a restart keeps for the trace


class History:
    """Records evaluations; only eligible subsets become incumbent, front or finalists.

    Quality and size take 12 bytes an evaluation, up to 50 megabytes: beyond four million
    evaluations every second of them is dropped, whenever there is no room.

    Parameters
    ----------
    space : Space
        What is searched.

    Attributes
    ----------
    n, step : int
        How many evaluations there were, and which of them are kept: every so manieth, from the
        first.
    """

    def __init__(self, space: Space) -> None:
        self.space, self._priced = space, space.has_costs
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
        self._asked: dict[int, float] = {}

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
        if best is None or quality > best[0] or quality > self._threshold or self._priced:
            self._consider(subset, quality, seconds, self.n)

    def _append(self, quality: float, size: int) -> None:
        if self.n % self.step == 0:
            self.qualities.append(quality)
            self.sizes.append(size)
        self.n += 1
        if len(self.qualities) > ROOM:
            self._thin()

    def _thin(self) -> None:
        while len(self.qualities) > ROOM:
            self.qualities, self.sizes = self.qualities[::2], self.sizes[::2]
            self.step *= 2

    def settle(self) -> None:
        """Drop evaluations that an interruption has left half recorded."""
        whole = -(-self.n // self.step)
        del self.qualities[whole:], self.sizes[whole:]

    def record_relevance(self, subset: Subset) -> None:
        """Count an evaluation that gave relevances, not a quality."""
        self._append(-np.inf, subset.size)

    def record_batch(self, candidates: Candidates, qualities: np.ndarray, seconds: float) -> None:
        """Record a batch: the same as recording its candidates one after the other."""
        first, size, kept = self.n, candidates.one_size, slice(-self.n % self.step, None, self.step)
        told = np.ascontiguousarray(qualities[kept], dtype=np.float64)
        self.qualities.frombytes(told.tobytes())
        if size is None:
            sizes = np.ascontiguousarray(candidates.sizes[kept], dtype=np.int32)
            self.sizes.frombytes(sizes.tobytes())
            notable = self._notable(qualities, candidates.sizes)
        else:
            self.sizes.extend(array("i", [size]) * len(told))
            notable = self._notable_of(size, qualities)
        self.n += len(qualities)
        if len(self.qualities) > ROOM:
            self._thin()
        seen = zip(candidates.subsets(notable), qualities[notable].tolist(), notable.tolist())
        for subset, quality, i in seen:
            self._consider(subset, quality, seconds, first + i + 1)

    def _notable(self, qualities: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        """Which of a batch could change any record: enough to make looking at the others needless."""
        if len(qualities) == 0 or self._priced:
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
        """The same of a batch of subsets of one size."""
        if len(qualities) == 0 or self._priced:
            return np.arange(len(qualities))
        if self.space.low <= size <= self.space.high and len(above := self._above(qualities)):
            return above  # the first best is among them
        best: np.ndarray = qualities.argmax(axis=0, keepdims=True)
        return best

    def _above(self, qualities: np.ndarray, inside: np.ndarray | bool = True) -> np.ndarray:
        """Those that are better than the least finalist, of very many the best."""
        above = ((qualities > self._threshold) & inside).nonzero()[0]
        if len(above) > N_FINALISTS:
            first: np.ndarray = above[_first_largest(qualities[above], N_FINALISTS)]
            return first
        return above

    def _better_of_size(
        self, qualities: np.ndarray, sizes: np.ndarray, inside: np.ndarray
    ) -> np.ndarray:
        """The first best of each size, where it is better than what was seen of that size."""
        seen = self._best_of_size.take(sizes, mode="clip")
        better = np.flatnonzero(~(qualities <= seen) & inside)
        order = better[np.lexsort((-qualities[better], sizes[better]))]
        return order[np.flatnonzero(np.diff(sizes[order], prepend=-1))]

    def _consider(self, subset: Subset, quality: float, seconds: float, index: int) -> None:
        if not self.space.eligible(subset):
            if self.incumbent is None and (self.fallback is None or quality > self.fallback[0]):
                self.fallback = quality, subset
            return
        if quality > self.best_quality or self.incumbent is None:
            if quality == np.inf:
                raise ValueError(
                    f"the criterion gave infinity as quality of the columns {self.space.columns(subset).tolist()}: "
                    "nothing could be better. A quality is finite, or minus infinity where there is none."
                )
            self.incumbent, self.best_quality, self.last_improvement = subset, quality, index
            self.improvements.append((index, seconds, quality, subset))
        best = self.best_per_size.get(subset.size)
        if best is None or quality > best[0]:
            self.best_per_size[subset.size] = quality, subset
            self._best_of_size[subset.size] = quality
        if quality > self._threshold:
            self._keep(subset, quality, index)
        if self._priced:
            self._keep_undominated(subset, quality)

    def _keep(self, subset: Subset, quality: float, index: int) -> None:
        if self._asked.get(subset.bits, -np.inf) >= quality:
            return
        self._asked[subset.bits] = quality
        entry = (quality, -index, subset.bits, subset)
        if len(self._finalists) < N_FINALISTS:
            heappush(self._finalists, entry)
        else:
            dropped = heapreplace(self._finalists, entry)
            if self._asked.get(dropped[2]) == dropped[0]:
                del self._asked[dropped[2]]
        if len(self._finalists) == N_FINALISTS:
            self._threshold = self._finalists[0][0]

    def _keep_undominated(self, subset: Subset, quality: float) -> None:
        point = subset.size, -quality, self.space.cost(subset)
        if any(dominates(other[:3], point) for other in self.pareto):
            return
        self.pareto = [other for other in self.pareto if not dominates(point, other[:3])]
        self.pareto.append((*point, subset))

    @property
    def finalists(self) -> list[tuple[float, Subset]]:
        """The best hundred eligible subsets seen, best first, first seen first among equals."""
        best: dict[int, tuple[float, Subset]] = {}
        for quality, _, bits, subset in sorted(
            self._finalists, reverse=True, key=lambda e: (e[0], e[1])
        ):
            best.setdefault(bits, (quality, subset))
        return list(best.values())


def _first_largest(values: np.ndarray, n: int) -> np.ndarray:
    """Where the n largest values stand, of equals the first, in order."""
    edge = np.partition(values, -n)[-n]
    largest = values > edge
    largest[np.flatnonzero(values == edge)[: n - np.count_nonzero(largest)]] = True
    return np.flatnonzero(largest)
