"""The held-out rows that look for their nearest rows, and the rows eligible for each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from subsel.data.folds import Folds

__all__ = ["FAR", "Queries"]

FAR = 1e300  # the distance of ineligible rows: more than any real one, but not infinite


@dataclass(frozen=True, eq=False)
class Queries:
    """Rows that look for their nearest rows ("queries"), and the rows that may be found ("answer").

    Query q is row ``rows[q]``; its answers are the rows marked in ``train[part[q]]``, and its
    differences are multiplied by ``scale[scaled[q]]``.
    """

    rows: np.ndarray  # (queries,) row numbers
    part: np.ndarray  # (queries,) which line of ``train`` marks the rows that may answer
    train: np.ndarray  # (parts, n) booleans
    alone: bool  # a query's own row must not answer
    scale: np.ndarray  # (scales, p) multipliers of the differences in each column
    scaled: np.ndarray  # (queries,) which line of ``scale`` applies

    @classmethod
    def of(cls, folds: Folds, scale: np.ndarray) -> Queries:
        """Make queries of the held-out rows of all folds, one fold after another."""
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
        """Gather the multipliers of some columns, of shape (queries, columns)."""
        return np.ascontiguousarray(self.scale[:, columns][self.scaled])

    def start(self, n_filled: int) -> np.ndarray:
        """Distances over no column, of shape (queries, n_filled).

        They are 0 to rows that may answer and FAR to all others, including those that only pad the
        table.
        """
        distances = np.full((len(self), n_filled), FAR)
        for f, answering in enumerate(self.train):
            distances[np.ix_(self.part == f, np.flatnonzero(answering))] = 0.0
        if self.alone:
            distances[np.arange(len(self)), self.rows] = FAR
        return distances

    @property
    def fewest(self) -> int:
        """The smallest number of rows that may answer a query."""
        return int(self.train.sum(axis=1).min()) - self.alone
