"""One process apart, for work that may hang: it can be killed, and this process goes on."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from typing import Any

from joblib.externals.loky.process_executor import ProcessPoolExecutor, ShutdownExecutorError

from subsel.runtime.pools import inside_dask
from subsel.runtime.processes import KEPT, serve, working
from subsel.runtime.shared_arrays import Mapped

__all__ = ["Apart"]

IDLE = 60.0  # seconds without work after which the process ends
_idle: list[
    ProcessPoolExecutor
] = []  # the one that the last run has left, to spare the next the start


class Apart:
    """A pool of one process, which is not a worker among others: what is parallel inside its tasks stays so."""

    breaks = True
    width = room = 1

    def __init__(self, function: Callable[..., Any], shared: object) -> None:
        self.function, self._shared = function, Mapped.write(shared)
        self._executor: ProcessPoolExecutor | None = None
        working.add(self)

    @classmethod
    def where_possible(cls, function: Callable[..., Any], shared: object) -> Apart | None:
        """Start one; None where no process may be started, or what is shared cannot be sent to it."""
        if inside_dask() or multiprocessing.current_process().daemon:
            return None
        try:
            pool = cls(function, shared)
        except Exception:
            return None
        try:
            pool._submit(_load, pool._shared).result()
        except Exception:
            pool._kill()
            pool.close()
            return None
        return pool

    @property
    def pids(self) -> list[int]:
        """The process at work."""
        if self._executor is None:
            return []
        return list(self._executor._processes)

    def submit(self, task: tuple[Any, ...]) -> Future[Any]:
        return self._submit(_perform, self.function, self._shared, task)

    def _submit(self, function: Callable[..., Any], *given: object) -> Future[Any]:
        if self._executor is None and _idle:
            self._executor = _idle.pop()
        if self._executor is None:
            self._executor = ProcessPoolExecutor(1, timeout=IDLE)
        future: Future[Any] = self._executor.submit(partial(function, os.getpid(), *given))
        return future

    def died(self, error: BaseException) -> bool:
        return isinstance(error, (BrokenProcessPool, ShutdownExecutorError))

    def renew(self, cause: BaseException) -> None:  # noqa: ARG002 (of every pool)
        self._kill()

    def abandon(self, futures: Iterable[Future[Any]]) -> None:
        """Kill the process, unless it had not begun."""
        if not all(future.cancel() for future in futures):
            self._kill()

    def close(self) -> None:
        if self._shared.size > KEPT or _idle:
            self._kill()
        elif self._executor is not None:
            _idle.append(self._executor)
        self._executor = None
        self._shared.remove()

    def _kill(self) -> None:
        if self._executor is not None:
            self._executor.shutdown(kill_workers=True)
        self._executor = None


def _load(giver: int, shared: Mapped) -> None:
    serve(giver)
    shared.load()


def _perform(
    giver: int, function: Callable[..., Any], shared: Mapped, task: tuple[Any, ...]
) -> object:
    serve(giver)
    return function(shared.load(), *task)
