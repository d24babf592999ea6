"""Base class of selectors that classify two classes by the sign of a decision function."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from subsel.data.columns import ColumnSelector

__all__ = ["TwoClassSelector", "check_two_classes"]


def check_two_classes(y: Any) -> None:
    """Refuse a target that is not of two classes, with the message that scikit-learn expects.

    >>> check_two_classes(["no", "yes", "no"])
    """
    check_classification_targets(y)
    if (kind := type_of_target(y)) != "binary":
        raise ValueError(
            f"Only binary classification is supported. The type of the target is {kind}."
        )


class TwoClassSelector(ClassifierMixin, ColumnSelector):
    """A selector that is a classifier of two classes; its ``fit`` sets ``classes_``."""

    classes_: np.ndarray

    @abstractmethod
    def decision_function(self, X: Any) -> np.ndarray:
        """Compute a number per row, positive for the second class."""

    def predict(self, X: Any) -> np.ndarray:
        """Predict the class of each row."""
        positive = self.decision_function(X) > 0
        return self.classes_[positive.astype(int)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.target_tags.required = True
        tags.input_tags.sparse = True  # made dense where columns are centred
        return tags
