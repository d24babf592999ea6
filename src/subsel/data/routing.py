"""Weights and groups of rows on their way to ``fit``: who takes them, and under which names."""

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
    """Weights and groups under the names by which ``fit`` of a model, a search or the steps of a pipeline takes them."""
    given = {name: values for name, values in rows.items() if values is not None}
    if isinstance(model, Pipeline):
        steps = [
            (name, step) for name, step in model.steps if step is not None and step != "passthrough"
        ]
        return {
            f"{name}__{key}": v
            for name, step in steps
            for key, v in fit_arguments(step, given).items()
        }
    if isinstance(model, BaseSearchCV):
        weights = {name: values for name, values in given.items() if name != "groups"}
        return fit_arguments(model.estimator, weights) | {
            k: v for k, v in given.items() if k == "groups"
        }
    return {name: values for name, values in given.items() if has_fit_parameter(model, name)}


def weight_arguments(model: Any, weight: np.ndarray | None, routed: bool = False) -> dict[str, Any]:
    """Weights for a model, or for the model at the end of a pipeline: what prepares its columns stays unweighted.

    Parameters
    ----------
    model : estimator
        A model or a pipeline.
    weight : array or None
        One number per row.
    routed : bool, default=False
        Whether metadata routing is enabled: a pipeline whose steps request weights then hands them on itself.

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
    if routed and get_routing_for_object(model).consumes("fit", ["sample_weight"]):
        if weight is None:
            return {}
        return {"sample_weight": weight}
    if isinstance(model, Pipeline):
        name, last = model.steps[-1]
        return {f"{name}__{key}": values for key, values in weight_arguments(last, weight).items()}
    return fit_arguments(model, {"sample_weight": weight})


def takes_weights(model: Any, routed: bool = False) -> bool:
    """Whether ``fit`` of a model, or of the model at the end of a pipeline, takes sample weights."""
    return bool(weight_arguments(model, np.empty(0), routed))


def router_of(selector: Any) -> MetadataRouter:
    """Say what a selector does with metadata: its estimator may request weights, its splitter groups.

    A number of folds keeps groups together, and so requests them. A criterion is no estimator: on its behalf the
    selector itself takes what was requested of it.

    Parameters
    ----------
    selector : object
        Has ``estimator`` and ``cv``.
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
    """Whether a step before the last of a pipeline requested weights, as it can where routing is enabled."""
    if not isinstance(estimator, Pipeline) or not routing_enabled():
        return False
    routers = (get_routing_for_object(step) for _, step in estimator.steps[:-1])
    return any(router.consumes("fit", ["sample_weight"]) for router in routers)


def route_rows(selector: Any, **given: Any) -> dict[str, Any]:
    """What reaches the task of what was passed to ``fit``: weights for the estimator, groups for the splitter.

    Parameters
    ----------
    selector : object
        Has ``estimator``, ``scoring`` and ``cv``, and ``get_metadata_routing``.
    **given : Any
        Metadata by the names under which they were passed; None is nothing.

    Returns
    -------
    dict
        ``sample_weight`` and ``groups``, where requested. Without routing, as given.
    """
    given = {name: values for name, values in given.items() if values is not None}
    if routing_enabled() and given and hasattr(selector.estimator, "fit"):
        if get_routing_for_object(selector.scoring).consumes("score", given):
            raise ValueError(
                "scoring requested weights or groups: while searching they go to fit and split only."
            )
        routed = process_routing(selector, "fit", **given)
        given = {**routed.estimator.fit, **routed.splitter.split}
    if other := sorted(set(given) - set(ROWS)):
        raise TypeError(
            f"{type(selector).__name__}.fit takes sample_weight and groups, not {', '.join(other)}."
        )
    return given
