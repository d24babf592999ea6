"""The validated data of one problem: checked once, immutable after."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from scipy import sparse

from subsel.data.fingerprint import digest
from subsel.data.names import NumberedNames
from subsel.data.storage import dense

__all__ = [
    "Kind",
    "Task",
    "column_names",
    "guess_kind",
    "is_frame",
    "kind_note",
    "of_rows",
    "select_columns",
]

Kind = Literal["classification", "regression"]

SKEWED = 1.5
MANY_VALUES = 50  # different values from which numbers are hardly names of classes


def is_frame(X: Any) -> bool:
    """Whether X is a pandas or polars data frame."""
    return hasattr(X, "columns") and hasattr(X, "dtypes") and hasattr(X, "shape")


def column_names(X: Any) -> list[str] | None:
    """The names of the columns of a frame."""
    if not is_frame(X):
        return None
    return list(map(str, X.columns))


def of_rows(values: np.ndarray | None, rows: np.ndarray) -> np.ndarray | None:
    """What belongs to some of the rows, of weights or groups that may be missing."""
    if values is None:
        return None
    return values[rows]


def select_columns(X: Any, columns: np.ndarray | Sequence[int]) -> Any:
    """Some columns of an array, a sparse matrix or a frame, as the same kind of thing."""
    if hasattr(X, "iloc"):
        return X.iloc[:, np.asarray(columns)]
    if is_frame(X):
        return X[:, np.asarray(columns).tolist()]
    if sparse.issparse(X):  # narrow indices: trees read no others
        return X[:, np.asarray(columns, dtype=np.int32)]
    return X[:, np.asarray(columns)]


@dataclass(frozen=True, eq=False)
class Task:
    """The data of one problem.

    Parameters
    ----------
    X : array, CSR/CSC matrix or data frame
        The table. A frame stays a frame, so that an estimator can read its kinds of columns.
    y : ndarray
        The target, one value a row.
    kind : {"classification", "regression"}
        What the target is.
    names : sequence of str
        One name per column; x0, x1, ... where none were given, made when they are asked for.
    sample_weight : ndarray or None
        One weight a row.
    groups : ndarray or None
        One group label a row.

    Examples
    --------
    >>> task = Task.of([[0.0, 1.0], [1.0, 5.0]], ["no", "yes"])
    >>> task.kind, list(task.names), task.codes
    ('classification', ['x0', 'x1'], array([0, 1]))
    """

    X: Any
    y: np.ndarray
    kind: Kind
    names: Sequence[str]
    sample_weight: np.ndarray | None = None
    groups: np.ndarray | None = None

    @classmethod
    def of(
        cls,
        X: Any,
        y: Any,
        kind: Kind | None = None,
        *,
        sample_weight: Any = None,
        groups: Any = None,
        names: Sequence[str] | None = None,
        allow_nan: bool = False,
    ) -> Task:
        """Check the data, naming the column, the value and the remedy where something is wrong."""
        if not is_frame(X) and not sparse.issparse(X):
            X = np.asarray(X)
        if getattr(X, "ndim", len(X.shape)) != 2:
            raise ValueError(f"X must be a table of rows and columns, got {X.ndim} dimension(s).")
        n_rows, n_columns = X.shape
        if n_rows == 0 or n_columns == 0:
            raise ValueError(
                f"X has {n_rows} rows and {n_columns} columns: there is nothing to select from."
            )
        names = _names(X, names)
        y = _target(y, n_rows)
        kind = kind or guess_kind(y)
        y = _labels(y) if kind == "classification" else _numbers(y)
        if sparse.issparse(X) and X.format not in ("csr", "csc"):
            X = X.tocsc()
        _check_values(X, names, allow_nan)
        weights = _per_row("sample_weight", sample_weight, n_rows, float)
        task = cls(X, y, kind, names, weights, _per_row("groups", groups, n_rows))
        if kind == "classification" and len(task.classes) < 2:
            raise ValueError(
                f"y holds one class only ({task.classes.tolist()[0]!r}): there is nothing to tell apart."
            )
        return task

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.X.shape[0])

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return int(self.X.shape[1])

    @cached_property
    def classes(self) -> np.ndarray:
        """The class labels, sorted."""
        return np.unique(self.y)

    @cached_property
    def codes(self) -> np.ndarray:
        """The class of each row as a number from 0."""
        return np.searchsorted(self.classes, self.y)

    @property
    def target(self) -> np.ndarray:
        """The classes by their codes; of a quantity the values."""
        if self.kind == "classification":
            return self.codes
        return self.y

    @property
    def weighted(self) -> bool:
        """Whether rows were given weights."""
        return self.sample_weight is not None

    @cached_property
    def row_weights(self) -> np.ndarray:
        """The weight of each row, 1 where none were given."""
        if self.sample_weight is None:
            return np.ones(self.n_rows)
        return self.sample_weight

    @property
    def skewed(self) -> bool:
        """Whether the largest class has so many times the rows of the smallest that accuracy flatters."""
        counts = np.bincount(self.codes)
        return bool(counts.max() >= SKEWED * counts.min())

    @cached_property
    def matrix(self) -> np.ndarray:
        """The table as a dense float array in column-major order, which evaluators read (float32 becomes float64)."""
        X = dense(self.X)
        if is_frame(X):
            if text := [n for n, kind in zip(self.names, _kinds(X)) if kind not in "biuf"]:
                raise ValueError(
                    f"column {text[0]!r} is not numeric: encode it, or wrap an estimator that can read it."
                )
            if _masked(X):
                X = np.column_stack([_cells(X, j) for j in range(X.shape[1])])
            else:
                X = X.to_numpy()
        return np.asfortranarray(X, dtype=np.float64)

    @property
    def numbers(self) -> Any:
        """The table in numbers: a sparse one as it is, any other as an array."""
        if sparse.issparse(self.X):
            return self.X
        return self.matrix

    @cached_property
    def fingerprint(self) -> str:
        """A digest of all the data and names: about a second per gigabyte."""
        parts = {"weights": self.sample_weight, "groups": self.groups}
        given = [
            part for name, values in parts.items() if values is not None for part in (name, values)
        ]
        return digest(self.X, self.y, *self.names, *given)

    def select(self, columns: np.ndarray) -> Any:
        """Some columns of X, as the kind of table it is."""
        return select_columns(self.X, columns)

    def columns(self, columns: np.ndarray) -> Task:
        """The task of some of the columns."""
        if len(columns) == self.n_columns:
            return self
        names = [self.names[c] for c in columns]
        return Task(self.select(columns), self.y, self.kind, names, self.sample_weight, self.groups)

    def rows(self, rows: np.ndarray) -> Task:
        """The task of some of the rows."""
        table = self.X.iloc if hasattr(self.X, "iloc") else self.X
        weight, groups = of_rows(self.sample_weight, rows), of_rows(self.groups, rows)
        return Task(table[rows], self.y[rows], self.kind, self.names, weight, groups)


def guess_kind(y: np.ndarray) -> Kind:
    """Classes if y is text, boolean, or whole numbers of at most 20 values; a quantity otherwise."""
    if y.dtype.kind not in "iuf":
        return "classification"
    whole = y.dtype.kind in "iu" or bool(np.all(np.isfinite(y) & (y == np.round(y))))
    if whole and len(np.unique(y)) <= 20:
        return "classification"
    return "regression"


def kind_note(y: np.ndarray) -> str:
    """What to say where numbers could have been taken for the other kind; empty where there is no doubt.

    >>> kind_note(np.arange(41))
    '41 distinct numbers: taken as a quantity; --task classification for classes.'
    >>> kind_note(np.array([1, 2, 3, 1])), kind_note(np.array([0, 1, 1]))
    ('3 distinct numbers: taken as classes; --task regression for a quantity.', '')
    """
    if y.dtype.kind not in "iuf":
        return ""
    n_values = len(np.unique(y))
    if guess_kind(y) == "classification":
        told = f"{n_values} distinct numbers: taken as classes; --task regression for a quantity."
        return told if n_values > 2 else ""
    repeated = n_values <= max(MANY_VALUES, len(y) // 10) and n_values < len(y)
    whole = bool(np.all(y == np.round(y)))
    told = f"{n_values} distinct numbers: taken as a quantity; --task classification for classes."
    return told if whole or repeated else ""


def _names(X: Any, names: Sequence[str] | None) -> Sequence[str]:
    if names is None:
        names = column_names(X)
    if names is None:
        return NumberedNames(X.shape[1])
    numbered = isinstance(names, NumberedNames)
    if not numbered:
        names = tuple(names)
    if len(names) != X.shape[1]:
        raise ValueError(f"{len(names)} names were given for {X.shape[1]} columns.")
    if not numbered and len(set(names)) < len(names):
        double = next(n for i, n in enumerate(names) if n in names[:i])
        raise ValueError(
            f"column name {double!r} occurs twice: rename one, so that a selection by name is clear."
        )
    return names


def _target(y: Any, n_rows: int) -> np.ndarray:
    y = _one_target(y)
    if len(y) != n_rows:
        raise ValueError(f"X has {n_rows} rows, y has {len(y)}: they must agree.")
    missing = np.flatnonzero(_missing(y))
    if len(missing):
        raise ValueError(
            f"y is missing (or not finite) in row {missing[0]}, {len(missing)} in all: drop those rows."
        )
    return y


def _one_target(y: Any) -> np.ndarray:
    if sparse.issparse(y):
        raise ValueError("y is a sparse (multilabel) target: select for one label at a time.")
    names = getattr(getattr(y, "dtype", None), "names", None)
    if names:
        raise ValueError(
            f"y has fields {names}, as survival targets have: survival analysis is not supported."
        )
    y = np.asarray(y)
    if y.ndim == 2 and y.shape[1] == 1:
        y = y[:, 0]
    if y.ndim != 1:
        raise ValueError(
            f"y must hold one target, got an array of shape {y.shape}: select for one target at a time."
        )
    return y


def _missing(values: np.ndarray) -> np.ndarray:
    if values.dtype.kind == "f":
        return ~np.isfinite(values)
    if values.dtype.kind == "O":
        return np.array([v is None or v != v for v in values])
    return np.zeros(len(values), dtype=bool)


def _labels(y: np.ndarray) -> np.ndarray:
    return y.astype(str) if y.dtype.kind == "O" else y


def _numbers(y: np.ndarray) -> np.ndarray:
    try:
        return y.astype(np.float64)
    except ValueError as error:
        raise ValueError(f"y must be numeric for regression: {error}.") from None


def _per_row(what: str, values: Any, n_rows: int, dtype: Any = None) -> np.ndarray | None:
    if values is None:
        return None
    values = np.asarray(values, dtype=dtype)
    if values.shape != (n_rows,):
        raise ValueError(
            f"{what} must hold one value per row ({n_rows}), got shape {values.shape}."
        )
    if dtype is float and not (
        np.all(np.isfinite(values)) and np.all(values >= 0) and values.sum() > 0
    ):
        raise ValueError(f"{what} must be non-negative, finite and not all zero.")
    return values


def _kinds(X: Any) -> list[str]:
    """The numpy kind of each column of a frame, 'O' for everything that is not a plain number."""
    if hasattr(X, "iloc"):
        return [getattr(dtype, "kind", "O") for dtype in X.dtypes]
    return [_polars_kind(dtype) for dtype in X.dtypes]


def _polars_kind(dtype: Any) -> str:
    if dtype.is_numeric():
        return "f"
    return "b" if str(dtype) == "Boolean" else "O"


def _masked(X: Any) -> bool:
    """Whether a frame has columns of numbers that are not kept as plain arrays, as those of pandas with missing values."""
    return hasattr(X, "iloc") and not all(isinstance(dtype, np.dtype) for dtype in X.dtypes)


def _cells(X: Any, j: int) -> np.ndarray:
    """A column of numbers of a frame as an array, NaN where it is missing."""
    if not hasattr(X, "iloc"):
        return np.asarray(X[:, j].to_numpy(), dtype=np.float64)
    column = X.iloc[:, j]
    if isinstance(column.dtype, np.dtype):
        return column.to_numpy()
    return column.to_numpy(dtype=np.float64, na_value=np.nan)


def _check_values(X: Any, names: Sequence[str], allow_nan: bool) -> None:
    """Refuse infinities, and NaN unless the estimator can handle it, naming the first bad cell."""
    if is_frame(X):
        for j, (kind, dtype) in enumerate(zip(_kinds(X), X.dtypes)):
            if kind in "fc" or (kind in "biu" and not isinstance(dtype, np.dtype)):
                _check_finite(_cells(X, j)[:, None], names[j : j + 1], allow_nan)
        return
    if sparse.issparse(X):
        if X.dtype.kind == "f":
            _check_stored(X, names, allow_nan)
        return
    if X.dtype.kind not in "biuf":
        raise ValueError(
            f"X holds values of type {X.dtype}, numbers are due: encode text columns first."
        )
    if X.dtype.kind == "f":
        _check_finite(X, names, allow_nan)


def _check_stored(X: Any, names: Sequence[str], allow_nan: bool) -> None:
    bad = _bad(X.data, allow_nan)
    if bad is not None:
        cells, first = X.tocoo(), np.flatnonzero(bad)[0]
        _refuse(
            names[int(cells.col[first])], int(cells.row[first]), cells.data[first], int(bad.sum())
        )


def _check_finite(values: np.ndarray, names: Sequence[str], allow_nan: bool) -> None:
    bad = _bad(values, allow_nan)
    if bad is not None:
        row, column = np.argwhere(bad)[0]
        _refuse(names[column], row, values[row, column], int(bad.sum()))


def _bad(values: np.ndarray, allow_nan: bool) -> np.ndarray | None:
    """Which cells cannot be worked with; None where there are none."""
    if np.isfinite(values.sum(dtype=np.float64)):
        return None
    bad = np.isinf(values) if allow_nan else ~np.isfinite(values)
    if not bad.any():
        return None
    return bad


def _refuse(name: str, row: int, value: float, count: int) -> None:
    what, remedy = "infinity", "replace it or drop the row"
    if not np.isinf(value):
        what = "NaN"
        remedy = "impute it (for instance with SimpleImputer), drop the row, "
        remedy += "or use an estimator that accepts NaN"
    raise ValueError(f"column {name!r} holds {what} in row {row} ({count} cells in all): {remedy}.")
