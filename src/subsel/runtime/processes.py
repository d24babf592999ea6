"""Processes of this machine, which map the data and can be killed."""

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

from subsel.runtime.shared_arrays import SharedObject

__all__ = ["KEPT", "Backend", "Processes", "kill_workers", "perform", "serve", "working"]

KEPT = 100_000_000  # bytes of maps that idle processes may go on holding


Backend: TypeAlias = Any
"""A backend of joblib, which has no types."""


def perform(function: Callable[..., Any], shared: object, task: tuple[Any, ...]) -> object:
    """Do one task; what is parallel inside it is not: the workers are busy."""
    with parallel_config(backend="sequential"):
        return function(shared, *task)


class Processes:
    """Joblib's own processes (loky), with the shared object in files that they map."""

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
        """The processes at work."""
        if self._killed:
            return []
        return list(self.backend._workers._processes)

    def renew(self, cause: BaseException) -> None:  # noqa: ARG002 (of every pool)
        self.backend.terminate()
        self._start()

    def _start(self) -> None:
        self.backend.configure(n_jobs=self.width, parallel=Parallel(n_jobs=self.width))
        self._killed = False

    def submit(self, task: tuple[Any, ...]) -> Future[Any]:
        if self._killed:
            self._start()
        future: Future[Any] = self.backend.submit(
            partial(_perform_mapped, self.function, self._shared, os.getpid(), task)
        )
        return future

    def died(self, error: BaseException) -> bool:
        return isinstance(error, (BrokenProcessPool, ShutdownExecutorError))

    def abandon(self, futures: Iterable[Future[Any]]) -> None:
        """Kill the processes: what they are at would keep cores busy for nothing."""
        stopped = [future.cancel() for future in futures]
        if not all(stopped):
            self._kill()

    def close(self) -> None:
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
    def pids(self) -> list[int]: ...


working: WeakSet[_HasPids] = WeakSet()  # the pools whose processes are killed when nobody can wait


def kill_workers() -> None:
    """Kill the processes of all pools, for one who cannot wait."""
    for pool in list(working):
        for pid in pool.pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM if os.name == "nt" else signal.SIGKILL)


@cache
def serve(giver: int) -> None:
    """In a worker: leave Ctrl-C to the process that handed out the work, of this id, and end when that is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with, args=(giver, os.getppid()), daemon=True).start()


def _end_with(giver: int, parent: int) -> None:
    while os.getppid() == parent and _is_there(giver):
        sleep(0.5)
    os._exit(1)


def _is_there(pid: int) -> bool:
    """Whether a process lives; where signal 0 would end it, it is taken to."""
    if os.name == "nt":
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # it lives, and is another user's
        pass
    return True


def _perform_mapped(
    function: Callable[..., Any], shared: SharedObject, giver: int, task: tuple[Any, ...]
) -> object:
    serve(giver)
    return perform(function, shared.load(), task)
