"""Checks before a file is read: it exists, is a regular file, and its content fits the memory."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any, TextIO, cast

from subsel.runtime.memory import NotEnoughMemory, available_bytes, byte_count
from subsel.runtime.text import one_line

__all__ = [
    "existing_file",
    "open_bytes",
    "open_text",
    "reading_limit",
    "require_memory",
    "unreadable",
]

SHARE = 0.5  # share of the free memory that a table may take
COLUMN_BYTES = 64  # bytes that a column needs however few entries it has: pointer, score, name
LONG = 300  # characters of a parser's error message that are shown
FILE_REMEDY = "raise the memory limit, or read fewer rows or columns"


def existing_file(path: Path) -> Path:
    """Return the path of a regular file that is not empty; raise an error for anything else.

    Reading from a pipe or a device could wait for ever.
    """
    if not path.exists():
        raise FileNotFoundError(f"there is no file {path}; check the path.")
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder; name a file in it.")
    if not path.is_file():
        raise ValueError(f"{path} is a pipe or a device; save its content as a file.")
    if path.stat().st_size == 0:
        raise ValueError(f"{path} is empty; it must hold a table.")
    return path


def reading_limit(memory: str | float | None = None) -> int:
    """Return the bytes that reading may take: those given, else half of the free memory.

    >>> reading_limit("2MB")
    2000000
    """
    if memory is not None:
        return byte_count(memory)
    return int(SHARE * (available_bytes() or 4 * 10**9))  # 4 GB where the system does not tell


def require_memory(path: Path, what: str, needed: float, memory: str | float | None = None) -> None:
    """Raise an error if something needs more memory than the limit, before it is allocated.

    Parameters
    ----------
    path : Path
        The file, for the message.
    what : str
        What needs the memory, for the message: ``"a table of 9 columns"``.
    needed : float
        The bytes it needs.
    memory : str or float, optional
        The limit, as in :func:`reading_limit`.
    """
    if needed > (limit := reading_limit(memory)):
        raise NotEnoughMemory(f"{path}: {what}", needed, limit, FILE_REMEDY)


def unreadable(
    path: Path, kind: str, error: Exception | str, remedy: str = "save it again"
) -> ValueError:
    r"""Return the error, in one line, for a file that a parser cannot read.

    >>> unreadable(Path("t.npz"), "NPZ file", "bad\nmagic number")
    ValueError('t.npz is not a readable NPZ file: bad magic number; save it again.')
    """
    complaint = one_line(error, LONG).rstrip(".") or type(error).__name__
    return ValueError(f"{path} is not a readable {kind}: {complaint}; {remedy}.")


def open_bytes(path: Path) -> Any:
    """Open a file for reading bytes; a gzipped one is decompressed."""
    return _opener(path)(path, "rb")


def open_text(path: Path, encoding: str) -> TextIO:
    """Open a file for reading text, with its line ends unchanged; a gzipped one is decompressed."""
    return cast(TextIO, _opener(path)(path, "rt", encoding=encoding, newline=""))


def _opener(path: Path) -> Any:
    if path.suffix.lower() == ".gz":
        return gzip.open
    return open
