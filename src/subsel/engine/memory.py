"""What a restart remembers: qualities by the key of their subset, relevances too; the oldest is forgotten first."""

from __future__ import annotations

import numpy as np

from subsel.candidates import Candidates

__all__ = ["Forgetful", "Memory", "Recalled"]

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

    def learn(self, keys: list[int], qualities: list[float]) -> None:
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
        self.quality = self._qualities.get  # type: ignore[method-assign,assignment]

    def recall(self, batch: Candidates) -> Recalled | None:
        """What is remembered of a batch; None where that is nothing and all candidates differ."""
        keys = batch.keys.tolist()
        if self._qualities.keys().isdisjoint(keys) and len(set(keys)) == len(keys):
            return None
        first: dict[int, int] = {}
        same = np.array([first.setdefault(key, i) for i, key in enumerate(keys)], dtype=np.int64)
        return np.array([self._qualities.get(key, np.nan) for key in keys]), same

    def learn_one(self, key: int, quality: float) -> None:
        """Remember a quality."""
        if len(self._qualities) >= self.room:
            del self._qualities[next(iter(self._qualities))]
        self._qualities[key] = quality

    def learn(self, keys: list[int], qualities: list[float]) -> None:
        """Remember qualities."""
        if len(self._qualities) + len(keys) <= self.room:
            self._qualities.update(zip(keys, qualities))
            return
        for key, quality in zip(keys, qualities):
            self.learn_one(key, quality)

    def relevances(self, key: int) -> np.ndarray | None:
        """The relevances of a subset."""
        return self._relevances.get(key)

    def learn_relevances(self, key: int, values: np.ndarray) -> None:
        """Remember the relevances of a subset, and forget the oldest where they take too much room."""
        self._held += values.nbytes
        self._relevances[key] = values
        while self._held > self.n_bytes:
            self._held -= self._relevances.pop(next(iter(self._relevances))).nbytes
