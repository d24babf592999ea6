"""Several chains side by side: threads, progress, and an end when asked."""

from __future__ import annotations

import sys
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from threading import Event, Lock
from time import perf_counter
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from sklearn.utils import check_random_state
from threadpoolctl import threadpool_limits

from subsel.models.bayes.hmc import Chain, Target
from subsel.models.bayes.posterior import Posterior

__all__ = ["Sampling", "sample_posterior"]

REPORT = 2.0  # seconds between two lines of progress


@dataclass(frozen=True)
class Sampling:
    """How long to sample.

    Attributes
    ----------
    n_chains : int
        Independent chains.
    n_warmup : int
        Sweeps of each chain that tune the step size and are forgotten.
    n_draws : int
        Sweeps of each chain that are kept.
    n_leapfrog : int
        Steps of one trajectory.

    Examples
    --------
    >>> Sampling(n_draws=0)
    Traceback (most recent call last):
        ...
    ValueError: n_draws must be at least 1, got 0.
    """

    n_chains: int = 2
    n_warmup: int = 200
    n_draws: int = 200
    n_leapfrog: int = 20

    def __post_init__(self) -> None:
        for name in ("n_chains", "n_draws", "n_leapfrog"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, got {getattr(self, name)!r}.")
        if self.n_warmup < 0:
            raise ValueError(f"n_warmup must not be negative, got {self.n_warmup!r}.")


def sample_posterior(
    make_target: Callable[[], Target],
    sampling: Sampling,
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Posterior:
    """Run the chains, each with its own stream of random numbers, so that ``n_jobs`` cannot change the draws.

    Ctrl-C ends the run: what was drawn so far is returned with a note. A chain interrupted in its warm-up gives its
    present state; one that had not begun gives nothing.

    Parameters
    ----------
    make_target : callable
        Gives a new target, for a chain of its own.
    sampling : Sampling
        How long.
    random_state : int, RandomState or None
        Seeds all chains.
    n_jobs : int or None
        Chains run at a time, in threads.
    verbose : int
        Where positive, a line of progress is written to standard error every few seconds.

    Returns
    -------
    Posterior
        The draws.

    Examples
    --------
    >>> from subsel.literature.models.bayes.logistic_target import LogisticTarget
    >>> X, y = np.array([[-1.0], [-2.0], [1.0], [2.0]]), np.array([0.0, 0.0, 1.0, 1.0])
    >>> target = lambda: LogisticTarget(X, y, np.ones(4), True, 1.0)
    >>> posterior = sample_posterior(target, Sampling(n_draws=100, n_leapfrog=5), random_state=0)
    >>> bool(posterior.draws[:, 1].mean() > 0)  # columns: intercept, weight, scale, ...
    True
    """
    seed = int(check_random_state(random_state).randint(2**31 - 1))
    runs = [
        _Run(make_target, sampling, np.random.default_rng([seed, k]))
        for k in range(sampling.n_chains)
    ]
    stop, interrupted = Event(), False
    with threadpool_limits(1), ThreadPoolExecutor(effective_n_jobs(n_jobs)) as pool:
        futures: list[Future] = []
        try:
            futures += [pool.submit(run.go, stop) for run in runs]
            _watch(futures, runs, verbose)
        except KeyboardInterrupt:
            stop.set()
            interrupted = True
    for future in futures:
        future.result()
    for run in runs:
        run.finish()
    begun = [run for run in runs if run.n_done]
    if not begun:
        raise KeyboardInterrupt
    done = sum(run.n_done for run in runs)
    total = sampling.n_chains * (sampling.n_warmup + sampling.n_draws)
    note = ""
    if interrupted and done < total:
        note = f"interrupted after {done:,} of {total:,} sweeps"
    return Posterior(
        [np.array(run.draws) for run in begun],
        np.array([np.mean(run.acceptances) for run in begun]),
        np.array([run.n_diverged for run in begun]),
        note,
    )


class _Run:
    """One chain and what it has done so far."""

    def __init__(
        self, make_target: Callable[[], Target], sampling: Sampling, rng: np.random.Generator
    ) -> None:
        self.make_target, self.sampling, self.rng = make_target, sampling, rng
        self.n_done, self.n_diverged = 0, 0
        self._busy = Lock()
        self.draws: list[np.ndarray] = []
        self.acceptances: list[float] = []

    def go(self, stop: Event) -> None:
        """Warm up and draw, until done or told to stop."""
        with self._busy:
            self._go(stop)

    def finish(self) -> None:
        """Wait until it is at rest: Ctrl-C while threads are being started leaves some that the pool has forgotten."""
        with self._busy:
            pass

    def _go(self, stop: Event) -> None:
        target = self.make_target()
        chain = Chain(target, self.rng, self.sampling.n_leapfrog)
        for i in range(self.sampling.n_warmup + self.sampling.n_draws):
            if stop.is_set():
                break
            if i == self.sampling.n_warmup and i:
                chain.step.settle()
            chain.sweep(adapt=i < self.sampling.n_warmup)
            self.n_done += 1
            if i >= self.sampling.n_warmup:
                self._keep(chain)
        if self.n_done and not self.draws:
            self._keep(chain)
        self.n_diverged = chain.n_diverged

    def _keep(self, chain: Chain) -> None:
        self.draws.append(np.array(chain.target.draw(chain.position)))
        self.acceptances.append(chain.acceptance)


def _watch(futures: list[Future], runs: list[_Run], verbose: int) -> None:
    """Wait for the chains, saying now and then how far they are; wake often enough to notice Ctrl-C on any system."""
    begin, s = perf_counter(), runs[0].sampling
    total = s.n_chains * (s.n_warmup + s.n_draws)
    due = REPORT if verbose > 0 else np.inf
    while wait(futures, timeout=min(REPORT, 0.2)).not_done:
        seconds = perf_counter() - begin
        if seconds >= due:
            due, done = seconds + REPORT, sum(run.n_done for run in runs)
            left = ""
            if done:
                left = f", {seconds * (total - done) / done:.0f} s left"
            print(
                f"subsel: {done:,} of {total:,} sweeps in {seconds:.0f} s{left}",
                file=sys.stderr,
                flush=True,
            )
