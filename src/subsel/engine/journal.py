"""The journal of a run: every quality that a search was told, so that a run that was killed is resumed by replay."""

from __future__ import annotations

import hashlib
import json
import struct
from array import array
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from subsel.description import describe, differences, digest, versions
from subsel.engine.history import History
from subsel.engine.record_file import JournalError, RecordFile, read_header
from subsel.task import Task

__all__ = ["ENDING", "Block", "Journal", "JournalMismatch", "Tape", "ending_of", "open_folder", "read_block"]

FLUSH = 1.0  # seconds of work that a killed process may lose
_SYNC = 10.0  # seconds of work that a stopped machine may lose

_HEAD = struct.Struct("<IIIId8s")  # 0, qualities, improvements, columns of the incumbent, seconds, requests
_IMPROVEMENT = np.dtype([("evaluation", "<i8"), ("seconds", "<f8"), ("quality", "<f8"), ("size", "<i4")])
_NONE = np.empty(0)
ENDING = b"END "


class JournalMismatch(ValueError):
    """What a journal holds is not this run: other versions, other requests, other qualities."""


class Block(NamedTuple):
    """What one record of a journal holds: qualities told since the last, and where the search stood then."""

    qualities: np.ndarray
    improvements: np.ndarray
    columns: np.ndarray
    seconds: float
    requests: bytes


def read_block(record: bytes) -> Block | None:
    """Read a record; None if it marks the end of a run."""
    if record.startswith(ENDING):
        return None
    _, n_qualities, n_improvements, n_columns, seconds, requests = _HEAD.unpack_from(record)
    place = _HEAD.size
    parts = []
    for dtype, count in (("<f8", n_qualities), (_IMPROVEMENT, n_improvements), ("<i4", n_columns)):
        parts.append(np.frombuffer(record, dtype=dtype, count=count, offset=place))
        place += parts[-1].nbytes
    return Block(parts[0], parts[1], parts[2], seconds, requests)


def ending_of(record: bytes) -> str | None:
    """What ended the run, if this record says so."""
    return record[len(ENDING) :].decode() if record.startswith(ENDING) else None


def open_folder(folder: str | PathLike[str]) -> Path:
    """Make the directory of a journal, and fail early where nothing can be written."""
    path = Path(folder)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise JournalError(f"cannot write the journal {path}: {error.strerror}.") from None
    return path


class Journal:
    """The journal of one run in a directory, one file per restart, found by configuration, data and seed.

    Budget, restarts and workers are no part of the configuration: a finished run can be extended. A seed that was
    drawn (``random_state=None``) is recorded, and taken again by the next run of the same configuration and data. A
    file takes about 8 bytes per evaluation.

    Parameters
    ----------
    folder : the directory; several runs share one.
    configuration : what the qualities and the search depend on, beside data and seed.
    seed : of the run; ``drawn`` if nobody asked for it.
    """

    prefix = "run"

    def __init__(
        self,
        folder: str | PathLike[str],
        configuration: Mapping[str, Any],
        task: Task,
        seed: np.random.SeedSequence,
        drawn: bool = False,
    ) -> None:
        self.folder = open_folder(folder)
        settings = describe(configuration)
        data = {"digest": task.fingerprint, "rows": task.n_rows, "columns": task.n_columns, "kind": task.kind}
        entropy = [seed.entropy, list(seed.spawn_key)]
        key = digest(json.dumps([settings, data, "drawn" if drawn else entropy], sort_keys=True, default=str))
        self.stem, self.seed = f"{self.prefix}-{key}", seed
        if drawn and (found := read_header(self.path(0))) is not None:
            entropy = found["seed"]
            self.seed = np.random.SeedSequence(entropy[0], spawn_key=entropy[1])
        self.header = {
            "versions": versions(),
            "configuration": settings,
            "data": data,
            "seed": entropy,
            "drawn": drawn,
            "created": datetime.now(UTC).isoformat(timespec="seconds"),
            "names": list(task.names),
        }
        self.tapes: list[Tape] = []

    def path(self, number: int) -> Path:
        """The file of one restart."""
        return self.folder / f"{self.stem}-{number:03d}.journal"

    def open(self, restarts: int, horizon: int | None) -> list[Tape]:
        """Open the file of each restart, and see that it is of this run."""
        header = {**self.header, "horizon": horizon}
        try:
            for number in range(restarts):
                file = RecordFile(self.path(number), {**header, "restart": number})
                self.tapes.append(Tape(file))
                self.check(file)
        except BaseException:
            self.close()
            raise
        self.seconds = max(tape.total for tape in self.tapes)
        self.flush_at = self._sync_at = 0.0
        return self.tapes

    def check(self, file: RecordFile) -> None:
        """See that a file is of this run."""
        pick = lambda head: {name: head.get(name) for name in ("versions", "configuration", "data", "seed")}
        if found := differences(pick(self.header), pick(file.header)):
            raise JournalMismatch(
                f"{file.path} is the journal of another run ({'; '.join(found)}): "
                "go on with what it was begun with, or give another directory."
            )

    @property
    def replaying(self) -> bool:
        """Whether some restart has not yet been told all that is on its tape."""
        return any(tape.replaying for tape in self.tapes)

    def flush(self, seconds: float, histories: list[History]) -> None:
        """Write what is new; due again after a second (``flush_at``)."""
        for tape, history in zip(self.tapes, histories):
            tape.flush(seconds, history)
        self.flush_at = seconds + FLUSH
        if seconds >= self._sync_at:
            self._sync_at = seconds + _SYNC
            for tape in self.tapes:
                tape.file.sync()

    def end(self, seconds: float, histories: list[History], reasons: list[str]) -> None:
        """Write what is left, and what ended each restart."""
        self.flush(seconds, histories)
        for tape, reason in zip(self.tapes, reasons):
            tape.end(reason)

    def close(self) -> None:
        """Let others have the files."""
        for tape in self.tapes:
            tape.file.close()


