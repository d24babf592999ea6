"""Hamiltonian Monte Carlo: one chain whose proposals follow the gradient of the log density."""

from __future__ import annotations

from typing import Protocol

import numpy as np

__all__ = ["Chain", "StepSize", "Target", "leapfrog"]

DIVERGED = 1000.0  # an energy lost or won beyond this is a failure of the integrator


class Target(Protocol):
    """What is sampled: a density of ``size`` coordinates, and hyperparameters that are drawn between trajectories."""

    size: int

    def start(self, rng: np.random.Generator) -> np.ndarray:
        """Give the first position."""

    def refresh(self, position: np.ndarray, rng: np.random.Generator) -> None:
        """Draw the hyperparameters, and what of the position is better drawn with them (in place)."""

    def scales(self) -> np.ndarray | float:
        """Give the step of each coordinate in units of the common step size; they may follow the hyperparameters."""

    def density(self, position: np.ndarray, gradient: np.ndarray) -> float:
        """Give the log density but for a constant, and write its gradient."""

    def draw(self, position: np.ndarray) -> np.ndarray:
        """Give what is kept of the present state."""


def leapfrog(
    target: Target,
    position: np.ndarray,
    momentum: np.ndarray,
    gradient: np.ndarray,
    step: np.ndarray,
    n_steps: int,
) -> float:
    """Follow the Hamiltonian for some steps, in place, and give the log density at the end.

    ``gradient`` holds that of the log density at the start, and at the end.

    >>> from subsel.literature.models.bayes.logistic_target import LogisticTarget
    >>> target = LogisticTarget(np.ones((2, 1)), np.array([0.0, 1.0]), np.ones(2), True, 1.0)
    >>> q, p, g = np.zeros(2), np.ones(2), np.zeros(2)
    >>> before = target.density(q, g) - 0.5 * p @ p
    >>> after = leapfrog(target, q, p, g, np.full(2, 0.01), 20) - 0.5 * p @ p
    >>> bool(abs(after - before) < 1e-4)
    True
    """
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
    """A step size tuned towards a wanted acceptance by dual averaging.

    References
    ----------
    .. [1] Hoffman and Gelman, *The No-U-Turn sampler*, Journal of Machine Learning Research 15, 2014, section 3.2.

    Examples
    --------
    >>> step = StepSize(0.5)
    >>> for _ in range(100):
    ...     step.learn(1.0)
    >>> step.value > 0.5
    True
    """

    def __init__(self, value: float, wanted: float = 0.8) -> None:
        self.value, self.wanted = value, wanted
        self._centre, self._error, self._mean, self._n = np.log(10 * value), 0.0, np.log(value), 0

    def learn(self, acceptance: float) -> None:
        """Lengthen the step where proposals are accepted too often."""
        self._n += 1
        self._error += (self.wanted - acceptance - self._error) / (self._n + 10)
        logarithm = self._centre - np.sqrt(self._n) / 0.05 * self._error
        self._mean += self._n**-0.75 * (logarithm - self._mean)
        self.value = float(np.exp(logarithm))

    def settle(self) -> None:
        """Keep the averaged step from now on."""
        self.value = float(np.exp(self._mean))


class Chain:
    """A Markov chain that leaves the target invariant: hyperparameters, then a trajectory, in turn [1]_.

    References
    ----------
    .. [1] Neal, *MCMC using Hamiltonian dynamics*, Handbook of Markov Chain Monte Carlo, 2011, chapter 5; the scheme
       with hyperparameters drawn in between is that of Neal, *Bayesian Learning for Neural Networks*, 1996, chapter 3.

    Examples
    --------
    >>> from subsel.literature.models.bayes.logistic_target import LogisticTarget
    >>> X, y = np.array([[-1.0], [-2.0], [1.0], [2.0]]), np.array([0.0, 0.0, 1.0, 1.0])
    >>> chain = Chain(LogisticTarget(X, y, np.ones(4), True, 1.0), np.random.default_rng(0), n_leapfrog=5)
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
        # a step that varies keeps trajectories from closing on themselves
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
