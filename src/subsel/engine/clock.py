"""The time that a run has taken, over all its sessions."""

from time import perf_counter

__all__ = ["Clock"]


class Clock:
    """Seconds of the run; ``begin`` is the ``perf_counter`` at its second 0.

    Examples
    --------
    >>> clock = Clock()
    >>> clock.set(30.0)  # what an earlier session took
    >>> 30.0 <= clock.seconds() < 31.0
    True
    """

    def __init__(self) -> None:
        self.begin = perf_counter()

    def seconds(self) -> float:
        """How long the run has taken."""
        return perf_counter() - self.begin

    def set(self, seconds: float) -> None:
        """Go on from here."""
        self.begin = perf_counter() - seconds

    def at(self, seconds: float) -> float:
        """The ``perf_counter`` at which the run will have taken so long."""
        return self.begin + seconds
