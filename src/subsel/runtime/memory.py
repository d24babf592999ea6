"""Amounts of memory: read from text, written for people, and refused where they are not enough."""

from __future__ import annotations

import os
import re
from numbers import Real

__all__ = ["NotEnoughMemory", "available_bytes", "byte_count", "in_words"]

_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_UNITS.update({"KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40})


class NotEnoughMemory(ValueError):
    """What was asked needs more memory than the limit; ``needed`` says how much."""

    def __init__(self, what: str, needed: float, limit: float) -> None:
        self.needed, self.limit = int(needed), int(limit)
        super().__init__(
            f"{what} needs {in_words(needed)} ({self.needed:,} bytes), the limit is {in_words(limit)}."
        )


def byte_count(memory: str | float) -> int:
    """Read an amount of memory: a number of bytes, or text such as ``"500MB"`` or ``"1.5 GiB"``.

    >>> byte_count("500MB"), byte_count("1.5 GiB"), byte_count(1024)
    (500000000, 1610612736, 1024)
    """
    found = None
    if isinstance(memory, Real) and not isinstance(memory, bool):
        found = float(memory)
    elif isinstance(memory, str) and (
        match := re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*", memory)
    ):
        unit = _UNITS.get(match[2].upper())
        if unit is not None:
            found = float(match[1]) * unit
    if found is None or not 1 <= found < 2**63:
        raise ValueError(
            f"memory must be a number of bytes or text such as '500MB' or '2GiB', got {memory!r}."
        )
    return int(found)


def in_words(n_bytes: float) -> str:
    """Write a number of bytes for people.

    >>> in_words(1_234_000), in_words(512)
    ('1.23 MB', '512 bytes')
    """
    for unit in ("TB", "GB", "MB", "KB"):
        if n_bytes >= _UNITS[unit]:
            return f"{n_bytes / _UNITS[unit]:.3g} {unit}"
    return f"{int(n_bytes)} bytes"


def available_bytes() -> int | None:
    """Memory that a process could take now without pushing others out; None where the system does not say."""
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
