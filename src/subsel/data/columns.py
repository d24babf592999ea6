"""Columns by name or number, and the part of scikit-learn's selector contract that all our selectors share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import (
    _check_feature_names,
    _check_n_features,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from subsel.data.task import column_names, is_frame
from subsel.registry.table import did_you_mean

__all__ = ["ColumnSelector", "column_costs", "column_groups", "column_numbers", "size_bounds"]


def column_numbers(what: str, columns: Any, names: Sequence[str]) -> list[int]:
    """Give columns as numbers: from names, numbers (negative ones count from the end) or a mask.

    >>> column_numbers("fixed", ["b", 0], ["a", "b"])
    [1, 0]
    """
    if columns is None:
        return []
    if isinstance(columns, str):
        columns = [columns]
    array = np.asarray(columns)
    if array.dtype == bool:
        if array.shape != (len(names),):
            raise ValueError(
                f"{what} is a mask of {array.size} entries, the table has {len(names)} columns."
            )
        return np.flatnonzero(array).tolist()
    where = {name: j for j, name in enumerate(names)}
    return [_number(what, column, where, len(names)) for column in columns]


def _number(what: str, column: Any, where: Mapping[str, int], n_columns: int) -> int:
    if isinstance(column, (int, np.integer)):
        if not -n_columns <= column < n_columns:
            raise ValueError(
                f"{what} names column {column}, the table has {n_columns} columns (0 to {n_columns - 1})."
            )
        return int(column) % n_columns
    if column not in where:
        near = did_you_mean(column, where, shown=8)
        raise ValueError(f"{what} names column {column!r}, which the table does not have. {near}")
    return where[column]


def column_groups(groups: Any, names: Sequence[str]) -> list[list[int]]:
    """Give groups of columns from a list of lists, a mapping of lists, or one label per column (None: no group)."""
    if isinstance(groups, Mapping):
        groups = groups.values()
    groups = list(groups or [])
    if not groups:
        return []
    nested = all(isinstance(g, Iterable) and not isinstance(g, str) for g in groups)
    if nested:
        return [column_numbers("feature_groups", g, names) for g in groups]
    if len(groups) != len(names):
        raise ValueError(
            f"feature_groups must be lists of columns, or one label for each of {len(names)} columns."
        )
    labels = dict.fromkeys(label for label in groups if label is not None)
    return [[j for j, label in enumerate(groups) if label == wanted] for wanted in labels]


def column_costs(costs: Any, names: Sequence[str]) -> list[float] | None:
    """Give one price per column from a list, or a mapping from names to prices (1 where a name is missing)."""
    if costs is None:
        return None
    if isinstance(costs, Mapping):
        if unknown := [name for name in costs if name not in set(names)]:
            raise ValueError(
                f"feature_costs names column {unknown[0]!r}, which the table does not have."
            )
        return [float(costs.get(name, 1.0)) for name in names]
    return [float(c) for c in costs]


def most_columns(n_columns: int, n_rows: int) -> int:
    """The most columns that ``n_features="auto"`` considers: a quarter of the rows, at most 100.

    >>> most_columns(1000, 80), most_columns(1000, 5000), most_columns(7, 80), most_columns(7, 3)
    (20, 100, 7, 1)
    """
    return max(1, min(n_columns, n_rows // 4, 100))


def size_bounds(n_features: Any, n_columns: int, n_rows: int = 0) -> tuple[int, int | None]:
    """Read ``n_features``: None, "auto", a number, a share, or a pair of bounds (either may be None).

    A lower bound of 0 allows no column.

    >>> size_bounds(0.5, 7), size_bounds((2, None), 7), size_bounds("auto", 7, 80)
    ((3, 3), (2, 7), (0, 7))
    """
    if n_features is None:
        return 1, None
    if isinstance(n_features, str):
        if n_features != "auto":
            raise ValueError(
                f"n_features must be 'auto', None, a number, a share or a pair, got {n_features!r}."
            )
        return 0, most_columns(n_columns, n_rows)
    if isinstance(n_features, float):
        if not 0 < n_features < 1:
            raise ValueError(
                f"n_features as a share must lie between 0 and 1, got {n_features}: a number is an int."
            )
        n_features = int(n_features * n_columns)
    if isinstance(n_features, (int, np.integer)) and not isinstance(n_features, bool):
        low = high = int(n_features)
    else:
        try:
            low, high = n_features
        except (TypeError, ValueError):
            raise ValueError(
                f"n_features must be None, a number, a share or a pair (low, high), got {n_features!r}."
            ) from None
        if low is None:
            low = 1
        if high is None:
            high = n_columns
        low, high = int(low), int(high)
    if not (1 <= low <= high <= n_columns or (low == 0 < high <= n_columns)):
        raise ValueError(
            f"n_features must lie between 1 and {n_columns} (the number of columns), got {n_features!r}."
        )
    return low, high


class ColumnSelector(SelectorMixin, BaseEstimator):
    """A selector that keeps frames as frames while fitting and finds columns by name afterwards.

    A subclass sets ``support_`` (a mask over columns) in ``fit``.
    """

    def _receive(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Check X and y as scikit-learn does, leaving frames, missing values and types to the task."""
        self._refuse(y)
        if is_frame(X):
            _check_feature_names(self, X, reset=True)
            _check_n_features(self, X, reset=True)
            if y is not None:
                y = column_or_1d(y, warn=True)
            return X, y
        X, y = validate_data(
            self, X, y, accept_sparse=("csr", "csc"), ensure_all_finite=False, dtype="numeric"
        )
        return X, column_or_1d(y, warn=True)

    def _refuse(self, y: Any) -> None:
        names = getattr(getattr(y, "dtype", None), "names", None)
        if names:
            raise ValueError(
                f"y has fields {names}, as survival targets have: survival analysis is not supported."
            )
        if y is None:
            return
        shape = getattr(y, "shape", None) or np.asarray(y).shape
        if len(shape) == 2 and shape[1] > 1:
            raise ValueError(f"y holds {shape[1]} targets: select for one target at a time.")

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self)
        return self.support_

    def transform(self, X: Any) -> Any:
        """Keep the selected columns; a frame may have its columns in another order, they are found by name."""
        check_is_fitted(self)
        known = getattr(self, "feature_names_in_", None)
        names = column_names(X)
        if (
            known is not None
            and names is not None
            and names != list(known)
            and set(names) >= set(known)
        ):
            X = X[list(known)]
        return super().transform(X)
