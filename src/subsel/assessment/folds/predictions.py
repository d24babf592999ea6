"""What a fitted model says of held-out rows, and how far two models that saw other rows say the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from subsel.assessment.folds.splits import Split
from subsel.data.task import Task

__all__ = ["Predictions", "disagreement"]

FEWEST = 10  # rows that two repeats must have in common, to say how far they disagree


@dataclass(eq=False)
class Predictions:
    """What a model says of some rows.

    Parameters
    ----------
    predicted : ndarray
        Labels or values.
    confidence : ndarray, optional
        How sure a two-class model is of its second class, as scikit-learn's ranking scores take it.
    probability : ndarray, optional
        One column for each class of the task.
    """

    predicted: np.ndarray
    confidence: np.ndarray | None = None
    probability: np.ndarray | None = None

    @classmethod
    def of(cls, model: Any, X: Any, task: Task) -> Predictions:
        """Ask a fitted model."""
        predicted = np.asarray(model.predict(X))
        if task.kind == "regression":
            return cls(predicted)
        known = np.array_equal(getattr(model, "classes_", ()), task.classes)
        if not known:
            return cls(predicted)
        confidence = probability = None
        if hasattr(model, "predict_proba"):
            probability = np.asarray(model.predict_proba(X))
        if len(task.classes) == 2:
            if hasattr(model, "decision_function"):
                confidence = np.asarray(model.decision_function(X))
            elif probability is not None:
                confidence = probability[:, 1]
        return cls(predicted, confidence, probability)

    def give(self, needs: str, task: Task) -> np.ndarray | None:
        """What a measure needs: class codes, the decision, probabilities, values; None where the model has none."""
        if needs == "labels":
            return np.searchsorted(task.classes, self.predicted)
        return {
            "decision": self.confidence,
            "probability": self.probability,
            "values": self.predicted,
        }[needs]

    def confidence_of(self, label: Any) -> np.ndarray:
        """How sure a two-class model is of its second class, a bit for each row where it only predicts."""
        if self.confidence is None:
            return self.predicted == label
        return self.confidence

    def finest(self, task: Task) -> np.ndarray:
        """The most telling answer, as columns: probabilities, a decision, classes as bits, values."""
        if task.kind == "regression":
            return np.asarray(self.predicted, dtype=float)[:, None]
        if self.probability is not None:
            return self.probability
        if self.confidence is not None:
            return self.confidence[:, None]
        return (self.predicted[:, None] == task.classes).astype(float)


def disagreement(
    outputs: Sequence[Predictions], splits: Sequence[Split], task: Task
) -> float | None:
    """One less the correlation of what is said of the same rows in different repeats; None for one repeat.

    Zero where it does not matter which rows a model saw, one where that decides everything.
    """
    said: dict[int, np.ndarray] = {}
    for found, split in zip(outputs, splits):
        columns = found.finest(task)
        if split.repeat not in said:
            said[split.repeat] = np.full((task.n_rows, columns.shape[1]), np.nan)
        if columns.shape[1] != said[split.repeat].shape[1]:
            return None
        said[split.repeat][split.test] = columns
    alike = [_correlation(first, second) for first, second in pairwise(said.values())]
    known = [value for value in alike if value is not None]
    if not known:
        return None
    return float(np.clip(1 - np.mean(known), 0, 1))


def _correlation(first: np.ndarray, second: np.ndarray) -> float | None:
    """Mean over the columns of the correlation over the rows that both tell of; of constants, whether they agree."""
    common = ~np.isnan(first[:, 0]) & ~np.isnan(second[:, 0])
    if common.sum() < FEWEST or first.shape != second.shape:
        return None
    a, b = first[common] - first[common].mean(axis=0), second[common] - second[common].mean(axis=0)
    scale = np.sqrt((a**2).sum(axis=0) * (b**2).sum(axis=0))
    same = np.isclose(first[common], second[common]).all(axis=0).astype(float)
    return float(
        np.where(scale > 0, (a * b).sum(axis=0) / np.where(scale > 0, scale, 1), same).mean()
    )
