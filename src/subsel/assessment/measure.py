"""The measure of performance: which one by default, between what bounds, and the interval of its mean."""

from __future__ import annotations

import numpy as np

from subsel.assessment.intervals import corrected_interval, wilson
from subsel.assessment.splits import Split, share_tested
from subsel.task import Task

__all__ = ["default_scoring", "score_interval", "scoring_of_folds"]


def score_interval(
    scores: np.ndarray, scoring: str, y: np.ndarray, splits: list[Split], confidence: float
) -> tuple[float, float]:
    """The corrected interval, within the range of the measure.

    Accuracies without any spread over folds get Wilson's interval on the tested rows (balanced accuracy: on those of
    the smallest class), for a spread of zero in small folds does not mean certainty.
    """
    low, high = corrected_interval(scores, share_tested(splits), confidence)
    if scoring in ("accuracy", "balanced_accuracy") and len(scores) > 1 and scores.std() < 1e-12:
        y = y[np.unique(np.concatenate([s.test for s in splits]))]
        n = len(y) if scoring == "accuracy" else np.unique(y, return_counts=True)[1].min()
        low, high = (float(end) for end in wilson(scores[0] * n, n, confidence))
    least, most = _range(scoring)
    return float(np.maximum(low, least)), float(np.minimum(high, most))


def default_scoring(task: Task) -> str:
    """R2, accuracy, or balanced accuracy for skewed classes: what is measured where nobody asked for anything else.

    >>> default_scoring(Task.of(np.zeros((6, 1)), np.array([0, 0, 0, 0, 1, 1])))
    'balanced_accuracy'
    """
    if task.kind == "regression":
        return "r2"
    return "balanced_accuracy" if task.skewed else "accuracy"


def scoring_of_folds(task: Task, splits: list[Split], notes: list[str]) -> str:
    """The default, or where a fold is too small for it, what it can bear; which is noted."""
    scoring = default_scoring(task)
    if scoring == "r2" and min(len(s.test) for s in splits) == 1:
        notes.append("folds of one row have no R2: scored by the negative mean squared error.")
        return "neg_mean_squared_error"
    if scoring != "balanced_accuracy":
        return scoring
    counts = np.bincount(task.codes)
    if any(len(np.unique(task.y[s.test])) < len(counts) for s in splits):
        notes.append("classes are skewed, but not every fold tests each of them: scored by accuracy, which flatters.")
        return "accuracy"
    sizes = ", ".join(f"{label}: {count}" for label, count in zip(task.classes, counts))
    notes.append(f"classes are skewed ({sizes}): scored by balanced accuracy.")
    return scoring


def _range(scoring: str) -> tuple[float, float]:
    """Between what bounds a measure lies, where its name tells."""
    unit = ("accuracy", "balanced_accuracy", "roc_auc", "f1", "precision", "recall", "jaccard", "average_precision")
    if scoring.startswith(unit):
        return 0.0, 1.0
    if scoring.startswith("neg_"):
        return -np.inf, 0.0
    return -np.inf, 1.0 if scoring in ("r2", "explained_variance") else np.inf
