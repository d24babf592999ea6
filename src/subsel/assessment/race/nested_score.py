"""The expected score of the winner of a race, and the cost of selecting."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from subsel.assessment.race.bias_corrected_cv import bias_corrected
from subsel.assessment.race.combination import Combination
from subsel.assessment.race.contender import Standing
from subsel.assessment.race.preference import Option, Preference, answers, within_tolerance
from subsel.assessment.race.rounds import FEWEST_FOLDS, Race
from subsel.assessment.row_intervals import ScoredFolds
from subsel.data.task import Task

__all__ = ["CostOfSelecting", "NestedScore", "nested_score", "price_of_selecting"]


@dataclass(frozen=True)
class CostOfSelecting:
    """The cost of selecting: the difference in score to all features, and its interval.

    Parameters
    ----------
    difference : float
        The score of the winner minus that of the best procedure with all features, on the same
        folds.
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
        return (
            f"selection against {self.against}: {self.difference:+.3f} ({low:+.3f} to {high:+.3f})"
        )


@dataclass(frozen=True)
class NestedScore:
    """The expected score of the winner of a race.

    Parameters
    ----------
    estimate : float
        The expected score on new rows, corrected for the choice of the best of several.
    interval : tuple of float
        The interval of the estimate.
    corrected : bool
        Whether the correction could be made; it needs a score of predictions.
    price : CostOfSelecting, optional
        The cost of selecting; None where the winner uses all features.
    """

    estimate: float
    interval: tuple[float, float]
    corrected: bool
    price: CostOfSelecting | None


def nested_score(
    race: Race,
    taken: list[Standing],
    prefer: Preference,
    task: Task,
    scoring: Any,
    seed: int,
    *,
    confidence: float = 0.95,
    committee: int = 1,
) -> NestedScore:
    """Estimate the score of the winner of a race, and the cost of selecting, from its folds."""
    price = price_of_selecting(race, taken[0], task, str(scoring), confidence)
    together = Combination(race, task, scoring)
    repeats = []
    if together.score is not None:
        repeats = together.repeats()
    if together.score is None or not repeats:
        scored = scored_standing(race, taken[0], task, str(scoring))
        return NestedScore(scored.score, scored.interval(confidence), False, price)
    if prefer == "accuracy":
        decide = _best_together(race, len(taken))
    else:
        options = answers(race, committee, together)
        repeats = [_of_answers(table, options, together) for table in repeats]
        decide = _smallest_near(race, options, prefer)
    rng = np.random.default_rng([seed, 2 * 10**6])
    corrected = bias_corrected(
        repeats,
        together.y,
        together.score,
        decide,
        together.combine,
        rng,
        confidence=confidence,
    )
    return NestedScore(corrected.estimate, corrected.interval, True, price)


def scored_standing(
    race: Race, standing: Standing, task: Task, scoring: str, n_folds: int | None = None
) -> ScoredFolds:
    """Give the scores of a contender, in all or its first folds, with contributions of rows."""
    outputs = [fold.outputs for fold in standing.folds[:n_folds]]
    n = len(outputs)
    return ScoredFolds.of(scoring, standing.scores[:n], outputs, race.splits[:n], task)


def price_of_selecting(
    race: Race, winner: Standing, task: Task, scoring: str, confidence: float
) -> CostOfSelecting | None:
    """Compare the winner with the best contender with all features, on the folds that both ran.

    A contender that was dropped for lack of time still counts, because expensive ones are often the
    best.
    """
    whole = [
        standing
        for standing in race.standings
        if standing.folds and standing.size == task.n_columns
    ]
    if not whole or winner.size == task.n_columns:
        return None
    enough = min(FEWEST_FOLDS, max(len(standing.folds) for standing in whole))
    best = min((s for s in whole if len(s.folds) >= enough), key=lambda s: _lead(winner, s))
    n = min(len(best.scores), len(winner.scores))
    first, second = (
        scored_standing(race, standing, task, scoring, n) for standing in (winner, best)
    )
    difference, interval, _ = first.compared(second, confidence)
    return CostOfSelecting(difference, interval, best.name)


def _lead(winner: Standing, other: Standing) -> float:
    """Give by how much the winner is better in the folds that both ran."""
    n = min(len(winner.scores), len(other.scores))
    return float(np.mean(winner.scores[:n] - other.scores[:n]))


def _best_together(race: Race, n_taken: int) -> Callable[[np.ndarray], list[int]]:
    """Make the rule of ``"accuracy"`` for scores on a sample of the rows."""
    slack = within_tolerance(race, answers(race), "accuracy")

    def decide(scores: np.ndarray) -> list[int]:
        near = np.flatnonzero(scores.max() - scores <= slack)
        return near[np.argsort(-scores[near], kind="stable")][:n_taken].tolist()

    return decide


def _smallest_near(
    race: Race, options: list[Option], prefer: Preference
) -> Callable[[np.ndarray], list[int]]:
    """Make the rule of ``"balance"`` and ``"few"`` for scores on a sample of the rows."""
    sizes, slack = (
        np.array([option.size for option in options]),
        within_tolerance(race, options, prefer),
    )

    def decide(scores: np.ndarray) -> list[int]:
        near = np.flatnonzero(scores.max() - scores <= slack)
        return near[np.lexsort((-scores[near], sizes[near]))][:1].tolist()

    return decide


def _of_answers(table: np.ndarray, options: list[Option], together: Combination) -> np.ndarray:
    """Compute the predictions of options, shape (n_options, n_rows), from those of contenders."""
    place = {id(standing): i for i, standing in enumerate(together.race.eligible)}
    return np.stack(
        [together.combine(table[[place[id(s)] for s in option.members]]) for option in options]
    )
