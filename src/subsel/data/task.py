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

SKEWED = 1.5  # ratio of the largest to the smallest class from which accuracy misleads
MANY_VALUES = 50  # distinct numbers above which a target is hardly one of class labels


def is_frame(X: Any) -> bool:
    """Whether X is a pandas or polars data frame."""
    return hasattr(X, "columns") and hasattr(X, "dtypes") and hasattr(X, "shape")


def column_names(X: Any) -> list[str] | None:
    """Return the names of the columns of a frame as text; None for anything else."""
    if not is_frame(X):
        return None
    return list(map(str, X.columns))


def of_rows(values: np.ndarray | None, rows: np.ndarray) -> np.ndarray | None:
    """Return the values of some rows; None if there are no values (of weights or groups)."""
    if values is None:
        return None
    return values[rows]


def select_columns(X: Any, columns: np.ndarray | Sequence[int]) -> Any:
    """Return some columns of an array, a sparse matrix or a frame, as an object of its type."""
    if hasattr(X, "iloc"):
        return X.iloc[:, np.asarray(columns)]
    if is_frame(X):
        return X[:, np.asarray(columns).tolist()]
    if sparse.issparse(X):  # the trees of scikit-learn accept only 32-bit indices
        return X[:, np.asarray(columns, dtype=np.int32)]
    return X[:, np.asarray(columns)]


