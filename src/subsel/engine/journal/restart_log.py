"""The log of one restart: every answer in order, with a checksum of the questions, so that resuming is replaying."""

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
    """What a journal holds is not this run: other versions, other requests, other qualities."""


class LogBlock(NamedTuple):
    """What one record of a journal holds: qualities delivered since the last, and where the search stood then."""

    qualities: np.ndarray
    improvements: np.ndarray
    columns: np.ndarray
    seconds: float
    requests: bytes


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
    """Read the relevances that answered an evaluation, and its number; None if the record is something else."""
    if _kind(record) != _VECTOR:
        return None
    _, count, evaluation = _VECTOR_HEAD.unpack_from(record)
    return evaluation, np.frombuffer(record, dtype="<f8", count=count, offset=_VECTOR_HEAD.size)


def _kind(record: bytes) -> int:
    return int.from_bytes(record[:4], "little")


def ending_of(record: bytes) -> str | None:
    """What ended the run, if this record says so."""
    if not record.startswith(ENDING):
        return None
    return record[len(ENDING) :].decode()


class RestartLog:
    """What one restart was answered, in order, with a checksum of what it asked for.

    Records are blocks of qualities, and one vector for each answered relevance, which stands before
    the block that counts it. A vector that a crash has left without its block is written again by
    whoever resumes.

    Parameters
    ----------
    file : RecordFile
        Where it is kept.
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
        self._block, self._place, self._asked = next(self._blocks, None), 0, array("Q")
        self.replaying = self._block is not None  # something recorded was not yet replayed
        self.seconds, self.n_replayed = 0.0, 0
        self._keys, self._qualities = array("Q"), array("d")  # asked since the last block
        self._n_improvements = 0
        self._writing = False  # still true at the end: an interruption came in the middle of it

    def _read(self) -> Iterator[LogBlock]:
        for record in self.file.records():
            if (block := read_block(record)) is not None:
                yield block
            elif (vector := read_vector(record)) is not None:
                self._vectors[vector[0]] = vector[1]

    def replay(self, keys: np.ndarray) -> np.ndarray:
        """Give the recorded qualities of the next requests, as far as they go."""
        held, done = [np.empty(0)], 0
        while (block := self._block) is not None and done < len(keys):
            part = block.qualities[self._place : self._place + len(keys) - done]
            self._asked.frombytes(
                np.ascontiguousarray(keys[done : done + len(part)], dtype=np.uint64).tobytes()
            )
            self._place, done = self._place + len(part), done + len(part)
            held.append(part)
            if self._place == len(block.qualities):
                self._check(block)
        self.n_replayed += done
        return np.concatenate(held)

    def replay_vector(self, key: int, evaluation: int) -> np.ndarray | None:
        """Give the recorded relevances of the next request, if they go so far."""
        if not self.replaying:
            return None
        vector = self._vectors.pop(evaluation, None)
        self.replay(np.array([key], dtype=np.uint64))
        if vector is None:
            raise self._mismatch()
        return vector

    def _check(self, block: LogBlock) -> None:
        if _seal(self._asked) != block.requests:
            raise self._mismatch()
        self.seconds, self._asked, self._place = block.seconds, array("Q"), 0
        self._block = next(self._blocks, None)
        self.replaying = self._block is not None

    def _mismatch(self) -> JournalMismatch:
        return JournalMismatch(
            f"{self.file.path}: the search asks for other subsets than it did when the journal was written; "
            "its code has changed. Give another directory."
        )

    def note_one(self, key: int, quality: float) -> None:
        """Note one request and its answer."""
        self._keys.append(key)
        self._qualities.append(quality)

    def note(self, keys: np.ndarray, qualities: np.ndarray) -> None:
        """Note what was asked and answered; the next :meth:`flush` writes it."""
        self._keys.frombytes(keys.tobytes())
        self._qualities.frombytes(np.ascontiguousarray(qualities, dtype=np.float64).tobytes())

    def flush(self, seconds: float, history: History) -> None:
        """Write what was noted, and every new best; an interruption may have left keys without their qualities.

        After an interruption or an error in the middle of writing nothing more is written: the file
        is whole as it is.
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
        """Write the beginning of a request that is not yet answered whole, after all that came before it."""
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
        """Say what ended the run, unless the log says so or was not yet replayed to its end."""
        if reason != self.ended and not self.replaying:
            self.file.append(ENDING + reason.encode())
            self.ended = reason
        self.file.sync()


def _seal(keys: array[int] | np.ndarray) -> bytes:
    return hashlib.blake2b(keys.tobytes(), digest_size=8).digest()
