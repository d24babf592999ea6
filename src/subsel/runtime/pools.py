"""Pools of workers: threads, processes, dask or ray clusters, by joblib's active backend."""

from __future__ import annotations

import sys
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from time import perf_counter, sleep
from typing import Any, Protocol
from uuid import uuid4

import numpy as np
from joblib import cpu_count
from joblib.parallel import get_active_backend
from threadpoolctl import ThreadpoolController, threadpool_limits

from subsel.runtime.processes import Backend, Processes, perform

__all__ = ["Pool", "WorkerDied", "choose_pool", "inside_dask", "tell_of_idleness"]

CLUSTERS = ("DaskDistributedBackend", "RayBackend")
PATIENCE = 10.0  # seconds without workers before a warning
LIMIT = 600.0  # seconds without workers before an error
SENDINGS = 5  # times that data are sent to a cluster whose workers leave meanwhile


class WorkerDied(UserWarning):
    """A worker died and its tasks are run again, or a cluster has no workers at the moment."""


def tell_of_idleness(seconds: float) -> None:
    """Warn that the cluster has had no workers; raise an error after `LIMIT` seconds."""
    if seconds >= LIMIT:
        raise TimeoutError(
            f"the cluster has had no workers for {seconds:.0f} seconds; start some and run again."
        )
    warnings.warn("the cluster has no workers: waiting for some to join.", WorkerDied, stacklevel=4)


class Pool(Protocol):
    """Runs ``function(shared, *task)`` for many tasks; ``shared`` is sent to each worker once.

    Attributes
    ----------
    breaks : bool
        Whether all tasks are lost if one worker dies.
    width : int
        The number of tasks that can run at the same time.
    room : int
        The number of tasks that should be submitted at a time.

    Notes
    -----
    ``submit`` starts a task. ``died`` tells whether an error of a future means that a worker died;
    after that, ``renew`` makes the pool usable again. ``abandon`` stops tasks, and ``close`` ends
    the pool.
    """

    breaks: bool

    @property
    def width(self) -> int:
        """The number of tasks that can run at the same time."""

    @property
    def room(self) -> int:
        """The number of tasks that should be submitted at a time."""

    def submit(self, task: tuple[Any, ...]) -> Future[Any]:
        """Start a task."""

    def died(self, error: BaseException) -> bool:
        """Whether an error of a future means that a worker died."""

    def renew(self, cause: BaseException) -> None:
        """Make the pool usable again after a worker died."""

    def abandon(self, futures: Iterable[Any]) -> None:
        """Stop tasks that are no longer needed."""

    def close(self) -> None:
        """End the pool."""


def choose_pool(
    function: Callable[..., Any], shared: object, n_jobs: int | None, sharedmem: bool
) -> Pool | None:
    """Return the pool for joblib's active backend; None if there is only one worker.

    Parameters
    ----------
    function : callable
        The function of a task.
    shared : object
        The data of all tasks.
    n_jobs : int or None
        The number of workers, as in joblib. By default all workers of a cluster are used.
    sharedmem : bool
        Whether the workers must be threads, whatever the backend.
    """
    prefer = "processes"
    if sharedmem:
        prefer = "threads"
    backend, configured = get_active_backend(prefer=prefer)
    if n_jobs is None:
        n_jobs = configured
    if n_jobs == 1 or inside_dask():
        return None
    kinds = {kind.__name__ for kind in type(backend).__mro__}
    if kinds.isdisjoint(CLUSTERS):
        if n_jobs is None:
            n_jobs = backend.default_n_jobs
        n_jobs = backend.effective_n_jobs(n_jobs)
        sharedmem = sharedmem or getattr(backend, "supports_sharedmem", False)
    elif sharedmem:
        n_jobs = cpu_count()
    if n_jobs == 1:
        return None
    if sharedmem:
        return Threads(function, shared, n_jobs)
    if not kinds.isdisjoint(CLUSTERS):
        most = np.inf
        if n_jobs is not None and n_jobs >= 0:
            most = n_jobs
        kind = Ray if "RayBackend" in kinds else Dask
        return kind(function, shared, most, backend)
    if kinds.isdisjoint(("LokyBackend", "MultiprocessingBackend")):
        raise ValueError(
            "joblib's backend must be loky, multiprocessing, threading, dask or ray, "
            f"got {type(backend).__name__}."
        )
    return Processes(function, shared, n_jobs, backend)


