"""Do the intervals of `assess` cover? Simulated tables of a known law; `calibration.py` writes the page."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from simulated import N_FRESH, Cut, Design, draw, fit, folds

from subsel.assessment.folds.predictions import Predictions, disagreement
from subsel.assessment.folds.splits import Split
from subsel.assessment.row_intervals import MEASURES, ScoredFolds, inflation, influence
from subsel.data.task import Task

LEVEL = 0.95
SIZES, COLUMNS = (60, 150, 400), (50, 500)
TWO = ("accuracy", "balanced_accuracy", "roc_auc", "neg_log_loss")
THREE = ("accuracy", "balanced_accuracy", "roc_auc_ovr", "neg_log_loss")


def designs() -> dict[str, tuple[Design, tuple[str, ...]]]:
    """Every law, by name, with the measures looked at."""
    found: dict[str, tuple[Design, tuple[str, ...]]] = {}
    for n, p in product(SIZES, COLUMNS):
        for signal in ("weak", "strong", "perfect"):
            found[f"two classes {n} {p} {signal}"] = Design(n, p, signal), TWO
            found[f"values {n} {p} {signal}"] = Design(n, p, signal, ()), ("r2",)
        for signal in ("weak", "strong"):
            found[f"skewed classes {n} {p} {signal}"] = Design(n, p, signal, (0.8, 0.2)), TWO
            found[f"three classes {n} {p} {signal}"] = Design(n, p, signal, (1 / 3,) * 3), THREE
            if n > 60:
                found[f"groups of 5 {n} {p} {signal}"] = Design(n, p, signal, group=5), TWO
                found[f"values, groups of 5 {n} {p} {signal}"] = (
                    Design(n, p, signal, (), group=5),
                    ("r2",),
                )
    return found


def repetition(design: Design, measures: tuple[str, ...], rng: np.random.Generator) -> np.ndarray:
    """One table: for each measure score, ends of the interval, and what the procedure is worth on all rows and a fold's."""
    task = draw(design, rng)
    splits = folds(task, rng)
    cuts = fit(task, [split.train for split in splits] + [np.arange(task.n_rows)])
    said = [
        cut.say(task.X[split.test][:, cut.columns], _labels(task))
        for cut, split in zip(cuts, splits)
    ]
    worth = [_fresh(cut, design, measures, rng) for cut in (cuts[-1], cuts[0])]
    far, lines = disagreement(said, splits, task), []
    for measure, whole, part in zip(measures, *worth):
        scored = _scored(measure, task, said, splits, far)
        lines.append([scored.score, *scored.interval(LEVEL), whole, part])
    return np.array(lines)


def _labels(task: Task) -> np.ndarray:
    return task.classes if task.kind == "classification" else np.zeros(0)


def _scored(
    measure: str, task: Task, said: list[Predictions], splits: list[Split], far: float | None
) -> ScoredFolds:
    """As `ScoredFolds.of` gives them, less the scores of single folds, which nothing here asks for."""
    y = task.codes if task.kind == "classification" else task.y
    tests, repeats = [split.test for split in splits], [split.repeat for split in splits]
    rows = influence(measure, y, [_given(measure, out, task) for out in said], tests, repeats)
    return ScoredFolds(measure, np.zeros(0), splits, task, rows, inflation(measure, task.kind, far))


def _given(measure: str, said: Predictions, task: Task) -> np.ndarray:
    given = said.give("values" if measure == "r2" else MEASURES[measure].needs, task)
    assert given is not None
    return given


def _score(measure: str, task: Task, said: Predictions, rows: np.ndarray) -> float:
    y = task.codes if task.kind == "classification" else task.y
    return influence(measure, y, [_given(measure, said, task)], [rows], [0]).score


def _fresh(
    cut: Cut, design: Design, measures: tuple[str, ...], rng: np.random.Generator
) -> list[float]:
    """What a fitted procedure is worth on new rows, each from a group of its own."""
    task = draw(design, rng, cut.columns, N_FRESH)
    said = cut.say(task.X, _labels(task))
    return [_score(measure, task, said, np.arange(task.n_rows)) for measure in measures]


@dataclass(frozen=True)
class Cell:
    """What the repetitions gave for one measure of one law."""

    n: int
    truth: float
    truth_of_fold: float
    mean: float
    spread: float
    width: float
    coverage: float
    coverage_of_fold: float

    @classmethod
    def of(cls, lines: np.ndarray) -> Cell:
        """Repetitions by (score, low, high, worth on all rows, worth on a fold's)."""
        score, low, high, whole, part = lines.T
        covered = lambda truth: float(((low <= truth + 1e-9) & (truth <= high + 1e-9)).mean())
        return cls(
            len(lines), whole.mean(), part.mean(), score.mean(), score.std(ddof=1), float((high - low).mean()),
            covered(whole.mean()), covered(part.mean()),
        )  # fmt: skip

    @property
    def error(self) -> float:
        """Standard error of the coverage."""
        return float(np.sqrt(max(self.coverage * (1 - self.coverage), 1 / self.n**2) / self.n))

    @property
    def relative_width(self) -> float:
        """Mean width in units of that of a normal interval with the true standard deviation."""
        return self.width / (3.92 * self.spread) if self.spread > 1e-9 else np.inf
