"""Is stability what fresh samples would show? Simulated tables of a known law; `calibration.py` writes the page."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from simulated import Design, draw, fit

from subsel.assessment.folds.fold import FoldSettings
from subsel.assessment.folds.halves import N_PAIRS, make_halves
from subsel.assessment.stability_indices import half_stability, stability
from subsel.data.task import Task

LEVEL = 0.95


@dataclass(frozen=True)
class Chosen:
    """A law of tables and how many columns are taken."""

    design: Design
    k: int


LAWS = {
    "60 rows, 5 of 50": Chosen(Design(60, 50, "weak"), 5),
    "60 rows, 5 of 500": Chosen(Design(60, 500, "weak"), 5),
    "60 rows, 5 of 500, strong": Chosen(Design(60, 500, "strong"), 5),
    "150 rows, 5 of 50": Chosen(Design(150, 50, "weak"), 5),
    "150 rows, 5 of 500": Chosen(Design(150, 500, "weak"), 5),
    "150 rows, 5 of 500, strong": Chosen(Design(150, 500, "strong"), 5),
    "150 rows, 20 of 500": Chosen(Design(150, 500, "weak"), 20),
    "150 rows, groups of 5, 5 of 50": Chosen(Design(150, 50, "strong", group=5), 5),
    "150 rows, a quantity, 5 of 500": Chosen(Design(150, 500, "weak", ()), 5),
}


def repetition(law: Chosen, rng: np.random.Generator) -> np.ndarray:
    """One table: stability with its interval, the value over overlapping folds, and whether two fresh halves share columns."""
    task = draw(law.design, rng)
    plan = FoldSettings(None, task, len, "", int(rng.integers(2**31)))  # type: ignore[arg-type]
    halves = masks(task, [half.train for half in make_halves(plan, N_PAIRS)], law.k)
    found = half_stability(halves[::2], halves[1::2], task.n_rows // 2, LEVEL)
    parts = np.array_split(rng.permutation(task.n_rows), 5)
    folds = masks(task, [np.setdiff1d(np.arange(task.n_rows), part) for part in parts], law.k)
    return np.array([[found.value, *found.interval, stability(folds).value, fresh(law, rng)]])


def fresh(law: Chosen, rng: np.random.Generator) -> float:
    """Kuncheva's index of selections from two samples that are drawn anew, with half of the rows each."""
    shared = [masks(half := _half(law, rng), [np.arange(half.n_rows)], law.k)[0] for _ in range(2)]
    chance = law.k / law.design.p
    return float(((shared[0] & shared[1]).sum() / law.k - chance) / (1 - chance))


def _half(law: Chosen, rng: np.random.Generator) -> Task:
    d = law.design
    n = d.n // (2 * d.group) * d.group
    return draw(Design(n, d.p, d.signal, d.classes, d.group), rng)


def masks(task: Task, parts: list[np.ndarray], k: int) -> np.ndarray:
    """What is selected on each part of the rows."""
    found = np.zeros((len(parts), task.n_columns), dtype=bool)
    for mask, cut in zip(found, fit(task, parts, k)):
        mask[cut.columns] = True
    return found
