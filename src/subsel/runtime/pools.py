"""Who does the work: threads, processes, a dask cluster or a ray cluster, as joblib's active backend says."""

from __future__ import annotations

import sys
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from time import perf_counter
from typing import Any, Protocol
from uuid import uuid4

import numpy as np
from joblib import cpu_count
from joblib.parallel import get_active_backend
from threadpoolctl import ThreadpoolController, threadpool_limits

from subsel.runtime.processes import Backend, Processes, perform

__all__ = ["Pool", "WorkerDied", "choose_pool", "inside_dask", "tell_of_idleness"]

CLUSTERS = ("DaskDistributedBackend", "RayBackend")
PATIENCE = 10.0  # seconds without any worker before the user is told
LIMIT = 600.0  # and before the run is given up


class WorkerDied(UserWarning):
    """A worker died and its tasks are done again, or there are no workers at the moment."""


def tell_of_idleness(seconds: float) -> None:
    """Say why nothing happens, or end it."""
    if seconds >= LIMIT:
        raise TimeoutError(
            f"the cluster has had no workers for {seconds:.0f} seconds: start some and run again."
        )
    warnings.warn("the cluster has no workers: waiting for some to join.", WorkerDied, stacklevel=4)


class Pool(Protocol):
    """Does ``function(shared, *task)`` for many tasks; ``shared`` reaches each worker once.

    ``width`` is the number of tasks that can run at once, ``room`` how many should be in its hands. A pool that
    ``breaks`` loses all its tasks when one worker dies; after any death ``renew`` makes it fit for use again.
    """

    breaks: bool

    @property
    def width(self) -> int: ...
    @property
    def room(self) -> int: ...
    def submit(self, task: tuple[Any, ...]) -> Future[Any]: ...
    def died(self, error: BaseException) -> bool: ...
    def renew(self, cause: BaseException) -> None: ...
    def abandon(self, futures: Iterable[Any]) -> None: ...
    def close(self) -> None: ...


def choose_pool(
    function: Callable[..., Any], shared: object, n_jobs: int | None, sharedmem: bool
) -> Pool | None:
    """The pool for joblib's active backend; None where one worker is all there is.

    With ``sharedmem`` the workers are threads, whatever the backend. A cluster is used whole, or with at most
    ``n_jobs`` tasks at once. Inside a worker there is one worker.
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
            f"joblib's backend {type(backend).__name__} is not known here: choose loky, threading, dask or ray."
        )
    return Processes(function, shared, n_jobs, backend)


# This machine -------------------------------------------------------------------------------------------------------


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
        return self._threads.submit(self._perform, task)

    def died(self, error: BaseException) -> bool:  # noqa: ARG002 (of every pool)
        return False

    def renew(self, cause: BaseException) -> None:
        """Threads do not die alone."""

    def abandon(self, futures: Iterable[Future[Any]]) -> None:
        for future in futures:
            future.cancel()

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._limits.restore_original_limits()


def _limit_openmp(n_threads: int) -> None:
    """OpenMP counts its threads per calling thread, so each sets its own."""
    ThreadpoolController().select(user_api="openmp").limit(limits=n_threads)


# Clusters -----------------------------------------------------------------------------------------------------------


class _Cluster(ABC):
    """Workers elsewhere, which come and go; their scheduler gives the tasks of a dead one to others."""

    breaks = False

    def __init__(
        self, function: Callable[..., Any], shared: object, most: float, backend: Backend
    ) -> None:
        self.function, self.shared, self.most, self.backend = function, shared, most, backend
        self._looked, self._seen = -np.inf, 1
        self._send()

    @property
    def width(self) -> int:
        """Workers at the moment, looked up about once a second."""
        now = perf_counter()
        if now - self._looked > 1.0:
            self._looked, self._seen = now, self._count()
        return int(min(self.most, self._seen))

    @property
    def room(self) -> int:
        """Enough for workers that may join."""
        if self.most < np.inf:
            return int(self.most)
        return max(4 * self.width, 64)

    @abstractmethod
    def _count(self) -> int:
        """How many workers the cluster has now."""

    @abstractmethod
    def _send(self) -> None:
        """Send the shared object."""

    def close(self) -> None:
        self.shared = None


class Dask(_Cluster):
    """A dask cluster: the shared object is scattered to all workers, later ones fetch it from their peers.

    Copies that dask's own memory manager drops while nothing is to be done are fetched again.
    """

    def _count(self) -> int:
        return sum(self.backend.client.nthreads().values())

    def _send(self) -> None:
        self._wait_for_workers()
        [self._data] = self.backend.client.scatter([self.shared], broadcast=True, hash=False)

    def _wait_for_workers(self) -> None:
        """Data go to workers only; a task that waits makes an adaptive cluster start one."""
        from distributed import TimeoutError

        if self._count():
            return
        waiting = self.backend.client.submit(_nothing, pure=False)
        try:
            waiting.result(timeout=PATIENCE)
        except TimeoutError:
            tell_of_idleness(PATIENCE)
            try:
                waiting.result(timeout=LIMIT - PATIENCE)
            except TimeoutError:
                tell_of_idleness(LIMIT)

    def renew(self, cause: BaseException) -> None:  # noqa: ARG002 (of every pool)
        if self._data.status != "finished":  # gone with the last worker that had it
            self._send()

    def submit(self, task: tuple[Any, ...]) -> Future[Any]:
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
        return type(error).__name__ in ("KilledWorker", "CancelledError", "FutureCancelledError")

    def abandon(self, futures: Iterable[Any]) -> None:
        self.backend.client.cancel(list(futures))

    def close(self) -> None:
        super().close()
        self._data = None


def _nothing() -> None:
    """Do nothing, somewhere."""


class Ray(_Cluster):
    """A ray cluster: the shared object lies in the object store, one copy a machine, and arrays are read in place."""

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
        import ray

        if isinstance(cause, ray.exceptions.ObjectLostError):
            self._send()

    def _send(self) -> None:
        import ray

        self._token = uuid4().hex
        self._data: Any = ray.put(self.shared)

    def submit(self, task: tuple[Any, ...]) -> Future[Any]:
        reference = self._remote.remote(self.function, self._token, [self._data], task)
        future: Future[Any] = reference.future()
        future.reference = reference  # type: ignore[attr-defined]
        return future

    def died(self, error: BaseException) -> bool:
        from ray import exceptions

        lost = (
            exceptions.WorkerCrashedError,
            exceptions.NodeDiedError,
            exceptions.ObjectLostError,
            exceptions.OutOfMemoryError,
        )
        return isinstance(error, lost)

    def abandon(self, futures: Iterable[Any]) -> None:
        import ray

        for future in futures:
            ray.cancel(future.reference, force=True)

    def close(self) -> None:
        super().close()
        self._data = None


_fetched: tuple[str, Any] = ("", None)  # what this ray worker has read: it serves one run at a time


def _perform_fetched(
    function: Callable[..., Any], token: str, data: list[Any], task: tuple[Any, ...]
) -> object:
    global _fetched
    if _fetched[0] != token:
        import ray

        _fetched = ("", None)
        _fetched = token, ray.get(data[0])
    return perform(function, _fetched[1], task)


def inside_dask() -> bool:
    """Whether this runs in a task of a dask worker, where waiting for other tasks could wait for ever."""
    if "distributed" not in sys.modules:
        return False
    from distributed.utils import thread_state

    return hasattr(thread_state, "execution_state")
