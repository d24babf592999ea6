"""What each held-out row adds to a score: the rows, not the folds, say how sure the score is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np

__all__ = ["MEASURES", "Influence", "Measure", "influence"]

LEAST = np.finfo(
    float
).eps  # probabilities below are taken as this, as scikit-learn's log loss does


class Part(NamedTuple):
    """A share of a fold's score that is a weighted mean over rows: the values, and weights that sum to the share."""

    value: np.ndarray
    weight: np.ndarray


@dataclass(frozen=True)
class Measure:
    """A score that is made of rows.

    Parameters
    ----------
    needs : {"labels", "decision", "probability", "values"}
        What the outputs of a model are: class codes, the binary decision for class 1, class probabilities, values.
    parts : callable
        ``parts(y, outputs, weight)`` of one fold gives the parts whose sum is the score of the fold.
    times : int
        How often the parts hold the score: twice for an area, to which both sides of each pair of rows belong.
    """

    needs: Literal["labels", "decision", "probability", "values"]
    parts: Callable[[np.ndarray, np.ndarray, np.ndarray], Sequence[Part]]
    times: int = 1


@dataclass(frozen=True, eq=False)
class Influence:
    """A score over repeated folds, and what each row adds to it in each repeat.

    Parameters
    ----------
    score : float
        Mean over the folds; of R2 the mean over repeats of the pooled one.
    rows : ndarray of shape (n_repeats, n_rows)
        Sums to about zero in each repeat; zero for rows that were not tested.
    """

    score: float
    rows: np.ndarray


def influence(
    name: str,
    y: np.ndarray,
    outputs: Sequence[np.ndarray],
    tests: Sequence[np.ndarray],
    repeats: Sequence[int],
    weight: np.ndarray | None = None,
) -> Influence:
    """Take a score apart into rows.

    Parameters
    ----------
    name : str
        One of ``MEASURES``, or ``"r2"``.
    y : ndarray
        Class codes or values of all rows.
    outputs, tests : sequence of ndarray
        Of each fold: what the model said of its rows, and their numbers.
    repeats : sequence of int
        The repeat that each fold belongs to.
    weight : ndarray, optional
        Of all rows.

    Examples
    --------
    >>> y, tests = np.array([0, 1, 0, 1]), [np.array([0, 1]), np.array([2, 3])]
    >>> found = influence("accuracy", y, [np.array([0, 1]), np.array([0, 0])], tests, [0, 0])
    >>> found.score, found.rows.tolist()
    (0.75, [[0.0625, 0.0625, 0.0625, -0.1875]])
    """
    if weight is None:
        weight = np.ones(len(y))
    numbers = np.unique(repeats)
    take: Callable[..., tuple[float, np.ndarray]]
    if name == "r2":
        take, share = _pooled_r2, np.ones(len(numbers))
    else:  # unfinished repeats hold fewer folds
        take = partial(_mean_of_folds, MEASURES[name])
        share = np.array([sum(r == repeat for r in repeats) for repeat in numbers])
    found = []
    for repeat in numbers:
        of = [i for i, r in enumerate(repeats) if r == repeat]
        found.append(take(y, [outputs[i] for i in of], [tests[i] for i in of], weight))

    scores, rows = (np.array([f[i] for f in found]) for i in (0, 1))
    return Influence(float(np.average(scores, weights=share)), rows)


def _mean_of_folds(
    measure: Measure, y: Any, outputs: Any, tests: Any, weight: Any
) -> tuple[float, np.ndarray]:
    """Mean over folds; each row against the mean of its part over all folds, so that folds that differ count."""
    folds = [measure.parts(y[rows], out, weight[rows]) for rows, out in zip(tests, outputs)]
    n_folds, rows_of, score = len(folds), np.zeros(len(y)), 0.0
    for parts in zip(*folds):
        total = sum(part.weight.sum() for part in parts)
        mean = sum((part.weight * part.value).sum() for part in parts) / total
        score += mean * total / n_folds
        for rows, part in zip(tests, parts):
            rows_of[rows] += part.weight * (part.value - mean) / n_folds
    return score / measure.times, rows_of