class Tape:
    """What one restart was told, in order, with a checksum of what it asked for."""

    def __init__(self, file: RecordFile) -> None:
        self.file = file
        self.horizon: int | None = file.header["horizon"]
        self.total, self.ended = 0.0, ""
        for record in file.records():
            block = read_block(record)
            self.total, self.ended = (self.total, ending_of(record) or "") if block is None else (block.seconds, "")
        self._blocks = self._read()
        self._block, self._place, self._asked = next(self._blocks, None), 0, array("Q")
        self.replaying = self._block is not None  # something was not told yet
        self.seconds, self.n_told = 0.0, 0
        self.keys = array("Q")  # of what was asked since the last block
        self._n_written = self._n_improvements = 0

    def _read(self) -> Iterator[Block]:
        return (block for record in self.file.records() if (block := read_block(record)) is not None)

    def replay(self, keys: np.ndarray) -> np.ndarray:
        """Tell the recorded qualities of the next requests, as far as they go."""
        told, done = [], 0
        while (block := self._block) is not None and done < len(keys):
            part = block.qualities[self._place : self._place + len(keys) - done]
            self._asked.frombytes(np.ascontiguousarray(keys[done : done + len(part)], dtype=np.uint64).tobytes())
            self._place, done = self._place + len(part), done + len(part)
            told.append(part)
            if self._place == len(block.qualities):
                self._check(block)
        self.n_told += done
        return np.concatenate(told) if told else np.empty(0)

    def _check(self, block: Block) -> None:
        if _seal(self._asked) != block.requests:
            raise JournalMismatch(
                f"{self.file.path}: the search asks for other subsets than it did when the journal was written; "
                "its code has changed. Give another directory."
            )
        self.seconds, self._asked, self._place = block.seconds, array("Q"), 0
        self._block = next(self._blocks, None)
        self.replaying = self._block is not None

    def flush(self, seconds: float, history: History) -> None:
        """Write the qualities of what was asked, and every new best; an interruption may have left a key behind."""
        if not self.keys:
            return
        begin = self.n_told + self._n_written
        new = [row for row in history.improvements[self._n_improvements :] if row[0] > self.n_told]
        self._n_improvements = len(history.improvements)
        best = history.space.columns(new[-1][3]) if new else np.empty(0)
        rows = np.array([(i, t, q, s.size) for i, t, q, s in new], dtype=_IMPROVEMENT)
        qualities = np.frombuffer(history.qualities[begin : begin + len(self.keys)])
        self.write(np.frombuffer(self.keys, dtype=np.uint64), qualities, seconds, rows, best)
        self.keys = array("Q")

    def write(
        self,
        keys: np.ndarray,
        qualities: np.ndarray,
        seconds: float,
        improvements: np.ndarray = _NONE,
        best: np.ndarray = _NONE,
    ) -> None:
        """Write one block."""
        self.seconds = seconds
        head = _HEAD.pack(0, len(keys), len(improvements), len(best), seconds, _seal(keys))
        body = qualities.tobytes() + improvements.tobytes() + np.asarray(best, dtype="<i4").tobytes()
        self.file.append(head + body)
        self._n_written += len(keys)

    def end(self, reason: str) -> None:
        """Say what ended the run, unless the tape says so or was not yet told to its end."""
        if reason != self.ended and not self.replaying:
            self.file.append(ENDING + reason.encode())
            self.ended = reason
        self.file.sync()


def _seal(keys: array | np.ndarray) -> bytes:
    return hashlib.blake2b(keys.tobytes(), digest_size=8).digest()
