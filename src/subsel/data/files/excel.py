"""The first sheet of an Excel workbook."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np

from subsel.data.encoding.cells import to_numbers
from subsel.data.files.source import require_memory, unreadable

__all__ = []

MEMORY_FACTOR = 16  # bytes of memory assumed for each byte of a sheet's XML


def sheet_columns(path: Path, memory: float) -> tuple[list[str], list[np.ndarray]]:
    """Read the first sheet; rows without any cell are left out.

    Parameters
    ----------
    path : Path
        The workbook.
    memory : float
        The number of bytes that reading may take.

    Returns
    -------
    names : list of str
        The first row; a column without a name is called by its position.
    columns : list of ndarray of shape (n_rows,)
        Numbers (NaN where missing), dates (NaT) or text ("").
    """
    try:
        import openpyxl
    except ImportError:
        raise ImportError("reading Excel needs openpyxl: pip install openpyxl.") from None
    try:
        with ZipFile(path) as archive:
            needed = MEMORY_FACTOR * sum(entry.file_size for entry in archive.infolist())
    except Exception as error:
        raise unreadable(path, "Excel workbook", error, "save it again as .xlsx") from None
    require_memory(path, "its sheets", needed, memory)
    try:
        workbook = openpyxl.load_workbook(path, read_only=True, data_only=True)
        rows = [
            row
            for row in workbook.worksheets[0].iter_rows(values_only=True)
            if any(v is not None for v in row)
        ]
        workbook.close()
    except Exception as error:
        raise unreadable(path, "Excel workbook", error, "save it again as .xlsx") from None
    if len(rows) < 2:
        content = "only a header" if rows else "no cells"
        raise ValueError(
            f"{path} must hold a header and at least one row of data in its first sheet, "
            f"which has {content}."
        )
    width = max(map(len, rows))
    require_memory(path, "its cells", 64 * width * len(rows), memory)
    filled = [(*row, *[None] * (width - len(row))) for row in rows]
    names = [f"column {j + 1}" if name is None else str(name) for j, name in enumerate(filled[0])]
    return names, [_column(cells) for cells in zip(*filled[1:])]


def _column(cells: tuple[Any, ...]) -> np.ndarray:
    """Return the cells of a column as dates, numbers or text, whichever all of them are."""
    present = [cell for cell in cells if cell is not None]
    if present and all(isinstance(cell, date) for cell in present):
        return np.array(
            [None if cell is None else np.datetime64(cell, "D") for cell in cells], dtype="M8[D]"
        )
    if present and all(isinstance(cell, (int, float)) for cell in present):
        return np.array([np.nan if cell is None else float(cell) for cell in cells])
    texts = ["" if cell is None else str(cell) for cell in cells]
    numbers = to_numbers(texts)
    if numbers is None:
        return np.array(texts, dtype=object)
    return numbers
