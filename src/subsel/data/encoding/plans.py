"""All columns of a table: what each holds, and all of them as numbers side by side."""

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

_HOLDS = {"date": ("M", "dates"), "number": ("f", "numbers")}


def plans_of(X: Any) -> tuple[ColumnPlan, ...]:
    """What each column of a frame, or of an array of numbers, holds.

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
    """All columns as numbers, NaN where a cell is missing, 1 in the columns that say so."""
    if not is_frame(X):
        return _interleaved(X, plans)
    out = np.empty((X.shape[0], sum(len(plan.names) for plan in plans)), order="F")
    numeric = [
        j
        for j, (is_one, plan) in enumerate(zip(is_numeric(X), plans))
        if is_one and plan.kind == "number"
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
    """One number for each cell of a frame, to draw it: text by the place of its value in the alphabet, dates in days.

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
    if column.dtype.kind == "f":
        return column
    if column.dtype.kind == "M":
        return date_parts(column)[:, -1]
    if are_truth_values(column):
        return truth_values(column)
    gone = np.array([is_missing(cell) for cell in column])
    codes = np.unique(column[~gone], return_inverse=True)[1]
    told = np.full(len(column), np.nan)
    told[~gone] = codes
    return told


def _interleaved(X: np.ndarray, plans: Sequence[ColumnPlan]) -> np.ndarray:
    """An array with a column behind each column with gaps that says where they are."""
    out = np.empty((X.shape[0], sum(1 + plan.gaps for plan in plans)), order="F")
    place = np.concatenate([[0], np.cumsum([1 + plan.gaps for plan in plans])[:-1]]).astype(int)
    out[:, place] = X
    gaps = np.array([plan.gaps for plan in plans])
    out[:, place[gaps] + 1] = np.isnan(X[:, gaps])
    return out


def _write(plan: ColumnPlan, column: np.ndarray, out: np.ndarray) -> None:
    told = plan.numbers(column)
    out[:, : plan.width] = told
    if plan.gaps:
        out[:, plan.width] = np.isnan(told[:, 0])


def _read(X: Any, j: int, plan: ColumnPlan) -> np.ndarray:
    """A column in the form its plan asks for; one that holds something else now is refused."""
    if plan.kind in ("text", "truth"):
        return read_text(X, j)
    column = read_column(X, j)
    wanted, what = _HOLDS[plan.kind]
    if column.dtype.kind == wanted:
        return column
    if column.dtype.kind == "O" and not any(column):  # all cells are missing
        return np.full(len(column), np.nan if wanted == "f" else np.datetime64("NaT"))
    cell = next((str(cell) for cell in column if str(cell).strip()), "")
    raise ValueError(
        f"column {plan.name!r} held {what} where it was fitted, and holds {cell!r} now."
    )


def _refuse_infinity(block: np.ndarray, names: Sequence[str]) -> None:
    if np.isinf(block).any():
        row, column = np.argwhere(np.isinf(block))[0]
        raise ValueError(
            f"column {names[column]!r} holds infinity in row {row}: replace it or drop the row."
        )


_DAY = np.timedelta64(1, "D")


def is_numeric(X: Any) -> list[bool]:
    """Of each column of a frame whether it is kept as numbers or truth values."""
    if hasattr(X, "iloc"):
        return [
            getattr(dtype, "kind", "O") in "biuf" and dtype.name != "category" for dtype in X.dtypes
        ]
    return [dtype.is_numeric() or str(dtype) == "Boolean" for dtype in X.dtypes]


def read_numbers(X: Any, columns: list[int]) -> np.ndarray:
    """Columns of numbers and truth values of a frame side by side, NaN where they are missing."""
    if hasattr(X, "iloc"):
        some = X.iloc[:, columns]
        plain = all(isinstance(dtype, np.dtype) for dtype in some.dtypes)
        if plain:
            return some.to_numpy(dtype=float)
        return some.to_numpy(dtype=float, na_value=np.nan)
    import polars as pl

    return X[:, columns].select(pl.all().cast(pl.Float64)).to_numpy()


def read_text(X: Any, j: int) -> np.ndarray:
    """The cells of a column of a frame as text, "" where they are missing."""
    cells = _cells(_column(X, j))
    found = np.empty(len(cells), dtype=object)
    found[:] = ["" if _is_gap(cell) else str(cell) for cell in cells]
    return found


def read_column(X: Any, j: int) -> np.ndarray:
    """A column of a pandas or polars frame: numbers (NaN where missing), days (NaT), or text ("" where missing).

    Text that holds numbers or dates throughout is read as those, as in a file; categories are text.

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
    found = _times(column)
    if found is not None:
        return found
    if str(column.dtype).lower().startswith(("category", "categorical", "enum")):
        return read_text(X, j)
    return _objects(_cells(column), read_text(X, j))


def _column(X: Any, j: int) -> Any:
    """A column of a frame as a series."""
    if hasattr(X, "iloc"):
        return X.iloc[:, j]
    return X[:, j]


def _cells(column: Any) -> list[Any]:
    """The cells of a series as Python objects."""
    if hasattr(column, "iloc"):
        return column.astype(object).tolist()
    return column.to_list()


def _times(column: Any) -> np.ndarray | None:
    """Days of times, lengths of time in days; None of anything else."""
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


def _objects(cells: list[Any], texts: np.ndarray) -> np.ndarray:
    """Python objects by what they are: numbers, dates, or else text that may hold either."""
    given = [cell for cell, text in zip(cells, texts) if text]
    if given and all(isinstance(cell, date) for cell in given):
        return np.array(
            [_day(cell) if text else None for cell, text in zip(cells, texts)], dtype="M8[D]"
        )
    if given and all(isinstance(cell, Real) for cell in given):
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
    """None, NaN, NaT, or the NA of pandas."""
    return cell is None or type(cell).__name__ == "NAType" or bool(cell != cell)
