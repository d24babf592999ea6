"""The tables of scores and orders: the data that each one takes, and its names."""

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
    """A method of the literature that ranks features, and the data that it takes."""

    key: str  # its canonical name
    function: Callable[..., Any]  # ``f(X, y, ...)``
    classification: bool = True  # two classes
    multiclass: bool = False  # more than two classes
    regression: bool = False  # a numeric target
    sparse: bool = False  # sparse tables
    weights: bool = False  # ``sample_weight``
    missing: bool = False  # NaN in X

    @property
    def summary(self) -> str:
        """The first sentence of the docstring."""
        return (self.function.__doc__ or "").strip().splitlines()[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Score(Method):
    """One score of the literature; larger is more relevant.

    Examples
    --------
    >>> SCORES["pearson"].univariate, SCORES["relieff"].univariate
    (True, False)
    """

    p_value: Callable[..., np.ndarray] | None = None  # the p-values of the score, if it has any
    univariate: bool = False  # whether a column's score depends on this column only


@dataclass(frozen=True, slots=True, kw_only=True)
class Order(Method):
    """One method of the literature that selects features one by one in view of those selected.

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
    """Enter a function ``f(X, y, ...) -> scores`` in the table under its published names.

    Statistics of contingency tables
    (:func:`subsel.data.statistics.count_statistics.table_statistic`) take missing values as a
    value.

    Parameters
    ----------
    key : str
        The name, with hyphens. A name that another function has is an error.
    *aliases : str
        Other names in use.
    **given : bool or callable
        The data that the score takes: ``classification`` (two classes; True by default),
        ``multiclass``, ``regression``, ``sparse`` tables, ``weights`` (a row of weight w counts as
        w rows), ``missing`` values. ``univariate`` says that a column's score does not depend on
        the other columns, ``p_value`` is the function that gives its p-values.

    Examples
    --------
    >>> @score("pearson", univariate=True)
    ... def my_correlation(X, y): ...
    Traceback (most recent call last):
    ValueError: the score 'pearson' belongs to ...; ... must take another name for its own.
    """

    def enter(function: Callable) -> Callable:
        missing = given.get("missing", False) or hasattr(function, "of_counts")
        entry = Score(key=canonical(key), function=function, **{**given, "missing": missing})
        return _enter(SCORES, (key, *aliases), entry)

    return enter


def order(key: str, *aliases: str, **given: Any) -> Callable[[Callable], Callable]:
    """Enter a function ``f(X, y, n_features=None, ...) -> FeatureOrder`` in the table.

    Parameters
    ----------
    key, *aliases : str
        As in `score`.
    **given : bool
        The data that the order takes, as in `score`; ``multiclass`` is True by default.

    Examples
    --------
    >>> @order("mrmr")
    ... def my_order(X, y, n_features=None): ...
    Traceback (most recent call last):
    ValueError: the order 'mrmr' belongs to ...; ... must take another name for its own.
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
    """Give the function of a score named by any of its names; a function is returned as it is."""
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
