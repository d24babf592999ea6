"""The base of evaluators on a device, which leave doubtful subsets to another evaluator."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from subsel._loops.device import Device
from subsel.criteria.accelerated.batches import Batch, batches
from subsel.criteria.base import Evaluator, Wrapper
from subsel.criteria.traits import Traits
from subsel.space.candidates import Candidates

__all__ = ["Accelerated"]


class Accelerated(Wrapper):
    """The same qualities as the inner evaluator, many subsets at a time.

    Parameters
    ----------
    inner : Evaluator
        The evaluator of the processor, whose qualities are reproduced.
    device : Device
        The device that computes.
    """

    def __init__(self, inner: Evaluator, device: Device) -> None:
        super().__init__(inner)
        self.device = device

    @property
    def traits(self) -> Traits:  # type: ignore[override]
        """The traits of the inner evaluator, with the device in the name."""
        inner, name = self.inner.traits, self.device.name
        return replace(inner, name=f"{inner.name} on {name}", heavy=False)

    def evaluate(self, candidates: Candidates) -> np.ndarray:
        """Return one quality per candidate."""
        qualities = np.full(len(candidates), np.nan)
        for batch in batches(candidates, self.device, self._bytes):
            qualities[batch.which] = self._evaluate(batch)
        return self._settled(qualities, candidates.columns)

    def _settled(
        self, qualities: np.ndarray, columns: Callable[[], list[np.ndarray]]
    ) -> np.ndarray:
        """Replace NaN in ``qualities``, in place, by what the inner evaluator computes.

        ``qualities`` has shape (candidates,); ``columns`` is only called where some are NaN.
        """
        doubtful = np.flatnonzero(np.isnan(qualities))
        if len(doubtful):
            subsets = columns()
            for number in doubtful.tolist():
                qualities[number] = self._alone(subsets[number])
        return qualities

    @abstractmethod
    def _bytes(self, size: int) -> float:
        """Return the bytes that a candidate of ``size`` columns takes on the device."""

    @abstractmethod
    def _evaluate(self, batch: Batch) -> np.ndarray:
        """Compute the qualities of a batch, NaN where rounding may have spoilt them."""

    @abstractmethod
    def _alone(self, columns: np.ndarray) -> float:
        """Evaluate one subset by the inner evaluator."""

    def _room_for(self, n: int, n_bytes: float) -> list[slice]:
        """Cut n items of ``n_bytes`` each into slices that fit the device."""
        step = max(1, int(self.device.room / max(n_bytes, 1.0)))
        return [slice(low, min(n, low + step)) for low in range(0, n, step)]

    def _array(self, values: Any) -> Any:
        return self.device.array(np.asarray(values))
