"""The journal of an assessment: a file of finished folds, which are not computed again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import asdict
from os import PathLike
from typing import Any

import numpy as np

from subsel.assessment.folds.fold import Fold
from subsel.assessment.folds.predictions import Predictions
from subsel.assessment.folds.splits import Split
from subsel.data.fingerprint import digest
from subsel.data.task import Task
from subsel.engine.journal.journal import Journal, JournalMismatch
from subsel.runtime.record_file import RecordFile

__all__ = ["FoldJournal", "hold"]


class FoldJournal(Journal):
    """A file of finished folds, identified by procedures, data and seed.

    Numbers of workers and verbosity do not matter.

    Parameters
    ----------
    folder : path
        The directory, which may also hold journals of searches.
    configuration : dict
        All that the folds depend on, besides data and seed.
    task : Task
        The data.
    seed : int
        The seed of the assessment.
    drawn : bool
        Whether the seed was drawn, not given; a recorded seed then replaces it.
    """

    prefix = "assess"

    def __init__(
        self,
        folder: str | PathLike[str],
        configuration: dict[str, Any],
        task: Task,
        seed: int,
        drawn: bool,
    ) -> None:
        super().__init__(folder, configuration, task, np.random.SeedSequence(seed), drawn)
        self.number = int(self.seed.entropy)  # type: ignore[arg-type]
        self.known: dict[str, Fold] = {}

    @contextmanager
    def holding(self, splits: list[Split]) -> Iterator[None]:
        """Open the file, read the finished folds into ``known``, and close it at the end."""
        self._begin(splits)
        try:
            yield
        finally:
            self.file.close()

    def _begin(self, splits: list[Split]) -> None:
        rows = digest(*(part for split in splits for part in (split.train, split.test)))
        self.file = RecordFile(self.path(0), {**self.header, "splits": rows})
        self.check(self.file)
        if self.file.header["splits"] != rows:
            raise JournalMismatch(
                f"{self.file.path}: the folds are other ones now. Give the splitter a random_state."
            )
        for record in self.file.records():
            key, fold = json.loads(record)
            self.known[key] = _fold(fold)

    def keep(self, key: str, fold: Fold) -> None:
        """Write a finished fold."""
        self.file.append(json.dumps([key, _plain(asdict(fold))]).encode())
        self.file.sync()


def hold(journal: FoldJournal | None, splits: list[Split]) -> AbstractContextManager[None]:
    """Open the file of a journal for the duration of a ``with`` block, if there is a journal."""
    if journal is None:
        return nullcontext()
    return journal.holding(splits)


def _plain(value: Any) -> Any:
    """Convert a value to what JSON can hold; arrays keep their type."""
    if isinstance(value, np.ndarray):
        return {
            "dtype": value.dtype.str if value.dtype != object else "object",
            "values": value.tolist(),
        }
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    return value


def _fold(parts: dict[str, Any]) -> Fold:
    """Restore a fold."""
    read: dict[str, Any] = {name: _array(value) for name, value in parts.items()}
    if read["with_probes"] is not None:
        read["with_probes"] = tuple(read["with_probes"])
    if read["outputs"] is not None:
        read["outputs"] = _outputs(read["outputs"])
    read["reference_outputs"] = {
        name: _outputs(found) for name, found in read["reference_outputs"].items()
    }
    return Fold(**read)


def _array(value: Any) -> Any:
    """Restore an array; other values are unchanged."""
    if isinstance(value, dict) and "dtype" in value:
        return np.array(value["values"], dtype=value["dtype"])
    return value


def _outputs(parts: dict[str, Any]) -> Predictions:
    return Predictions(**{name: _array(value) for name, value in parts.items()})
