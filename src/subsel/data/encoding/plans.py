"""Columns of frames: reading them, recognising their kinds, and encoding all of them as numbers."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from numbers import Real
from typing import Any

import numpy as np

from subsel.data.encoding.cells import is_missing, to_numbers
from subsel.data.encoding.dates import date_parts, to_dates
from subsel.data.encoding.kinds import ColumnPlan, are_truth_values, plan_column, truth_values
from subsel.data.task import is_frame

__all__ = [
    "coded",
    "is_numeric",
    "numbers_of",
    "plans_of",
    "read_column",
    "read_numbers",
    "read_text",
]

_STORED_AS = {"date": ("M", "dates"), "number": ("f", "numbers")}


def plans_of(X: Any) -> tuple[ColumnPlan, ...]:
    """Return the plan of each column of a frame, or of an array of numbers.

    >>> [plan.gaps for plan in plans_of(np.array([[1.0, np.nan], [2.0, 3.0]]))]
    [False, True]
    """
    if not is_frame(X):
        gaps = np.isnan(X).any(axis=0)
        return tuple(ColumnPlan(f"x{j}", "number", gaps=bool(g)) for j, g in enumerate(gaps))
    names, numeric = list(map(str, X.columns)), is_numeric(X)
    block = read_numbers(X, [j for j, number in enumerate(numeric) if number])
    _refuse_infinity(block, [name for name, number in zip(names, numeric) if number])
    numbers = iter(block.T)
    return tuple(
        plan_column(name, next(numbers) if number else read_column(X, j))
        for j, (name, number) in enumerate(zip(names, numeric))
    )


def numbers_of(X: Any, plans: Sequence[ColumnPlan]) -> np.ndarray:
    """Encode a frame, or an array of numbers, by the plans of its columns.

    Returns
    -------
    ndarray of shape (n_rows, n_encoded), Fortran order
        NaN where a cell is missing; a column with gaps is followed by one that is 1 there.
    """
    if not is_frame(X):
        return _interleaved(X, plans)
    out = np.empty((X.shape[0], sum(len(plan.names) for plan in plans)), order="F")
    numeric = [
        j
        for j, (stored_as_number, plan) in enumerate(zip(is_numeric(X), plans))
        if stored_as_number and plan.kind == "number"
    ]
    block: dict[int, np.ndarray] = {}
    if numeric:
        block = dict(zip(numeric, read_numbers(X, numeric).T))
    begin = 0
    for j, plan in enumerate(plans):
        end = begin + len(plan.names)
        if end > begin:
            _write(plan, block[j] if j in block else _read(X, j, plan), out[:, begin:end])
        begin = end
    return out


def coded(X: Any) -> np.ndarray:
    """Return one number for each cell of a frame, for plotting.

    Text becomes the rank of its value in alphabetical order, a date the days since the first one.

    Examples
    --------
    >>> import pandas as pd
    >>> coded(pd.DataFrame({"town": ["B", None, "A"], "age": [3, 4, 5]}))
    array([[ 1.,  3.],
           [nan,  4.],
           [ 0.,  5.]])
    """
    return np.column_stack([_coded(read_column(X, j)) for j in range(X.shape[1])])


def _coded(column: np.ndarray) -> np.ndarray:
    """Return one number for each cell of a column, NaN where it is missing."""
    if column.dtype.kind == "f":
        return column
    if column.dtype.kind == "M":
        return date_parts(column)[:, -1]
    if are_truth_values(column):
        return truth_values(column)
    missing = np.array([is_missing(cell) for cell in column])
    codes = np.full(len(column), np.nan)
    codes[~missing] = np.unique(column[~missing], return_inverse=True)[1]
    return codes


def _interleaved(X: np.ndarray, plans: Sequence[ColumnPlan]) -> np.ndarray:
    """Insert, after each column of an array that may have gaps, one that is 1 where they are."""
    out = np.empty((X.shape[0], sum(1 + plan.gaps for plan in plans)), order="F")
    begin = np.concatenate([[0], np.cumsum([1 + plan.gaps for plan in plans])[:-1]]).astype(int)
    out[:, begin] = X
    gaps = np.array([plan.gaps for plan in plans])
    out[:, begin[gaps] + 1] = np.isnan(X[:, gaps])
    return out


def _write(plan: ColumnPlan, column: np.ndarray, out: np.ndarray) -> None:
    """Overwrite `out`, of shape (n_rows, len(plan.names)), with an encoded column."""
    numbers = plan.numbers(column)
    out[:, : plan.width] = numbers
    if plan.gaps:
        out[:, plan.width] = np.isnan(numbers[:, 0])


def _read(X: Any, j: int, plan: ColumnPlan) -> np.ndarray:
    """Read a column as the kind of its plan; raise an error if it holds another kind now."""
    if plan.kind in ("text", "truth"):
        return read_text(X, j)
    column = read_column(X, j)
    dtype_kind, what = _STORED_AS[plan.kind]
    if column.dtype.kind == dtype_kind:
        return column
    if column.dtype.kind == "O" and not any(column):  # all cells are missing
        return np.full(len(column), np.nan if dtype_kind == "f" else np.datetime64("NaT"))
    cell = next((str(cell) for cell in column if str(cell).strip()), "")
    raise ValueError(
        f"column {plan.name!r} must hold {what}, as in the rows the encoder was fitted on, "
        f"got {cell!r}; convert or drop it."
    )


def _refuse_infinity(block: np.ndarray, names: Sequence[str]) -> None:
    """Raise an error for the first infinite cell of columns with these names."""
    if np.isinf(block).any():
        row, column = np.argwhere(np.isinf(block))[0]
        raise ValueError(
            f"column {names[column]!r} holds infinity in row {row}: replace it or drop the row."
        )


_DAY = np.timedelta64(1, "D")


def is_numeric(X: Any) -> list[bool]:
    """Return for each column of a frame whether it is stored as numbers or truth values."""
    if hasattr(X, "iloc"):
        return [
            getattr(dtype, "kind", "O") in "biuf" and dtype.name != "category" for dtype in X.dtypes
        ]
    return [dtype.is_numeric() or str(dtype) == "Boolean" for dtype in X.dtypes]


def read_numbers(X: Any, columns: list[int]) -> np.ndarray:
    """Return columns of numbers and truth values as an array (n_rows, len(columns)) with NaN."""
    if hasattr(X, "iloc"):
        frame = X.iloc[:, columns]
        plain = all(isinstance(dtype, np.dtype) for dtype in frame.dtypes)
        if plain:
            return frame.to_numpy(dtype=float)
        return frame.to_numpy(dtype=float, na_value=np.nan)
    import polars as pl

    return X[:, columns].select(pl.all().cast(pl.Float64)).to_numpy()


def read_text(X: Any, j: int) -> np.ndarray:
    """Return the cells of a column of a frame as objects that are text, "" where one is missing."""
    cells = _cells(_column(X, j))
    text = np.empty(len(cells), dtype=object)
    text[:] = ["" if _is_gap(cell) else str(cell) for cell in cells]
    return text


def read_column(X: Any, j: int) -> np.ndarray:
    """Return a column of a pandas or polars frame as numbers, days or text.

    Missing cells are NaN, NaT or "". Text whose cells are all numbers, or all dates, becomes these,
    as when a file is read; categories stay text.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"a": ["1", None, "2.5"], "b": ["u", None, "v"]})
    >>> read_column(frame, 0), read_column(frame, 1)
    (array([1. , nan, 2.5]), array(['u', '', 'v'], dtype=object))
    """
    if is_numeric(X[[X.columns[j]]])[0]:
        return read_numbers(X, [j])[:, 0]
    column = _column(X, j)
    times = _times(column)
    if times is not None:
        return times
    if str(column.dtype).lower().startswith(("category", "categorical", "enum")):
        return read_text(X, j)
    return _object_column(_cells(column), read_text(X, j))


def _column(X: Any, j: int) -> Any:
    """Return a column of a frame as a series."""
    if hasattr(X, "iloc"):
        return X.iloc[:, j]
    return X[:, j]


def _cells(column: Any) -> list[Any]:
    """Return the cells of a series as Python objects."""
    if hasattr(column, "iloc"):
        return column.astype(object).tolist()
    return column.to_list()


def _times(column: Any) -> np.ndarray | None:
    """Return times as days, durations as numbers of days, and None for any other series."""
    if hasattr(column, "iloc"):
        return _pandas_times(column)
    return _polars_times(column)


def _pandas_times(column: Any) -> np.ndarray | None:
    kind = getattr(column.dtype, "kind", "O")
    if kind == "M":
        if column.dt.tz is not None:
            column = column.dt.tz_localize(None)
        return column.to_numpy("M8[s]").astype("M8[D]")
    if kind == "m":
        return column.to_numpy("m8[s]") / _DAY
    return None


def _polars_times(column: Any) -> np.ndarray | None:
    import polars as pl

    if column.dtype in (pl.Date, pl.Datetime):
        return column.cast(pl.Date).to_numpy().astype("M8[D]")
    if column.dtype == pl.Duration:
        return column.to_numpy().astype("m8[s]") / _DAY
    return None


def _object_column(cells: list[Any], texts: np.ndarray) -> np.ndarray:
    """Return cells as days or numbers if all objects are such, or all text reads as such.

    Parameters
    ----------
    cells : list
        The cells as Python objects.
    texts : ndarray of object of shape (len(cells),)
        The same cells as text, "" where one is missing; returned if they hold neither.
    """
    present = [cell for cell, text in zip(cells, texts) if text]
    if present and all(isinstance(cell, date) for cell in present):
        return np.array(
            [_day(cell) if text else None for cell, text in zip(cells, texts)], dtype="M8[D]"
        )
    if present and all(isinstance(cell, Real) for cell in present):
        return np.array([float(cell) if text else np.nan for cell, text in zip(cells, texts)])
    numbers = to_numbers(texts.tolist())
    if numbers is not None:
        return numbers
    dates = to_dates(texts)
    if dates is None:
        return texts
    return dates


def _day(cell: date) -> np.datetime64:
    return np.datetime64(cell.date() if isinstance(cell, datetime) else cell, "D")


def _is_gap(cell: Any) -> bool:
    """Whether a cell is None, NaN, NaT, or the NA of pandas."""
    return cell is None or type(cell).__name__ == "NAType" or bool(cell != cell)
