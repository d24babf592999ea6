"""The first sheet of an Excel workbook."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np

from subsel.data.encoding.cells import to_numbers
from subsel.data.files.source import broken, demand

__all__ = []

UNFOLDED = 16  # times the text of a sheet that its cells take


def sheet_columns(path: Path, memory: float) -> tuple[list[str], list[np.ndarray]]:
    """Names and columns of the first sheet: numbers, dates, or text; rows without any cell are left out."""
    try:
        import openpyxl
    except ImportError:
        raise ImportError("reading Excel needs openpyxl: pip install openpyxl.") from None
    try:
        with ZipFile(path) as archive:
            needed = UNFOLDED * sum(entry.file_size for entry in archive.infolist())
    except Exception as error:
        raise broken(path, "Excel workbook", error, "save it again as .xlsx") from None
    demand(path, "its sheets", needed, memory)
    try:
        workbook = openpyxl.load_workbook(path, read_only=True, data_only=True)
        rows = [
            row
            for row in workbook.worksheets[0].iter_rows(values_only=True)
            if any(v is not None for v in row)
        ]
        workbook.close()
    except Exception as error:
        raise broken(path, "Excel workbook", error, "save it again as .xlsx") from None
    if len(rows) < 2:
        header = "a header" if rows else "no header"
        raise ValueError(f"{path} has {header} and no rows in its first sheet.")
    width = max(map(len, rows))
    demand(path, "its cells", 64 * width * len(rows), memory)
    filled = [(*row, *[None] * (width - len(row))) for row in rows]
    names = [f"column {j + 1}" if name is None else str(name) for j, name in enumerate(filled[0])]
    return names, [_column(cells) for cells in zip(*filled[1:])]


def _column(cells: tuple[Any, ...]) -> np.ndarray:
    given = [cell for cell in cells if cell is not None]
    if given and all(isinstance(cell, date) for cell in given):
        return np.array(
            [None if cell is None else np.datetime64(cell, "D") for cell in cells], dtype="M8[D]"
        )
    if given and all(isinstance(cell, (int, float)) for cell in given):
        return np.array([np.nan if cell is None else float(cell) for cell in cells])
    texts = ["" if cell is None else str(cell) for cell in cells]
    numbers = to_numbers(texts)
    if numbers is None:
        return np.array(texts, dtype=object)
    return numbers