@dataclass(frozen=True, eq=False)
class Task:
    """The validated data of one problem; :meth:`of` makes it from unchecked data.

    Parameters
    ----------
    X : array, CSR/CSC matrix or data frame of shape (n_rows, n_columns)
        The table. A frame stays a frame, so that an estimator can read the types of its columns.
    y : ndarray of shape (n_rows,)
        The target: class labels (numbers or text) or float64.
    kind : {"classification", "regression"}
        Whether the target holds classes or a quantity.
    names : sequence of str
        The name of each column; x0, x1, ... where none were given.
    sample_weight : ndarray of shape (n_rows,) or None
        The weight of each row.
    groups : ndarray of shape (n_rows,) or None
        The group label of each row.

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
        """Check the data and return the task.

        An error names the column, the value and the remedy.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_columns)
            The table.
        y : array-like of shape (n_rows,)
            The target, without missing values.
        kind : {"classification", "regression"}, optional
            Whether the target holds classes or a quantity; by default :func:`guess_kind` decides.
        sample_weight : array-like of shape (n_rows,), optional
            The weight of each row: finite, non-negative, not all zero.
        groups : array-like of shape (n_rows,), optional
            The group label of each row.
        names : sequence of str, optional
            The name of each column, all different; by default those of a frame.
        allow_nan : bool
            Whether cells may be missing; infinity is always refused.
        """
        if not is_frame(X) and not sparse.issparse(X):
            X = np.asarray(X)
        if getattr(X, "ndim", len(X.shape)) != 2:
            raise ValueError(f"X must be a table of rows and columns, got {X.ndim} dimension(s).")
        n_rows, n_columns = X.shape
        if n_rows == 0 or n_columns == 0:
            raise ValueError(
                "X must have at least one row and one column to select from, "
                f"got {n_rows} rows and {n_columns} columns."
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
                f"y must hold at least two classes, got one class only "
                f"({task.classes.tolist()[0]!r}); add rows of another class."
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
        """The class labels, sorted, of shape (n_classes,)."""
        return np.unique(self.y)

    @cached_property
    def codes(self) -> np.ndarray:
        """The class of each row as its position in `classes`."""
        return np.searchsorted(self.classes, self.y)

    @property
    def target(self) -> np.ndarray:
        """The codes of the classes, or the values of a quantity, of shape (n_rows,)."""
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
        """Whether the classes differ so much in size that accuracy misleads: see `SKEWED`."""
        counts = np.bincount(self.codes)
        return bool(counts.max() >= SKEWED * counts.min())

    @cached_property
    def matrix(self) -> np.ndarray:
        """The table as a dense float64 array of shape (n_rows, n_columns) in Fortran order."""
        X = dense(self.X)
        if is_frame(X):
            if text := [n for n, kind in zip(self.names, _kinds(X)) if kind not in "biuf"]:
                raise ValueError(
                    f"column {text[0]!r} is not numeric; encode it (TableEncoder), or use an "
                    "estimator that reads it."
                )
            if _masked(X):
                X = np.column_stack([_cells(X, j) for j in range(X.shape[1])])
            else:
                X = X.to_numpy()
        return np.asfortranarray(X, dtype=np.float64)

    @property
    def numbers(self) -> Any:
        """The table as numbers: a sparse one as it is, any other as `matrix`."""
        if sparse.issparse(self.X):
            return self.X
        return self.matrix

    @cached_property
    def fingerprint(self) -> str:
        """A digest of all data and names; it takes about a second per gigabyte."""
        parts: list[Any] = []
        for name, values in (("weights", self.sample_weight), ("groups", self.groups)):
            if values is not None:
                parts += [name, values]
        return digest(self.X, self.y, *self.names, *parts)

    def select(self, columns: np.ndarray) -> Any:
        """Return some columns of X, as an object of its type."""
        return select_columns(self.X, columns)

    def columns(self, columns: np.ndarray) -> Task:
        """Return the task of some columns; `columns` are their numbers."""
        if len(columns) == self.n_columns:
            return self
        names = [self.names[c] for c in columns]
        return Task(self.select(columns), self.y, self.kind, names, self.sample_weight, self.groups)

    def rows(self, rows: np.ndarray) -> Task:
        """Return the task of some rows; `rows` are their numbers, or a mask."""
        table = self.X.iloc if hasattr(self.X, "iloc") else self.X
        weight, groups = of_rows(self.sample_weight, rows), of_rows(self.groups, rows)
        return Task(table[rows], self.y[rows], self.kind, self.names, weight, groups)


def guess_kind(y: np.ndarray) -> Kind:
    """Guess what a target holds: classes if it is text, boolean or whole numbers of few values.

    Whole numbers of more than 20 distinct values, and fractions, are a quantity.
    """
    if y.dtype.kind not in "iuf":
        return "classification"
    whole = y.dtype.kind in "iu" or bool(np.all(np.isfinite(y) & (y == np.round(y))))
    if whole and len(np.unique(y)) <= 20:
        return "classification"
    return "regression"


def kind_note(y: np.ndarray) -> str:
    """Return a note on the guess if the numbers of a target could be of the other kind, else "".

    >>> kind_note(np.arange(41))
    '41 distinct numbers: taken as a quantity; --task classification for classes.'
    >>> kind_note(np.array([1, 2, 3, 1])), kind_note(np.array([0, 1, 1]))
    ('3 distinct numbers: taken as classes; --task regression for a quantity.', '')
    """
    if y.dtype.kind not in "iuf":
        return ""
    n_values = len(np.unique(y))
    if guess_kind(y) == "classification":
        note = f"{n_values} distinct numbers: taken as classes; --task regression for a quantity."
        return note if n_values > 2 else ""
    repeated = n_values <= max(MANY_VALUES, len(y) // 10) and n_values < len(y)
    whole = bool(np.all(y == np.round(y)))
    note = f"{n_values} distinct numbers: taken as a quantity; --task classification for classes."
    return note if whole or repeated else ""


def _names(X: Any, names: Sequence[str] | None) -> Sequence[str]:
    """Return the given names, those of a frame, or numbered ones; check that they differ."""
    if names is None:
        names = column_names(X)
    if names is None:
        return NumberedNames(X.shape[1])
    numbered = isinstance(names, NumberedNames)
    if not numbered:
        names = tuple(names)
    if len(names) != X.shape[1]:
        raise ValueError(
            f"names must hold one name for each of the {X.shape[1]} columns, got {len(names)}."
        )
    if not numbered and len(set(names)) < len(names):
        double = next(n for i, n in enumerate(names) if n in names[:i])
        raise ValueError(
            f"column name {double!r} occurs twice; rename one, so that names identify columns."
        )
    return names


def _target(y: Any, n_rows: int) -> np.ndarray:
    """Return the target as an array of shape (n_rows,), checked to have no missing values."""
    y = _one_target(y)
    if len(y) != n_rows:
        raise ValueError(f"X and y must have the same length: X has {n_rows} rows, y has {len(y)}.")
    missing = np.flatnonzero(_missing(y))
    if len(missing):
        raise ValueError(
            f"y is missing (or not finite) in row {missing[0]}, {len(missing)} in all; "
            "drop these rows."
        )
    return y


def _one_target(y: Any) -> np.ndarray:
    """Return the target as an array of one dimension; refuse several targets."""
    if sparse.issparse(y):
        raise ValueError(
            "y must hold one target, got a sparse (multilabel) one; select for one label at a time."
        )
    names = getattr(getattr(y, "dtype", None), "names", None)
    if names:
        raise ValueError(
            f"y must be an array of one value per row, got the fields {names}; "
            "survival analysis is not supported."
        )
    y = np.asarray(y)
    if y.ndim == 2 and y.shape[1] == 1:
        y = y[:, 0]
    if y.ndim != 1:
        raise ValueError(
            f"y must hold one target, got an array of shape {y.shape}; "
            "select for one target at a time."
        )
    return y


def _missing(values: np.ndarray) -> np.ndarray:
    """Return a mask of the values that are missing or infinite."""
    if values.dtype.kind == "f":
        return ~np.isfinite(values)
    if values.dtype.kind == "O":
        return np.array([v is None or v != v for v in values])
    return np.zeros(len(values), dtype=bool)


def _labels(y: np.ndarray) -> np.ndarray:
    """Return class labels with Python objects converted to text."""
    return y.astype(str) if y.dtype.kind == "O" else y


def _numbers(y: np.ndarray) -> np.ndarray:
    """Return the values of a quantity as float64."""
    try:
        return y.astype(np.float64)
    except ValueError as error:
        raise ValueError(f"y must be numeric for regression: {error}.") from None


def _per_row(what: str, values: Any, n_rows: int, dtype: Any = None) -> np.ndarray | None:
    """Check one value per row; floats are weights, which must also be finite and non-negative."""
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
        raise ValueError(
            f"{what} must be non-negative, finite and not all zero, got values from "
            f"{values.min()} to {values.max()}."
        )
    return values


def _kinds(X: Any) -> list[str]:
    """Return the numpy kind of each column of a frame, 'O' for all but numbers and booleans."""
    if hasattr(X, "iloc"):
        return [getattr(dtype, "kind", "O") for dtype in X.dtypes]
    return [_polars_kind(dtype) for dtype in X.dtypes]


def _polars_kind(dtype: Any) -> str:
    if dtype.is_numeric():
        return "f"
    return "b" if str(dtype) == "Boolean" else "O"


def _masked(X: Any) -> bool:
    """Whether a pandas frame has columns of extension types, whose missing values are no NaN."""
    return hasattr(X, "iloc") and not all(isinstance(dtype, np.dtype) for dtype in X.dtypes)


def _cells(X: Any, j: int) -> np.ndarray:
    """Return a column of numbers of a frame as an array, NaN where a value is missing."""
    if not hasattr(X, "iloc"):
        return np.asarray(X[:, j].to_numpy(), dtype=np.float64)
    column = X.iloc[:, j]
    if isinstance(column.dtype, np.dtype):
        return column.to_numpy()
    return column.to_numpy(dtype=np.float64, na_value=np.nan)


def _check_values(X: Any, names: Sequence[str], allow_nan: bool) -> None:
    """Raise an error for the first cell that is infinite, or NaN unless `allow_nan`."""
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
            f"X must hold numbers, got values of type {X.dtype}; "
            "encode text columns first, or pass a data frame."
        )
    if X.dtype.kind == "f":
        _check_finite(X, names, allow_nan)


def _check_stored(X: Any, names: Sequence[str], allow_nan: bool) -> None:
    """Check the stored entries of a sparse matrix as :func:`_check_finite` does cells."""
    bad = _bad(X.data, allow_nan)
    if bad is not None:
        cells, first = X.tocoo(), np.flatnonzero(bad)[0]
        _refuse(
            names[int(cells.col[first])], int(cells.row[first]), cells.data[first], int(bad.sum())
        )


def _check_finite(values: np.ndarray, names: Sequence[str], allow_nan: bool) -> None:
    """Check the cells of an array of shape (n_rows, len(names))."""
    bad = _bad(values, allow_nan)
    if bad is not None:
        row, column = np.argwhere(bad)[0]
        _refuse(names[column], row, values[row, column], int(bad.sum()))


def _bad(values: np.ndarray, allow_nan: bool) -> np.ndarray | None:
    """Return a mask of the cells that are not allowed; None where there are none."""
    if np.isfinite(values.sum(dtype=np.float64)):  # one pass without a mask for good data
        return None
    bad = np.isinf(values) if allow_nan else ~np.isfinite(values)
    if not bad.any():
        return None
    return bad


def _refuse(name: str, row: int, value: float, count: int) -> None:
    """Raise the error for a bad value in this column and row, the first of `count`."""
    what, remedy = "infinity", "replace it or drop the row"
    if not np.isinf(value):
        what = "NaN"
        remedy = "impute it (for instance with SimpleImputer), drop the row, "
        remedy += "or use an estimator that accepts NaN"
    raise ValueError(f"column {name!r} holds {what} in row {row} ({count} cells in all): {remedy}.")
