"""The time that a run has taken, over all its sessions."""

from time import perf_counter

from subsel._loops.compiler import seconds_compiling

__all__ = ["Clock"]


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
