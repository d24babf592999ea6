"""The folds of a race as an assessment of its winner."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.metrics import check_scoring

from subsel.assessment.estimates import Assessment, Estimate
from subsel.assessment.folds.fold import Plan
from subsel.assessment.folds.halves import N_PAIRS, run_halves
from subsel.assessment.folds.procedure import Procedure
from subsel.assessment.race.contender import Standing
from subsel.assessment.race.nested_score import HonestNumbers, scored_standing
from subsel.assessment.race.rounds import Race
from subsel.assessment.summary import summarise
from subsel.data.task import Task

__all__ = ["in_columns", "race_assessment"]

CORRECTED = "the score is corrected for having taken the best of several procedures (bootstrap over held-out rows)."


def race_assessment(
    race: Race,
    winner: Standing,
    honest: HonestNumbers,
    task: Task,
    scoring: Any,
    confidence: float = 0.95,
    *,
    seed: int = 0,
    seconds: float = np.inf,
    left: float = np.inf,
    n_jobs: int | None = None,
) -> Assessment:
    """The winner's folds put together, with the corrected estimate as performance and the others as references.

    Parameters
    ----------
    race : Race
        What was run.
    winner : Standing
        The procedure that was taken.
    honest : HonestNumbers
        What to expect of it.
    task : Task
        The rows that were raced on.
    scoring : str or callable
        The measure.
    confidence : float, default=0.95
        Of the intervals.
    seed : int, default=0
        Of the halves of the rows, on which the winner selects again for its stability.
    seconds : float
        The budget of the race: where the halves are expected to take more than a fifth of it, they are left out.
    left : float
        What is left of it: where the machine is so slow that the halves would take more, they are left out, too.
    n_jobs : int, optional
        Workers over the halves.
    """
    procedure = Procedure.of(winner.contender.procedure, None)
    plan = Plan(
        procedure,
        task,
        check_scoring(winner.contender.procedure, scoring),
        str(scoring),
        seed,
        guided=False,
    )
    notes = list(race.notes)
    if honest.corrected:
        notes.append(CORRECTED)
    took = sum(standing.seconds for standing in race.standings)
    affordable = (
        N_PAIRS * winner.contender.seconds <= seconds / 5
    )  # two halves take about as long as all rows
    in_time = N_PAIRS * winner.seconds <= left * max(
        1, len(winner.folds)
    )  # as its folds have taken
    repeated = affordable and in_time and not race.interrupted
    n_pairs = N_PAIRS if repeated else 0
    halves, _ = run_halves(plan, winner.folds, n_pairs, notes, n_jobs=n_jobs)
    if affordable and not in_time:
        notes.append("stability was not measured: time was short.")
    if not affordable:
        notes.append(
            "stability was not measured: selecting again would take more than a fifth of the budget."
        )
    folds = [replace(fold, warned={}) for fold in winner.folds]  # the race tells of them
    found = summarise(
        plan, race.splits, folds, confidence, notes=notes, seconds=took, halves=halves
    )
    whole = [s for s in race.finished if s.size == task.n_columns and s is not winner]
    scored = {
        standing.name: scored_standing(race, standing, task, str(scoring)) for standing in whole
    }
    references = {
        name: Estimate(s.score, s.interval(confidence), s.scores) for name, s in scored.items()
    }
    return replace(
        found,
        performance=honest.estimate,
        interval=honest.interval,
        references=references,
        interrupted=race.interrupted,
    )


def in_columns(found: Assessment, columns: np.ndarray, names: Sequence[str]) -> Assessment:
    """An assessment told in the columns of a wider table, of which these were offered.

    Parameters
    ----------
    found : Assessment
        Of a race among some of the columns.
    columns : ndarray of int
        Their numbers in the wider table.
    names : sequence of str
        All its columns.
    """
    if len(columns) == len(names):
        return replace(found, names=tuple(names))
    if found.supports is None:
        return found

    def wide(values: Any) -> Any:
        out = np.zeros((*values.shape[:-1], len(names)), dtype=values.dtype)
        out[..., columns] = values
        return out

    assert found.frequency is not None and found.frequency_interval is not None
    interval = wide(found.frequency_interval.T).T
    supports, frequency = wide(found.supports), wide(found.frequency)
    return replace(
        found,
        supports=supports,
        frequency=frequency,
        frequency_interval=interval,
        names=tuple(names),
    )
