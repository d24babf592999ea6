"""An evaluator that answers batches on a device, and hands what it cannot vouch for to the one it stands for."""

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
        Who is followed.
    device : Device
        Where to compute.
    """

    def __init__(self, inner: Evaluator, device: Device) -> None:
        super().__init__(inner)
        self.device = device

    @property
    def traits(self) -> Traits:  # type: ignore[override]
        """The inner evaluator's, with the device in the name."""
        inner, name = self.inner.traits, self.device.name
        return replace(inner, name=f"{inner.name} on {name}", heavy=False)

    def evaluate(self, candidates: Candidates) -> np.ndarray:
        """Give one quality per candidate."""
        qualities = np.full(len(candidates), np.nan)
        for batch in batches(candidates, self.device, self._bytes):
            qualities[batch.which] = self._evaluate(batch)
        return self._settled(qualities, candidates.columns)

    def _settled(
        self, qualities: np.ndarray, columns: Callable[[], list[np.ndarray]]
    ) -> np.ndarray:
        """Let the inner evaluator answer where the device gave no number."""
        doubtful = np.flatnonzero(np.isnan(qualities))
        if len(doubtful):
            subsets = columns()
            for number in doubtful.tolist():
                qualities[number] = self._alone(subsets[number])
        return qualities

    @abstractmethod
    def _bytes(self, size: int) -> float:
        """What one candidate of so many columns takes on the device."""

    @abstractmethod
    def _evaluate(self, batch: Batch) -> np.ndarray:
        """Give the qualities of a batch, NaN where they cannot be vouched for."""

    @abstractmethod
    def _alone(self, columns: np.ndarray) -> float:
        """Ask the inner evaluator."""

    def _room_for(self, n: int, n_bytes: float) -> list[slice]:
        """Cut n things of so many bytes each into slices that fit the device."""
        step = max(1, int(self.device.room / max(n_bytes, 1.0)))
        return [slice(low, min(n, low + step)) for low in range(0, n, step)]

    def _array(self, values: Any) -> Any:
        return self.device.array(np.asarray(values))
