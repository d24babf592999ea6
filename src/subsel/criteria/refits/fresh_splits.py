"""Stratified random splits into training and test rows, keyed by numbers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from subsel.data.task import Task

__all__ = ["FreshSplit", "FreshSplits"]


class FreshSplit(NamedTuple):
    """The row numbers of a split."""

    train: np.ndarray  # (n_train,)
    test: np.ndarray  # (n_test,)


class FreshSplits:
    """Draws splits of a task in which classes keep their shares.

    The same stream of numbers always gives the same split.
    """

    def __init__(
        self, task: Task, train_share: float, seed: int | np.random.SeedSequence | None
    ) -> None:
        self.codes = np.zeros(task.n_rows, dtype=np.int64)
        if task.kind == "classification":
            self.codes = task.codes
        self.in_training = _training_places(np.bincount(self.codes), train_share)
        self.entropy = _entropy(seed)

    def draw(self, *stream: int) -> FreshSplit:
        """Draw a stratified split.

        Rows are ordered by class, at random within a class, and the first places of each class are
        for training.
        """
        rng = np.random.default_rng([*self.entropy, *stream])
        order = np.argsort(self.codes + rng.random(len(self.codes)), kind="stable")
        return FreshSplit(order[self.in_training], order[~self.in_training])


def _training_places(counts: np.ndarray, share: float) -> np.ndarray:
    """Mark the training places among rows in order of class: the first ones of each class."""
    if not 0 < share < 1:
        raise ValueError(f"train_share must lie between 0 and 1, got {share}.")
    if counts.min() < 2:
        raise ValueError(
            f"y must have two rows or more of each class, one to train on and one to test, "
            f"got a class of {counts.min()}."
        )
    n_train = np.clip(np.round(share * counts), 1, counts - 1).astype(int)
    return np.concatenate([np.arange(n) < k for n, k in zip(counts, n_train)])


def _entropy(seed: int | np.random.SeedSequence | None) -> list[int]:
    """Turn a seed into words that differ between seeds and between children of one seed."""
    if seed is None:
        seed = 0
    if not isinstance(seed, np.random.SeedSequence):
        seed = np.random.SeedSequence(seed)
    return seed.generate_state(4).tolist()
