"""The folds of a race as an assessment of its winner."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sklearn.metrics import check_scoring

from subsel.assessment.fold import Plan
from subsel.assessment.measure import score_interval
from subsel.assessment.outcome import Assessment, Estimate
from subsel.assessment.procedure import Procedure
from subsel.assessment.summary import summarise
from subsel.race.contender import Standing
from subsel.race.honest import HonestNumbers
from subsel.race.running import Race
from subsel.task import Task

__all__ = ["race_assessment"]

CORRECTED = "the score is corrected for having taken the best of several procedures (bootstrap over held-out rows)."


def race_assessment(
    race: Race, winner: Standing, honest: HonestNumbers, task: Task, scoring: Any, confidence: float = 0.95
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
    """
    procedure = Procedure.of(winner.contender.procedure, None)
    plan = Plan(procedure, task, check_scoring(winner.contender.procedure, scoring), str(scoring), None, 0)
    notes = [*race.notes, *([CORRECTED] if honest.corrected else [])]
    seconds = sum(standing.seconds for standing in race.standings)
    folds = [replace(fold, guide=None, warned={}) for fold in winner.folds]  # both are the race's matter
    found = summarise(plan, race.splits, folds, confidence, None, notes, seconds)
    whole = [s for s in race.finished if s.size == task.n_columns and s is not winner]
    references = {
        standing.name: Estimate(
            standing.score,
            score_interval(standing.scores, str(scoring), task.y, race.splits[: len(standing.folds)], confidence),
            standing.scores,
        )
        for standing in whole
    }
    return replace(
        found,
        performance=honest.estimate,
        interval=honest.interval,
        references=references,
        interrupted=race.interrupted,
    )
