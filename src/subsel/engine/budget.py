"""When to stop: seconds, evaluations, patience and target, in any combination."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import inf
from time import perf_counter

from subsel._loops.compiler import seconds_compiling

__all__ = ["Budget", "Clock", "limit_or_infinity"]

GRACE = (10.0, 60.0)  # smallest and largest number of seconds that a fit may exceed the budget
_UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}


@dataclass(frozen=True)
class Budget:
    """Limits of a search, which ends at the first that is reached.

    Parameters
    ----------
    seconds : float, optional
        Wall-clock time, for all restarts together. It is checked between evaluations; a model that
        is still being fitted when as much time again has passed (between 10 and 60 seconds) is
        stopped. Compilation, once on a machine, does not count.
    evaluations : int, optional
        Number of qualities sent to each restart, cached ones included; it is never exceeded.
    patience : int, optional
        Evaluations of a restart without a better eligible subset.
    target : float, optional
        A quality that is good enough; reaching it ends all restarts.

    Examples
    --------
    >>> Budget.of("2m")
    Budget(seconds=120.0, evaluations=None, patience=None, target=None)
    >>> Budget.of(500).evaluations
    500
    """

    seconds: float | None = None
    evaluations: int | None = None
    patience: int | None = None
    target: float | None = None

    def __post_init__(self) -> None:
        for name in ("seconds", "evaluations", "patience"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise ValueError(f"{name} of a budget must be positive, got {value!r}.")

    @property
    def grace(self) -> float:
        """Seconds that an evaluation may exceed the budget before it is stopped."""
        least, most = GRACE
        return min(max(limit_or_infinity(self.seconds), least), most)

    @classmethod
    def of(cls, value: Budget | str | int | float | None) -> Budget:
        """Read a budget from a number of evaluations or a text such as ``"30s"``.

        None leaves the end to the search; ``"2m"`` and ``"1h"`` are other texts.
        """
        if isinstance(value, Budget):
            return value
        if value is None:
            return cls()
        if isinstance(value, str):
            if found := re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*(s|m|min|h)\s*", value):
                return cls(seconds=float(found[1]) * _UNITS[found[2]])
            if value.strip().isdigit():
                return cls(evaluations=int(value))
        elif not isinstance(value, bool) and value == int(value):
            return cls(evaluations=int(value))
        raise ValueError(
            "budget must be None, a Budget, '30s', '5m', '1h' or a whole number of evaluations, "
            f"got {value!r}."
        )


def limit_or_infinity(limit: float | None) -> float:
    """Return a limit of a budget as a number, infinity for None."""
    return inf if limit is None else limit


class Clock:
    """Measures the seconds of a run; ``begin`` is the ``perf_counter`` at second 0.

    Compilation does not count, so that the number of evaluations in a budget does not depend on
    whether loops were compiled before.

    Examples
    --------
    >>> clock = Clock()
    >>> clock.set(30.0)  # the seconds of an earlier session
    >>> 30.0 <= clock.seconds() < 31.0
    True
    """

    def __init__(self) -> None:
        self.begin, self._compiling = perf_counter(), seconds_compiling()

    def seconds(self) -> float:
        """Return the seconds of the run so far."""
        return perf_counter() - self.begin

    def leave_out_compiling(self) -> bool:
        """Exclude the seconds of compilation since the last call; whether there were any."""
        spent = seconds_compiling() - self._compiling
        self.begin += spent
        self._compiling += spent
        return spent > 0

    def set(self, seconds: float) -> None:
        """Continue from this number of seconds."""
        self.begin = perf_counter() - seconds

    def at(self, seconds: float) -> float:
        """Return the ``perf_counter`` at which the run will have taken so many seconds."""
        return self.begin + seconds
