"""What a restart remembers: qualities by the key of their subset, relevances too; the oldest is forgotten first."""

from __future__ import annotations

from itertools import islice, repeat

import numpy as np

from subsel.space.candidates import Candidates

__all__ = ["BoundedCache", "QualityCache", "Recalled", "first_of_each"]

Recalled = tuple[np.ndarray, np.ndarray]
"""Qualities, NaN where none is remembered, and for each candidate the first of the batch that is the same subset."""


class BoundedCache:
    """Remembers nothing: for criteria that give a subset another quality each time."""

    def quality(self, key: int) -> float | None:  # noqa: ARG002 (of every memory)
        """Nothing."""
        return None

    def recall(self, batch: Candidates) -> Recalled:
        """Nothing, not even that two candidates are the same."""
        return np.full(len(batch), np.nan), np.arange(len(batch))

    def learn_one(self, key: int, quality: float) -> None:
        """Forget it."""

    def learn(self, keys: np.ndarray, qualities: np.ndarray) -> None:
        """Forget them."""

    def relevances(self, key: int) -> np.ndarray | None:  # noqa: ARG002
        """Nothing."""
        return None

    def learn_relevances(self, key: int, values: np.ndarray) -> None:
        """Forget them."""


class QualityCache(BoundedCache):
    """Remembers as many qualities as it has room for, and relevances up to a number of bytes.

    Parameters
    ----------
    room : int
        The most qualities.
    n_bytes : int
        The most that relevances may take.
    """

    def __init__(self, room: int, n_bytes: int) -> None:
        self.room, self.n_bytes = max(1, room), n_bytes
        self._qualities: dict[int, float] = {}
        self._relevances: dict[int, np.ndarray] = {}
        self._held = 0
        self.quality = self._qualities.get  # type: ignore[method-assign,assignment]

    def recall(self, batch: Candidates) -> Recalled:
        """What is remembered of a batch."""
        keys, same = batch.keys.tolist(), np.arange(len(batch))
        if len(set(keys)) < len(keys):
            same = first_of_each(batch.keys)
        if self._qualities.keys().isdisjoint(keys):
            return np.full(len(keys), np.nan), same
        known = map(self._qualities.get, keys, repeat(np.nan))
        return np.fromiter(known, dtype=float, count=len(keys)), same

    def learn_one(self, key: int, quality: float) -> None:
        """Remember a quality."""
        if len(self._qualities) >= self.room:
            self._forget(1)
        self._qualities[key] = quality

    def learn(self, keys: np.ndarray, qualities: np.ndarray) -> None:
        """Remember qualities."""
        surplus = len(self._qualities) + len(keys) - self.room
        if surplus > 0:
            self._forget(surplus)
            keys, qualities = keys[-self.room :], qualities[-self.room :]
        self._qualities.update(zip(keys.tolist(), qualities.tolist()))

    def _forget(self, n: int) -> None:
        """Forget at least n of the oldest: a sixteenth of the room at once, since finding the oldest takes long."""
        oldest = list(islice(self._qualities, max(n, self.room // 16)))
        for key in oldest:
            del self._qualities[key]

    def relevances(self, key: int) -> np.ndarray | None:
        """The relevances of a subset."""
        return self._relevances.get(key)

    def learn_relevances(self, key: int, values: np.ndarray) -> None:
        """Remember the relevances of a subset, and forget the oldest where they take too much room."""
        self._held += values.nbytes
        self._relevances[key] = values
        while self._held > self.n_bytes:
            self._held -= self._relevances.pop(next(iter(self._relevances))).nbytes


def first_of_each(keys: np.ndarray) -> np.ndarray:
    """For each key the first place that holds the same.

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