def _pooled_r2(y: Any, outputs: Any, tests: Any, weight: Any) -> tuple[float, np.ndarray]:
    """One less the squared errors over the squared distances from the mean, both over all held-out rows (q2)."""
    rows = np.concatenate(tests)
    w = weight[rows] / weight[rows].sum()
    error = (y[rows] - np.concatenate(outputs)) ** 2
    spread = (y[rows] - (w * y[rows]).sum()) ** 2
    total, ratio = (w * spread).sum(), np.nan
    if total > 0:
        ratio = (w * error).sum() / total
    found = np.zeros(len(y))
    found[rows] = -w * (error - ratio * spread) / total
    return float(1 - ratio), found


def _hits(y: np.ndarray, outputs: np.ndarray, weight: np.ndarray) -> list[Part]:
    return [Part((outputs == y).astype(float), weight / weight.sum())]


def _hits_by_class(y: np.ndarray, outputs: np.ndarray, weight: np.ndarray) -> list[Part]:
    hit, present = (outputs == y).astype(float), np.unique(y)
    return [Part(hit, _share(weight * (y == k)) / len(present)) for k in range(int(y.max()) + 1)]


def _area(y: np.ndarray, outputs: np.ndarray, weight: np.ndarray) -> list[Part]:
    """The share of rows of the other class, in the same fold, that each row stands on the right side of [1]_."""
    positive = y == 1
    above = _below(outputs, outputs[~positive], weight[~positive])
    under = 1 - _below(outputs, outputs[positive], weight[positive])
    return [Part(above, _share(weight * positive)), Part(under, _share(weight * ~positive))]


def _areas(y: np.ndarray, outputs: np.ndarray, weight: np.ndarray) -> list[Part]:
    """Each class against the rest."""
    n_classes = outputs.shape[1]
    parts = [
        part
        for k in range(n_classes)
        for part in _area((y == k).astype(int), outputs[:, k], weight)
    ]
    return [Part(part.value, part.weight / n_classes) for part in parts]


def _log_likelihood(y: np.ndarray, outputs: np.ndarray, weight: np.ndarray) -> list[Part]:
    said = outputs[np.arange(len(y)), y] / outputs.sum(axis=1)
    return [Part(np.log(np.clip(said, LEAST, 1 - LEAST)), weight / weight.sum())]


def _squared(y: np.ndarray, outputs: np.ndarray, weight: np.ndarray) -> list[Part]:
    return [Part(-((y - outputs) ** 2), weight / weight.sum())]


def _absolute(y: np.ndarray, outputs: np.ndarray, weight: np.ndarray) -> list[Part]:
    return [Part(-np.abs(y - outputs), weight / weight.sum())]


def _share(weight: np.ndarray) -> np.ndarray:
    total = weight.sum()
    return weight / total if total > 0 else weight


def _below(outputs: np.ndarray, others: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """The weight of others below each output, ties counted half, as a share of all of it."""
    order = np.argsort(others)
    heaped = np.concatenate(([0.0], np.cumsum(weight[order])))
    if heaped[-1] <= 0:
        return np.full(len(outputs), np.nan)
    left, right = (
        heaped[np.searchsorted(others[order], outputs, side)] for side in ("left", "right")
    )
    return (left + right) / 2 / heaped[-1]


MEASURES: dict[str, Measure] = {
    "accuracy": Measure("labels", _hits),
    "balanced_accuracy": Measure("labels", _hits_by_class),
    "roc_auc": Measure("decision", _area, times=2),
    "roc_auc_ovr": Measure("probability", _areas, times=2),
    "neg_log_loss": Measure("probability", _log_likelihood),
    "neg_mean_squared_error": Measure("values", _squared),
    "neg_mean_absolute_error": Measure("values", _absolute),
}
