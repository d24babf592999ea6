"""Markov chains by Hamiltonian Monte Carlo, run in threads, with progress and interruption."""

from __future__ import annotations

import sys
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from threading import Event, Lock
from time import perf_counter
from typing import Any, Protocol

import numpy as np
from joblib import effective_n_jobs
from sklearn.utils import check_random_state
from threadpoolctl import threadpool_limits

from subsel.models.bayes.posterior import Posterior

__all__ = ["Chain", "Sampling", "StepSize", "Target", "leapfrog", "sample_posterior"]

REPORT = 2.0  # seconds between two lines of progress


@dataclass(frozen=True)
class Sampling:
    """The length of a run.

    Attributes
    ----------
    n_chains : int
        The number of independent chains.
    n_warmup : int
        The sweeps of each chain that tune the step size and are discarded.
    n_draws : int
        The sweeps of each chain that are recorded.
    n_leapfrog : int
        The steps of one trajectory.

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
    """Run several chains and collect their draws.

    Each chain has its own stream of random numbers, so that ``n_jobs`` does not change the draws.

    Ctrl-C ends the run; the draws so far are returned with a note. A chain interrupted in its
    warm-up contributes its current state, one that had not started nothing.

    Parameters
    ----------
    make_target : callable
        Creates a new target; it is called once per chain.
    sampling : Sampling
        The length of the run.
    random_state : int, RandomState or None
        The seed of all chains.
    n_jobs : int or None
        The number of chains run at a time, in threads.
    verbose : int
        Where positive, a line of progress is written to standard error every few seconds.

    Returns
    -------
    Posterior
        The draws and their diagnostics.

    Examples
    --------
    >>> from subsel.literature.models.bayes.bayesian_logistic import LogisticTarget
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
            futures += [pool.submit(run.execute, stop) for run in runs]
            _watch(futures, runs, verbose)
        except KeyboardInterrupt:
            stop.set()
            interrupted = True
    for future in futures:
        future.result()
    for run in runs:
        run.finish()
    started = [run for run in runs if run.n_done]
    if not started:
        raise KeyboardInterrupt
    n_done = sum(run.n_done for run in runs)
    total = sampling.n_chains * (sampling.n_warmup + sampling.n_draws)
    note = ""
    if interrupted and n_done < total:
        note = f"interrupted after {n_done:,} of {total:,} sweeps"
    return Posterior(
        [np.array(run.draws) for run in started],
        np.array([np.mean(run.acceptances) for run in started]),
        np.array([run.n_diverged for run in started]),
        note,
    )


class _Run:
    """A chain with its draws so far."""

    def __init__(
        self, make_target: Callable[[], Target], sampling: Sampling, rng: np.random.Generator
    ) -> None:
        self.make_target, self.sampling, self.rng = make_target, sampling, rng
        self.n_done, self.n_diverged = 0, 0
        self._busy = Lock()
        self.draws: list[np.ndarray] = []
        self.acceptances: list[float] = []

    def execute(self, stop: Event) -> None:
        """Warm up and draw, until the run is complete or ``stop`` is set."""
        with self._busy:
            self._sweep(stop)

    def finish(self) -> None:
        """Wait until the chain has stopped.

        Ctrl-C during the start of threads leaves some that the pool does not wait for.
        """
        with self._busy:
            pass

    def _sweep(self, stop: Event) -> None:
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
    """Wait for the chains and report their progress.

    It wakes often enough to notice Ctrl-C on any system.
    """
    begin, sampling = perf_counter(), runs[0].sampling
    total = sampling.n_chains * (sampling.n_warmup + sampling.n_draws)
    due = REPORT if verbose > 0 else np.inf
    while wait(futures, timeout=min(REPORT, 0.2)).not_done:
        seconds = perf_counter() - begin
        if seconds >= due:
            due, n_done = seconds + REPORT, sum(run.n_done for run in runs)
            left = ""
            if n_done:
                left = f", {seconds * (total - n_done) / n_done:.0f} s left"
            print(
                f"subsel: {n_done:,} of {total:,} sweeps in {seconds:.0f} s{left}",
                file=sys.stderr,
                flush=True,
            )


DIVERGED = 1000.0  # a larger change of energy is a failure of the integrator


class Target(Protocol):
    """A density of ``size`` coordinates to be sampled.

    It may have hyperparameters, which are drawn between trajectories.
    """

    size: int

    def start(self, rng: np.random.Generator) -> np.ndarray:
        """Give the first position."""

    def refresh(self, position: np.ndarray, rng: np.random.Generator) -> None:
        """Draw the hyperparameters; may change ``position`` in place, jointly with them."""

    def scales(self) -> np.ndarray | float:
        """Give the step of each coordinate in units of the common step size.

        The steps may depend on the hyperparameters.
        """

    def density(self, position: np.ndarray, gradient: np.ndarray) -> float:
        """Give the log density up to a constant, and write its gradient into ``gradient``."""

    def draw(self, position: np.ndarray) -> np.ndarray:
        """Give the quantities to record of the current state."""


