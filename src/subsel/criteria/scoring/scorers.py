"""Scorers of scikit-learn applied to known outputs instead of a fitted model."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.metaestimators import available_if

__all__ = ["outputs_needed", "scorer_function", "scorer_of"]

Needs = Literal["labels", "decision", "probability", "codes", "values"]


def scorer_of(scoring: Any) -> Any:
    """Find a scorer by name, or return one from ``make_scorer``; None for anything else."""
    from sklearn.metrics import get_scorer, get_scorer_names

    if isinstance(scoring, str):
        if scoring not in get_scorer_names():
            return None
        scoring = get_scorer(scoring)
    if type(scoring) is not type(get_scorer("accuracy")):
        return None
    return scoring


def outputs_needed(scorer: Any, kind: str, n_classes: int) -> Needs | None:
    """Find which outputs a scorer is a function of; None where no criterion gives them."""
    method = scorer._response_method
    if method == "predict":
        return "labels" if kind == "classification" else "values"
    if kind != "classification":
        return None
    if method == "predict_proba":
        return "probability"
    if method == ("decision_function", "predict_proba") and n_classes == 2:
        return "decision"
    return None


def scorer_function(
    scorer: Any, needs: Needs, classes: np.ndarray
) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """Turn a scorer into a function of true values and outputs.

    The function takes class codes or values of shape (n,) and outputs of shape (C, n, ...), and
    returns one score per candidate, NaN where the score is not defined.

    >>> recall = scorer_function(scorer_of("recall"), "labels", np.array([0, 1]))
    >>> recall(np.array([0, 1, 1]), np.array([[0, 1, 0], [1, 1, 1]]))
    array([0.5, 1. ])
    """

    def scores(y_true: np.ndarray, outputs: np.ndarray) -> np.ndarray:
        y = y_true if needs == "values" else classes[y_true]
        answers: Any = (_Class(classes, needs, o) for o in outputs)
        if needs == "values":
            answers = (_Number(o) for o in outputs)
        return np.array([_score(scorer, answer, y) for answer in answers])

    return scores


def _score(scorer: Any, model: Any, y: np.ndarray) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-learn warns of scores that are not defined
        try:
            return float(scorer(model, np.empty((len(y), 0)), y))
        except ValueError:
            return np.nan


class _Number(RegressorMixin, BaseEstimator):
    """A regressor with known predictions."""

    def __init__(self, outputs: np.ndarray) -> None:
        self.outputs = outputs

    def predict(self, X: Any) -> np.ndarray:  # noqa: ARG002
        """Return the values."""
        return self.outputs


class _Class(ClassifierMixin, BaseEstimator):
    """A classifier with known outputs of one kind."""

    def __init__(self, classes: np.ndarray, needs: Needs, outputs: np.ndarray) -> None:
        self.classes_, self.needs, self.outputs = classes, needs, outputs

    @available_if(lambda self: self.needs == "labels")
    def predict(self, X: Any) -> np.ndarray:  # noqa: ARG002
        """Return the labels."""
        return self.classes_[self.outputs]

    @available_if(lambda self: self.needs == "probability")
    def predict_proba(self, X: Any) -> np.ndarray:  # noqa: ARG002
        """Return the probabilities, one column per class."""
        return self.outputs

    @available_if(lambda self: self.needs == "decision")
    def decision_function(self, X: Any) -> np.ndarray:  # noqa: ARG002
        """Return the decisions for the second class."""
        return self.outputs
