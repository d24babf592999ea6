"""Pieces of HTML: everything that comes from data is escaped here."""

from __future__ import annotations

import csv
import io
import math
from base64 import b64encode
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np

from subsel.runtime.text import harmless

__all__ = [
    "card",
    "cell",
    "csv_text",
    "download",
    "figure",
    "heat_table",
    "items",
    "more_in_table",
    "number",
    "section",
    "table",
]

MOST_ROWS = 300
FILTERED_FROM = 8


def number(value: Any) -> str:
    """Write a number for reading: whole ones in full, others to four digits; a dash where there is none.

    Examples
    --------
    >>> number(12345), number(0.91234), number(None)
    ('12,345', '0.9123', '–')
    """
    if value is None or (isinstance(value, (float, np.floating)) and math.isnan(value)):
        return "–"
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, (int, np.integer)):
        return f"{value:,}"
    return f"{value:.4g}"


def cell(value: Any) -> str:
    """One cell of a table, with the value by which it sorts."""
    if value is None or isinstance(value, (bool, int, float, np.number, np.bool_)):
        key: Any = ""
        if value is not None and not math.isnan(float(value)):
            key = float(value)
        return f'<td class="number" data-value="{key}">{number(value)}</td>'
    return f"<td>{escape(str(value))}</td>"


def table(
    name: str, caption: str, columns: Mapping[str, Sequence[Any]], file: str | None = None
) -> str:
    """A table that sorts and filters, its whole content as a CSV file beside it."""
    rows = list(zip(*columns.values()))
    shown = rows[:MOST_ROWS]
    numeric = [all(not isinstance(v, str) for v in values) for values in columns.values()]
    heads = "".join(
        f'<th scope="col" aria-sort="none"{" class=number" if right else ""}><button '
        f'type="button">{escape(title)}</button></th>'
        for title, right in zip(columns, numeric)
    )
    body = "".join(f"<tr>{''.join(map(cell, row))}</tr>" for row in shown)
    more = search = link = ""
    if len(rows) > MOST_ROWS:
        more = f" The first {MOST_ROWS} of {len(rows):,} rows; the file has all."
    if len(rows) >= FILTERED_FROM:
        search = _filter(name)
    if file:
        link = download(file, csv_text(columns), "text/csv")
    return (
        f'<div class="table" id="{name}"><div class="above"><span class="caption" '
        f'id="{name}-caption">{escape(caption)}{more}</span>'
        f"{search}{link}</div>"
        f'<div class="scroll" role="region" tabindex="0" aria-labelledby="{name}-caption">'
        "<table "
        f'aria-labelledby="{name}-caption"><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table></div></div>'
    )


def heat_table(
    name: str,
    heads: Sequence[str],
    rows: Sequence[str],
    cells: Sequence[Sequence[float]],
    form: str = "{:.2f}",
    texts: Sequence[Sequence[str]] | None = None,
) -> str:
    """A matrix whose cells are the darker the further their value, between -1 and 1, lies from 0."""
    written = texts or [[form.format(value) for value in line] for line in cells]
    top = "".join(f'<th scope="col">{escape(head)}</th>' for head in heads)
    body = ""
    for row, line, said in zip(rows, cells, written):
        shown = [f"<td {_shade(value)}>{escape(text)}</td>" for value, text in zip(line, said)]
        body += f'<tr><th scope="row">{escape(row)}</th>{"".join(shown)}</tr>'
    return (
        f'<div class="scroll heat" role="region" tabindex="0" aria-label="{escape(name)}"><table id="{name}">'
        f"<thead><tr><td></td>{top}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _shade(value: float) -> str:
    """How dark a cell of a matrix is, as attributes."""
    sign = " class=below-zero" if value < 0 else ""
    return f'style="--s:{min(1.0, abs(value)) * 50:.0f}%"{sign}'


def _filter(name: str) -> str:
    return (
        f'<label class="filter">Filter <input type="search" aria-controls="{name}"></label>'
        '<output class="filter" aria-live="polite"></output>'
    )


def csv_text(columns: Mapping[str, Sequence[Any]]) -> str:
    """Columns as a CSV file."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(map(harmless, columns))
    writer.writerows(map(harmless, row) for row in zip(*columns.values()))
    return buffer.getvalue()


def download(file: str, text: str, kind: str) -> str:
    """A link that saves a file held in the page itself."""
    data = b64encode(text.encode()).decode()
    return (
        f'<a class="download" download="{escape(file)}" '
        f'href="data:{kind};charset=utf-8;base64,{data}">{escape(file)}</a>'
    )


def figure(svg: str, title: str, description: str, wide: bool = False) -> str:
    """A picture with its title, and in words what it shows."""
    kind = ' class="wide"' if wide else ""
    return f"<figure{kind}><h3>{escape(title)}</h3>{svg}<figcaption>{escape(description)}</figcaption></figure>"


def card(title: str, big: str, *lines: str) -> str:
    """One answer: its question, the number, and sentences that are markup already."""
    body = "".join(f"<p>{line}</p>" for line in lines if line)
    return f'<div class="card"><h3>{title}</h3><p class="big">{big}</p>{body}</div>'


def section(name: str, title: str, *parts: str) -> str:
    """A part of the page; empty if nothing is in it."""
    inner = "".join(parts)
    if not inner:
        return ""
    return (
        f'<section id="{name}" aria-labelledby="{name}-title"><h2 '
        f'id="{name}-title">{escape(title)}</h2>{inner}</section>'
    )


def more_in_table(n: int) -> str:
    """Say that the table of features has n more than were listed; empty where it has none."""
    if n <= 0:
        return ""
    return f"<p>and {n:,} more, <a href='#feature-table'>all here</a></p>"


def items(pairs: Mapping[str, Any]) -> str:
    """Names and values, for reading down."""
    rows = "".join(
        f"<div><dt>{escape(str(k))}</dt><dd>{escape(str(v))}</dd></div>" for k, v in pairs.items()
    )
    return f"<dl>{rows}</dl>"
