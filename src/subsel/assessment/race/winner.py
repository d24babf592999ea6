"""The assessment and the result of the winner of a race."""

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

CORRECTED = (
    "the score is corrected for having taken the best of several procedures "
    "(bootstrap over held-out rows)."
)


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
    """Summarise the folds of the winner as an assessment.

    Its performance is the corrected estimate; contenders with all features are its references.

    Parameters
    ----------
    race : Race
        The race.
    winner : Standing
        The winner.
    nested : NestedScore
        Its expected score.
    task : Task
        The rows of the race.
    scoring : str or callable
        The measure.
    confidence : float, default=0.95
        The level of the intervals.
    seed : int, default=0
        The seed of the halves of the rows, on which the winner selects again for its stability.
    seconds : float
        The time limit of the race. Where the halves are expected to take more than a fifth of it,
        they are left out.
    left : float
        The seconds that remain. Where the halves would take more on a slow machine, they are left
        out.
    n_jobs : int, optional
        The number of workers over the halves.
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
    # two halves take about as long as all rows; the first estimate is from the cost table, the
    # second from the measured folds
    affordable = N_PAIRS * winner.contender.seconds <= seconds / 5
    in_time = N_PAIRS * winner.seconds <= left * max(1, len(winner.folds))
    repeated = affordable and in_time and not race.interrupted
    n_pairs = N_PAIRS if repeated else 0
    halves, _ = run_halves(plan, winner.folds, n_pairs, notes, n_jobs=n_jobs)
    if affordable and not in_time:
        notes.append("stability was not measured: time was short.")
    if not affordable:
        notes.append(
            "stability was not measured: selecting again would take more than a fifth "
            "of the budget."
        )
    folds = [replace(fold, warned={}) for fold in winner.folds]  # the race reports them
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
    """Convert an assessment to the columns of a wider table.

    Parameters
    ----------
    found : Assessment
        The assessment of a race among some of the columns.
    columns : ndarray of int
        Their numbers in the wider table.
    names : sequence of str
        The names of all its columns.
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
    """Fit the chosen contenders on all rows.

    One that selects nothing there is replaced by the next best that does.

    Contenders are left out, in their order, where the combination would read more than ``most``
    columns.
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
    """Give the numbers of the columns that a fitted procedure reads."""
    columns = selected_columns(procedure[:-1])
    if columns is None:
        return np.arange(n_columns)
    return columns


def _within(columns: list[np.ndarray], most: int | None) -> list[int]:
    """Give the numbers of sets, in order, whose union has at most ``most`` columns.

    The first is always included.

    >>> _within([np.array([0, 1]), np.array([1, 2, 3]), np.array([1, 2])], 3)
    [0, 2]
    """
    places, union = [0], set(columns[0].tolist())
    for place, chosen in enumerate(columns[1:], 1):
        wider = union | set(chosen.tolist())
        if most is None or len(wider) <= most:
            places.append(place)
            union = wider
    return places


def fitted_on_all(procedure: Any, task: Task, seed: int) -> Any:
    """Fit a clone on all rows."""
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
    """Give the result of the search of the winner, in the columns of the complete table.

    For a winner without a search it holds only the selection.

    Parameters
    ----------
    member : Pipeline
        The winner, fitted on all rows.
    standing : Standing
        Its results in the race.
    chosen : ndarray of int
        The columns that it selected.
    allowed : ndarray of int
        For each column given to the procedures, the column of the complete table from which it
        comes.
    task : Task
        The complete table.
    race : Race
        The race.
    table_notes : sequence of str
        Remarks on what was recognised in the table.
    """
    notes = [*table_notes, *race.notes]
    if race.interrupted:
        notes.append("interrupted: the procedures were compared on fewer folds.")
    results = [step.result_ for _, step in member.steps if hasattr(step, "result_")]
    if results:
        result = results[0].in_columns(allowed, tuple(task.names))
        result = replace(result, notes=(*result.notes, *notes))
        if race.interrupted:
            result = replace(result, stopped_by="interrupted")
        return result
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
