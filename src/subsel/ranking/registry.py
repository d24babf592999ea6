"""The tables of scores and orders: what each one can be given, and the names it is known by."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from subsel.registry.table import Registry, canonical

__all__ = [
    "ORDERS",
    "SCORES",
    "Order",
    "Score",
    "find_order",
    "find_score",
    "order",
    "score",
    "score_function",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """A method of the literature that ranks features, and what it can be given."""

    key: str
    function: Callable[..., Any]
    classification: bool = True
    multiclass: bool = False
    regression: bool = False
    sparse: bool = False
    weights: bool = False
    missing: bool = False

    @property
    def summary(self) -> str:
        """The first sentence of the docstring."""
        return (self.function.__doc__ or "").strip().splitlines()[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Score(Method):
    """One score of the literature: larger is more relevant. A univariate one looks at one column at a time.

    Examples
    --------
    >>> SCORES["pearson"].univariate, SCORES["relieff"].univariate
    (True, False)
    """

    p_value: Callable[..., np.ndarray] | None = None
    univariate: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Order(Method):
    """One method of the literature that takes features one after the other, each in view of those taken.

    Examples
    --------
    >>> ORDERS["mrmr"].multiclass
    True
    """

    multiclass: bool = True


Entry = TypeVar("Entry", Score, Order)
SCORES: Registry[Score] = Registry(
    "score",
    "subsel.scores",
    rooms=(
        "subsel.ranking.scores.moments",
        "subsel.ranking.scores.ranks",
        "subsel.ranking.scores.counts",
        "subsel.ranking.scores.information",
        "subsel.ranking.scores.neighbours",
        "subsel.ranking.scores.one_feature_models",
    ),
)
ORDERS: Registry[Order] = Registry(
    "order", "subsel.scores", rooms=("subsel.ranking.orders", "subsel.embedded.orders")
)


def score(key: str, *aliases: str, **given: Any) -> Callable[[Callable], Callable]:
    """Enter a function ``f(X, y, ...) -> scores`` in the table under its key and its other published names.

    Statistics of contingency tables (:func:`subsel.data.statistics.count_statistics.of_tables`) take missing values as a value.

    Parameters
    ----------
    key : str
        The name, with hyphens. A name that another function has is an error.
    *aliases : str
        Other names in use.
    **given : bool or callable
        What the score takes: ``classification`` (two classes; taken unless said otherwise), ``multiclass``, ``regression``,
        ``sparse`` tables, ``weights`` (a row of weight w counts as w rows), ``missing`` values. ``univariate`` says that a
        column's score does not depend on the other columns, ``p_value`` is the function that gives its p-values.

    Examples
    --------
    >>> @score("pearson", univariate=True)
    ... def my_correlation(X, y): ...
    Traceback (most recent call last):
    ValueError: the score 'pearson' belongs to subsel.ranking.scores.moments.pearson:pearson; ... must take another name for its own.
    """

    def enter(function: Callable) -> Callable:
        missing = given.get("missing", False) or hasattr(function, "of_counts")
        entry = Score(key=canonical(key), function=function, **{**given, "missing": missing})
        return _enter(SCORES, (key, *aliases), entry)

    return enter


def order(key: str, *aliases: str, **given: Any) -> Callable[[Callable], Callable]:
    """Enter a function ``f(X, y, n_features=None, ...) -> Path`` in the table under its names.

    Parameters
    ----------
    key, *aliases : str
        As in `score`.
    **given : bool
        What the order takes, as in `score`; ``multiclass`` is taken unless said otherwise.

    Examples
    --------
    >>> @order("mrmr")
    ... def my_order(X, y, n_features=None): ...
    Traceback (most recent call last):
    ValueError: the order 'mrmr' belongs to subsel.ranking.orders.mrmr:mrmr; ... must take another name for its own.
    """
    return lambda function: _enter(
        ORDERS, (key, *aliases), Order(key=canonical(key), function=function, **given)
    )


def _enter(table: Registry[Entry], names: tuple[str, ...], entry: Entry) -> Callable:
    function = entry.function
    for name in names:
        table.add(name, entry, home=f"{function.__module__}:{function.__qualname__}")
    return function


def score_function(score: str | Callable[..., Any]) -> Callable[..., Any]:
    """Give a score as a function, by its name or as it is."""
    if callable(score):
        return score
    return find_score(score).function


def find_score(name: str) -> Score:
    """Look a score up by any of its names; hyphens and underscores are the same.

    >>> find_score("mann_whitney").key
    'auc'
    """
    return SCORES.find(name)


def find_order(name: str) -> Order:
    """Look an order up by any of its names; hyphens and underscores are the same.

    >>> find_order("gram_schmidt").key
    'gram-schmidt'
    """
    return ORDERS.find(name)
