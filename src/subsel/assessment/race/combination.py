"""Scores of combinations of contenders, from their predictions for held-out rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.metrics import check_scoring

from subsel.assessment.race.contender import Standing
from subsel.assessment.race.rounds import Race
from subsel.criteria.scoring.scorers import outputs_needed, scorer_function
from subsel.data.task import Task
from subsel.models.committee import majority

__all__ = ["Combination"]


class Combination:
    """The held-out predictions of the eligible contenders of a race.

    Parameters
    ----------
    race : Race
        The race.
    task : Task
        The rows of the race.
    scoring : str or callable
        The measure; combinations can be scored only by a measure of predictions.
    """

    def __init__(self, race: Race, task: Task, scoring: Any) -> None:
        self.race, self.task = race, task
        self.score = _score_of_outputs(race, scoring, task)

    @property
    def y(self) -> np.ndarray:
        """The true values, class codes for classification."""
        return self.task.target

    def scores(self, members: Sequence[Standing]) -> np.ndarray | None:
        """Score a combination of members in each fold; None without a measure of predictions."""
        if self.score is None or self.task.weighted:
            return None
        tests = [split.test for split in self.race.splits[: len(members[0].folds)]]
        said = [
            [self._coded(member.folds[i].outputs) for member in members] for i in range(len(tests))
        ]
        return np.array(
            [
                self.score(self.y[rows], self.combine(np.stack(votes)))
                for rows, votes in zip(tests, said)
            ]
        )

    def combine(self, outputs: np.ndarray) -> np.ndarray:
        """Combine outputs of shape (n_members, n_rows), the most trusted member first, by row."""
        if self._classes:
            return majority(outputs, len(self.task.classes))
        return outputs.mean(axis=0)

    def repeats(self) -> list[np.ndarray]:
        """Give held-out predictions, shape (n_contenders, n_rows), for each complete repeat."""
        finished = self.race.eligible
        splits = self.race.splits[: len(finished[0].folds)]
        whole = []
        for repeat in sorted({split.repeat for split in splits}):
            places = [i for i, split in enumerate(splits) if split.repeat == repeat]
            rows = np.concatenate([splits[i].test for i in places])
            if len(np.unique(rows)) < self.task.n_rows:
                continue
            table = np.empty(
                (len(finished), self.task.n_rows), dtype=int if self._classes else float
            )
            for line, standing in zip(table, finished):
                line[rows] = np.concatenate(
                    [self._coded(standing.folds[i].outputs) for i in places]
                )
            whole.append(table)
        return whole

    @property
    def _classes(self) -> bool:
        return self.task.kind == "classification"

    def _coded(self, said: Any) -> np.ndarray:
        if self._classes:
            return np.searchsorted(self.task.classes, said.predicted)
        return said.predicted


def _score_of_outputs(
    race: Race, scoring: Any, task: Task
) -> Callable[[np.ndarray, np.ndarray], float] | None:
    """Give the measure as a function of predictions, or None.

    It is None where the measure needs another output, or there are no predictions.
    """
    if any(fold.outputs is None for standing in race.eligible for fold in standing.folds):
        return None
    scorer = check_scoring(race.eligible[0].contender.procedure, scoring)
    classes = np.zeros(0)
    if task.kind == "classification":
        classes = task.classes
    if not hasattr(scorer, "_response_method"):
        return None
    needs = outputs_needed(scorer, task.kind, len(classes))
    if needs not in ("labels", "values"):
        return None
    if isinstance(scoring, str) and scoring in _QUICK:
        return _QUICK[scoring]
    evaluate = scorer_function(scorer, needs, classes)
    return lambda y, outputs: float(evaluate(y, outputs[None])[0])


def _balanced_accuracy(y: np.ndarray, outputs: np.ndarray) -> float:
    counts, hits = np.bincount(y), np.bincount(y[y == outputs], minlength=y.max() + 1)
    return float((hits[counts > 0] / counts[counts > 0]).mean())


def _r2(y: np.ndarray, outputs: np.ndarray) -> float:
    spread = ((y - y.mean()) ** 2).sum()
    if spread > 0:
        return float(1 - ((y - outputs) ** 2).sum() / spread)
    return np.nan


_QUICK: dict[str, Callable[[np.ndarray, np.ndarray], float]] = {
    "accuracy": lambda y, outputs: float((y == outputs).mean()),
    "balanced_accuracy": _balanced_accuracy,
    "r2": _r2,
}
"""Common measures without scikit-learn's checks, because a bootstrap computes thousands of them."""
