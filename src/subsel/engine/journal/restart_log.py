"""The log of one restart: its answers in order, and a checksum of its requests."""

from __future__ import annotations

import hashlib
import struct
from array import array
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from subsel.engine.history import History
from subsel.runtime.record_file import RecordFile

__all__ = ["JournalMismatch", "LogBlock", "RestartLog", "ending_of", "read_block", "read_vector"]

_QUALITIES, _VECTOR = 0, 1  # the kind of a record, its first word
_HEAD = struct.Struct(
    "<IIIId8s"
)  # kind, qualities, improvements, columns of the incumbent, seconds, requests
_IMPROVEMENT = np.dtype(
    [("evaluation", "<i8"), ("seconds", "<f8"), ("quality", "<f8"), ("size", "<i4")]
)
_VECTOR_HEAD = struct.Struct("<IIQ")  # kind, values, the evaluation they answer
_NONE = np.empty(0)
ENDING = b"END "


class JournalMismatch(ValueError):
    """Raised where a journal is of another run: other versions, requests or qualities."""


class LogBlock(NamedTuple):
    """One record of a journal: the qualities since the last record, and the state then."""

    qualities: np.ndarray  # qualities in the order of the requests
    improvements: np.ndarray  # record array of every new best among them
    columns: np.ndarray  # the columns of the last new best
    seconds: float  # seconds of the run when it was written
    requests: bytes  # checksum of the keys of the requests


def read_block(record: bytes) -> LogBlock | None:
    """Read a block of qualities; None if the record is something else."""
    if _kind(record) != _QUALITIES:
        return None
    _, n_qualities, n_improvements, n_columns, seconds, requests = _HEAD.unpack_from(record)
    place = _HEAD.size
    parts = []
    for dtype, count in (("<f8", n_qualities), (_IMPROVEMENT, n_improvements), ("<i4", n_columns)):
        parts.append(np.frombuffer(record, dtype=dtype, count=count, offset=place))
        place += parts[-1].nbytes
    return LogBlock(parts[0], parts[1], parts[2], seconds, requests)


def read_vector(record: bytes) -> tuple[int, np.ndarray] | None:
    """Read the number of an evaluation and its relevances; None for another record."""
    if _kind(record) != _VECTOR:
        return None
    _, count, evaluation = _VECTOR_HEAD.unpack_from(record)
    return evaluation, np.frombuffer(record, dtype="<f8", count=count, offset=_VECTOR_HEAD.size)


def _kind(record: bytes) -> int:
    return int.from_bytes(record[:4], "little")


def ending_of(record: bytes) -> str | None:
    """Read what ended the run; None if the record is something else."""
    if not record.startswith(ENDING):
        return None
    return record[len(ENDING) :].decode()


