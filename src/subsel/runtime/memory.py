"""Amounts of memory: parsing them, formatting them, and the error for too little of it."""

from __future__ import annotations

import os
import re
from numbers import Real

__all__ = ["NotEnoughMemory", "available_bytes", "byte_count", "in_words"]

_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_UNITS.update({"KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40})


class NotEnoughMemory(ValueError):
    """The error for an operation that needs more memory than the limit.

    Parameters
    ----------
    what : str
        What needs the memory; the message begins with it.
    needed : float
        The bytes it needs, kept as the attribute ``needed``.
    limit : float
        The bytes it may take, kept as the attribute ``limit``.
    remedy : str
        What the user can do.
    """

    def __init__(
        self, what: str, needed: float, limit: float, remedy: str = "raise the memory limit"
    ) -> None:
        self.needed, self.limit = int(needed), int(limit)
        self._arguments = what, needed, limit, remedy
        super().__init__(
            f"{what} needs {in_words(needed)} ({self.needed:,} bytes), "
            f"but the limit is {in_words(limit)}; {remedy}."
        )

    def __reduce__(self) -> tuple[type, tuple[str, float, float, str]]:
        # an exception is pickled by its message alone, which is not what it is made from; one that
        # cannot be read back would end a pool of workers
        return type(self), self._arguments


def byte_count(memory: str | float) -> int:
    """Parse an amount of memory: a number of bytes, or text such as ``"500MB"`` or ``"1.5 GiB"``.

    >>> byte_count("500MB"), byte_count("1.5 GiB"), byte_count(1024)
    (500000000, 1610612736, 1024)
    """
    n_bytes = None
    if isinstance(memory, Real) and not isinstance(memory, bool):
        n_bytes = float(memory)
    elif isinstance(memory, str) and (
        match := re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*", memory)
    ):
        unit = _UNITS.get(match[2].upper())
        if unit is not None:
            n_bytes = float(match[1]) * unit
    if n_bytes is None or not 1 <= n_bytes < 2**63:
        raise ValueError(
            f"memory must be a number of bytes or text such as '500MB' or '2GiB', got {memory!r}."
        )
    return int(n_bytes)


def in_words(n_bytes: float) -> str:
    """Format a number of bytes with three digits and a decimal unit.

    >>> in_words(1_234_000), in_words(512)
    ('1.23 MB', '512 bytes')
    """
    for unit in ("TB", "GB", "MB", "KB"):
        if n_bytes >= _UNITS[unit]:
            return f"{n_bytes / _UNITS[unit]:.3g} {unit}"
    return f"{int(n_bytes)} bytes"


def available_bytes() -> int | None:
    """Return the bytes that a process could allocate now without swapping; None if unknown.

    Where the system gives no estimate of it, this is all of the physical memory.
    """
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            return next(
                int(line.split()[1]) * 1024 for line in file if line.startswith("MemAvailable:")
            )
    except (OSError, StopIteration):
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None
