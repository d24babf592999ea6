"""The folds of a race as an assessment of its winner."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.metrics import check_scoring

from subsel.assessment.estimates import Assessment, Estimate
from subsel.assessment.folds.fold import FoldSettings
from subsel.assessment.folds.halves import N_PAIRS, run_halves
from subsel.assessment.folds.procedure import Procedure, selected_columns, with_seed
from subsel.assessment.race.contender import Standing
from subsel.assessment.race.nested_score import NestedScore, scored_standing
from subsel.assessment.race.rounds import Race
from subsel.assessment.summary import summarise
from subsel.data.routing import fit_arguments
from subsel.data.task import Task
from subsel.result.result import EvaluatorRecord, Result, SelectedSubset

__all__ = [
    "columns_of",
    "fitted_first",
    "fitted_on_all",
    "in_columns",
    "race_assessment",
    "winner_result",
]

CORRECTED = "the score is corrected for having taken the best of several procedures (bootstrap over held-out rows)."


def race_assessment(
    race: Race,
    winner: Standing,
    nested: NestedScore,
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
    nested : NestedScore
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
        The budget of the race: where the halves are expected to take more than a fifth of it, they
        are left out.
    left : float
        What is left of it: where the machine is so slow that the halves would take more, they are
        left out, too.
    n_jobs : int, optional
        Workers over the halves.
    """
    procedure = Procedure.of(winner.contender.procedure, None)
    plan = FoldSettings(
        procedure,
        task,
        check_scoring(winner.contender.procedure, scoring),
        str(scoring),
        seed,
        guided=False,
    )
    notes = list(race.notes)
    if nested.corrected:
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
        performance=nested.estimate,
        interval=nested.interval,
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
    model = with_seed(clone(procedure), np.random.default_rng([seed, 10**6]))
    rows = {"sample_weight": task.sample_weight, "groups": task.groups}
    return model.fit(task.X, task.y, **fit_arguments(model, rows))


def winner_result(
    member: Any,
    standing: Standing,
    chosen: np.ndarray,
    allowed: np.ndarray,
    task: Task,
    race: Race,
    *,
    table_notes: Sequence[str] = (),
) -> Result:
    """The result of the winner's own search, in the columns of the whole table; of another procedure, its selection.

    Parameters
    ----------
    member : Pipeline
        The winner, fitted on all rows.
    standing : Standing
        How it did in the race.
    chosen : ndarray of int
        The columns that it selected.
    allowed : ndarray of int
        For each column that the procedures were given, the column of the whole table that it is or
        was made from.
    task : Task
        The whole table.
    race : Race
        What was run.
    table_notes : sequence of str
        What was recognised in the table.
    """
    notes = [*table_notes, *race.notes]
    if race.interrupted:
        notes.append("interrupted: the procedures were compared on fewer folds.")
    found = [step.result_ for _, step in member.steps if hasattr(step, "result_")]
    if found:
        told = found[0].in_columns(allowed, tuple(task.names))
        told = replace(told, notes=(*told.notes, *notes))
        if race.interrupted:
            told = replace(told, stopped_by="interrupted")
        return told
    answer = SelectedSubset(chosen, standing.score, float(len(chosen)))
    empty = [
        ("restart", "i4"),
        ("evaluation", "i8"),
        ("seconds", "f8"),
        ("quality", "f8"),
        ("size", "i4"),
    ]
    return Result(
        chosen=chosen,
        chosen_quality=standing.score,
        best=chosen,
        best_quality=standing.score,
        answer=answer,
        front=(answer,),
        finalists=(answer,),
        trace=np.zeros(0, dtype=[("restart", "i4"), ("quality", "f8"), ("size", "i4")]),
        improvements=np.zeros(0, dtype=empty),
        n_evaluations=0,
        n_computed=0,
        seconds=standing.seconds,
        stopped_by="interrupted" if race.interrupted else "race",
        evaluator=EvaluatorRecord(standing.name, False),
        names=tuple(task.names),
        notes=tuple(notes),
    )