class RestartLog:
    """The answers of one restart in order, with checksums of its requests.

    Records are blocks of qualities, and one vector for each answered request for relevances, which
    comes before the block that counts it. A vector that a crash has left without its block is
    written again when the run is resumed.

    Parameters
    ----------
    file : RecordFile
        The file of the records.
    """

    def __init__(self, file: RecordFile) -> None:
        self.file = file
        self.horizon: int | None = file.header["horizon"]
        self.total, self.ended = 0.0, ""
        for record in file.records():
            block, self.ended = read_block(record), ending_of(record) or ""
            if block is not None:
                self.total = block.seconds
        self._vectors: dict[int, np.ndarray] = {}
        self._blocks = self._read()
        self._block, self._position, self._block_keys = next(self._blocks, None), 0, array("Q")
        self.replaying = self._block is not None  # something recorded was not yet replayed
        self.seconds, self.n_replayed = 0.0, 0
        self._keys, self._qualities = array("Q"), array("d")  # asked since the last block
        self._n_improvements = 0
        self._writing = False  # true after an interruption in the middle of a write

    def _read(self) -> Iterator[LogBlock]:
        for record in self.file.records():
            if (block := read_block(record)) is not None:
                yield block
            elif (vector := read_vector(record)) is not None:
                self._vectors[vector[0]] = vector[1]

    def replay(self, keys: np.ndarray) -> np.ndarray:
        """Return the recorded qualities of the next requests, as far as there are any."""
        # Resuming is replaying: given its seed, a search depends on its answers only, so the
        # recorded ones lead it to the same requests. A checksum of their keys per block verifies
        # this.
        parts, done = [np.empty(0)], 0
        while (block := self._block) is not None and done < len(keys):
            part = block.qualities[self._position : self._position + len(keys) - done]
            self._block_keys.frombytes(
                np.ascontiguousarray(keys[done : done + len(part)], dtype=np.uint64).tobytes()
            )
            self._position, done = self._position + len(part), done + len(part)
            parts.append(part)
            if self._position == len(block.qualities):
                self._check(block)
        self.n_replayed += done
        return np.concatenate(parts)

    def replay_vector(self, key: int, evaluation: int) -> np.ndarray | None:
        """Return the recorded relevances of the next request, None if there are none."""
        if not self.replaying:
            return None
        vector = self._vectors.pop(evaluation, None)
        self.replay(np.array([key], dtype=np.uint64))
        if vector is None:
            raise self._mismatch()
        return vector

    def _check(self, block: LogBlock) -> None:
        """Check the requests of a block that is replayed, and start the next one."""
        if _seal(self._block_keys) != block.requests:
            raise self._mismatch()
        self.seconds, self._block_keys, self._position = block.seconds, array("Q"), 0
        self._block = next(self._blocks, None)
        self.replaying = self._block is not None

    def _mismatch(self) -> JournalMismatch:
        return JournalMismatch(
            f"{self.file.path}: the search requests other subsets than when the journal was "
            "written, because its code has changed. Use another directory."
        )

    def note_one(self, key: int, quality: float) -> None:
        """Note one request and its answer."""
        self._keys.append(key)
        self._qualities.append(quality)

    def note(self, keys: np.ndarray, qualities: np.ndarray) -> None:
        """Note requests and their answers; the next :meth:`flush` writes them."""
        self._keys.frombytes(keys.tobytes())
        self._qualities.frombytes(np.ascontiguousarray(qualities, dtype=np.float64).tobytes())

    def flush(self, seconds: float, history: History) -> None:
        """Write the noted answers and every new best.

        An interruption may have left keys without qualities, which are dropped. After an
        interruption or an error in the middle of a write, nothing more is written: the records in
        the file are complete.
        """
        if self._writing or not self._qualities:
            return
        del self._keys[len(self._qualities) :]
        new = [
            row for row in history.improvements[self._n_improvements :] if row[0] > self.n_replayed
        ]
        self._n_improvements = len(history.improvements)
        best = np.empty(0)
        if new:
            best = history.space.columns(new[-1][3])
        rows = np.array([(i, t, q, s.size) for i, t, q, s in new], dtype=_IMPROVEMENT)
        self._write(
            np.frombuffer(self._keys, dtype=np.uint64),
            np.frombuffer(self._qualities),
            seconds,
            rows,
            best,
        )
        self._keys, self._qualities, self._writing = array("Q"), array("d"), False

    def write_ahead(
        self, keys: np.ndarray, qualities: np.ndarray, seconds: float, history: History
    ) -> None:
        """Write the first answers of a request, after all that came before it."""
        self.flush(seconds, history)
        self._write(keys, qualities, seconds)
        self._writing = False

    def _write(
        self,
        keys: np.ndarray,
        qualities: np.ndarray,
        seconds: float,
        improvements: np.ndarray = _NONE,
        best: np.ndarray = _NONE,
    ) -> None:
        """Write one block."""
        self.seconds, self._writing = seconds, True
        head = _HEAD.pack(_QUALITIES, len(keys), len(improvements), len(best), seconds, _seal(keys))
        body = (
            qualities.tobytes() + improvements.tobytes() + np.asarray(best, dtype="<i4").tobytes()
        )
        self.file.append(head + body)

    def write_vector(self, evaluation: int, values: np.ndarray) -> None:
        """Write the relevances that answered an evaluation: 8 bytes for each value."""
        head = _VECTOR_HEAD.pack(_VECTOR, len(values), evaluation)
        self.file.append(head + np.asarray(values, dtype="<f8").tobytes())

    def end(self, reason: str) -> None:
        """Record what ended the run, unless it is recorded or the log is not yet replayed."""
        if reason != self.ended and not self.replaying:
            self.file.append(ENDING + reason.encode())
            self.ended = reason
        self.file.sync()


def _seal(keys: array[int] | np.ndarray) -> bytes:
    return hashlib.blake2b(keys.tobytes(), digest_size=8).digest()
