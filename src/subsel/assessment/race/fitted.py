"""The procedures that a race takes, fitted on all rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from subsel.assessment.folds.procedure import seeded, selected_columns
from subsel.assessment.race.contender import Standing
from subsel.assessment.race.rounds import Race
from subsel.data.routing import fit_arguments
from subsel.data.task import Task

__all__ = ["columns_of", "fitted_first", "fitted_on_all"]


def fitted_first(
    taken: list[Standing], race: Race, task: Task, seed: int, most: int | None = None
) -> tuple[list[Standing], list[Any]]:
    """Those taken, fitted on all rows; in the place of one that selects nothing there, the next best that does.

    Of several that together read more columns than ``most``, those that do not, in their order.
    """
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
    kept = _within([columns_of(model, task.n_columns) for _, model in found], most)
    return [found[place][0] for place in kept], [found[place][1] for place in kept]


def columns_of(procedure: Any, n_columns: int) -> np.ndarray:
    """The columns that a fitted procedure reads."""
    columns = selected_columns(procedure[:-1])
    if columns is None:
        return np.arange(n_columns)
    return columns


def _within(columns: list[np.ndarray], most: int | None) -> list[int]:
    """The first, and those that with the ones kept before them have at most so many columns.

    >>> _within([np.array([0, 1]), np.array([1, 2, 3]), np.array([1, 2])], 3)
    [0, 2]
    """
    kept, together = [0], set(columns[0].tolist())
    for place, chosen in enumerate(columns[1:], 1):
        joined = together | set(chosen.tolist())
        if most is None or len(joined) <= most:
            kept.append(place)
            together = joined
    return kept


def fitted_on_all(procedure: Any, task: Task, seed: int) -> Any:
    """A clone fitted on all rows."""
    model = seeded(clone(procedure), np.random.default_rng([seed, 10**6]))
    rows = {"sample_weight": task.sample_weight, "groups": task.groups}
    return model.fit(task.X, task.y, **fit_arguments(model, rows))
