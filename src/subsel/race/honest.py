"""What to expect of the winner of a race on new rows, and what selecting costs against all features."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import check_scoring

from subsel.assessment.row_intervals import ScoredFolds
from subsel.criteria.scorers import ask, needed
from subsel.race.bias_corrected import bias_corrected
from subsel.race.committee import majority
from subsel.race.contender import Standing
from subsel.race.preference import Preference, tolerated
from subsel.race.running import FEWEST_FOLDS, Race
from subsel.task import Task

__all__ = ["HonestNumbers", "Price", "honest_numbers", "price_of_selecting"]


@dataclass(frozen=True)
class Price:
    """Selection against all features: the difference in score, and its interval.

    Parameters
    ----------
    difference : float
        The winner's score less that of the best procedure with all features, on the same folds.
    interval : tuple of float
        As :func:`subsel.assessment.compare` gives it.
    against : str
        The procedure with all features.
    """

    difference: float
    interval: tuple[float, float]
    against: str

    def __str__(self) -> str:
        low, high = self.interval
        return f"selection against {self.against}: {self.difference:+.3f} ({low:+.3f} to {high:+.3f})"


@dataclass(frozen=True)
class HonestNumbers:
    """What a race may promise.

    Parameters
    ----------
    estimate : float
        The expected score on new rows, corrected for having taken the best of several.
    interval : tuple of float
        Of the estimate.
    corrected : bool
        Whether the correction could be made; it needs a score of predictions.
    price : Price, optional
        None where the winner uses all features.
    """

    estimate: float
    interval: tuple[float, float]
    corrected: bool
    price: Price | None


def honest_numbers(
    race: Race, taken: list[Standing], prefer: Preference, task: Task, scoring: Any, seed: int, confidence: float = 0.95
) -> HonestNumbers:
    """Put together what the folds of a race say of its winner."""
    price = price_of_selecting(race, taken[0], task, str(scoring), confidence)
    score = _score_of_outputs(race, scoring, task)
    repeats = _outputs(race, task) if score is not None else []
    if score is None or not repeats:
        scored = scored_standing(race, taken[0], task, str(scoring))
        return HonestNumbers(scored.score, scored.interval(confidence), False, price)
    y = task.codes if task.kind == "classification" else task.y
    decide = _deciding(race, prefer, len(taken))
    combine = _combining(task)
    rng = np.random.default_rng([seed, 2 * 10**6])
    found = bias_corrected(repeats, y, score, decide, combine, rng, confidence)
    return HonestNumbers(found.estimate, found.interval, True, price)


def scored_standing(
    race: Race, standing: Standing, task: Task, scoring: str, n_folds: int | None = None
) -> ScoredFolds:
    """The scores of a contender, or those of its first folds, and the rows behind them."""
    n = len(standing.folds) if n_folds is None else n_folds
    outputs = [fold.outputs for fold in standing.folds[:n]]
    return ScoredFolds.of(scoring, standing.scores[:n], outputs, race.splits[:n], task)


def price_of_selecting(race: Race, winner: Standing, task: Task, scoring: str, confidence: float) -> Price | None:
    """The winner against the best of those that use all features, on the folds that both ran.

    One that was dropped for want of time still counts: the dear ones are often the best.
    """
    whole = [standing for standing in race.standings if standing.folds and standing.size == task.n_columns]
    if not whole or winner.size == task.n_columns:
        return None
    enough = min(FEWEST_FOLDS, max(len(standing.folds) for standing in whole))
    best = min((s for s in whole if len(s.folds) >= enough), key=lambda s: _lead(winner, s))
    n = min(len(best.scores), len(winner.scores))
    first, second = (scored_standing(race, standing, task, scoring, n) for standing in (winner, best))
    difference, interval, _ = first.compared(second, confidence)
    return Price(difference, interval, best.name)


def _lead(winner: Standing, other: Standing) -> float:
    """By how much the winner is better in the folds that both ran."""
    n = min(len(winner.scores), len(other.scores))
    return float(np.mean(winner.scores[:n] - other.scores[:n]))


def _outputs(race: Race, task: Task) -> list[np.ndarray]:
    """Held-out predictions of the finished contenders for every row, one array per whole repeat."""
    finished = race.eligible
    n_folds = len(finished[0].folds)
    repeats = sorted({split.repeat for split in race.splits[:n_folds]})
    whole = []
    for repeat in repeats:
        places = [i for i, split in enumerate(race.splits[:n_folds]) if split.repeat == repeat]
        rows = np.concatenate([race.splits[i].test for i in places])
        if len(np.unique(rows)) < task.n_rows:
            continue
        table = np.empty((len(finished), task.n_rows), dtype=int if task.kind == "classification" else float)
        for line, standing in zip(table, finished):
            predicted = np.concatenate(
                [said.predicted for i in places if (said := standing.folds[i].outputs) is not None]
            )
            line[rows] = np.searchsorted(task.classes, predicted) if task.kind == "classification" else predicted
        whole.append(table)
    return whole


def _score_of_outputs(race: Race, scoring: Any, task: Task) -> Callable[[np.ndarray, np.ndarray], float] | None:
    """The score as a function of predictions; None where it is one of something else."""
    scorer = check_scoring(race.eligible[0].contender.procedure, scoring)
    classes = task.classes if task.kind == "classification" else np.zeros(0)
    if not hasattr(scorer, "_response_method"):
        return None
    needs = needed(scorer, task.kind, len(classes))
    if needs not in ("labels", "values"):
        return None
    if isinstance(scoring, str) and scoring in _QUICK:
        return _QUICK[scoring]
    asked = ask(scorer, needs, classes)
    return lambda y, outputs: float(asked(y, outputs[None])[0])


def _balanced_accuracy(y: np.ndarray, outputs: np.ndarray) -> float:
    counts, hits = np.bincount(y), np.bincount(y[y == outputs], minlength=y.max() + 1)
    return float((hits[counts > 0] / counts[counts > 0]).mean())


def _r2(y: np.ndarray, outputs: np.ndarray) -> float:
    spread = ((y - y.mean()) ** 2).sum()
    return float(1 - ((y - outputs) ** 2).sum() / spread) if spread > 0 else np.nan


_QUICK: dict[str, Callable[[np.ndarray, np.ndarray], float]] = {
    "accuracy": lambda y, outputs: float((y == outputs).mean()),
    "balanced_accuracy": _balanced_accuracy,
    "r2": _r2,
}
"""The usual scores without scikit-learn's checks: a bootstrap asks for thousands of them."""


def _deciding(race: Race, prefer: Preference, n_taken: int) -> Callable[[np.ndarray], list[int]]:
    """The rule of the race, for scores of a sample of the rows."""
    sizes = np.array([standing.size for standing in race.eligible])
    slack = tolerated(race, prefer)

    def decide(scores: np.ndarray) -> list[int]:
        near = np.flatnonzero(scores.max() - scores <= slack)
        order = (-scores[near],) if prefer == "accuracy" else (-scores[near], sizes[near])
        return near[np.lexsort(order)][:n_taken].tolist()

    return decide


def _combining(task: Task) -> Callable[[np.ndarray], np.ndarray]:
    """How those taken decide together."""
    if task.kind == "classification":
        return lambda outputs: majority(outputs, len(task.classes))
    return lambda outputs: outputs.mean(axis=0)
