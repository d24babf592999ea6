"""Sums over parts of the rows: of columns, of their squares, and of their products with targets."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from subsel.criteria.linear.blocks import weighted_squares

__all__ = ["PartSums"]


class PartSums(NamedTuple):
    """Sums over the rows of each of B parts.

    Of weights (B,); the mean targets (B, T), and sums of targets less these (B, T); of columns (B, p), of their
    squares (B, p), and of their products with those targets (B, p, T).
    """

    weights: np.ndarray
    centre: np.ndarray
    targets: np.ndarray
    columns: np.ndarray
    squares: np.ndarray
    products: np.ndarray

    @classmethod
    def of(
        cls, table: np.ndarray, weights: np.ndarray, targets: np.ndarray, centred: bool
    ) -> PartSums:
        """For a table (p, n), weights (n, B) and targets (T, n); their means are 0 unless ``centred``."""
        total, n_parts = weights.sum(axis=0), weights.shape[1]
        centre = np.zeros((n_parts, len(targets)))
        if centred:
            centre = (targets @ weights).T / total[:, None]
        weighted = weights[:, :, None] * (targets.T[:, None, :] - centre)
        both = table @ np.hstack([weights, weighted.reshape(len(weights), -1)])  # in one pass
        products = both[:, n_parts:].reshape(len(table), n_parts, -1).transpose(1, 0, 2)
        squares = weighted_squares(table, weights)
        return cls(total, centre, weighted.sum(axis=0), both[:, :n_parts].T, squares, products)

    @classmethod
    def without_each(
        cls,
        table: np.ndarray,
        weights: np.ndarray,
        targets: np.ndarray,
        bounds: np.ndarray,
        centred: bool,
    ) -> PartSums:
        """Over all rows but those of each fold, given by their bounds, and over all rows last: what folds sum to is added up.

        Nothing is taken off, so that a fold of large values costs the others no digits. ``weights`` are those of rows (n,).
        """
        from subsel._loops.linear.fold_sums import fold_sums

        middle = np.zeros(len(targets))
        if centred:
            middle = targets @ weights / weights.sum()
        weighted = weights * (targets - middle[:, None])
        n_folds, starts = len(bounds) - 1, bounds[:-1]
        others = np.ones((n_folds + 1, n_folds))
        others.flat[:: n_folds + 1] = 0.0
        others[n_folds] = 1.0
        total = others @ np.add.reduceat(weights, starts)
        left = others @ np.add.reduceat(weighted, starts, axis=1).T
        parts = fold_sums(table, weights, weighted, bounds)
        both = (others @ parts.reshape(n_folds, -1)).reshape(n_folds + 1, *parts.shape[1:])
        columns, squares, products = both[:, 0], both[:, 1], both[:, 2:].transpose(0, 2, 1)
        shift = np.zeros_like(left)
        if centred:
            shift = left / total[:, None]
        products = products - shift[:, None, :] * columns[:, :, None]
        return cls(total, middle + shift, left - shift * total[:, None], columns, squares, products)

    def last(self) -> PartSums:
        """Those over the last part."""
        return PartSums(*(values[-1:] for values in self))

    def all_but_last(self) -> PartSums:
        """Those over the others."""
        return PartSums(*(values[:-1] for values in self))
