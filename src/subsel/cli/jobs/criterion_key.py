"""A criterion as it is typed: ``KEY`` or ``KEY:parameter=value,parameter=value``."""

from __future__ import annotations

import re
from ast import literal_eval
from inspect import signature
from typing import Any

from subsel.criteria.base import Criterion
from subsel.criteria.registry import CRITERIA, find_criterion
from subsel.data.task import Kind
from subsel.models.short_names import estimator_of

__all__ = ["typed_criterion"]


def typed_criterion(text: str, kind: Kind, **usual: Any) -> Criterion:
    """Give the criterion that a text names.

    Parameters
    ----------
    text : str
        ``KEY`` or ``KEY:parameter=value,...``. A value is a Python literal, or else a text; a parameter ``estimator``
        is the short name of a model.
    kind : {"classification", "regression"}
        What a model in it must predict.
    **usual : dict
        Values for parameters that the criterion has and the text leaves open; None leaves them open too.

    Returns
    -------
    criterion
        With these parameters.

    Examples
    --------
    >>> typed_criterion("least-squares:alpha=0.5", "regression", cv=3).get_params()["alpha"]
    0.5
    """
    key, _, rest = text.partition(":")
    given = {}
    if rest:
        given = dict(_parameter(text, part) for part in re.split(r",(?=\s*\w+\s*=)", rest))
    known = signature(CRITERIA.find(key)).parameters
    parameters = {
        name: value for name, value in usual.items() if name in known and value is not None
    } | given
    missing = [
        name
        for name, p in known.items()
        if p.default is p.empty and p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)
    ]
    for name in missing:
        if name not in parameters:
            raise ValueError(
                f"the criterion {key!r} needs its parameter {name!r}, as in --criterion {key}:{name}=..."
            )
    if isinstance(parameters.get("estimator"), str):
        parameters["estimator"] = estimator_of(parameters["estimator"], kind)
    return find_criterion(key, **parameters)


def _parameter(text: str, part: str) -> tuple[str, Any]:
    name, equals, value = (piece.strip() for piece in part.partition("="))
    if not equals or not name.isidentifier():
        raise ValueError(f"a criterion is typed KEY or KEY:parameter=value,..., got {text!r}.")
    try:
        return name, literal_eval(value)
    except (ValueError, SyntaxError):
        return name, value
