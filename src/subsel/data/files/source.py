"""Files to be read: they are there, they are files, and what they ask for fits the memory."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any, TextIO, cast

from subsel.runtime.memory import NotEnoughMemory, available_bytes, byte_count
from subsel.runtime.text import one_line

__all__ = ["broken", "demand", "existing_file", "open_bytes", "open_text", "reading_limit"]

SHARE = 0.5  # of the free memory that a table may take
WIDE = 64  # bytes that a column takes however few entries it has: its place, its score, its name
LONG = 300  # signs of a parser's complaint that are shown


def existing_file(path: Path) -> Path:
    """Give the path back if a file with something in it is there; pipes and devices could be waited on for ever."""
    if not path.exists():
        raise FileNotFoundError(f"there is no file {path}.")
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder: name a file in it.")
    if not path.is_file():
        raise ValueError(f"{path} is a pipe or a device: save what it gives as a file.")
    if path.stat().st_size == 0:
        raise ValueError(f"{path} is empty.")
    return path


def reading_limit(memory: str | float | None = None) -> int:
    """Bytes that reading may take: as told, else half of what is free.

    >>> reading_limit("2MB")
    2000000
    """
    if memory is not None:
        return byte_count(memory)
    return int(SHARE * (available_bytes() or 4 * 10**9))


def demand(path: Path, what: str, needed: float, memory: str | float | None = None) -> None:
    """Refuse what needs more memory than the limit, before it is taken."""
    if needed > (limit := reading_limit(memory)):
        raise NotEnoughMemory(f"{path}: {what}", needed, limit)


def broken(
    path: Path, kind: str, error: Exception | str, remedy: str = "write it again"
) -> ValueError:
    """The one line for a file that a parser gave up on.

    >>> broken(Path("t.npz"), "NPZ file", "bad\\nmagic number")
    ValueError('t.npz is not a readable NPZ file: bad magic number: write it again.')
    """
    told = one_line(error, LONG).rstrip(".") or type(error).__name__
    return ValueError(f"{path} is not a readable {kind}: {told}: {remedy}.")


def open_bytes(path: Path) -> Any:
    """Open a file, unpacked if it is gzipped."""
    return _opener(path)(path, "rb")


def open_text(path: Path, encoding: str) -> TextIO:
    """Open a text file, unpacked if it is gzipped, with its line ends as they are."""
    return cast(TextIO, _opener(path)(path, "rt", encoding=encoding, newline=""))


def _opener(path: Path) -> Any:
    if path.suffix.lower() == ".gz":
        return gzip.open
    return open
