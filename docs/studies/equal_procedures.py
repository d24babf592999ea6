"""How often does `compare` tell equal procedures apart, and unequal ones? `calibration.py` writes the page."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from interval_coverage import _labels, _scored
from simulated import Design, draw, fit, folds

from subsel.assessment.folds.predictions import disagreement
from subsel.assessment.intervals import holm
from subsel.data.task import Task

MEASURES = ("accuracy", "roc_auc", "neg_log_loss")


@dataclass(frozen=True)
class Rivals:
    """Procedures that each see a block of columns of their own; the first has its means further apart by ``ahead``."""

    n: int
    number: int
    ahead: float = 0.0
    p: int = 50
    signal: str = "weak"
    kind: str = "classification"


LAWS = {
    **{
        f"two equal, {n} rows, {s}": Rivals(n, 2, signal=s)
        for n in (40, 60, 150, 400)
        for s in ("weak", "strong")
    },
    **{f"two equal, {n} rows, of 500": Rivals(n, 2, p=500) for n in (60, 150)},
    **{f"two equal, {n} rows, a quantity": Rivals(n, 2, kind="regression") for n in (40, 150)},
    **{f"{m} equal, {n} rows": Rivals(n, m) for m in (4, 6) for n in (60, 150)},
    **{f"two, one better, {n} rows": Rivals(n, 2, ahead=0.3) for n in (60, 150, 400)},
}


def repetition(law: Rivals, rng: np.random.Generator) -> np.ndarray:
    """One table: for each measure the smallest p-value over all pairs, corrected for their number."""
    task = _table(law, rng)
    splits, parts = folds(task, rng), np.array_split(np.arange(task.n_columns), law.number)
    blocks = [replace(task, X=task.X[:, columns], names=list(columns)) for columns in parts]
    fitted = [fit(block, [split.train for split in splits]) for block in blocks]
    said = [
        [cut.say(block.X[s.test][:, cut.columns], _labels(task)) for cut, s in zip(cuts, splits)]
        for block, cuts in zip(blocks, fitted)
    ]
    far = [disagreement(outputs, splits, task) for outputs in said]
    least = []
    for measure in MEASURES if law.kind == "classification" else ("r2",):
        scored = [_scored(measure, task, outputs, splits, f) for outputs, f in zip(said, far)]
        p = [a.compared(b, 0.95)[2] for a, b in combinations(scored, 2)]
        least.append([holm(p).min()])
    return np.array(least)


def _table(law: Rivals, rng: np.random.Generator) -> Task:
    """Blocks of columns side by side, the same law in each, one target."""
    if law.kind == "regression":
        return _quantity(law, rng)
    whole = Design(law.n, law.p, law.signal)
    first = draw(whole, rng)
    blocks = [first.X]
    shift = {"weak": 0.5, "strong": 1.2}[law.signal]
    for _ in range(law.number - 1):
        X = rng.standard_normal((law.n, law.p), dtype=np.float32)
        X[:, :5] += shift * (first.y[:, None] - 0.5)
        blocks.append(X)
    blocks[0][:, :3] += law.ahead * (first.y[:, None] - 0.5)
    return Task(np.hstack(blocks), first.y, "classification", [], None, None)


def _quantity(law: Rivals, rng: np.random.Generator) -> Task:
    X = rng.standard_normal((law.n, law.number * law.p), dtype=np.float32)
    starts = np.arange(law.number) * law.p
    y = 0.4 * sum(X[:, start : start + 5].sum(axis=1) for start in starts) + rng.standard_normal(
        law.n
    )
    return Task(X, np.asarray(y, dtype=float), "regression", [], None, None)
