"""Predictions for held-out rows, and the disagreement between models trained on other rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from subsel.assessment.folds.splits import Split
from subsel.data.task import Task

__all__ = ["Predictions", "disagreement"]

FEWEST = 10  # the number of common rows that two repeats need for a disagreement


@dataclass(eq=False)
class Predictions:
    """The predictions of a model for some rows.

    Parameters
    ----------
    predicted : ndarray of shape (n_rows,)
        Labels or values.
    confidence : ndarray, optional
        The score of the second of two classes, as scikit-learn's ranking measures expect it.
    probability : ndarray, optional
        The class probabilities, shape (n_rows, n_classes).
    """

    predicted: np.ndarray
    confidence: np.ndarray | None = None
    probability: np.ndarray | None = None

    @classmethod
    def of(cls, model: Any, X: Any, task: Task) -> Predictions:
        """Compute all outputs of a fitted model that a measure may need."""
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
        """Give class codes, the decision, probabilities or values, as a measure needs them.

        None where the model has no such output.
        """
        if needs == "labels":
            return np.searchsorted(task.classes, self.predicted)
        return {
            "decision": self.confidence,
            "probability": self.probability,
            "values": self.predicted,
        }[needs]

    def confidence_of(self, label: Any) -> np.ndarray:
        """Give the score of the second class, from labels where the model gives nothing else."""
        if self.confidence is None:
            return self.predicted == label
        return self.confidence

    def finest(self, task: Task) -> np.ndarray:
        """Give the most informative output, shape (n_rows, n_outputs).

        These are values, probabilities, a decision, or indicators of the predicted classes.
        """
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
    """Give one minus the correlation of predictions for the same rows in different repeats.

    None for a single repeat.

    It is zero where predictions do not depend on the training rows, one where only they matter.
    """
    by_repeat: dict[int, np.ndarray] = {}
    for output, split in zip(outputs, splits):
        columns = output.finest(task)
        if split.repeat not in by_repeat:
            by_repeat[split.repeat] = np.full((task.n_rows, columns.shape[1]), np.nan)
        if columns.shape[1] != by_repeat[split.repeat].shape[1]:
            return None
        by_repeat[split.repeat][split.test] = columns
    alike = [_correlation(first, second) for first, second in pairwise(by_repeat.values())]
    known = [value for value in alike if value is not None]
    if not known:
        return None
    return float(np.clip(1 - np.mean(known), 0, 1))


def _correlation(first: np.ndarray, second: np.ndarray) -> float | None:
    """Give the correlation over common rows of two arrays of outputs, the mean over columns.

    Rows without predictions are NaN. Constant columns count 1 if they are equal, otherwise 0.
    """
    common = ~np.isnan(first[:, 0]) & ~np.isnan(second[:, 0])
    if common.sum() < FEWEST or first.shape != second.shape:
        return None
    a, b = first[common] - first[common].mean(axis=0), second[common] - second[common].mean(axis=0)
    scale = np.sqrt((a**2).sum(axis=0) * (b**2).sum(axis=0))
    same = np.isclose(first[common], second[common]).all(axis=0).astype(float)
    return float(
        np.where(scale > 0, (a * b).sum(axis=0) / np.where(scale > 0, scale, 1), same).mean()
    )