# This machine ---------------------------------------------------------------------------------


class Threads:
    """Threads of this process, with the cores divided among the numeric libraries' own threads."""

    breaks = False

    def __init__(self, function: Callable[..., Any], shared: object, n_jobs: int) -> None:
        self.width, self.room = n_jobs, 2 * n_jobs
        self._perform = partial(perform, function, shared)
        share = max(1, cpu_count() // n_jobs)
        self._limits = threadpool_limits(share)
        self._threads = ThreadPoolExecutor(
            n_jobs, "subsel", initializer=_limit_openmp, initargs=(share,)
        )

    def submit(self, task: tuple[Any, ...]) -> Future[Any]:
        """Start a task."""
        return self._threads.submit(self._perform, task)

    def died(self, error: BaseException) -> bool:  # noqa: ARG002 (of every pool)
        """Whether an error of a future means that a worker died."""
        return False

    def renew(self, cause: BaseException) -> None:
        """Do nothing, since a thread does not die without its process."""

    def abandon(self, futures: Iterable[Future[Any]]) -> None:
        """Stop tasks that are no longer needed."""
        for future in futures:
            future.cancel()

    def close(self) -> None:
        """End the pool."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._limits.restore_original_limits()


def _limit_openmp(n_threads: int) -> None:
    """Limit the OpenMP threads of the calling thread, for which OpenMP counts separately."""
    ThreadpoolController().select(user_api="openmp").limit(limits=n_threads)


# Clusters -------------------------------------------------------------------------------------


class _Cluster(ABC):
    """Base class of clusters, whose workers join and leave, and which replace dead ones."""

    breaks = False

    def __init__(
        self, function: Callable[..., Any], shared: object, most: float, backend: Backend
    ) -> None:
        self.function, self.shared, self.most, self.backend = function, shared, most, backend
        self._count_time, self._last_count = -np.inf, 1
        self._send()

    @property
    def width(self) -> int:
        """The number of workers at the moment, counted about once a second, at most `most`."""
        now = perf_counter()
        if now - self._count_time > 1.0:
            self._count_time, self._last_count = now, self._count()
        return int(min(self.most, self._last_count))

    @property
    def room(self) -> int:
        """The number of tasks to submit at a time, enough for workers that may join."""
        if self.most < np.inf:
            return int(self.most)
        return max(4 * self.width, 64)

    @abstractmethod
    def _count(self) -> int:
        """Return the number of workers that the cluster has now."""

    @abstractmethod
    def _send(self) -> None:
        """Send the shared object to the workers."""

    def close(self) -> None:
        """End the pool."""
        self.shared = None


class Dask(_Cluster):
    """A dask cluster: the shared object is scattered to all workers.

    Workers that join later fetch it from others, as do those whose copy dask's memory manager
    dropped.
    """

    def _count(self) -> int:
        return sum(self.backend.client.nthreads().values())

    def _send(self) -> None:
        for attempt in range(1, SENDINGS + 1):
            waited = self._wait_for_workers()
            # an adaptive cluster ends workers that have nothing to do, also while they receive data
            busy = []
            if waited or attempt > 1:
                busy = [self.backend.client.submit(sleep, 1.0, pure=False)]
            try:
                [self._data] = self.backend.client.scatter(
                    [self.shared], broadcast=True, hash=False
                )
                return
            except OSError:  # a worker left with the connection open
                if attempt == SENDINGS:
                    raise
            finally:
                for future in busy:
                    future.release()

    def _wait_for_workers(self) -> bool:
        """Wait until there is a worker to scatter to; return whether there was none.

        A task that waits makes an adaptive cluster start one.
        """
        from distributed import TimeoutError

        if self._count():
            return False
        waiting = self.backend.client.submit(_nothing, pure=False)
        try:
            waiting.result(timeout=PATIENCE)
        except TimeoutError:
            tell_of_idleness(PATIENCE)
            try:
                waiting.result(timeout=LIMIT - PATIENCE)
            except TimeoutError:
                tell_of_idleness(LIMIT)
        return True

    def renew(self, cause: BaseException) -> None:  # noqa: ARG002 (of every pool)
        """Make the pool usable again after a worker died."""
        if self._data.status != "finished":  # the last worker with a copy died
            self._send()

    def submit(self, task: tuple[Any, ...]) -> Future[Any]:
        """Start a task."""
        key = f"subsel-{uuid4().hex}"
        future: Future[Any] = self.backend.client.submit(
            perform,
            self.function,
            self._data,
            task,
            key=key,
            pure=False,
            **self.backend.submit_kwargs,
        )
        return future

    def died(self, error: BaseException) -> bool:
        """Whether an error of a future means that a worker died."""
        return type(error).__name__ in ("KilledWorker", "CancelledError", "FutureCancelledError")

    def abandon(self, futures: Iterable[Any]) -> None:
        """Stop tasks that are no longer needed."""
        self.backend.client.cancel(list(futures))

    def close(self) -> None:
        """End the pool."""
        super().close()
        self._data = None


def _nothing() -> None:
    """Do nothing on a worker."""


class Ray(_Cluster):
    """A ray cluster: the object store has one copy of the shared object per machine.

    Arrays are read from there without copying.
    """

    def __init__(
        self, function: Callable[..., Any], shared: object, most: float, backend: Backend
    ) -> None:
        import ray

        self._remote = ray.remote(_perform_fetched).options(
            max_retries=0, **(backend.ray_remote_args or {})
        )
        super().__init__(function, shared, most, backend)

    def _count(self) -> int:
        import ray

        return int(ray.cluster_resources().get("CPU", 0))

    def renew(self, cause: BaseException) -> None:
        """Make the pool usable again after a worker died."""
        import ray

        if isinstance(cause, ray.exceptions.ObjectLostError):
            self._send()

    def _send(self) -> None:
        import ray

        self._token = uuid4().hex
        self._data: Any = ray.put(self.shared)

    def submit(self, task: tuple[Any, ...]) -> Future[Any]:
        """Start a task."""
        reference = self._remote.remote(self.function, self._token, [self._data], task)
        future: Future[Any] = reference.future()
        future.reference = reference  # type: ignore[attr-defined]
        return future

    def died(self, error: BaseException) -> bool:
        """Whether an error of a future means that a worker died."""
        from ray import exceptions

        lost = (
            exceptions.WorkerCrashedError,
            exceptions.NodeDiedError,
            exceptions.ObjectLostError,
            exceptions.OutOfMemoryError,
        )
        return isinstance(error, lost)

    def abandon(self, futures: Iterable[Any]) -> None:
        """Stop tasks that are no longer needed."""
        import ray

        for future in futures:
            ray.cancel(future.reference, force=True)

    def close(self) -> None:
        """End the pool."""
        super().close()
        self._data = None


_fetched: tuple[str, Any] = ("", None)  # the token and shared object of a ray worker's last run


def _perform_fetched(
    function: Callable[..., Any], token: str, data: list[Any], task: tuple[Any, ...]
) -> object:
    """Run a task on a ray worker, which fetches the shared object of a run once."""
    global _fetched
    if _fetched[0] != token:
        import ray

        _fetched = ("", None)
        _fetched = token, ray.get(data[0])
    return perform(function, _fetched[1], task)


def inside_dask() -> bool:
    """Whether this runs in a task of a dask worker, where waiting for other tasks may never end."""
    if "distributed" not in sys.modules:
        return False
    from distributed.utils import thread_state

    return hasattr(thread_state, "execution_state")
