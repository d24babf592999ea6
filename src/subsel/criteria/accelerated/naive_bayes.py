"""Gaussian naive Bayes of many subsets at once on a device."""

from __future__ import annotations

from typing import Any

import numpy as np

from subsel._loops.device import Device
from subsel.criteria.accelerated.base import Accelerated
from subsel.criteria.accelerated.batches import Batch, weighted_sums
from subsel.criteria.accelerated.scores import Scores, first_largest
from subsel.criteria.linear.gaussian_bayes import GaussianBayes

__all__ = ["AcceleratedBayes"]


class AcceleratedBayes(Accelerated):
    """Log-likelihoods as sums over columns of tabulated terms and slopes.

    The floor is what scikit-learn's ``var_smoothing`` adds to each variance: a share of the largest
    variance of all columns of a subset.

    Terms are tabulated at the floor that each column would set by itself, less that floor times the
    slope. The outputs of a subset are then the sum of its terms plus its floor times the sum of its
    slopes. Where this is not exact, the inner evaluator computes the quality, by its own rule.

    Parameters
    ----------
    inner : GaussianBayes
        The evaluator of the processor, whose qualities are reproduced.
    device : Device
        The device that computes.
    """

    inner: GaussianBayes

    def __init__(self, inner: GaussianBayes, device: Device) -> None:
        super().__init__(inner, device)
        moments, array = inner.moments, device.array
        self.scores = Scores(inner.held_out, device)
        self.start, self.own, self.reach = (
            array(moments.start),
            array(moments.own(np.arange(len(moments.held)))),
            array(moments.reach),
        )
        self.fold = array(moments.fold)
        self.terms, self.slopes = self._tabulated()

    def _tabulated(self) -> tuple[Any, Any]:
        """Tabulate terms extrapolated to floor zero, and slopes, of shape (p, K' N) each.

        Both are 0 where a variance is 0.
        """
        # First-order Taylor expansion of log N(x; m, v) in v about the column's own floor, with the
        # derivative ((x - m)^2 / v^2 - 1 / v) / 2. It is used only for changes of the floor up to
        # ``reach``, a tiny share of the least variance of the column.
        moments, array, torch = self.inner.moments, self.device.array, self.device.torch
        held, means, variances = array(moments.held), array(moments.means), array(moments.variances)
        shape = len(held), len(self.start) * held.shape[1]
        tables = [
            torch.zeros(shape, dtype=torch.float64, device=self.device.name) for _ in range(2)
        ]
        n_bytes = 8.0 * means.shape[1] * held.shape[1] * 6
        for part in self._room_for(len(held), n_bytes):
            spread = (variances[:, :, part] + self.own[part].T[:, None]).movedim(2, 0)[
                :, self.fold
            ]  # (s, N, K)
            inverse = 1.0 / spread
            gap = held[part][:, :, None] - means[:, :, part].movedim(2, 0)[:, self.fold]
            term = -0.5 * (gap * gap * inverse + torch.log(2 * np.pi * spread))
            slope = 0.5 * ((gap * inverse) ** 2 - inverse)
            term = term - self.own[part][:, self.fold][:, :, None] * slope
            for table, values in zip(tables, (term, slope)):
                paired = values
                if moments.pair:
                    paired = values[:, :, 1:] - values[:, :, :1]
                table[part] = torch.nan_to_num(
                    paired.transpose(1, 2).reshape(len(paired), -1), 0.0, 0.0, 0.0
                )
        return tables[0], tables[1]

    def _alone(self, columns: np.ndarray) -> float:
        return self.inner._alone(columns)

    def _bytes(self, size: int) -> float:
        n_columns, n_folds = len(self.inner.moments.held), self.own.shape[1]
        return 8.0 * (5 * self.start.numel() + n_columns + 3 * size * n_folds)

    def _evaluate(self, batch: Batch) -> np.ndarray:
        torch, valid = self.device.torch, batch.valid[:, :, None]
        own = torch.where(valid, self.own[batch.columns], -1.0)  # (C, s, F)
        floor = own.max(dim=1).values
        trusted = (
            (((floor[:, None] - own).abs() <= self.reach[batch.columns]) | ~valid)
            .all(dim=2)
            .all(dim=1)
        )
        once = valid.to(torch.float64)
        terms = weighted_sums(once, batch, self.terms, self.device)
        slopes = weighted_sums(once, batch, self.slopes, self.device)
        shape = (-1, *self.start.shape)
        outputs = (
            self.start + terms.reshape(shape) + floor[:, self.fold][:, None] * slopes.reshape(shape)
        )
        return self._scored(outputs, trusted)

    def _scored(self, outputs: Any, trusted: Any) -> np.ndarray:
        """Score outputs (C, K', N), NaN where they are not trusted."""
        if self.scores.counts_hits:
            pair = self.inner.moments.pair
            if pair:
                labels = (outputs[:, 0] > 0).long()
            else:
                labels = first_largest(outputs, self.device.torch)
            qualities = self.scores.of_labels(labels)
        else:
            qualities = self.inner._score(self.device.host(outputs))
        return np.where(self.device.host(trusted), qualities, np.nan)
