"""An order in which features are taken, and the table of methods that give one."""

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral

import numpy as np

from subsel.ranking.registry import canonical, look_up

__all__ = ["ORDERS", "Order", "Path", "find_order", "order", "path_length"]

ORDERS: dict[str, "Order"] = {}


@dataclass(frozen=True, slots=True, eq=False)
class Path:
    """Features in the order in which they were taken.

    Attributes
    ----------
    features : ndarray of int
        The columns, the first taken first. A method that finds nothing more to take gives a shorter path.
    scores : ndarray
        The value of the criterion for each of them at the moment it was taken. Later values need not be
        smaller.
    """

    features: np.ndarray
    scores: np.ndarray

    def __len__(self) -> int:
        """The number of features taken."""
        return len(self.features)


@dataclass(frozen=True, slots=True)
class Order:
    """One method of the literature that takes features one after the other, each in view of those taken."""

    key: str
    function: Callable[..., Path]
    classification: bool
    multiclass: bool
    regression: bool
    sparse: bool
    weights: bool
    missing: bool

    @property
    def summary(self) -> str:
        """The first sentence of the docstring."""
        return (self.function.__doc__ or "").strip().splitlines()[0]


def order(
    key: str,
    *aliases: str,
    classification: bool = True,
    multiclass: bool = True,
    regression: bool = False,
    sparse: bool = False,
    weights: bool = False,
    missing: bool = False,
) -> Callable[[Callable[..., Path]], Callable[..., Path]]:
    """Enter a function ``f(X, y, n_features=None, ...) -> Path`` in the table under its names.

    One of ``weights`` takes ``sample_weight``: a row of weight w counts as w rows. One of ``missing`` takes NaN.
    """

    def enter(function: Callable[..., Path]) -> Callable[..., Path]:
        names = [canonical(name) for name in (key, *aliases)]
        entry = Order(names[0], function, classification, multiclass, regression, sparse, weights, missing)
        ORDERS.update(dict.fromkeys(names, entry))
        return function

    return enter


def find_order(name: str) -> Order:
    """Look an order up by any of its names; hyphens and underscores are the same."""
    return look_up(ORDERS, name, "order")


def path_length(n_features: int | None, n_columns: int) -> int:
    """Give the number of features wanted, all of them where none is given."""
    if n_features is None:
        return n_columns
    if not isinstance(n_features, Integral) or not 1 <= n_features <= n_columns:
        raise ValueError(f"n_features must be a whole number in [1, {n_columns}], got {n_features!r}.")
    return int(n_features)
