"""Devices for batches of subsets: the processor or a graphics card, through PyTorch."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from time import monotonic
from typing import Any

import numpy as np

__all__ = ["Device", "NotAccelerated", "find_device"]

_HOST = 2.0**28  # bytes of temporary arrays at a time on the processor
_SHARE = 0.4  # share of the free memory of a card that temporary arrays may use
_LOOK = 1.0  # seconds for which the free memory of a card is not asked for again
_SMALL = 1 << 24  # bytes up to which arrays are copied to a card through pinned memory


class NotAccelerated(ValueError):
    """Raised where a criterion, or a setting of it, has no accelerated evaluator."""


@dataclass(frozen=True)
class Device:
    """A device of PyTorch.

    Parameters
    ----------
    name : str
        ``"cpu"``, ``"cuda"`` or ``"cuda:1"``.
    """

    name: str

    @cached_property
    def torch(self) -> Any:
        """The module ``torch``."""
        return _torch(self.name)

    def array(self, values: np.ndarray) -> Any:
        """Copy an array to the device; unsigned words become signed ones of the same bits."""
        values = np.ascontiguousarray(values)
        if values.dtype == np.uint64:
            values = values.view(np.int64)
        if not values.flags.writeable:
            values = values.copy()
        tensor = self.torch.from_numpy(values)
        if self.name.startswith("cuda") and values.nbytes <= _SMALL:
            tensor = tensor.pin_memory()
        return tensor.to(self.name, non_blocking=True)

    def host(self, values: Any) -> np.ndarray:
        """Copy a tensor on the device to a numpy array."""
        return values.cpu().numpy()

    def numbers(self, n: int) -> Any:
        """Return the integers from 0 to n - 1 as a shared tensor, not to be changed."""
        return _numbers(self, n)

    def eye(self, n: int) -> Any:
        """Return the identity (n, n) as a shared tensor, not to be changed."""
        return _eye(self, n)

    @cached_property
    def shifts(self) -> Any:
        """The shifts 0 to 63, by which each bit of a word reaches the lowest place."""
        return self.array(np.arange(64))

    @property
    def recent_room(self) -> float:
        """The value of `room`, at most a second old.

        To ask a card for its free memory takes as long as many an evaluation.
        """
        seen = self._looks
        if not seen or monotonic() - seen[0] > _LOOK:
            seen[:] = [monotonic(), self.room]
        return seen[1]

    @cached_property
    def _looks(self) -> list[float]:
        return []

    @property
    def room(self) -> float:
        """The bytes that temporary arrays may take now."""
        if not self.name.startswith("cuda"):
            return _HOST
        free, _ = self.torch.cuda.mem_get_info(self.name)
        spare = self.torch.cuda.memory_reserved(self.name) - self.torch.cuda.memory_allocated(
            self.name
        )
        return _SHARE * (free + spare)


@lru_cache(maxsize=64)
def _numbers(device: Device, n: int) -> Any:
    return device.torch.arange(n, device=device.name)


@lru_cache(maxsize=64)
def _eye(device: Device, n: int) -> Any:
    return device.torch.eye(n, dtype=device.torch.float64, device=device.name)


def find_device(name: str) -> Device:
    """Return the device of this name, if this machine has it.

    Parameters
    ----------
    name : str
        ``"cpu"`` or ``"cuda"``, with a number where there are several cards.

    Returns
    -------
    Device
        Ready for arrays.

    Raises
    ------
    ImportError
        PyTorch is not installed.
    RuntimeError
        PyTorch finds no such card.
    """
    kind, _, number = str(name).partition(":")
    if kind not in ("cpu", "cuda") or (number and not number.isdigit()):
        raise ValueError(f"device must be None, 'cpu', 'cuda' or 'cuda:NUMBER', got {name!r}.")
    torch = _torch(name)
    if kind == "cuda" and not torch.cuda.is_available():
        raise RuntimeError(
            f"device={name!r}: this PyTorch ({torch.__version__}) sees no CUDA device."
        )
    return Device(name)


def _torch(name: str) -> Any:
    try:
        import torch
    except ImportError:
        raise ImportError(
            f"device={name!r} needs PyTorch: install the extra, pip install 'subsel[accelerator]'."
        ) from None
    return torch
