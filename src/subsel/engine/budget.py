"""When to stop: seconds, evaluations, patience and target, in any combination."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import inf
from time import perf_counter

from subsel._loops.compiler import seconds_compiling

__all__ = ["Budget", "Clock", "bound"]

GRACE = (10.0, 60.0)  # the least and the most
_UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}


@dataclass(frozen=True)
class Budget:
    """How long a search may go on; it ends at whatever comes first.

    Parameters
    ----------
    seconds : float, optional
        Wall-clock time, for all restarts together. It is looked at between evaluations; a model
        that is still being fitted when as much time again has passed (between 10 and 60 seconds) is
        stopped. What is spent compiling, once on a machine, does not count.
    evaluations : int, optional
        Qualities delivered to each restart, remembered ones counted; exact.
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
        """Seconds that an evaluation may go on after the end before it is taken to hang."""
        least, most = GRACE
        return min(max(bound(self.seconds), least), most)

    @classmethod
    def of(cls, value: Budget | str | int | float | None) -> Budget:
        """Read a budget: None (the strategy's own end), ``"30s"``, ``"2m"``, ``"1h"``, or a number of evaluations."""
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
            f"budget must be None, a Budget, '30s', '5m', '1h' or a whole number of evaluations, got {value!r}."
        )


def bound(limit: float | None) -> float:
    """A limit of a budget as a number, infinite where there is none."""
    return inf if limit is None else limit


class Clock:
    """Seconds of the run; ``begin`` is the ``perf_counter`` at its second 0.

    What is spent compiling does not count, so that the state of a machine's cache does not decide
    how far a search gets.

    Examples
    --------
    >>> clock = Clock()
    >>> clock.set(30.0)  # what an earlier session took
    >>> 30.0 <= clock.seconds() < 31.0
    True
    """

    def __init__(self) -> None:
        self.begin, self._compiling = perf_counter(), seconds_compiling()

    def seconds(self) -> float:
        """How long the run has taken."""
        return perf_counter() - self.begin

    def leave_out_compiling(self) -> bool:
        """Do not count what was spent compiling since the last call; whether there was any."""
        spent = seconds_compiling() - self._compiling
        self.begin += spent
        self._compiling += spent
        return spent > 0

    def set(self, seconds: float) -> None:
        """Go on from here."""
        self.begin = perf_counter() - seconds

    def at(self, seconds: float) -> float:
        """The ``perf_counter`` at which the run will have taken so long."""
        return self.begin + seconds
