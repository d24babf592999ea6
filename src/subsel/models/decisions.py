"""The decision of a classifier with one score per class, and the class that follows from it."""

from __future__ import annotations

import numpy as np

__all__ = ["class_decision", "decided_codes"]


def class_decision(scores: np.ndarray) -> np.ndarray:
    """Give the scores per class, or for two classes their difference, positive for the second.

    >>> class_decision(np.array([[1.0, 3.0], [2.0, 0.5]]))
    array([ 2. , -1.5])
    """
    if scores.shape[1] == 2:
        return scores[:, 1] - scores[:, 0]
    return scores


def decided_codes(decision: np.ndarray) -> np.ndarray:
    """Give the number of the class with the largest score.

    A decision with one number per row is between two classes, positive for the second.

    >>> decided_codes(np.array([2.0, -1.5]))
    array([1, 0])
    """
    if decision.ndim == 1:
        return (decision > 0).astype(int)
    return decision.argmax(axis=1)
