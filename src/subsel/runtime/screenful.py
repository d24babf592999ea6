"""Short printed forms of tables and results: text for a terminal, HTML for a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

import numpy as np

from subsel.runtime.text import escaped

__all__ = ["TextColumns", "frame", "html_screenful", "screenful"]

MOST_ROWS = 20  # rows that are printed
MOST_SIGNS = 36  # characters of a cell that are printed


class TextColumns(dict[str, Any]):
    """A dict of columns that prints as a table: the first rows, and how many more there are.

    ``pandas.DataFrame(columns)`` makes a data frame of it.

    Parameters
    ----------
    *columns, **named
        As for ``dict``: arrays or lists of the same length by name.
    n_rows : int, optional
        The number of rows of the table, if the columns hold only the first of them.

    Examples
    --------
    >>> TextColumns(feature=np.array(["age", "town"]), share=np.array([1.0, 0.25]))
    feature  share
    age          1
    town      0.25
    """

    def __init__(self, *columns: Any, n_rows: int | None = None, **named: Any) -> None:
        super().__init__(*columns, **named)
        self.n_rows = n_rows

    def __repr__(self) -> str:
        rows = self._rows(MOST_ROWS)
        cells = [list(map(str, self)), *rows]
        widths = [max(map(len, column)) for column in zip(*cells)]
        right = [_is_number(values) for values in self.values()]
        lines = ["  ".join(map(_padded, line, widths, right)).rstrip() for line in cells]
        return "\n".join([*lines, *self._more(len(rows))])

    def _repr_html_(self) -> str:
        rows = self._rows(MOST_ROWS)
        head = "".join(f"<th>{escape(name)}</th>" for name in map(str, self))
        body = "".join(
            f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows
        )
        more = "".join(f"<p>{escape(line)}</p>" for line in self._more(len(rows)))
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"

    def _rows(self, most: int) -> list[list[str]]:
        """Return the text of the cells of the first rows."""
        first = [[_cell(value) for value in values[:most]] for values in self.values()]
        return [list(row) for row in zip(*first)]

    def _more(self, shown: int) -> list[str]:
        """Return a line on the rows that are not shown, if there are any."""
        n = self.n_rows or max((len(values) for values in self.values()), default=0)
        if n <= shown:
            return []
        return [f"... and {n - shown:,} more rows"]


def frame(columns: Mapping[str, Any]) -> Any:
    """Return columns as a pandas data frame if pandas is installed, else as `TextColumns`.

    Examples
    --------
    >>> frame({"feature": ["age", "town"], "share": [1.0, 0.25]})["share"].tolist()
    [1.0, 0.25]
    """
    try:
        import pandas as pd
    except ImportError:
        return TextColumns({name: _array(values) for name, values in columns.items()})
    return pd.DataFrame(dict(columns))


def screenful(lines: Iterable[str], tables: Mapping[str, Mapping[str, Any]] | None = None) -> str:
    """Return the text of lines, then of tables under their captions.

    Parameters
    ----------
    lines : iterable of str
        The lines.
    tables : mapping from str to mapping from str to sequence, optional
        For each caption, the columns of a table by name.

    Examples
    --------
    >>> front = {"size": [1, 2], "quality": [0.8, 0.9]}
    >>> print(screenful(["2 features chosen"], {"the front:": front}))
    2 features chosen
    the front:
    size  quality
       1      0.8
       2      0.9
    """
    tables_text = [
        part
        for caption, table in (tables or {}).items()
        for part in (caption, repr(TextColumns(table)))
    ]
    return "\n".join([*(escaped(" ".join(line.split())) for line in lines), *tables_text])


def html_screenful(
    lines: Iterable[str], tables: Mapping[str, Mapping[str, Any]] | None = None
) -> str:
    """Return `screenful` as HTML, with everything escaped that comes from data.

    Examples
    --------
    >>> html_screenful(["p < 0.05"])
    '<div><div>p &lt; 0.05</div></div>'
    """
    tables_text = "".join(
        f"<p>{escape(c)}</p>{TextColumns(t)._repr_html_()}" for c, t in (tables or {}).items()
    )
    return f"<div>{''.join(f'<div>{escape(line)}</div>' for line in lines)}{tables_text}</div>"


def _array(values: Sequence[Any]) -> np.ndarray:
    """Return values as an array of one dimension, in which lists are objects."""
    if any(isinstance(value, (list, tuple)) for value in values):
        objects = np.empty(len(values), dtype=object)
        objects[:] = list(values)
        return objects
    return np.asarray(values)


def _cell(value: Any) -> str:
    """Return the text of a cell: four digits, one line, at most `MOST_SIGNS` characters."""
    if value is None or (isinstance(value, (float, np.floating)) and np.isnan(value)):
        return "-"
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, (float, np.floating)):
        return f"{value:.4g}"
    if isinstance(value, (list, tuple)):
        value = ", ".join(map(str, value))
    text = escaped(" ".join(str(value).split()))
    if len(text) > MOST_SIGNS:
        return f"{text[: MOST_SIGNS - 3]}..."
    return text


def _is_number(values: Sequence[Any]) -> bool:
    return all(
        value is None or isinstance(value, (int, float, np.number)) for value in values[:MOST_ROWS]
    )


def _padded(text: str, width: int, right: bool) -> str:
    return text.rjust(width) if right else text.ljust(width)
