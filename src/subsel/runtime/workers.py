"""Running independent tasks on workers, with recovery when a worker dies."""

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

DEATHS = 3  # deaths of workers in a row, without a finished task, after which a run fails


class Workers:
    """Runs ``function(shared, *task)`` for many tasks, here or on joblib's active backend.

    The shared object is sent to each worker once: as memory-mapped files (processes), scattered
    (dask), in the object store (ray), or as it is (threads, one job). Tasks must not change it,
    since threads share it. No worker is started before the first task.

    Parameters
    ----------
    function : callable
        A function that can be imported or that cloudpickle can pickle.
    shared : object
        The data of all tasks.
    n_jobs : int or None
        The number of workers, as in joblib; None is the setting of :func:`joblib.parallel_config`.
        With one job the tasks run in this process, in order.
    sharedmem : bool
        Whether tasks change `shared`, each its own part, so that workers must be threads.
    apart : bool
        Whether tasks may hang, so that they run in one process that can be killed, where that is
        possible.
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
        """The pool of workers; None if tasks run in this process."""
        if not self._chosen:
            if self.apart:
                self._pool = IsolatedProcess.where_possible(self.function, self.shared)
            else:
                self._pool = choose_pool(self.function, self.shared, self.n_jobs, self.sharedmem)
            self._chosen = True
        return self._pool

    @property
    def width(self) -> int:
        """The number of tasks that can run at the same time."""
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
        """Yield the number and the answer of each task, in the order in which they finish.

        An error in a task is raised. A worker that dies is replaced, and its tasks are run again.
        Leaving the loop stops all running tasks.

        Parameters
        ----------
        tasks : iterable of tuple
            The further arguments of the function for each task.
        deadline : float
            The time of ``perf_counter`` after which only the first `at_least` tasks are run.
        at_least : int
            The number of tasks that are run in spite of the deadline.
        overdue : float
            The time of ``perf_counter`` at which these are stopped, too.
        """
        if self.pool is not None:
            yield from _Run(self.pool, tasks, deadline, at_least, overdue).answers()
            return
        for index, task in enumerate(tasks):
            if index >= at_least and perf_counter() >= deadline:
                return
            yield index, self.function(self.shared, *task)

    def ordered(self, tasks: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
        """Yield the answers in the order of the tasks, each as soon as all before it are known."""
        early: dict[int, Any] = {}
        following = 0
        for index, answer in self.run(tasks):
            early[index] = answer
            while following in early:
                yield early.pop(following)
                following += 1


class _Run:
    """One run of tasks in a pool.

    Many tasks can be lost when one worker dies, and dask and ray report them one by one: a task
    that was submitted before the last recovery and is lost after it does not count as a new death.
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
        self.new_tasks = enumerate(tasks)
        self.lost_tasks: list[tuple[int, tuple[Any, ...]]] = []  # a heap
        self.running: dict[Any, _Submitted] = {}
        self.finished: SimpleQueue[Any] = SimpleQueue()
        self.deaths = self.recoveries = 0
        self.idle_since, self.warn_after = perf_counter(), PATIENCE

    def answers(self) -> Iterator[tuple[int, Any]]:
        """Yield the number and the answer of each task, in the order in which they finish."""
        try:
            while self._fill():
                if self._late() and all(
                    out.number >= self.at_least for out in self.running.values()
                ):
                    return
                if perf_counter() >= self.overdue:
                    return
                for future in self._wait():
                    if future not in self.running:  # lost with others, and submitted again
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
        """Submit tasks while there is room; return whether any are running."""
        while len(self.running) < self.pool.room:
            if self.lost_tasks:
                index, task = heappop(self.lost_tasks)
            else:
                index, task = next(self.new_tasks, (-1, ()))
            if index < 0 or (index >= self.at_least and self._late()):
                break
            out = _Submitted(index, task, self.recoveries)
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
        """Return finished futures: at least one, unless a second or the deadline passes before."""
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

    def _recover(self, out: _Submitted, cause: BaseException) -> None:
        """Queue lost tasks again, and renew the pool; raise an error after too many deaths.

        Parameters
        ----------
        out : _Submitted
            The task whose future failed.
        cause : BaseException
            The error that tells that a worker died.
        """
        lost = [out]
        if self.pool.breaks:
            lost += self.running.values()
            self.running.clear()
        for one in lost:
            heappush(self.lost_tasks, (one.number, one.task))
        if out.recoveries < self.recoveries:
            return
        self.deaths += 1
        self.recoveries += 1
        what = f"{type(cause).__name__}: {(str(cause) or 'no message').splitlines()[0]}"
        if self.deaths > DEATHS:
            raise RuntimeError(
                f"workers died {self.deaths} times in a row without finishing a task ({what}). The "
                "usual cause is memory: use fewer workers (n_jobs) or larger machines. Another is "
                "a crash in the estimator: try it with n_jobs=1."
            ) from cause
        warnings.warn(f"a worker died ({what}); its tasks are run again.", WorkerDied, stacklevel=2)
        self.pool.renew(cause)

    def _watch(self) -> None:
        """Warn, and finally raise an error, if the pool has had no workers for some time."""
        now = perf_counter()
        if self.pool.width > 0:
            self.idle_since, self.warn_after = now, PATIENCE
        elif now - self.idle_since > self.warn_after:
            tell_of_idleness(now - self.idle_since)
            self.warn_after = LIMIT


