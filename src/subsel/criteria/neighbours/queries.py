"""The held-out rows that look for their nearest rows, and the rows that may answer each of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from subsel.data.folds import Folds

__all__ = ["FAR", "Queries"]

FAR = 1e300  # the distance of rows that must not answer


@dataclass(frozen=True, eq=False)
class Queries:
    """Rows to be answered, and by which rows.

    ``train[part[q]]`` says which rows may answer query q; if ``alone`` it does not count its own
    row. ``scale[scaled[q]]`` multiplies its differences, column by column.
    """

    rows: np.ndarray
    part: np.ndarray
    train: np.ndarray
    alone: bool
    scale: np.ndarray
    scaled: np.ndarray

    @classmethod
    def of(cls, folds: Folds, scale: np.ndarray) -> Queries:
        """The held-out rows of all folds, one after another."""
        rows = np.concatenate(folds.test)
        fold = np.repeat(np.arange(len(folds)), [len(t) for t in folds.test])
        scaled = np.minimum(fold, len(scale) - 1)  # one scale for all, or one for each fold
        if folds.leave_one_out:
            return cls(
                rows, np.zeros_like(rows), np.ones((1, folds.n_rows), bool), True, scale, scaled
            )
        train = np.zeros((len(folds), folds.n_rows), bool)
        for f, members in enumerate(folds.train):
            train[f, members] = True
        return cls(rows, fold, train, False, scale, scaled)

    def __len__(self) -> int:
        return len(self.rows)

    def scales(self, columns: np.ndarray) -> np.ndarray:
        """The multipliers of these columns for each query."""
        return np.ascontiguousarray(self.scale[:, columns][self.scaled])

    def start(self, n_filled: int) -> np.ndarray:
        """Distances over no column: 0 to the rows that may answer, FAR to the others and what fills the table up."""
        distances = np.full((len(self), n_filled), FAR)
        for f, answering in enumerate(self.train):
            distances[np.ix_(self.part == f, np.flatnonzero(answering))] = 0.0
        if self.alone:
            distances[np.arange(len(self)), self.rows] = FAR
        return distances

    @property
    def fewest(self) -> int:
        """The fewest rows that answer any query."""
        return int(self.train.sum(axis=1).min()) - self.alone
