"""The cache of a restart: qualities and relevances by the key of their subset."""

from __future__ import annotations

from itertools import islice, repeat

import numpy as np

from subsel.space.candidates import Candidates

__all__ = ["CachedQualities", "EmptyCache", "QualityCache", "first_of_each"]

CachedQualities = tuple[np.ndarray, np.ndarray]
"""Two arrays of shape (candidates,).

Cached qualities, NaN where there are none; and for each candidate the position of the first
candidate of the batch that is the same subset.
"""


class EmptyCache:
    """An empty cache, for criteria that give a subset another quality each time."""

    def quality(self, key: int) -> float | None:  # noqa: ARG002 (of every cache)
        """Return None."""
        return None

    def recall(self, batch: Candidates) -> CachedQualities:
        """Return that nothing is cached, and that all candidates differ."""
        return np.full(len(batch), np.nan), np.arange(len(batch))

    def learn_one(self, key: int, quality: float) -> None:
        """Do nothing with a quality."""

    def learn(self, keys: np.ndarray, qualities: np.ndarray) -> None:
        """Do nothing with qualities."""

    def relevances(self, key: int) -> np.ndarray | None:  # noqa: ARG002
        """Return None."""
        return None

    def learn_relevances(self, key: int, values: np.ndarray) -> None:
        """Do nothing with relevances."""


class QualityCache(EmptyCache):
    """A cache of a number of qualities, and of a number of bytes of relevances.

    Once it is full, the oldest entries are dropped. Keys are 64-bit hashes of subsets: two
    different subsets of n share a key with a probability of about n^2 / 2^65.

    Parameters
    ----------
    room : int
        Maximal number of qualities.
    n_bytes : int
        Maximal number of bytes of relevances.
    """

    def __init__(self, room: int, n_bytes: int) -> None:
        self.room, self.n_bytes = max(1, room), n_bytes
        self._qualities: dict[int, float] = {}
        self._relevances: dict[int, np.ndarray] = {}
        self._n_bytes_used = 0
        self.quality = self._qualities.get  # type: ignore[method-assign,assignment]

    def recall(self, batch: Candidates) -> CachedQualities:
        """Look a batch up; see `CachedQualities`."""
        keys, same = batch.keys.tolist(), np.arange(len(batch))
        if len(set(keys)) < len(keys):
            same = first_of_each(batch.keys)
        if self._qualities.keys().isdisjoint(keys):
            return np.full(len(keys), np.nan), same
        known = map(self._qualities.get, keys, repeat(np.nan))
        return np.fromiter(known, dtype=float, count=len(keys)), same

    def learn_one(self, key: int, quality: float) -> None:
        """Store a quality."""
        if len(self._qualities) >= self.room:
            self._forget(1)
        self._qualities[key] = quality

    def learn(self, keys: np.ndarray, qualities: np.ndarray) -> None:
        """Store qualities (n,) by their keys (n,)."""
        surplus = len(self._qualities) + len(keys) - self.room
        if surplus > 0:
            self._forget(surplus)
            keys, qualities = keys[-self.room :], qualities[-self.room :]
        self._qualities.update(zip(keys.tolist(), qualities.tolist()))

    def _forget(self, n: int) -> None:
        """Drop at least n of the oldest qualities.

        A sixteenth of the room is dropped at once, since finding the oldest takes long.
        """
        oldest = list(islice(self._qualities, max(n, self.room // 16)))
        for key in oldest:
            del self._qualities[key]

    def relevances(self, key: int) -> np.ndarray | None:
        """Return the cached relevances of a subset, or None."""
        return self._relevances.get(key)

    def learn_relevances(self, key: int, values: np.ndarray) -> None:
        """Store the relevances of a subset, and drop the oldest beyond the limit of bytes."""
        self._n_bytes_used += values.nbytes
        self._relevances[key] = values
        while self._n_bytes_used > self.n_bytes:
            self._n_bytes_used -= self._relevances.pop(next(iter(self._relevances))).nbytes


def first_of_each(keys: np.ndarray) -> np.ndarray:
    """Find for each key the first position of the same key.

    >>> first_of_each(np.array([7, 3, 7, 3, 5]))
    array([0, 1, 0, 1, 4])
    """
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    head = np.ones(len(keys), dtype=bool)
    head[1:] = ordered[1:] != ordered[:-1]
    same = np.empty(len(keys), dtype=np.int64)
    same[order] = order[np.flatnonzero(head)[np.cumsum(head) - 1]]
    return same
