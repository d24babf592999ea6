"""Scores of held-out outputs on a device: the simplest there, others on the processor."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from subsel._loops.device import Device
from subsel.criteria.scoring.scoring import HeldOutFolds

__all__ = ["Scores", "first_largest"]

_SQUARES = ("r2", "neg_mean_squared_error", "neg_root_mean_squared_error")


class Scores:
    """Scores outputs from sums over the rows of each fold, computed on the device.

    Parameters
    ----------
    held_out : HeldOutFolds
        The rows held out, and how outputs are scored.
    device : Device
        The device that holds the outputs.
    """

    def __init__(self, held_out: HeldOutFolds, device: Device) -> None:
        self.held_out, self.device = held_out, device
        self.y = device.array(held_out.y)
        name = held_out.scoring.name
        self.counts_hits = name in ("accuracy", "f1_micro")
        self.sums_errors = name in _SQUARES or name == "neg_mean_absolute_error"

    def of_labels(self, labels: Any) -> np.ndarray:
        """Score class codes (C, N) by their hits, for `counts_hits`."""
        hits = self._fold_sums((labels == self.y).to(self.device.torch.float64))
        return self.held_out.hit_quality(self.device.host(hits))

    def of_values(self, values: Any, trusted: Any = None) -> np.ndarray:
        """Score predictions (C, N) by their errors, for `sums_errors`; NaN where not trusted."""
        name, gaps = self.held_out.scoring.name, values - self.y
        errors = gaps * gaps
        if name == "neg_mean_absolute_error":
            errors = gaps.abs()
        summed = self._fold_sums(errors)
        if trusted is not None:
            summed = summed.where(trusted[:, None], float("nan"))
        sums = self.device.host(summed)
        if self.held_out.pooled:
            sums = sums.sum(axis=1, keepdims=True)
        n_rows, total = self._totals
        sums = np.ascontiguousarray(sums.T)  # numpy is slow at means over short rows
        if name == "r2":
            return self._explained(sums, total[:, None]).mean(axis=0)
        means = sums / n_rows[:, None]
        if name == "neg_root_mean_squared_error":
            means = np.sqrt(means)
        return -means.mean(axis=0)

    def _explained(self, sums: np.ndarray, total: np.ndarray) -> np.ndarray:
        """Compute R2 of sums of squared errors; for a constant target 1 or 0, as scikit-learn does.

        ``sums`` has shape (folds, candidates), ``total`` (folds, 1).
        """
        if np.all(total > 0):
            return 1.0 - sums / total
        with np.errstate(divide="ignore", invalid="ignore"):
            explained = np.where(total > 0, 1.0 - sums / total, np.where(sums == 0, 1.0, 0.0))
        return np.where(np.isnan(sums), np.nan, explained)

    @cached_property
    def _totals(self) -> tuple[np.ndarray, np.ndarray]:
        """Numbers of rows and sums of squared deviations of each fold, or of all folds pooled."""
        y = self.held_out.y
        parts = [y]
        if not self.held_out.pooled:
            parts = np.split(y, self.held_out.bounds[1:-1])
        return np.array([len(part) for part in parts]), np.array(
            [((part - part.mean()) ** 2).sum() for part in parts]
        )

    def _fold_sums(self, values: Any) -> Any:
        """Sum values (C, N) over the rows of each fold, of shape (C, folds)."""
        bounds = self.held_out.bounds.tolist()
        if len(bounds) == values.shape[1] + 1:
            return values
        if len(set(np.diff(bounds).tolist())) == 1:
            return values.reshape(len(values), len(bounds) - 1, -1).sum(dim=2)
        return self.device.torch.stack(
            [values[:, a:b].sum(dim=1) for a, b in pairwise(bounds)], dim=1
        )


def first_largest(outputs: Any, torch: Any) -> Any:
    """Find the first class with the largest output (C, K, N), of shape (C, N)."""
    most, labels = outputs[:, 0], torch.zeros_like(outputs[:, 0], dtype=torch.int64)
    for number in range(1, outputs.shape[1]):
        labels = torch.where(outputs[:, number] > most, number, labels)
        most = torch.maximum(most, outputs[:, number])
    return labels
