"""A table with its column means taken out on a device: its products with vectors are computed there."""

from typing import Any

import numpy as np
from scipy import sparse

from subsel.data.statistics.centred import Centred

__all__ = ["CentredOnDevice"]


class CentredOnDevice(Centred):
    """The same as `Centred` for a dense table, held by a device; what is asked for comes back as numpy arrays.

    Parameters
    ----------
    X : ndarray
        The table.
    device : Device
        Where to hold it, as `subsel._loops.device.find_device` gives it.
    """

    def __init__(self, X: Any, device: Any) -> None:
        if sparse.issparse(X):
            raise ValueError(
                "a sparse table is ranked on the processor: use device=None, or give a dense one."
            )
        super().__init__(np.asarray(X, dtype=np.float64))
        self._device, self._held = device, device.array(self._table)
        self._table = None

    def columns(self, which: Any) -> np.ndarray:
        """Give the chosen centred columns."""
        return self._device.host(self._held[:, self._device.array(np.asarray(which))])

    def products(self, vector: np.ndarray) -> np.ndarray:
        """Give the scalar product of every centred column with a vector."""
        return self._device.host(self._device.array(vector) @ self._held)
