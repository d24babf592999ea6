"""The state of the runs in a journal, read without the data and while it is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from subsel.engine.journal.restart_log import ending_of, read_block
from subsel.runtime.record_file import JournalError, is_locked, read_header, read_records

__all__ = ["RestartState", "RunState", "read_runs"]


@dataclass(frozen=True, eq=False)
class RestartState:
    """One restart of a run.

    Attributes
    ----------
    path : Path
        The file of the restart.
    header : dict
        Versions, configuration, data and seed.
    state : str
        ``"running"``, ``"ended by ..."``, or ``"broken off"`` (killed: it can be resumed).
    evaluations : int
        Number of recorded evaluations.
    seconds : float
        Seconds of the run at the last record.
    improvements : ndarray
        Record array of every new best: evaluation, seconds, quality, size.
    columns : ndarray of int
        The columns of the best subset.
    """

    path: Path
    header: dict[str, Any] = field(repr=False)
    state: str
    evaluations: int
    seconds: float
    improvements: np.ndarray = field(repr=False)
    columns: np.ndarray

    @property
    def best(self) -> float:
        """The best guide quality so far."""
        if not len(self.improvements):
            return -np.inf
        return float(self.improvements["quality"][-1])


@dataclass(frozen=True, eq=False)
class RunState:
    """The state of a run."""

    restarts: tuple[RestartState, ...]  # one state per restart

    @property
    def header(self) -> dict[str, Any]:
        """Versions, configuration, data and seed."""
        return self.restarts[0].header

    @property
    def best(self) -> RestartState:
        """The restart with the best quality."""
        return max(self.restarts, key=lambda restart: restart.best)

    @property
    def best_names(self) -> list[str]:
        """The names of the features of the best subset so far."""
        return [self.header["names"][c] for c in self.best.columns]

    @property
    def improvements(self) -> np.ndarray:
        """Every new best of every restart, as in a result."""
        rows = [
            (r, *row.tolist())
            for r, restart in enumerate(self.restarts)
            for row in restart.improvements
        ]
        kind = [
            ("restart", "i4"),
            ("evaluation", "i8"),
            ("seconds", "f8"),
            ("quality", "f8"),
            ("size", "i4"),
        ]
        return np.array(rows, dtype=kind)


def read_runs(place: str | Path) -> list[RunState]:
    """Read all runs of a journal directory, or the run of one of its files, oldest first."""
    path = Path(place)
    if not path.exists():
        raise JournalError(f"there is no journal {path}.")
    if path.is_dir():
        files = sorted(path.glob("run-*.journal"))
    else:
        files = sorted(path.parent.glob(f"{_stem(path)}-*.journal"))
    runs = [[s for f in group if (s := _read(f)) is not None] for _, group in groupby(files, _stem)]
    found = [RunState(tuple(restarts)) for restarts in runs if restarts]
    if not found:
        raise JournalError(f"{path} has no run: give the directory that was given as journal.")
    return sorted(found, key=lambda run: run.header["created"])


def _stem(path: Path) -> str:
    """Return the part of the name that the files of a run share."""
    return path.name.rpartition("-")[0]


def _read(path: Path) -> RestartState | None:
    header = read_header(path)
    if header is None:
        return None
    evaluations, seconds, ending = 0, 0.0, None
    improvements: list[np.ndarray] = []
    columns: Sequence[int] | np.ndarray = ()
    for record in read_records(path):
        block, ending = read_block(record), ending_of(record)
        if block is not None:
            evaluations, seconds = evaluations + len(block.qualities), block.seconds
            improvements.append(block.improvements)
            if len(block.improvements):
                columns = block.columns
    if is_locked(path):
        state = "running"
    elif ending is None:
        state = "broken off"
    else:
        state = f"ended by {ending}"
    steps = np.empty(0, dtype=[("quality", "f8")])
    if improvements:
        steps = np.concatenate(improvements)
    return RestartState(
        path, header, state, evaluations, seconds, steps, np.asarray(columns, dtype=np.int64)
    )
