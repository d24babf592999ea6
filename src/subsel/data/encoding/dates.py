"""Dates: recognising them in columns of text, and encoding them as numbers."""

from __future__ import annotations

import re
from datetime import datetime

import numpy as np

from subsel.data.encoding.cells import is_missing

__all__ = ["DATE_PARTS", "date_parts", "first_day", "to_dates"]

DATE_PARTS = ("year", "month", "weekday", "days")
_CLOCK = r"(?:[ T]\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?)?(?: ?(?:Z|UTC|[+-]\d{2}:?\d{2}))?"
_FORMS = {
    "%Y-%m-%d": re.compile(rf"(\d{{4}}-\d{{1,2}}-\d{{1,2}}){_CLOCK}", re.ASCII),
    "%Y/%m/%d": re.compile(rf"(\d{{4}}/\d{{1,2}}/\d{{1,2}}){_CLOCK}", re.ASCII),
    "%d.%m.%Y": re.compile(rf"(\d{{1,2}}\.\d{{1,2}}\.\d{{4}}){_CLOCK}", re.ASCII),
    "%m/%d/%Y": re.compile(rf"(\d{{1,2}}/\d{{1,2}}/\d{{4}}){_CLOCK}", re.ASCII),
    "%d/%m/%Y": re.compile(rf"(\d{{1,2}}/\d{{1,2}}/\d{{4}}){_CLOCK}", re.ASCII),
}


def to_dates(cells: np.ndarray) -> np.ndarray | None:
    """Convert a column of text to days; return None unless all cells are dates of one format.

    Missing cells become NaT. Where the order of days and months is ambiguous (``03/04/2020`` in all
    cells), the month comes first.

    Examples
    --------
    >>> to_dates(np.array(["2020-03-01", "NA"], dtype=object))
    array(['2020-03-01',        'NaT'], dtype='datetime64[D]')
    """
    present = [cell for cell in cells if not is_missing(cell)]
    if not present:
        return None
    for form in _FORMS:
        if all(_day(cell, form) for cell in present):
            return np.array(
                [None if is_missing(cell) else _day(cell, form) for cell in cells], dtype="M8[D]"
            )
    return None


def _day(cell: str, form: str) -> datetime | None:
    """Return the date of a cell in this format, without time of day; None for any other cell."""
    if (match := _FORMS[form].fullmatch(cell.strip())) is None:
        return None
    try:
        return datetime.strptime(match[1], form)
    except ValueError:
        return None


def first_day(dates: np.ndarray) -> int:
    """Return the earliest of some days, counted from 1 January 1970; 0 if all are missing."""
    days = dates[~np.isnat(dates)].astype("M8[D]").astype(np.int64)
    if not len(days):
        return 0
    return int(days.min())


def date_parts(dates: np.ndarray, first: int | None = None) -> np.ndarray:
    """Encode dates as year, month, weekday (Monday is 0) and days since the first date.

    Parameters
    ----------
    dates : ndarray of datetime64 of shape (n_rows,)
        The dates, NaT where one is missing.
    first : int, optional
        The first date in days since 1970; by default the earliest of `dates`.

    Returns
    -------
    ndarray of shape (n_rows, 4)
        The columns :data:`DATE_PARTS`; NaN where a date is missing.

    Examples
    --------
    >>> date_parts(np.array(["2020-03-01", "2021-03-02"], dtype="M8[D]"))
    array([[2.020e+03, 3.000e+00, 6.000e+00, 0.000e+00],
           [2.021e+03, 3.000e+00, 1.000e+00, 3.660e+02]])
    """
    if first is None:
        first = first_day(dates)
    days, missing = dates.astype("M8[D]"), np.isnat(dates)
    month, day = days.astype("M8[M]").astype(np.int64), days.astype(np.int64)
    parts = np.column_stack(
        [1970 + month // 12, 1 + month % 12, (day + 3) % 7, day - first]
    ).astype(float)
    parts[missing] = np.nan
    return parts
