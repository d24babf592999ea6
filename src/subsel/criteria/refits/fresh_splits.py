"""Stratified splits into few training and many test rows, drawn anew from a stream of numbers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from subsel.data.task import Task

__all__ = ["FreshSplit", "FreshSplits"]


class FreshSplit(NamedTuple):
    """Row numbers."""

    train: np.ndarray
    test: np.ndarray


class FreshSplits:
    """Draws splits of a task: the same stream gives the same split; classes are kept in proportion."""

    def __init__(
        self, task: Task, train_share: float, seed: int | np.random.SeedSequence | None
    ) -> None:
        self.codes = np.zeros(task.n_rows, dtype=np.int64)
        if task.kind == "classification":
            self.codes = task.codes
        self.in_training = _training_places(np.bincount(self.codes), train_share)
        self.entropy = _entropy(seed)

    def draw(self, *stream: int) -> FreshSplit:
        """A stratified split: rows in order of class, at random within it; the same places always train."""
        rng = np.random.default_rng([*self.entropy, *stream])
        order = np.argsort(self.codes + rng.random(len(self.codes)), kind="stable")
        return FreshSplit(order[self.in_training], order[~self.in_training])


def _training_places(counts: np.ndarray, share: float) -> np.ndarray:
    """Which places train, among the rows in order of class: the first ones of each class."""
    if not 0 < share < 1:
        raise ValueError(f"train_share must lie between 0 and 1, got {share}.")
    if counts.min() < 2:
        raise ValueError("every class needs two rows, one to train on and one to test.")
    n_train = np.clip(np.round(share * counts), 1, counts - 1).astype(int)
    return np.concatenate([np.arange(n) < k for n, k in zip(counts, n_train)])


def _entropy(seed: int | np.random.SeedSequence | None) -> list[int]:
    """Words that tell this seed (and the children of one seed) apart."""
    if seed is None:
        seed = 0
    if not isinstance(seed, np.random.SeedSequence):
        seed = np.random.SeedSequence(seed)
    return seed.generate_state(4).tolist()
