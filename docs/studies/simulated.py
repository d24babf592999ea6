"""Tables drawn from a known law, and a quick procedure on each: the k best columns, then a linear model.

All folds of a table are ranked at once, so that thousands of cross-validations take minutes. What the procedure is
worth is measured on fresh rows, of which only the selected columns need be drawn.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from subsel.assessment.folds.predictions import Predictions
from subsel.assessment.folds.splits import Split
from subsel.data.task import Task

N_FOLDS, N_SELECTED, N_FRESH = 5, 5, 300


@dataclass(frozen=True)
class Design:
    """A law of tables: rows, columns, how strong, classes (0: a quantity) with their shares, rows a group."""

    n: int
    p: int
    signal: str
    classes: tuple[float, ...] = (0.5, 0.5)
    group: int = 1

    @property
    def kind(self) -> str:
        """What is predicted."""
        return "classification" if self.classes else "regression"


SHIFT = {"none": 0.0, "weak": 0.5, "strong": 1.2, "perfect": 4.0}
VALUES = {
    "none": (1, 0.0, 1.0),
    "weak": (5, 0.42, 1.0),
    "strong": (3, 1.0, 1.0),
    "perfect": (2, 1.0, 0.05),
}
SPREAD_OF_GROUPS = 0.7


@dataclass(frozen=True, eq=False)
class Cut:
    """A procedure fitted on some rows: its columns, and the linear functions of them."""

    columns: np.ndarray
    slopes: np.ndarray
    offsets: np.ndarray

    def say(self, X: np.ndarray, classes: np.ndarray) -> Predictions:
        """The outputs for rows of the selected columns."""
        values = X @ self.slopes + self.offsets
        if not len(classes):
            return Predictions(values[:, 0])
        odds = np.exp(values - values.max(axis=1, keepdims=True))
        share = odds / odds.sum(axis=1, keepdims=True)
        return Predictions(
            classes[share.argmax(axis=1)], share[:, 1] if len(classes) == 2 else None, share
        )


def draw(
    design: Design,
    rng: np.random.Generator,
    columns: np.ndarray | None = None,
    n: int | None = None,
) -> Task:
    """Draw a table; with ``columns`` fresh rows, each a group of its own, of these columns alone."""
    fresh = n is not None
    n, size = (design.n, design.group) if n is None else (n, 1)
    group = np.repeat(np.arange(n // size), size)
    taken = np.arange(design.p) if columns is None else columns
    X = rng.standard_normal((n, len(taken)), dtype=np.float32)
    draw_values = _classes if design.classes else _values
    y = draw_values(design, rng, X, taken, group, fresh)
    names = [f"x{j}" for j in range(len(taken))]
    return Task(X, y, design.kind, names, None, None if size == 1 else group)  # type: ignore[arg-type]


def _classes(
    design: Design,
    rng: np.random.Generator,
    X: np.ndarray,
    taken: np.ndarray,
    group: np.ndarray,
    fresh: bool,
) -> np.ndarray:
    """Classes by chance, one for each group; the means of some columns tell them apart."""
    k, least = len(design.classes), 1 if fresh else 5
    while True:
        y = rng.choice(k, group[-1] + 1, p=design.classes)
        if np.bincount(y, minlength=k).min() >= least:
            break
    shift = SHIFT[design.signal] * (1.2 if design.group > 1 else 1.3 if k > 2 else 1.0)
    means = np.zeros((k, design.p))
    for label in range(k):
        means[label, 2 * label : 2 * label + 2] = shift
    if k == 2:
        means[:, :5] = np.array([[-shift / 2], [shift / 2]])
    if design.group > 1:
        X += (
            SPREAD_OF_GROUPS
            * rng.standard_normal((group[-1] + 1, X.shape[1]), dtype=np.float32)[group]
        )
    told = taken < 6
    X[:, told] += means[y[group]][:, taken[told]]
    return y[group]


def _values(
    design: Design,
    rng: np.random.Generator,
    X: np.ndarray,
    taken: np.ndarray,
    group: np.ndarray,
    fresh: bool,
) -> np.ndarray:
    """A linear function of the first columns, with noise, and a part that all rows of a group have in common."""
    m, slope, noise = VALUES[design.signal]
    known = np.isin(np.arange(m), taken)
    signal = slope * X[:, np.isin(taken, np.arange(m))].sum(axis=1)
    hidden = slope * np.sqrt((~known).sum()) * rng.standard_normal(len(X))
    common = (
        SPREAD_OF_GROUPS * rng.standard_normal(group[-1] + 1)[group] if design.group > 1 else 0.0
    )
    return signal + hidden + common + noise * rng.standard_normal(len(X))


def folds(task: Task, rng: np.random.Generator, n_repeats: int = 2) -> list[Split]:
    """Shuffled folds, stratified by class, groups kept whole."""
    group = np.arange(task.n_rows) if task.groups is None else task.groups
    first = np.unique(group, return_index=True)[1]
    strata = task.y[first] if task.kind == "classification" else np.zeros(len(first))
    found = []
    for repeat in range(n_repeats):
        order = np.lexsort((rng.random(len(first)), strata))
        fold = np.empty(len(first), dtype=int)
        fold[order] = np.arange(len(first)) % N_FOLDS
        held = fold[group] == np.arange(N_FOLDS)[:, None]
        found += [
            Split(repeat, k, np.flatnonzero(~h), np.flatnonzero(h)) for k, h in enumerate(held)
        ]
    return found


def fit(task: Task, parts: list[np.ndarray], k: int = N_SELECTED) -> list[Cut]:
    """Fit the procedure on each part of the rows."""
    masks = np.zeros((len(parts), task.n_rows), dtype=np.float32)
    for mask, rows in zip(masks, parts):
        mask[rows] = 1
    one = _discriminant if task.kind == "classification" else _least_squares
    scores = _between(task, masks) if task.kind == "classification" else _correlation(task, masks)
    columns = np.argpartition(-scores, k - 1, axis=1)[:, :k]
    return [
        one(task.X[rows][:, chosen], task.y[rows], chosen) for rows, chosen in zip(parts, columns)
    ]


def _between(task: Task, masks: np.ndarray) -> np.ndarray:
    """The share of each column's variance that lies between classes: the order of the F statistic."""
    bits = (task.y[:, None] == np.arange(task.y.max() + 1)).astype(np.float32)
    of_class = masks[:, None, :] * bits.T
    counts = of_class.sum(axis=2)
    sums = (of_class.reshape(-1, task.n_rows) @ task.X).reshape(*counts.shape, -1)
    whole = sums.sum(axis=1) ** 2 / counts.sum(axis=1)[:, None]
    between = (sums**2 / counts[:, :, None]).sum(axis=1) - whole
    return between / (masks @ task.X**2 - whole)


def _correlation(task: Task, masks: np.ndarray) -> np.ndarray:
    n, x, y = masks.sum(axis=1)[:, None], masks @ task.X, (masks @ task.y)[:, None]
    covariance = (masks * task.y.astype(np.float32)) @ task.X - x * y / n
    return covariance**2 / (masks @ task.X**2 - x**2 / n)


def _discriminant(X: np.ndarray, y: np.ndarray, columns: np.ndarray) -> Cut:
    labels, counts = np.unique(y, return_counts=True)
    means = np.array([X[y == label].mean(axis=0) for label in labels])
    centred = X - means[np.searchsorted(labels, y)]
    covariance = centred.T @ centred / (len(y) - len(labels)) + 1e-6 * np.eye(X.shape[1])
    slopes = np.linalg.solve(covariance, means.T)
    return Cut(columns, slopes, np.log(counts / len(y)) - (means.T * slopes).sum(axis=0) / 2)


def _least_squares(X: np.ndarray, y: np.ndarray, columns: np.ndarray) -> Cut:
    slopes = np.linalg.lstsq(np.column_stack((np.ones(len(X)), X)), y, rcond=None)[0]
    return Cut(columns, slopes[1:, None], slopes[:1])
