"""What the winner of a race selected, told as the result of a search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from subsel.assessment.race.contender import Standing
from subsel.assessment.race.rounds import Race
from subsel.data.task import Task
from subsel.result.result import Found, Judge, Result

__all__ = ["taken_result"]


def taken_result(
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
        For each column that the procedures were given, the column of the whole table that it is or was made from.
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
    answer = Found(chosen, standing.score, float(len(chosen)))
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
        judge=Judge(standing.name, False),
        names=tuple(task.names),
        notes=tuple(notes),
    )
