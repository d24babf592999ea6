"""Columns given by name or number, and the base class of selectors."""

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
    """Return the numbers of columns.

    Parameters
    ----------
    what : str
        The argument that names the columns, for messages.
    columns : sequence of str or int, str, or mask of shape (n_columns,)
        Names, numbers (negative ones count from the end), or a boolean mask; None is no column.
    names : sequence of str
        The names of the columns of the table.

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
                f"{what} as a mask must have one entry for each of the {len(names)} columns, "
                f"got shape {array.shape}."
            )
        return np.flatnonzero(array).tolist()
    index = {name: j for j, name in enumerate(names)}
    return [_number(what, column, index, len(names)) for column in columns]


def _number(what: str, column: Any, index: Mapping[str, int], n_columns: int) -> int:
    """Return the number of one column; `index` maps names to numbers."""
    if isinstance(column, (int, np.integer)):
        if not -n_columns <= column < n_columns:
            raise ValueError(
                f"{what} names column {column}, but the table has only the columns 0 to "
                f"{n_columns - 1}."
            )
        return int(column) % n_columns
    if column not in index:
        near = did_you_mean(column, index, shown=8)
        raise ValueError(f"{what} names column {column!r}, which the table does not have. {near}")
    return index[column]


def column_groups(groups: Any, names: Sequence[str]) -> list[list[int]]:
    """Return groups of columns as lists of their numbers.

    Parameters
    ----------
    groups : list of lists, mapping of lists, or sequence of labels
        Groups of names or numbers; or one label per column, None for a column without a group.
    names : sequence of str
        The names of the columns of the table.

    Examples
    --------
    >>> column_groups([["b", "a"]], ["a", "b", "c"]), column_groups("uvu", ["a", "b", "c"])
    ([[1, 0]], [[0, 2], [1]])
    """
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
            "feature_groups must be lists of columns, or one label for each of the "
            f"{len(names)} columns, got {len(groups)} labels."
        )
    labels = dict.fromkeys(label for label in groups if label is not None)
    return [[j for j, label in enumerate(groups) if label == group] for group in labels]


def column_costs(costs: Any, names: Sequence[str]) -> list[float] | None:
    """Return the cost of each column as a list of floats; None if there are no costs.

    Parameters
    ----------
    costs : sequence of float, or mapping from names to float
        One cost per column; a column that is missing in a mapping costs 1.
    names : sequence of str
        The names of the columns of the table.

    Examples
    --------
    >>> column_costs({"b": 3}, ["a", "b"])
    [1.0, 3.0]
    """
    if costs is None:
        return None
    if isinstance(costs, Mapping):
        if unknown := [name for name in costs if name not in set(names)]:
            near = did_you_mean(unknown[0], names, shown=8)
            raise ValueError(
                f"feature_costs names column {unknown[0]!r}, which the table does not have. {near}"
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
    """Return the smallest and the largest number of features, given ``n_features``.

    Parameters
    ----------
    n_features : None, "auto", int, float or pair
        No bounds (at least one feature), none to ``most_columns``, a number, a share of the
        columns, or a pair of bounds of which either may be None. A lower bound of 0 allows none.
    n_columns : int
        The number of columns.
    n_rows : int
        The number of rows, which "auto" depends on.

    Returns
    -------
    low, high : int
        The bounds; `high` is None where `n_features` is.

    Examples
    --------
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
                f"n_features as a share must lie between 0 and 1, got {n_features}; "
                "a number of features must be an int."
            )
        n_features = int(n_features * n_columns)
    if isinstance(n_features, (int, np.integer)) and not isinstance(n_features, bool):
        low = high = int(n_features)
    else:
        try:
            low, high = n_features
        except (TypeError, ValueError):
            raise ValueError(
                "n_features must be None, a number, a share or a pair (low, high), "
                f"got {n_features!r}."
            ) from None
        if low is None:
            low = 1
        if high is None:
            high = n_columns
        low, high = int(low), int(high)
    if not (1 <= low <= high <= n_columns or (low == 0 < high <= n_columns)):
        raise ValueError(
            f"n_features must lie between 1 and {n_columns} (the number of columns), "
            f"got {n_features!r}."
        )
    return low, high


class ColumnSelector(SelectorMixin, BaseEstimator):
    """Base class of selectors, which fit frames as frames and transform columns found by name.

    A subclass sets ``support_``, a boolean mask of shape (n_columns,), in ``fit``.
    """

    def _receive(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Check X and y as scikit-learn does; `Task` checks frames, missing values and types."""
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
        """Raise an error for a survival target, or several targets."""
        names = getattr(getattr(y, "dtype", None), "names", None)
        if names:
            raise ValueError(
                f"y must be an array of one value per row, got the fields {names}; "
                "survival analysis is not supported."
            )
        if y is None:
            return
        shape = getattr(y, "shape", None) or np.asarray(y).shape
        if len(shape) == 2 and shape[1] > 1:
            raise ValueError(
                f"y must hold one target, got {shape[1]}; select for one target at a time."
            )

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self)
        return self.support_

    def transform(self, X: Any) -> Any:
        """Return the selected columns of X, which are found by name in a frame."""
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
