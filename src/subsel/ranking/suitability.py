"""Which scores and orders suit which data, with errors that name the alternatives."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from numbers import Number
from typing import Any

import numpy as np
from scipy import sparse

from subsel.data.task import Kind, Task, guess_kind
from subsel.ranking.registry import ORDERS, SCORES, Order, Score
from subsel.registry.table import canonical, did_you_mean

__all__ = ["Ranking", "check_suits", "find_ranking", "kind_for", "supports"]

Ranking = Score | Order | Callable[..., np.ndarray]


def find_ranking(ranking: Any) -> Ranking:
    """Look a score or an order up by any of its names; a function is returned as it is.

    Examples
    --------
    >>> find_ranking("mrmr").key, find_ranking("pearson").key
    ('mrmr', 'pearson')
    """
    if callable(ranking):
        return ranking
    if not isinstance(ranking, str):
        raise ValueError(
            f"ranking must be the name of a score or an order, or a function, got {ranking!r}."
        )
    if ranking in SCORES:
        return SCORES[ranking]
    if ranking in ORDERS:
        return ORDERS[ranking]
    near = did_you_mean(canonical(ranking), [*SCORES, *ORDERS])
    raise ValueError(f"there is no score or order named {ranking!r}. {near}")


def supports(entry: Ranking, what: str) -> bool:
    """Whether a ranking takes a kind of data.

    `what` is the name of a field of :class:`Score` or :class:`Order`. A function is assumed to take
    everything but weights, which it takes if it has the parameter ``sample_weight``.

    Examples
    --------
    >>> supports(find_ranking("pearson"), "sparse"), supports(find_ranking("relieff"), "sparse")
    (True, False)
    """
    if not isinstance(entry, (Score, Order)):
        return what != "weights" or "sample_weight" in signature(entry).parameters
    return getattr(entry, what, False)


def kind_for(entry: Ranking, y: np.ndarray) -> Kind:
    """Give the kind of target as which a ranking reads y.

    If the ranking takes both classes and numbers, whole numbers of few values are classes, unless
    there are more than two and the ranking takes two classes only, as a correlation does.

    Examples
    --------
    >>> kind_for(find_ranking("pearson"), np.array([0.5, 1.5, 2.5]))
    'regression'
    """
    if not supports(entry, "classification"):
        return "regression"
    if not supports(entry, "regression"):
        if y.dtype.kind == "f" and np.any(np.isfinite(y) & (y != np.round(y))):
            return "regression"
        return "classification"
    numeric = y.dtype.kind in "iuf" or all(isinstance(value, Number) for value in y)
    if numeric and not supports(entry, "multiclass") and len(np.unique(y)) > 2:
        return "regression"
    return guess_kind(y)


def check_suits(entry: Ranking, task: Task) -> None:
    """Raise an error for data that a ranking is not defined for, naming rankings that are.

    Examples
    --------
    >>> task = Task.of([[0.0], [1.0], [2.0]], ["a", "b", "c"], "classification")
    >>> check_suits(find_ranking("auc"), task)
    Traceback (most recent call last):
    ValueError: 'auc' is defined for two classes, y has 3: use one of ...
    """
    name = "the function"
    if isinstance(entry, (Score, Order)):
        name = repr(entry.key)
    if not supports(entry, task.kind):
        regression = task.kind == "regression"
        targets = "classes" if regression else "numeric targets"
        remedy = f"for {task.kind} use one of {_others(entry, task.kind)}"
        raise ValueError(f"{name} is defined for {targets} only; {remedy}.")
    if (
        task.kind == "classification"
        and len(task.classes) > 2
        and not supports(entry, "multiclass")
    ):
        many = f"y has {len(task.classes)}: use one of {_others(entry, 'multiclass')}"
        raise ValueError(f"{name} is defined for two classes, {many}.")
    if sparse.issparse(task.X) and not supports(entry, "sparse"):
        remedy = f"use X.toarray(), or one of {_others(entry, 'sparse')}"
        raise ValueError(f"{name} needs a dense table, X is sparse: {remedy}.")
    if task.weighted and not supports(entry, "weights"):
        raise ValueError(
            f"{name} does not take sample weights; these do: {_others(entry, 'weights')}."
        )


def _others(entry: Ranking, what: str) -> str:
    """Give the keys of the rankings of the same sort that take a kind of data."""
    table = ORDERS if isinstance(entry, Order) else SCORES
    return ", ".join(sorted({other.key for other in table.values() if supports(other, what)}))
