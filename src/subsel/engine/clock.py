"""The time that a run has taken, over all its sessions."""

from time import perf_counter

__all__ = ["Clock"]


class Clock:
    """Seconds of the run.

    Examples
    --------
    >>> clock = Clock()
    >>> clock.set(30.0)  # what an earlier session took
    >>> 30.0 <= clock.seconds() < 31.0
    True
    """

    def __init__(self) -> None:
        self._begin = perf_counter()

    def seconds(self) -> float:
        """How long the run has taken."""
        return perf_counter() - self._begin

    def set(self, seconds: float) -> None:
        """Go on from here."""
        self._begin = perf_counter() - seconds

    def at(self, seconds: float) -> float:
        """The ``perf_counter`` at which the run will have taken so long."""
        return self._begin + seconds
