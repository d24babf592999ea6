"""What the command line leaves of its seconds to a race: who would take part, against the same seconds for the race alone."""

import numpy as np

from benchmarks.answers.cells import SECONDS, splits_of
from benchmarks.answers.sets import Problem
from subsel import AutoSelector
from subsel.cli.job_clock import JobClock
from subsel.encoding.received import receive, whole_task
from subsel.engine import Budget
from subsel.race.plan import RacePlan, plan_race

__all__ = ["plans_that_differ"]

FOLDS = 5


def plans_that_differ(problems: list[Problem]) -> dict[str, str]:
    """The sets on which ``subsel select`` would race otherwise with the same seconds, and how."""
    kept = JobClock(Budget(seconds=SECONDS), 0.0).writing
    found = {}
    for problem in problems:
        alone, within = (_plan(problem, seconds) for seconds in (SECONDS, SECONDS - kept))
        missing = {c.name for c in alone.contenders} - {c.name for c in within.contenders}
        fewer = alone.repeats - within.repeats
        told = [f"without {', '.join(sorted(missing))}"] if missing else []
        told += [f"{within.repeats} repeats of the folds for {alone.repeats}"] if fewer else []
        if told:
            found[problem.name] = "; ".join(told)
    return found


def _plan(problem: Problem, seconds: float) -> RacePlan:
    train, _ = splits_of(problem)[0]
    groups = None if problem.groups is None else problem.groups[train]
    whole = whole_task(problem.X[train], problem.y[train], None, groups=groups)
    received = receive(whole, np.zeros(0, dtype=int), "median")
    selector = AutoSelector(budget=f"{SECONDS}s", random_state=0)
    selector.scoring_, selector.encoder_ = problem.scoring, received.encoder
    field = selector._field(whole, received)
    return plan_race(selector._offered(field, 0), seconds, FOLDS, field.shape.rows)
