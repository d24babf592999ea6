"""Dates in columns of text: recognised where every cell is one, and told in numbers."""

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
    """The days, NaT where a cell is missing; None unless all other cells are dates of one form.

    Where days and months cannot be told apart (``03/04/2020`` throughout) the month is taken to come first.

    Examples
    --------
    >>> to_dates(np.array(["2020-03-01", "NA"], dtype=object))
    array(['2020-03-01',        'NaT'], dtype='datetime64[D]')
    """
    given = [cell for cell in cells if not is_missing(cell)]
    if not given:
        return None
    for form in _FORMS:
        if all(_day(cell, form) for cell in given):
            return np.array(
                [None if is_missing(cell) else _day(cell, form) for cell in cells], dtype="M8[D]"
            )
    return None


def _day(cell: str, form: str) -> datetime | None:
    if (found := _FORMS[form].fullmatch(cell.strip())) is None:
        return None
    try:
        return datetime.strptime(found[1], form)
    except ValueError:
        return None


def first_day(dates: np.ndarray) -> int:
    """The earliest of some days, counted from 1970; 0 where all are missing."""
    given = dates[~np.isnat(dates)].astype("M8[D]").astype(np.int64)
    if not len(given):
        return 0
    return int(given.min())


def date_parts(dates: np.ndarray, first: int | None = None) -> np.ndarray:
    """Year, month, weekday (Monday is 0) and days since the first date, one column each; NaN where there is no date.

    The first date is that of these dates, unless another is given.

    Examples
    --------
    >>> date_parts(np.array(["2020-03-01", "2021-03-02"], dtype="M8[D]"))
    array([[2.020e+03, 3.000e+00, 6.000e+00, 0.000e+00],
           [2.021e+03, 3.000e+00, 1.000e+00, 3.660e+02]])
    """
    if first is None:
        first = first_day(dates)
    days, gone = dates.astype("M8[D]"), np.isnat(dates)
    month, day = days.astype("M8[M]").astype(np.int64), days.astype(np.int64)
    parts = np.column_stack(
        [1970 + month // 12, 1 + month % 12, (day + 3) % 7, day - first]
    ).astype(float)
    parts[gone] = np.nan
    return parts
