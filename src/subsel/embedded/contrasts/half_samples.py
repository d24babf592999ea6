"""Half-samples, and what a selector keeps on each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from inspect import signature
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone

from subsel.embedded.design import numbers, unit_columns
from subsel.ranking.registry import Order

__all__ = ["Take", "half_samples", "order_on_halves", "selector_on_halves"]

Take = Callable[[Any, np.ndarray, np.random.Generator], np.ndarray]
LOWEST = 1e-3  # where a lasso path ends, as a share of its first penalty: as the order has it


def half_samples(
    n: int, n_samples: int, pairs: bool, strata: np.ndarray | None, rng: np.random.Generator
) -> Iterator:
    """Rows of half the size without repetition: two that share no row after each other, or each by itself.

    With ``strata``, one code per row, every code is halved (but for odd ones out, which go to either side by chance).
    """
    if strata is None:
        strata = np.zeros(n, dtype=np.intp)
    for k in range(n_samples):
        if k % 2 == 0 or not pairs:
            shuffled = rng.permutation(n)
            shuffled = shuffled[np.argsort(strata[shuffled], kind="stable")]
            halves = shuffled[0 : 2 * (n // 2) : 2], shuffled[1::2]
        yield np.sort(halves[k % 2])


def selector_on_halves(selector: Any) -> Take:
    """What a selector of scikit-learn's kind keeps."""

    def take(X: Any, y: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        fresh = clone(selector)
        seeds = [name for name in fresh.get_params() if name.endswith("random_state")]
        fresh.set_params(**{name: int(rng.integers(2**31)) for name in seeds})
        return fresh.fit(X, y).get_support(indices=True)

    return take


def order_on_halves(order: Order, n_features: int, weakness: float = 1.0) -> Take:
    """The first features that an order takes, of columns weakened at random if so asked."""
    if not 0 < weakness <= 1:
        raise ValueError(f"weakness must lie in (0, 1], got {weakness!r}.")
    if weakness < 1 and "scale" not in signature(order.function).parameters:
        raise ValueError(
            f"weakness needs an order by an L1 penalty, such as 'lasso', got {order.key!r}."
        )

    def take(X: Any, y: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        if order.key == "lasso" and not sparse.issparse(X):
            return _first_of_lasso(
                _weakened(unit_columns(X, centre=True), weakness, rng), y, n_features
            )
        if weakness < 1:
            return order.function(
                _weakened(unit_columns(X), weakness, rng), y, n_features, scale=False
            ).features
        return order.function(X, y, n_features).features

    return take


def _weakened(X: Any, weakness: float, rng: np.random.Generator) -> Any:
    """Half of the columns, by chance, shrunk by the weakness: to enter they must do that much better."""
    if weakness == 1:
        return X
    shrunk = np.where(rng.random(X.shape[1]) < 0.5, weakness, 1.0)
    if sparse.issparse(X):
        return X @ sparse.diags_array(shrunk)
    return X * shrunk


def _first_of_lasso(Z: np.ndarray, y: np.ndarray, n_features: int) -> np.ndarray:
    from subsel._loops.linear.lasso_entries import lasso_entries

    response = numbers(y)
    entered, penalties = (
        np.empty(min(n_features, Z.shape[1]), dtype=np.int64),
        np.empty(min(n_features, Z.shape[1])),
    )
    n = lasso_entries(
        np.ascontiguousarray(Z.T), response - response.mean(), LOWEST, entered, penalties
    )
    return entered[:n]
