"""What a restart remembers: qualities by the key of their subset, relevances too; the oldest is forgotten first."""

from __future__ import annotations

from itertools import islice, repeat

import numpy as np

from subsel.candidates import Candidates
from subsel.engine.key_table import KeyTable, first_of_each

__all__ = ["Forgetful", "Memory", "Recalled"]

MANY = 256  # candidates from which array operations are quicker than a dictionary

Recalled = tuple[np.ndarray, np.ndarray]
"""Qualities, NaN where none is remembered, and for each candidate the first of the batch that is the same subset."""


class Forgetful:
    """Remembers nothing: for criteria that give a subset another quality each time."""

    def quality(self, key: int) -> float | None:
        """Nothing."""
        return None

    def recall(self, batch: Candidates) -> Recalled | None:
        """Nothing, not even that two candidates are the same."""
        return None

    def learn_one(self, key: int, quality: float) -> None:
        """Forget it."""

    def learn(self, keys: np.ndarray, qualities: np.ndarray) -> None:
        """Forget them."""

    def relevances(self, key: int) -> np.ndarray | None:
        """Nothing."""
        return None

    def learn_relevances(self, key: int, values: np.ndarray) -> None:
        """Forget them."""


class Memory(Forgetful):
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
        self._table: KeyTable | None = None  # of large batches
        self.quality = self._qualities.get  # type: ignore[method-assign,assignment]

    def recall(self, batch: Candidates) -> Recalled | None:
        """What is remembered of a batch; None where that is nothing and all candidates differ."""
        if len(batch) >= MANY or self._table is not None:
            return self._recall_many(batch.keys)
        keys = batch.keys.tolist()
        distinct = len(set(keys)) == len(keys)
        if distinct and self._qualities.keys().isdisjoint(keys):
            return None
        known = np.fromiter(
            map(self._qualities.get, keys, repeat(np.nan)), dtype=float, count=len(keys)
        )
        return known, np.arange(len(keys)) if distinct else first_of_each(batch.keys)

    def learn_one(self, key: int, quality: float) -> None:
        """Remember a quality."""
        if len(self._qualities) >= self.room:
            self._forget(1)
        self._qualities[key] = quality

    def learn(self, keys: np.ndarray, qualities: np.ndarray) -> None:
        """Remember qualities."""
        if self._table is not None and len(keys) >= MANY:
            self._table.store(keys, qualities)
        else:
            self._learn_some(keys.tolist(), qualities.tolist())

    def _recall_many(self, keys: np.ndarray) -> Recalled | None:
        """The same with array operations: what large batches have learnt is held in a table."""
        if self._table is None:
            self._table = KeyTable(self.room)
            self.quality = self._either  # type: ignore[method-assign]
        known, same = self._table.find(keys), self._table.first_of_each(keys)
        if self._qualities:
            missing = np.flatnonzero(np.isnan(known))
            singly = map(self._qualities.get, keys[missing].tolist(), repeat(np.nan))
            known[missing] = np.fromiter(singly, dtype=float, count=len(missing))
        fresh = np.isnan(known).all() and np.array_equal(same, np.arange(len(same)))
        return None if fresh else (known, same)

    def _either(self, key: int) -> float | None:
        """A quality of a single subset, or of one of a large batch."""
        found = self._qualities.get(key)
        if found is None and self._table is not None:
            value = float(self._table.find(np.array([key], dtype=np.uint64))[0])
            found = None if value != value else value
        return found

    def _learn_some(self, keys: list[int], qualities: list[float]) -> None:
        surplus = len(self._qualities) + len(keys) - self.room
        if surplus > 0:
            self._forget(surplus)
            keys, qualities = keys[-self.room :], qualities[-self.room :]
        self._qualities.update(zip(keys, qualities))

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
