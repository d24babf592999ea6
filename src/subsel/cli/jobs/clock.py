"""How the seconds of a job are shared: reading and imports at its beginning, searches and folds, the report at its end."""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import perf_counter

from subsel.engine.budget import Budget

__all__ = ["JobClock"]

FOLDS_END = 0.9  # of the seconds for work, after which no fold is begun: one may be slow
WRITING = 2.5  # seconds that report and model file take
MOST_WRITING = 0.25  # of the seconds that are kept for them at most
MOMENT = 0.001  # seconds: a budget must have some


@dataclass(frozen=True)
class JobClock:
    """The budget of a whole job, and when it began.

    Parameters
    ----------
    budget : Budget
        Seconds for the whole job, or evaluations for each search.
    begin : float
        The ``perf_counter`` from which the seconds count.

    Examples
    --------
    >>> JobClock(Budget(seconds=60), begin=perf_counter()).writing, JobClock(Budget(seconds=2), perf_counter()).writing
    (2.5, 0.5)
    """

    budget: Budget
    begin: float

    @property
    def writing(self) -> float:
        """The seconds that are kept for report and model file."""
        seconds = self.budget.seconds
        if seconds is None:
            return 0.0
        return min(WRITING, MOST_WRITING * seconds)

    def left(self) -> Budget | None:
        """The seconds that folds may still take; None without a limit."""
        if self.budget.seconds is None:
            return None
        ends = self.begin + FOLDS_END * (self.budget.seconds - self.writing)
        return Budget(seconds=max(MOMENT, ends - perf_counter()))

    def share(self, n_searches: int) -> Budget:
        """The budget of one search of a job that searches so many times: they share the seconds for work.

        It is the same whenever it is asked for, so that a journal knows the search again.
        """
        if self.budget.seconds is None:
            return self.budget
        return replace(self.budget, seconds=(self.budget.seconds - self.writing) / n_searches)
