"""Classes or numbers?"""

from __future__ import annotations

import numpy as np
from sklearn.utils.multiclass import type_of_target

from subsel.data.task import guess_kind

__all__ = ["holds_classes"]


def holds_classes(y: np.ndarray) -> bool:
    """Say whether a target holds classes, by the rule of `subsel.data.task.guess_kind`; refuse what is neither.

    >>> holds_classes(np.array(["a", "b"])), holds_classes(np.array([0.5, 1.0]))
    (True, False)
    """
    type_of_target(y, raise_unknown=True)
    return guess_kind(y) == "classification"
