"""Differences of rows on a device: distances of all pairs, and weighted sums over pairs, are computed there."""

from typing import Any

import numpy as np

from subsel.data.statistics.differences import Differences

__all__ = ["DifferencesOnDevice"]

COPIES = 4  # of the differences of some pairs that are held at a time


class DifferencesOnDevice(Differences):
    """The same as `Differences`; blocks of distances come back as numpy arrays.

    Sums over features are exact on the grid of the points, so the distances are those of the processor to the last bit,
    and the same rows are neighbours.

    Parameters
    ----------
    X, codes, nominal, metric, ramp : object
        As of `Differences`.
    device : Device
        Where to hold the points, as `subsel._loops.device.find_device` gives it.
    """

    def __init__(
        self, X: Any, codes: np.ndarray, nominal: Any, metric: str, ramp: bool, device: Any
    ) -> None:
        super().__init__(X, codes, nominal, metric, ramp)
        self._device, self._held = device, device.array(self._points[: self.n_rows])

    def _summed_over_features(self, rows: np.ndarray, stop: int) -> np.ndarray:
        some = self._held[self._device.array(rows)]
        return self._device.host(self._device.torch.cdist(some, self._held[:stop], p=1.0))

    def _squared_over_features(self, rows: np.ndarray, stop: int) -> np.ndarray:
        cdist, split, some = (
            self._device.torch.cdist,
            self._n_numeric,
            self._held[self._device.array(rows)],
        )
        exactly = "donot_use_mm_for_euclid_dist"
        roots = cdist(some[:, :split], self._held[:stop, :split], p=2.0, compute_mode=exactly)
        names = cdist(some[:, split:].contiguous(), self._held[:stop, split:].contiguous(), p=1.0)
        return self._device.host(roots * roots + names)

    def _points_summed(self, rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Only pairs of some weight are visited, as many at a time as there is room for."""
        at, others = np.nonzero(weights)
        weight, first, second = map(self._device.array, (weights[at, others], rows[at], others))
        sums = self._device.array(np.zeros(self._points.shape[1]))
        step = max(1, int(self._device.recent_room / (8.0 * COPIES * max(1, len(sums)))))
        for low in range(0, len(at), step):
            part = slice(low, low + step)
            gaps = (self._held[first[part]] - self._held[second[part]]).abs_()
            sums += gaps.mul_(weight[part, None]).sum(
                dim=0
            )  # no product of matrices, as on the processor
        return self._device.host(sums)
