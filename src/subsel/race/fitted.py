"""The procedures that a race takes, fitted on all rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from subsel.assessment.procedure import seeded
from subsel.race.contender import Standing
from subsel.race.running import Race
from subsel.routing import fit_arguments
from subsel.task import Task

__all__ = ["fitted_first", "fitted_on_all"]


def fitted_first(taken: list[Standing], race: Race, task: Task, seed: int) -> tuple[list[Standing], list[Any]]:
    """Those taken, fitted on all rows; in the place of one that selects nothing there, the next best that does."""
    found: list[tuple[Standing, Any]] = []
    for standing in [*taken, *(other for other in race.eligible if other not in taken)]:
        if len(found) == len(taken):
            break
        try:
            found.append((standing, fitted_on_all(standing.contender.procedure, task, seed)))
        except ValueError as error:
            if "0 feature(s)" not in str(error):
                raise
            last = error
    if not found:
        raise last
    return [standing for standing, _ in found], [model for _, model in found]


def fitted_on_all(procedure: Any, task: Task, seed: int) -> Any:
    """A clone fitted on all rows."""
    model = seeded(clone(procedure), np.random.default_rng([seed, 10**6]))
    rows = {"sample_weight": task.sample_weight, "groups": task.groups}
    return model.fit(task.X, task.y, **fit_arguments(model, rows))
