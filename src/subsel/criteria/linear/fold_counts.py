"""Qualities from what loops count or sum over each fold, so that no outputs need be stored."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from subsel.criteria.scoring.scoring import HeldOut

__all__ = ["HeldRows", "HitSigns", "Moves", "Nudges", "Terms", "square_quality"]


class HeldRows(NamedTuple):
    """What loops know of the held-out rows (M,); read only."""

    outputs: np.ndarray  # (M,) or one row per class (K, M): those of the state, before a flip
    truth: np.ndarray  # (M,) values, class codes, or 1 for rows of class 1 and -1 for others
    spans: np.ndarray  # (B + 1,) first position of each block, and the end


class Moves(NamedTuple):
    """How one output moves with each of C flips: along one or two rows of residuals; read only."""

    first: np.ndarray  # (C,) a row of residuals
    weight: np.ndarray  # (B, C) what it is multiplied by in each block
    second: np.ndarray  # (C,) another row
    weight2: np.ndarray  # (B, C) what that is multiplied by, 0 for none


class Nudges(NamedTuple):
    """How one output moves with each of C flips, the second row counting for little; read only."""

    first: np.ndarray  # (C,) a row of the table
    second: np.ndarray  # (C, B) another, in each block
    weight2: np.ndarray  # (C, B) what that is multiplied by
    size: (
        np.ndarray
    )  # (S, B) the largest magnitude in each block of the last S rows, those named by ``second``


class Terms(NamedTuple):
    """How the outputs of K classes move with each of C flips: see ``class_hits``; read only."""

    first: np.ndarray  # (C,) a row of residuals
    second: np.ndarray  # (C, F) another, in each fold
    a: np.ndarray  # (C, K, F) what the first, or its square, is multiplied by
    u: (
        np.ndarray
    )  # (C, K, F) the share of the second that is added to the first before it is squared
    b: np.ndarray  # (C, K, F) what the second, or its square, is multiplied by
    c: np.ndarray  # (C, K, F) what is added for every row


class HitSigns:
    """Counts hits of two classes by signs: a positive output is right for rows of class 1 alone.

    Attributes
    ----------
    of_rows : array of shape (N,)
        1 for held-out rows of class 1, else -1.
    others : array of shape (folds,)
        How many rows of each fold are not of class 1: the hits where no output is positive.
    """

    def __init__(self, held_out: HeldOut) -> None:
        self.held_out, self.of_rows = held_out, np.where(held_out.y == 1, 1.0, -1.0)
        self.others = np.add.reduceat((self.of_rows < 0).astype(float), held_out.bounds[:-1])

    def quality(self, above: np.ndarray) -> np.ndarray:
        """The accuracy of candidates from sums of signs (C, folds) where outputs are positive."""
        return self.held_out.hit_quality(above + self.others)


def square_quality(held_out: HeldOut, squares: np.ndarray) -> np.ndarray:
    """R2, or minus the mean squared error or its root, from sums of squared errors (C, folds)."""
    y, sizes = held_out.y, held_out.fold_sizes.astype(float)
    parts = np.split(y, held_out.bounds[1:-1])
    if held_out.pooled:
        squares, sizes, parts = squares.sum(axis=1, keepdims=True), sizes.sum(keepdims=True), [y]
    if held_out.scoring.name == "r2":
        total = np.array([((part - part.mean()) ** 2).sum() for part in parts])
        with np.errstate(divide="ignore", invalid="ignore"):
            constant = np.where(squares == 0, 1.0, 0.0)
            return np.where(total > 0, 1.0 - squares / total, constant).mean(axis=1)
    errors = squares / sizes
    if held_out.scoring.name == "neg_root_mean_squared_error":
        errors = np.sqrt(errors)
    return -errors.mean(axis=1)
