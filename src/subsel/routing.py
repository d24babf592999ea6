"""Weights and groups of rows on their way to ``fit``: under which names a model takes them."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.model_selection._search import BaseSearchCV
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

__all__ = ["fit_arguments", "takes_weights", "weight_arguments"]


def fit_arguments(model: Any, rows: dict[str, Any]) -> dict[str, Any]:
    """Weights and groups under the names by which ``fit`` of a model, a search or the steps of a pipeline takes them."""
    given = {name: values for name, values in rows.items() if values is not None}
    if isinstance(model, Pipeline):
        steps = [(name, step) for name, step in model.steps if step is not None and step != "passthrough"]
        return {f"{name}__{key}": v for name, step in steps for key, v in fit_arguments(step, given).items()}
    if isinstance(model, BaseSearchCV):
        weights = {name: values for name, values in given.items() if name != "groups"}
        return fit_arguments(model.estimator, weights) | {k: v for k, v in given.items() if k == "groups"}
    return {name: values for name, values in given.items() if has_fit_parameter(model, name)}


def weight_arguments(model: Any, weight: np.ndarray | None) -> dict[str, Any]:
    """Weights for a model, or for the model at the end of a pipeline: what prepares its columns stays unweighted.

    Parameters
    ----------
    model : estimator
        A model or a pipeline.
    weight : array or None
        One number per row.

    Returns
    -------
    dict
        The weights under the name by which ``fit`` takes them; empty without weights or where the model has no use
        for them.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> list(weight_arguments(make_pipeline(StandardScaler(), Ridge()), np.ones(3)))
    ['ridge__sample_weight']
    """
    if isinstance(model, Pipeline):
        name, last = model.steps[-1]
        return {f"{name}__{key}": values for key, values in weight_arguments(last, weight).items()}
    return fit_arguments(model, {"sample_weight": weight})


def takes_weights(model: Any) -> bool:
    """Whether ``fit`` of a model, or of the model at the end of a pipeline, takes sample weights."""
    return bool(weight_arguments(model, np.empty(0)))
