"""Runs independent tasks on workers, and goes on when one of them dies."""

from __future__ import annotations

import multiprocessing
import os
import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from heapq import heappop, heappush
from queue import Empty, SimpleQueue
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from joblib.externals.loky.process_executor import ProcessPoolExecutor, ShutdownExecutorError

from subsel.runtime.pools import (
    LIMIT,
    PATIENCE,
    Pool,
    WorkerDied,
    choose_pool,
    inside_dask,
    tell_of_idleness,
)
from subsel.runtime.processes import KEPT, serve, working
from subsel.runtime.shared_arrays import SharedObject

__all__ = ["IsolatedProcess", "WorkerDied", "Workers"]

DEATHS = 3  # in a row, without a task done in between, that are put up with


class Workers:
    """Does ``function(shared, *task)`` for many tasks, here or on the workers of joblib's active backend.

    ``shared`` holds the data. It reaches each worker once: as memory-mapped files (processes), scattered (dask), in
    the object store (ray), or as it is (threads, one job). Tasks must not change it, for threads have it in common.
    Nothing starts before the first task.

    Parameters
    ----------
    function : callable
        Importable, or anything that cloudpickle knows.
    shared : object
        The data.
    n_jobs : int or None
        As in joblib, None being what :func:`joblib.parallel_config` says. One job works here, in order.
    sharedmem : bool
        The tasks change ``shared``, each its own part: use threads.
    apart : bool
        The tasks may hang: one process is started for them that can be killed, where that is possible.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        shared: object,
        n_jobs: int | None = None,
        *,
        sharedmem: bool = False,
        apart: bool = False,
    ) -> None:
        self.function, self.shared, self.n_jobs = function, shared, n_jobs
        self.sharedmem, self.apart = sharedmem, apart
        self._pool: Pool | None = None
        self._chosen = False

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *error: object) -> None:
        if self._pool is not None:
            self._pool.close()
        self._pool, self._chosen = None, False

    @property
    def pool(self) -> Pool | None:
        """Who does the work; None if it is done here."""
        if not self._chosen:
            if self.apart:
                self._pool = IsolatedProcess.where_possible(self.function, self.shared)
            else:
                self._pool = choose_pool(self.function, self.shared, self.n_jobs, self.sharedmem)
            self._chosen = True
        return self._pool

    @property
    def width(self) -> int:
        """How many tasks can run at once."""
        if self.pool is None:
            return 1
        return max(1, self.pool.width)

    def run(
        self,
        tasks: Iterable[tuple[Any, ...]],
        deadline: float = np.inf,
        at_least: int = 0,
        overdue: float = np.inf,
    ) -> Iterator[tuple[int, Any]]:
        """Give the number and the answer of each task, in order of finishing.

        Past the deadline (of ``perf_counter``) only the first ``at_least`` tasks are still done; when those are
        ``overdue``, workers are stopped in the middle of them. Leaving the loop ends what is running. An error in a
        task is raised; a worker that dies is replaced and its tasks are done again.
        """
        if self.pool is not None:
            yield from _Run(self.pool, tasks, deadline, at_least, overdue).answers()
            return
        for index, task in enumerate(tasks):
            if index >= at_least and perf_counter() >= deadline:
                return
            yield index, self.function(self.shared, *task)

    def ordered(self, tasks: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
        """Give the answers in the order of the tasks, each as soon as it and all before it are there."""
        early: dict[int, Any] = {}
        following = 0
        for index, answer in self.run(tasks):
            early[index] = answer
            while following in early:
                yield early.pop(following)
                following += 1


class _Run:
    """One stream of tasks through a pool.

    Many tasks can be lost in one death, and dask and ray tell of them one by one: what was handed out before the last
    recovery and is lost after it is no new death.
    """

    def __init__(
        self,
        pool: Pool,
        tasks: Iterable[tuple[Any, ...]],
        deadline: float,
        at_least: int,
        overdue: float = np.inf,
    ) -> None:
        self.pool, self.deadline, self.at_least, self.overdue = pool, deadline, at_least, overdue
        self.fresh = enumerate(tasks)
        self.again: list[tuple[int, tuple[Any, ...]]] = []  # lost ones, a heap
        self.running: dict[Any, _Out] = {}
        self.finished: SimpleQueue[Any] = SimpleQueue()
        self.deaths = self.recoveries = 0
        self.idle_since, self.told = perf_counter(), PATIENCE

    def answers(self) -> Iterator[tuple[int, Any]]:
        try:
            while self._fill():
                if self._late() and all(
                    out.number >= self.at_least for out in self.running.values()
                ):
                    return
                if perf_counter() >= self.overdue:
                    return
                for future in self._wait():
                    if future not in self.running:  # lost with others, and on its way again
                        continue
                    out = self.running.pop(future)
                    try:
                        answer = future.result()
                    except BaseException as error:
                        if not self.pool.died(error):
                            raise
                        self._recover(out, error)
                    else:
                        self.deaths = 0
                        yield out.number, answer
        finally:
            if self.running:
                self.pool.abandon(list(self.running))

    def _late(self) -> bool:
        return perf_counter() >= self.deadline

    def _fill(self) -> bool:
        """Hand out tasks while there is room; whether any are out."""
        while len(self.running) < self.pool.room:
            if self.again:
                index, task = heappop(self.again)
            else:
                index, task = next(self.fresh, (-1, ()))
            if index < 0 or (index >= self.at_least and self._late()):
                break
            out = _Out(index, task, self.recoveries)
            try:
                future = self.pool.submit(task)
            except Exception as error:
                if not self.pool.died(error):
                    raise
                self._recover(out, error)
            else:
                self.running[future] = out
                future.add_done_callback(self.finished.put)
        return bool(self.running)

    def _wait(self) -> list[Any]:
        """What has finished: at least one, unless a second or the deadline passes first."""
        end = self.deadline
        if self._late():
            end = self.overdue
        patience = min(1.0, end - perf_counter())
        self._watch()
        try:
            done = [self.finished.get(timeout=max(0.0, patience))]
        except Empty:
            return []
        while not self.finished.empty():
            done.append(self.finished.get())
        return done

    def _recover(self, out: _Out, cause: BaseException) -> None:
        """Put what is lost back in line, and the pool on its feet."""
        lost = [out]
        if self.pool.breaks:
            lost += self.running.values()
            self.running.clear()
        for one in lost:
            heappush(self.again, (one.number, one.task))
        if out.recoveries < self.recoveries:
            return
        self.deaths += 1
        self.recoveries += 1
        what = f"{type(cause).__name__}: {(str(cause) or 'no message').splitlines()[0]}"
        if self.deaths > DEATHS:
            raise RuntimeError(
                f"workers died {self.deaths} times in a row without finishing a task ({what}). The usual cause is memory: "
                "use fewer workers (n_jobs) or larger machines; else a crash in the estimator: try it with n_jobs=1."
            ) from cause
        warnings.warn(
            f"a worker died ({what}); its tasks are done again.", WorkerDied, stacklevel=2
        )
        self.pool.renew(cause)

    def _watch(self) -> None:
        now = perf_counter()
        if self.pool.width > 0:
            self.idle_since, self.told = now, PATIENCE
        elif now - self.idle_since > self.told:
            tell_of_idleness(now - self.idle_since)
            self.told = LIMIT


class _Out(NamedTuple):
    """A task that is out."""

    number: int
    task: tuple[Any, ...]
    recoveries: int


IDLE = 60.0  # seconds without work after which the process ends
_idle: list[
    ProcessPoolExecutor
] = []  # the one that the last run has left, to spare the next the start


class IsolatedProcess:
    """A pool of one process, which is not a worker among others: what is parallel inside its tasks stays so."""

    breaks = True
    width = room = 1

    def __init__(self, function: Callable[..., Any], shared: object) -> None:
        self.function, self._shared = function, SharedObject.write(shared)
        self._executor: ProcessPoolExecutor | None = None
        working.add(self)

    @classmethod
    def where_possible(cls, function: Callable[..., Any], shared: object) -> IsolatedProcess | None:
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


def _load(giver: int, shared: SharedObject) -> None:
    serve(giver)
    shared.load()


def _perform(
    giver: int, function: Callable[..., Any], shared: SharedObject, task: tuple[Any, ...]
) -> object:
    serve(giver)
    return function(shared.load(), *task)
