"""Qualities from what compiled loops count or sum over each fold, so that no outputs need be stored."""

from __future__ import annotations

import numpy as np

from subsel.criteria.scoring import HeldOut

__all__ = ["HitSigns", "square_quality"]


class HitSigns:
    """Counts hits of two classes by signs: over rows of a positive output those of class 1 are hits, others are not.

    Attributes
    ----------
    of_rows : array of shape (N,)
        1 for held-out rows of class 1, else -1.
    others : array of shape (folds,)
        How many rows of each fold are not of class 1, all of which are hit where no output is positive.
    """

    def __init__(self, held_out: HeldOut) -> None:
        self.held_out, self.of_rows = held_out, np.where(held_out.y == 1, 1.0, -1.0)
        self.others = np.add.reduceat((self.of_rows < 0).astype(float), held_out.bounds[:-1])

    def quality(self, above: np.ndarray) -> np.ndarray:
        """The accuracy of candidates from the sums of signs (folds, C) over rows of a positive output."""
        from subsel._loops.least_squares import mean_of_hits

        held_out = self.held_out
        if held_out.pooled:
            return held_out.hit_quality((above + self.others[:, None]).T)
        return mean_of_hits(above, self.others, held_out.fold_sizes)


def square_quality(held_out: HeldOut, squares: np.ndarray) -> np.ndarray:
    """R2, or minus the mean squared error or its root, from the sums of squared errors (C, folds)."""
    y, sizes, parts = (
        held_out.y,
        held_out.fold_sizes.astype(float),
        np.split(held_out.y, held_out.bounds[1:-1]),
    )
    if held_out.pooled:
        squares, sizes, parts = squares.sum(axis=1, keepdims=True), sizes.sum(keepdims=True), [y]
    if held_out.scoring.name == "r2":
        total = np.array([((part - part.mean()) ** 2).sum() for part in parts])
        with np.errstate(divide="ignore", invalid="ignore"):
            constant = np.where(squares == 0, 1.0, 0.0)
            return np.where(total > 0, 1.0 - squares / total, constant).mean(axis=1)
    root = held_out.scoring.name == "neg_root_mean_squared_error"
    return -(np.sqrt(squares / sizes) if root else squares / sizes).mean(axis=1)
