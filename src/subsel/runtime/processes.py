"""Processes of this machine, which map the data into memory and can be killed."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from functools import cache, partial
from threading import Thread
from time import sleep
from typing import Any, Protocol, TypeAlias
from weakref import WeakSet

from joblib import Parallel, parallel_config
from joblib.externals.loky.process_executor import ShutdownExecutorError
from joblib.parallel import get_active_backend

from subsel.runtime.shared_arrays import SharedObject, is_running

__all__ = ["KEPT", "Backend", "Processes", "kill_workers", "perform", "serve", "working"]

KEPT = 100_000_000  # bytes of maps that idle processes may keep


Backend: TypeAlias = Any
"""A backend of joblib, which has no types."""


def perform(function: Callable[..., Any], shared: object, task: tuple[Any, ...]) -> object:
    """Run one task, without parallelism inside it, since the other workers are busy."""
    with parallel_config(backend="sequential"):
        return function(shared, *task)


class Processes:
    """The pool of joblib's processes (loky), which map the shared object from files."""

    breaks = True

    def __init__(
        self, function: Callable[..., Any], shared: object, n_jobs: int, backend: Backend
    ) -> None:
        if type(backend).__name__ == "MultiprocessingBackend":
            with parallel_config(backend="loky"):
                backend = get_active_backend()[0]
        self.width, self.room = n_jobs, 2 * n_jobs
        self.function, self.backend = function, backend
        self._shared = SharedObject.write(shared)
        working.add(self)
        self._start()

    @property
    def pids(self) -> list[int]:
        """The ids of the running processes."""
        if self._killed:
            return []
        return list(self.backend._workers._processes)

    def renew(self, cause: BaseException) -> None:  # noqa: ARG002 (of every pool)
        """Make the pool usable again after a worker died."""
        self.backend.terminate()
        self._start()

    def _start(self) -> None:
        self.backend.configure(n_jobs=self.width, parallel=Parallel(n_jobs=self.width))
        self._killed = False

    def submit(self, task: tuple[Any, ...]) -> Future[Any]:
        """Start a task."""
        if self._killed:
            self._start()
        future: Future[Any] = self.backend.submit(
            partial(_perform_mapped, self.function, self._shared, os.getpid(), task)
        )
        return future

    def died(self, error: BaseException) -> bool:
        """Whether an error of a future means that a worker died."""
        return isinstance(error, (BrokenProcessPool, ShutdownExecutorError))

    def abandon(self, futures: Iterable[Future[Any]]) -> None:
        """Cancel tasks; kill the processes if some have begun, which would keep cores busy."""
        stopped = [future.cancel() for future in futures]
        if not all(stopped):
            self._kill()

    def close(self) -> None:
        """End the pool."""
        if self._shared.size > KEPT:
            self._kill()
        elif not self._killed:
            self.backend.terminate()
        self._shared.remove()

    def _kill(self) -> None:
        if not self._killed:
            self.backend.abort_everything(ensure_ready=False)
            self._killed = True


class _HasPids(Protocol):
    @property
    def pids(self) -> list[int]:
        """The ids of the running processes."""


working: WeakSet[_HasPids] = WeakSet()  # the open pools, for `kill_workers`


def kill_workers() -> None:
    """Kill the processes of all open pools, at once."""
    for pool in list(working):
        for pid in pool.pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM if os.name == "nt" else signal.SIGKILL)


@cache
def serve(master: int) -> None:
    """Prepare this worker process: ignore Ctrl-C, and end when the process `master` ends.

    `master` is the id of the process that submits tasks, which handles Ctrl-C.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with, args=(master, os.getppid()), daemon=True).start()


def _end_with(master: int, parent: int) -> None:
    """End this process when its parent changes or `master` has ended."""
    while os.getppid() == parent and is_running(master):
        sleep(0.5)
    os._exit(1)


def _perform_mapped(
    function: Callable[..., Any], shared: SharedObject, master: int, task: tuple[Any, ...]
) -> object:
    """Run a task in a worker process, which maps the shared object of a run once."""
    serve(master)
    return perform(function, shared.load(), task)
