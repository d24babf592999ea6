"""Routing of sample weights and groups to ``fit``: which objects receive them, by which names."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.model_selection import GroupKFold
from sklearn.model_selection._search import BaseSearchCV
from sklearn.pipeline import Pipeline
from sklearn.utils.metadata_routing import (
    MetadataRouter,
    MethodMapping,
    get_routing_for_object,
    process_routing,
)
from sklearn.utils.metadata_routing import _routing_enabled as routing_enabled
from sklearn.utils.validation import has_fit_parameter

__all__ = [
    "fit_arguments",
    "route_rows",
    "router_of",
    "routing_enabled",
    "takes_weights",
    "weighs_its_input",
    "weight_arguments",
]

ROWS = ("sample_weight", "groups")


def fit_arguments(model: Any, rows: dict[str, Any]) -> dict[str, Any]:
    """Return weights and groups as keyword arguments of a model's ``fit``.

    Parameters
    ----------
    model : estimator
        A model, a pipeline, or a search over parameters.
    rows : dict of str to ndarray of shape (n_rows,) or None
        ``sample_weight`` and ``groups``.

    Returns
    -------
    dict of str to ndarray
        The values that are not None and that ``fit`` accepts; prefixed with the names of the steps
        for a pipeline.
    """
    passed = {name: values for name, values in rows.items() if values is not None}
    if isinstance(model, Pipeline):
        steps = [
            (name, step) for name, step in model.steps if step is not None and step != "passthrough"
        ]
        return {
            f"{name}__{key}": v
            for name, step in steps
            for key, v in fit_arguments(step, passed).items()
        }
    if isinstance(model, BaseSearchCV):
        weights = {name: values for name, values in passed.items() if name != "groups"}
        return fit_arguments(model.estimator, weights) | {
            k: v for k, v in passed.items() if k == "groups"
        }
    return {name: values for name, values in passed.items() if has_fit_parameter(model, name)}


def weight_arguments(model: Any, weight: np.ndarray | None, routed: bool = False) -> dict[str, Any]:
    """Return weights as a keyword argument of a model's ``fit``.

    In a pipeline only the model at its end is weighted, not the steps that prepare its columns.

    Parameters
    ----------
    model : estimator
        A model or a pipeline.
    weight : ndarray of shape (n_rows,) or None
        The weight of each row.
    routed : bool, default=False
        Whether metadata routing is enabled; a pipeline whose steps request weights then routes
        them itself.

    Returns
    -------
    dict of str to ndarray
        The weights by the name that ``fit`` accepts; empty without weights, or if the model accepts
        none.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> list(weight_arguments(make_pipeline(StandardScaler(), Ridge()), np.ones(3)))
    ['ridge__sample_weight']
    """
    if routed and get_routing_for_object(model).consumes("fit", ["sample_weight"]):
        if weight is None:
            return {}
        return {"sample_weight": weight}
    if isinstance(model, Pipeline):
        name, last = model.steps[-1]
        return {f"{name}__{key}": values for key, values in weight_arguments(last, weight).items()}
    return fit_arguments(model, {"sample_weight": weight})


def takes_weights(model: Any, routed: bool = False) -> bool:
    """Whether ``fit`` of a model, or of the last step of a pipeline, accepts sample weights."""
    return bool(weight_arguments(model, np.empty(0), routed))


def router_of(selector: Any) -> MetadataRouter:
    """Return the metadata router of a selector: its estimator and its splitter may request rows.

    A number of folds keeps groups together, and so requests them as GroupKFold does. A criterion is
    no estimator, so that the selector itself consumes what was requested from the selector.

    Parameters
    ----------
    selector : object
        A selector with the attributes ``estimator`` and ``cv``.
    """
    router = MetadataRouter(owner=selector)
    if not hasattr(selector.estimator, "fit"):
        return router.add_self_request(selector)
    splitter = selector.cv
    if isinstance(splitter, int):
        splitter = GroupKFold()
    router.add(
        estimator=selector.estimator, method_mapping=MethodMapping().add(caller="fit", callee="fit")
    )
    return router.add(
        splitter=splitter, method_mapping=MethodMapping().add(caller="fit", callee="split")
    )


def weighs_its_input(estimator: Any) -> bool:
    """Whether routing is enabled and a step before the last of a pipeline requests weights."""
    if not isinstance(estimator, Pipeline) or not routing_enabled():
        return False
    routers = (get_routing_for_object(step) for _, step in estimator.steps[:-1])
    return any(router.consumes("fit", ["sample_weight"]) for router in routers)


def route_rows(selector: Any, **passed: Any) -> dict[str, Any]:
    """Return the metadata of ``fit`` that the estimator and the splitter of a selector request.

    Parameters
    ----------
    selector : object
        A selector with the attributes ``estimator``, ``scoring`` and ``cv`` and the method
        ``get_metadata_routing``.
    **passed : ndarray of shape (n_rows,) or None
        The metadata by the names under which they were passed to ``fit``.

    Returns
    -------
    dict of str to ndarray
        ``sample_weight`` and ``groups`` where they were requested; without routing, as passed.
    """
    passed = {name: values for name, values in passed.items() if values is not None}
    if routing_enabled() and passed and hasattr(selector.estimator, "fit"):
        if get_routing_for_object(selector.scoring).consumes("score", passed):
            raise ValueError(
                "scoring requested weights or groups, but during a search only fit and split "
                "receive them; remove the request from the scorer."
            )
        routed = process_routing(selector, "fit", **passed)
        passed = {**routed.estimator.fit, **routed.splitter.split}
    if other := sorted(set(passed) - set(ROWS)):
        raise TypeError(
            f"{type(selector).__name__}.fit takes sample_weight and groups, not {', '.join(other)}."
        )
    return passed
