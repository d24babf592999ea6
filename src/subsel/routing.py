"""Where weights and groups of rows go, by scikit-learn's metadata routing where it is enabled."""

from __future__ import annotations

from typing import Any

from sklearn.model_selection import GroupKFold
from sklearn.pipeline import Pipeline
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, get_routing_for_object, process_routing
from sklearn.utils.metadata_routing import _routing_enabled as routing_enabled

__all__ = ["route_rows", "router_of", "routing_enabled", "weighs_its_input"]

ROWS = ("sample_weight", "groups")


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
    splitter = GroupKFold() if isinstance(selector.cv, int) else selector.cv
    router.add(estimator=selector.estimator, method_mapping=MethodMapping().add(caller="fit", callee="fit"))
    return router.add(splitter=splitter, method_mapping=MethodMapping().add(caller="fit", callee="split"))


def weighs_its_input(estimator: Any) -> bool:
    """Whether a step before the last of a pipeline requested weights, as it can where routing is enabled."""
    earlier = estimator.steps[:-1] if isinstance(estimator, Pipeline) and routing_enabled() else []
    wants = lambda step: get_routing_for_object(step).consumes("fit", ["sample_weight"])
    return any(wants(step) for _, step in earlier)


def route_rows(selector: Any, **given: Any) -> dict[str, Any]:
    """What reaches the task of what was passed to ``fit``: weights for the estimator, groups for the splitter.

    Parameters
    ----------
    selector : object
        Has ``estimator`` and ``cv``, and ``get_metadata_routing``.
    **given : Any
        Metadata by the names under which they were passed; None is nothing.

    Returns
    -------
    dict
        ``sample_weight`` and ``groups``, where requested. Without routing, as given.
    """
    given = {name: values for name, values in given.items() if values is not None}
    if routing_enabled() and given and hasattr(selector.estimator, "fit"):
        routed = process_routing(selector, "fit", **given)
        given = {**routed.estimator.fit, **routed.splitter.split}
    if other := sorted(set(given) - set(ROWS)):
        raise TypeError(f"{type(selector).__name__}.fit takes sample_weight and groups, not {', '.join(other)}.")
    return given
