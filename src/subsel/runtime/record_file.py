"""An append-only file of records with checksums, locked by one process at a time."""

from __future__ import annotations

import io
import json
import os
import shutil
import struct
import warnings
import zlib
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from time import sleep
from typing import IO, Any, TypeAlias

__all__ = [
    "JournalDamaged",
    "JournalError",
    "RecordFile",
    "is_locked",
    "lock",
    "read_header",
    "read_records",
    "refuse_other_layouts",
]

_LAYOUT = b"subsel journal "
_MAGIC = _LAYOUT + b"3 "  # 2 described settings by modules, 1 had no vectors
File: TypeAlias = IO[Any] | io.FileIO
_FRAME = struct.Struct("<II")  # before each record: its length in bytes, its CRC-32


class JournalError(OSError):
    """A journal cannot be read, written or trusted."""


class JournalDamaged(UserWarning):
    """A part of a journal cannot be read and is computed again."""


class RecordFile:
    """A header line and records with checksums; opening it continues where the last process ended.

    The operating system holds the lock and releases it when the process ends. A record that was cut
    short or damaged and everything after it are dropped with a warning, and a copy of the damaged
    file is kept in the same folder. A record is never changed. Symbolic links are not followed,
    since they might lead to a file of another user.

    Parameters
    ----------
    path : Path
        The file; it is created if it does not exist or its header was cut short.
    header : dict
        The header of a new file.

    Attributes
    ----------
    header : dict
        The header of the file.
    is_new : bool
        Whether the file was created.
    n_torn : int
        The number of damaged bytes that were dropped.
    """

    def __init__(self, path: Path, header: dict[str, Any]) -> None:
        self.path = path
        _check_not_link(path)
        try:
            flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
            self._file = io.FileIO(os.open(path, flags, 0o644), "r+")
        except OSError as error:
            raise JournalError(
                f"cannot write the journal {path}: {error.strerror}; name another folder."
            ) from None
        try:
            if not lock(self._file, patience=5):
                raise JournalError(
                    f"another process is writing {path}: wait for it, stop it, or give another "
                    "directory or seed."
                )
            self._open(header)
        except BaseException:
            self._file.close()
            raise

    def _open(self, header: dict[str, Any]) -> None:
        """Read or write the header, and drop what is damaged; sets the other attributes."""
        stored = _header(self._file, self.path)
        self.is_new = stored is None
        self.header = stored or header
        if stored is None:
            if _first_line(self._file).endswith(b"\n"):
                self._keep_damaged(0)
            self._file.truncate(0)
            self._file.seek(0)
            self._end = 0
            self._write(_header_line(header))
        self._begin = self._file.tell()
        self._end = max((end for _, end in _records(self._file)), default=self._begin)
        self.n_torn = os.fstat(self._file.fileno()).st_size - self._end
        if self.n_torn:
            self._keep_damaged(self._end)
            self._file.truncate(self._end)

    def _keep_damaged(self, end: int) -> None:
        """Copy the file, and warn that the part after position `end` cannot be used."""
        names = (self.path.with_name(f"{self.path.name}.damaged-{i}") for i in count(1))
        copy = next(name for name in names if not name.exists())
        shutil.copyfile(self.path, copy)
        lost = os.fstat(self._file.fileno()).st_size - end
        warnings.warn(
            f"{self.path} is damaged or was cut short: its last {lost:,} bytes, at most "
            f"{lost // 8:,} evaluations, are computed again. The damaged file is kept as "
            f"{copy.name}.",
            JournalDamaged,
            stacklevel=2,
        )

    def records(self) -> Iterator[bytes]:
        """Yield the records that were in the file when it was opened."""
        place, end = self._begin, self._end
        while place < end:
            self._file.seek(place)
            record, place = next(_records(self._file))
            yield record

    def append(self, record: bytes) -> None:
        """Write one record; earlier records stay complete even if this fails."""
        self._write(_FRAME.pack(len(record), zlib.crc32(record)) + record)

    def _write(self, data: bytes) -> None:
        """Write bytes at the end of the file; if this fails, restore its length."""
        try:
            self._file.seek(self._end)
            left = memoryview(data)
            while left:
                left = left[self._file.write(left) :]
        except OSError as error:
            self._file.truncate(self._end)
            raise JournalError(
                f"cannot write the journal {self.path}: {error.strerror}. What was written before "
                "is kept: make room and run the same again to go on from there."
            ) from None
        self._end += len(data)

    def sync(self) -> None:
        """Write everything to the disk, in case the machine stops."""
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file, which releases the lock."""
        self._file.close()


def read_header(path: Path) -> dict[str, Any] | None:
    """Return the header of a journal without locking it; None if it has no header yet."""
    _check_not_link(path)
    try:
        with path.open("rb") as file:
            return _header(file, path)
    except FileNotFoundError:
        return None


def read_records(path: Path) -> Iterator[bytes]:
    """Yield the complete records of a journal without locking it."""
    _check_not_link(path)
    with path.open("rb") as file:
        if _header(file, path) is not None:
            yield from (record for record, _ in _records(file))


def _check_not_link(path: Path) -> None:
    """Raise an error for a symbolic link."""
    if path.is_symlink():
        raise JournalError(
            f"{path} is a symbolic link, which a journal must not be; put the file itself there."
        )


def refuse_other_layouts(folder: Path) -> None:
    """Refuse a directory with a journal of another layout: none of its runs would be found again."""
    for path in sorted(folder.glob("*.journal")):
        if path.is_symlink() or not (path.is_file() and os.access(path, os.R_OK)):
            continue  # whoever opens it says so
        with path.open("rb") as file:
            begin = file.read(len(_MAGIC))
        if begin.startswith(_LAYOUT) and not _MAGIC.startswith(begin):
            raise JournalError(
                f"{path} was written by another version, whose journals are not read: "
                "give another directory, or remove the file to compute all of it again."
            )


def is_locked(path: Path) -> bool:
    """Whether a running process has locked this file."""
    with path.open("r+b" if os.access(path, os.W_OK) else "rb") as file:
        return not lock(file)


def _header_line(header: dict[str, Any]) -> bytes:
    """Return the first line of a file: the version, the checksum and the header as JSON."""
    text = json.dumps(header, ensure_ascii=False).encode()
    return _MAGIC + b"%08x " % zlib.crc32(text) + text + b"\n"


def _header(file: File, path: Path) -> dict[str, Any] | None:
    """Return the header, and move to the first record; None if it is missing or damaged."""
    line = _first_line(file)
    if not line.startswith(_MAGIC) and not _MAGIC.startswith(line):
        raise JournalError(f"{path} is not a journal of this version; name another directory.")
    check, _, text = line[len(_MAGIC) :].partition(b" ")
    if not line.endswith(b"\n") or b"%08x" % zlib.crc32(text[:-1]) != check:
        return None
    file.seek(len(line))
    header: dict[str, Any] = json.loads(text)
    return header


def _first_line(file: File) -> bytes:
    """Return the first line of a file with its newline, which is missing if it was cut short."""
    file.seek(0)
    line = b""
    while b"\n" not in line and (part := file.read(1 << 16)):
        line += part
    text, newline, _ = line.partition(b"\n")
    return text + newline


def _records(file: File) -> Iterator[tuple[bytes, int]]:
    """Yield the records from the current position on, each with the position where it ends.

    The first record that was cut short or damaged ends the iteration.
    """
    while len(frame := file.read(_FRAME.size)) == _FRAME.size:
        length, check = _FRAME.unpack(frame)
        place = file.tell()
        if place + length > os.fstat(file.fileno()).st_size:
            return
        record = file.read(length)
        if len(record) < length or zlib.crc32(record) != check:
            return
        yield record, place + length


def lock(file: File, patience: int = 0) -> bool:
    """Lock a file if no other process has; return whether this process has the lock.

    Closing the file releases the lock. `patience` is the number of further attempts, a tenth of a
    second apart.
    """
    try:
        if os.name == "nt":
            import msvcrt

            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        if patience:
            sleep(0.1)
        return patience > 0 and lock(file, patience - 1)
    return True