def leapfrog(
    target: Target,
    position: np.ndarray,
    momentum: np.ndarray,
    gradient: np.ndarray,
    step: np.ndarray,
    n_steps: int,
) -> float:
    """Integrate the Hamiltonian; updates position, momentum and gradient in place.

    All arrays have shape (size,). ``gradient`` is that of the log density, at the start and, on
    return, at the end. Returns the log density at the end, -inf if it is not finite on the way.

    >>> from subsel.literature.models.bayes.bayesian_logistic import LogisticTarget
    >>> target = LogisticTarget(np.ones((2, 1)), np.array([0.0, 1.0]), np.ones(2), True, 1.0)
    >>> q, p, g = np.zeros(2), np.ones(2), np.zeros(2)
    >>> before = target.density(q, g) - 0.5 * p @ p
    >>> after = leapfrog(target, q, p, g, np.full(2, 0.01), 20) - 0.5 * p @ p
    >>> bool(abs(after - before) < 1e-4)
    True
    """
    # the leapfrog scheme with the half steps of momentum between two positions merged into one:
    # Neal, "MCMC using Hamiltonian dynamics", 2011, section 2.3
    value = -np.inf
    momentum += 0.5 * step * gradient
    moved = np.empty_like(position)
    for i in range(n_steps):
        position += np.multiply(step, momentum, out=moved)
        value = target.density(position, gradient)
        if not np.isfinite(value):
            return -np.inf
        momentum += np.multiply(step if i < n_steps - 1 else 0.5 * step, gradient, out=moved)
    return value


class StepSize:
    """A step size tuned towards a target acceptance by dual averaging [1]_.

    References
    ----------
    .. [1] Hoffman and Gelman, *The No-U-Turn sampler*, Journal of Machine Learning Research 15,
       2014, section 3.2.

    Examples
    --------
    >>> step = StepSize(0.5)
    >>> for _ in range(100):
    ...     step.learn(1.0)
    >>> step.value > 0.5
    True
    """

    def __init__(self, value: float, target_acceptance: float = 0.8) -> None:
        self.value, self.target_acceptance = value, target_acceptance
        self._centre, self._error, self._mean, self._n = np.log(10 * value), 0.0, np.log(value), 0

    def learn(self, acceptance: float) -> None:
        """Update the step size, which grows where proposals are accepted too often."""
        # equation 6 of the paper with its constants: gamma = 0.05, t0 = 10, kappa = 0.75
        self._n += 1
        self._error += (self.target_acceptance - acceptance - self._error) / (self._n + 10)
        logarithm = self._centre - np.sqrt(self._n) / 0.05 * self._error
        self._mean += self._n**-0.75 * (logarithm - self._mean)
        self.value = float(np.exp(logarithm))

    def settle(self) -> None:
        """Use the averaged step size from now on."""
        self.value = float(np.exp(self._mean))


class Chain:
    """A Markov chain that leaves the target invariant [1]_.

    It alternates between draws of the hyperparameters and trajectories of the position.

    References
    ----------
    .. [1] Neal, *MCMC using Hamiltonian dynamics*, Handbook of Markov Chain Monte Carlo, 2011,
       chapter 5; the scheme with hyperparameters drawn in between is that of Neal, *Bayesian
       Learning for Neural Networks*, 1996, chapter 3.

    Examples
    --------
    >>> from subsel.literature.models.bayes.bayesian_logistic import LogisticTarget
    >>> X, y = np.array([[-1.0], [-2.0], [1.0], [2.0]]), np.array([0.0, 0.0, 1.0, 1.0])
    >>> target = LogisticTarget(X, y, np.ones(4), True, 1.0)
    >>> chain = Chain(target, np.random.default_rng(0), n_leapfrog=5)
    >>> for _ in range(50):
    ...     chain.sweep(adapt=True)
    >>> bool(chain.position[1] > 0)
    True
    """

    def __init__(
        self, target: Target, rng: np.random.Generator, n_leapfrog: int, step: float = 0.1
    ) -> None:
        self.target, self.rng, self.n_leapfrog = target, rng, n_leapfrog
        self.position = np.asarray(target.start(rng), dtype=np.float64)
        self.step = StepSize(step)
        self.acceptance = 0.0  # of the last proposal
        self.n_diverged = 0
        self._gradient = np.empty_like(self.position)

    def sweep(self, adapt: bool = False) -> None:
        """Draw the hyperparameters, then propose the end of a trajectory."""
        target, rng = self.target, self.rng
        target.refresh(self.position, rng)
        before = target.density(self.position, self._gradient)
        momentum = rng.standard_normal(target.size)
        energy = before - 0.5 * momentum @ momentum
        proposal, gradient = self.position.copy(), self._gradient.copy()
        # a random step size prevents periodic trajectories
        step = np.broadcast_to(
            self.step.value * rng.uniform(0.8, 1.2) * target.scales(), momentum.shape
        )
        with np.errstate(over="ignore", invalid="ignore"):
            after = leapfrog(target, proposal, momentum, gradient, step, self.n_leapfrog)
            gain = float(after - 0.5 * momentum @ momentum - energy)
        if not np.isfinite(gain):
            gain = -np.inf
        self.acceptance = float(np.exp(min(0.0, gain)))
        self.n_diverged += int(gain < -DIVERGED and not adapt)
        if rng.random() < self.acceptance:
            self.position = proposal
        if adapt:
            self.step.learn(self.acceptance)
