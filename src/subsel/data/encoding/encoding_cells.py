"""Columns of frames as arrays of three kinds: numbers, days, or cells of text."""

from __future__ import annotations

from datetime import date, datetime
from numbers import Real
from typing import Any

import numpy as np

from subsel.data.encoding.cells import to_numbers
from subsel.data.encoding.dates import to_dates

__all__ = ["is_numeric", "read_column", "read_numbers", "read_text"]

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
