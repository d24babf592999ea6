"""The default measure of performance, and checks of the one that is given."""

from __future__ import annotations

import warnings
from difflib import get_close_matches
from typing import Any

import numpy as np
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.metrics import get_scorer, get_scorer_names

from subsel.data.task import Kind, Task

__all__ = ["check_measure", "default_scoring", "measurable"]


def default_scoring(task: Task) -> str:
    """Choose the default measure: R2, accuracy, or balanced accuracy for skewed classes.

    >>> import numpy as np
    >>> default_scoring(Task.of(np.zeros((6, 1)), np.array([0, 0, 0, 0, 1, 1])))
    'balanced_accuracy'
    """
    if task.kind == "regression":
        return "r2"
    return "balanced_accuracy" if task.skewed else "accuracy"


ROWS = 50  # rows of each class that a measure is tried on, to keep the trial fast
_FOR_MANY = ("_ovr", "_macro")  # suffixes of measures that are means over classes
_USUAL = {
    "classification": "accuracy, balanced_accuracy, f1_macro, roc_auc_ovr",
    "regression": "r2, neg_mean_absolute_error, neg_root_mean_squared_error",
}


def check_measure(scoring: Any, kind: Kind, y: np.ndarray, model: Any = None) -> None:
    """Raise an error, before any work, if a measure does not suit this target or model.

    Parameters
    ----------
    scoring : str, callable or None
        The measure; only names are checked.
    kind : {"classification", "regression"}
        What is predicted.
    y : array
        The target.
    model : estimator, optional
        What predicts it, where one model is asked for.

    Examples
    --------
    >>> check_measure("roc_auc", "regression", np.array([1.5, 2.5]))
    Traceback (most recent call last):
    ValueError: scoring 'roc_auc' is not a measure for regression: use one such as r2, ...
    >>> check_measure("acuracy", "classification", np.array(["u", "v"]))
    Traceback (most recent call last):
    ValueError: scoring 'acuracy' is not known. Did you mean accuracy, balanced_accuracy, ...
    """
    if not isinstance(scoring, str):
        return
    known = get_scorer_names()
    if scoring not in known:
        near = sorted(get_close_matches(scoring, known, n=3, cutoff=0.0))
        raise ValueError(f"scoring {scoring!r} is not known. Did you mean {', '.join(near)}?")
    if kind == "regression":
        if not _works(scoring, DummyRegressor(), np.linspace(0.5, 3.2, 8)):
            raise ValueError(
                f"scoring {scoring!r} is not a measure for regression: "
                f"use one such as {_USUAL[kind]}."
            )
    else:
        _check_classes(scoring, np.asarray(y), known)
    if model is not None and not measurable(model, scoring):
        raise ValueError(
            f"scoring {scoring!r} needs probabilities, which {_name(model)} does not give: use "
            "another measure or another model (nb, lda, logistic, knn, tree, forest and boosting "
            "give them)."
        )


def measurable(model: Any, scoring: Any) -> bool:
    """Whether a model gives the predictions, probabilities or decisions that a measure needs.

    >>> from sklearn.linear_model import RidgeClassifier
    >>> measurable(RidgeClassifier(), "neg_log_loss"), measurable(RidgeClassifier(), "roc_auc")
    (False, True)
    """
    if not isinstance(scoring, str):
        return True
    methods = get_scorer(scoring)._response_method
    if isinstance(methods, str):
        methods = (methods,)
    return any(hasattr(model, method) for method in methods)


def _check_classes(scoring: str, y: np.ndarray, known: list[str]) -> None:
    if _works(scoring, DummyRegressor(), np.linspace(0.5, 3.2, 8)):
        raise ValueError(
            f"scoring {scoring!r} is not a measure for classification: "
            f"use one such as {_USUAL['classification']}."
        )
    labels, codes = np.unique(y, return_inverse=True)
    rows = np.concatenate([np.flatnonzero(codes == k)[:ROWS] for k in range(len(labels))])
    if _works(scoring, DummyClassifier(strategy="prior"), y[rows]):
        return
    better = [scoring + ending for ending in _FOR_MANY if scoring + ending in known]
    if len(labels) > 2 and better:
        raise ValueError(
            f"scoring {scoring!r} needs two classes, the target has {len(labels)}: use {better[0]}."
        )
    if better:
        raise ValueError(
            f"scoring {scoring!r} needs the classes 0 and 1, the target has {labels.tolist()}: "
            f"use {better[0]}."
        )
    raise ValueError(
        f"scoring {scoring!r} fails for this target: use one such as {_USUAL['classification']}."
    )


def _works(scoring: str, model: Any, y: np.ndarray) -> bool:
    """Whether the measure can be computed for a model of such a target."""
    X = np.zeros((len(y), 1))
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            get_scorer(scoring)(model.fit(X, y), X, y)
    except (ValueError, TypeError, AttributeError):
        return False
    return True


def _name(model: Any) -> str:
    return type(getattr(model, "steps", [("", model)])[-1][1]).__name__
