"""The journal of a run: all answers of its evaluator, by which it is resumed."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from subsel.data.fingerprint import digest
from subsel.data.task import Task
from subsel.engine.history import History
from subsel.engine.journal.description import describe, differences, opaque_parts, versions
from subsel.engine.journal.restart_log import JournalMismatch, RestartLog
from subsel.runtime.record_file import (
    JournalError,
    RecordFile,
    read_header,
    refuse_other_layouts,
)
from subsel.space.space import Space

__all__ = ["Journal", "JournalMismatch", "open_folder"]

FLUSH = 1.0  # seconds of work that a killed process may lose
_SYNC = 10.0  # seconds of work that a stopped machine may lose


def open_folder(folder: str | PathLike[str]) -> Path:
    """Make the directory of a journal; raise an error if it cannot be written or resumed."""
    path = Path(folder)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise JournalError(f"cannot write the journal {path}: {error.strerror}.") from None
    refuse_other_layouts(path)
    return path


class Journal:
    """The journal of one run in a directory, with one file per restart.

    The files of a run are found by its configuration, data and seed. Budget, restarts and workers
    are not part of the configuration, so that a finished run can be extended. A seed that was drawn
    (``random_state=None``) is recorded, and used again by the next run of the same configuration
    and data. A file takes about 8 bytes per evaluation, and 8 bytes per feature for each request
    for relevances.

    Parameters
    ----------
    folder : path-like
        The directory; several runs share one.
    configuration : mapping
        What the qualities and the search depend on, besides data and seed.
    task : Task
        The data.
    seed : SeedSequence
        The seed of the run.
    drawn : bool
        Whether the seed was drawn because ``random_state`` is None.

    Examples
    --------
    >>> import tempfile
    >>> task = Task.of(np.eye(4), [0, 1, 0, 1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Journal(folder, {"search": "sfs"}, task, np.random.SeedSequence(0)).path(2).name[-12:]
    '-002.journal'
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
        if opaque := list(dict.fromkeys(opaque_parts(settings))):
            raise ValueError(
                f"a journal cannot distinguish {opaque[0]} from another object of its kind: give "
                "it an attribute journal_key='a name and version' (and change that whenever the "
                "object changes), or use no journal."
            )
        data = {
            "digest": task.fingerprint,
            "rows": task.n_rows,
            "columns": task.n_columns,
            "kind": task.kind,
        }
        entropy = [seed.entropy, list(seed.spawn_key)]
        found_by: list[Any] = [settings, data, entropy]
        if drawn:
            found_by[2] = "drawn"
        key = digest(json.dumps(found_by, sort_keys=True, default=str))
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
        self.logs: list[RestartLog] = []

    def path(self, number: int) -> Path:
        """Return the path of the file of one restart."""
        return self.folder / f"{self.stem}-{number:03d}.journal"

    def announce(self, search: object, space: Space, verbose: int) -> None:
        """Print before the run how much space relevances will take."""
        if verbose and getattr(search, "asks_relevance", False):
            most = 8 * (space.n_units + len(space.blocks[0].fixed))
            print(
                f"subsel: each request for relevances takes up to {most:,} bytes of the journal",
                file=sys.stderr,
            )

    def open(self, restarts: int, horizon: int | None) -> list[RestartLog]:
        """Open the file of each restart, and check that it belongs to this run."""
        header = {**self.header, "horizon": horizon}
        file: RecordFile | None = None
        try:
            for number in range(restarts):
                file = RecordFile(self.path(number), {**header, "restart": number})
                self.logs.append(RestartLog(file))
                self.check(file)
        except BaseException:
            if file is not None:  # one that no log holds yet, where an interruption fell between
                file.close()
            self.close()
            raise
        self.seconds = max(log.total for log in self.logs)
        self.flush_at = self._sync_at = 0.0
        return self.logs

    def check(self, file: RecordFile) -> None:
        """Check that a file belongs to this run."""
        names = ("versions", "configuration", "data", "seed")
        ours, theirs = (
            {name: head.get(name) for name in names} for head in (self.header, file.header)
        )
        if found := differences(ours, theirs):
            raise JournalMismatch(
                f"{file.path} is the journal of another run ({'; '.join(found)}): "
                "restore these settings, or use another directory."
            )

    @property
    def replaying(self) -> bool:
        """Whether some restart still has recorded answers to replay."""
        return any(log.replaying for log in self.logs)

    def flush(self, seconds: float, histories: list[History]) -> None:
        """Write what is new; the next call is due a second later, at ``flush_at``."""
        for log, history in zip(self.logs, histories):
            log.flush(seconds, history)
        self.flush_at = seconds + FLUSH
        if seconds >= self._sync_at:
            self._sync_at = seconds + _SYNC
            for log in self.logs:
                log.file.sync()

    def end(self, seconds: float, histories: list[History], reasons: list[str]) -> None:
        """Write what is not yet written, and what ended each restart."""
        self.flush(seconds, histories)
        for log, reason in zip(self.logs, reasons):
            log.end(reason)

    def close(self) -> None:
        """Close all files, even if closing one of them is interrupted."""
        with ExitStack() as closing:
            for log in self.logs:
                closing.callback(log.file.close)