class _Submitted(NamedTuple):
    """A task that was submitted."""

    number: int  # its position among the tasks
    task: tuple[Any, ...]  # the arguments of the function
    recoveries: int  # the number of recoveries of the run before it was submitted


IDLE = 60.0  # seconds without work after which the process ends
# at most one executor that the last run left, which saves the next run the start of a process
_idle: list[ProcessPoolExecutor] = []


class IsolatedProcess:
    """A pool of one process, in whose tasks parallelism is not restricted."""

    breaks = True
    width = room = 1

    def __init__(self, function: Callable[..., Any], shared: object) -> None:
        self.function, self._shared = function, SharedObject.write(shared)
        self._executor: ProcessPoolExecutor | None = None
        working.add(self)

    @classmethod
    def where_possible(cls, function: Callable[..., Any], shared: object) -> IsolatedProcess | None:
        """Return such a pool; None if no process can be started, or `shared` cannot be pickled."""
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
        """The id of the running process."""
        if self._executor is None:
            return []
        return list(self._executor._processes)

    def submit(self, task: tuple[Any, ...]) -> Future[Any]:
        """Start a task."""
        return self._submit(_perform, self.function, self._shared, task)

    def _submit(self, function: Callable[..., Any], *given: object) -> Future[Any]:
        if self._executor is None and _idle:
            self._executor = _idle.pop()
        if self._executor is None:
            self._executor = ProcessPoolExecutor(1, timeout=IDLE)
        future: Future[Any] = self._executor.submit(partial(function, os.getpid(), *given))
        return future

    def died(self, error: BaseException) -> bool:
        """Whether an error of a future means that a worker died."""
        return isinstance(error, (BrokenProcessPool, ShutdownExecutorError))

    def renew(self, cause: BaseException) -> None:  # noqa: ARG002 (of every pool)
        """Make the pool usable again after a worker died."""
        self._kill()

    def abandon(self, futures: Iterable[Future[Any]]) -> None:
        """Cancel tasks; kill the process if one has begun."""
        if not all(future.cancel() for future in futures):
            self._kill()

    def close(self) -> None:
        """End the pool."""
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


def _load(master: int, shared: SharedObject) -> None:
    """Load the shared object in the process, to find out whether that is possible."""
    serve(master)
    shared.load()


def _perform(
    master: int, function: Callable[..., Any], shared: SharedObject, task: tuple[Any, ...]
) -> object:
    """Run a task in the process."""
    serve(master)
    return function(shared.load(), *task)
