"""The sampler against distributions that are known."""

import _thread
import sys
from threading import Event

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from subsel.models.bayes import chains
from subsel.models.bayes.chains import Chain, Sampling, leapfrog, sample_posterior
from subsel.models.bayes.posterior import autocovariance, effective_sample_size, r_hat
from tests.oracles.clock import Clock
from tests.oracles.screen import Screen


class Gaussian:
    """A normal distribution with given mean and covariance."""

    def __init__(self, mean, covariance):
        self.mean, self.precision, self.size = mean, np.linalg.inv(covariance), len(mean)

    def start(self, rng):
        return rng.standard_normal(self.size)

    def refresh(self, position, rng):
        """No hyperparameters."""

    def scales(self):
        return 1.0

    def density(self, position, gradient):
        gradient[:] = -self.precision @ (position - self.mean)
        return 0.5 * gradient @ (position - self.mean)

    def draw(self, position):
        return position


MEAN = np.array([1.0, -2.0, 0.5])
COVARIANCE = np.array([[1.0, 0.8, 0.0], [0.8, 2.0, -0.3], [0.0, -0.3, 0.25]])


def gaussian():
    return Gaussian(MEAN, COVARIANCE)


def test_gaussian_posterior_is_reproduced():
    """Means and products of deviations agree with the truth.

    The tolerance is five standard errors by effective sample size.
    """
    posterior = sample_posterior(gaussian, Sampling(3, 200, 1500, 8), random_state=0)
    z = np.stack(posterior.chains) - MEAN
    products = np.stack([z[..., i] * z[..., j] for i in range(3) for j in range(i, 3)], axis=-1)
    truth = np.array([COVARIANCE[i, j] for i in range(3) for j in range(i, 3)])
    for draws, expected in ((z, np.zeros(3)), (products, truth)):
        size = effective_sample_size(draws)
        assert (size > 300).all()
        error = draws.std(axis=(0, 1)) / np.sqrt(size)
        assert (np.abs(draws.mean(axis=(0, 1)) - expected) < 5 * error).all()
        assert (error < 0.15).all()
    assert (posterior.r_hat < 1.02).all()
    assert ((posterior.acceptance > 0.6) & (posterior.acceptance < 0.95)).all()
    assert not posterior.n_diverged.any()


def test_leapfrog_can_be_reversed_and_conserves_energy():
    """Turning the momentum round leads back to the start.

    The error of the energy falls with the square of the step.
    """
    target, rng = gaussian(), np.random.default_rng(0)
    start, kick = rng.standard_normal(3), rng.standard_normal(3)

    def trajectory(step, n_steps):
        q, p, g = start.copy(), kick.copy(), np.empty(3)
        before = target.density(q, g) - 0.5 * p @ p
        after = leapfrog(target, q, p, g, np.full(3, step), n_steps) - 0.5 * p @ p
        return q, p, g, after - before

    q, p, g, error = trajectory(0.1, 20)
    p *= -1
    leapfrog(target, q, p, g, np.full(3, 0.1), 20)
    assert_allclose(q, start, atol=1e-12)
    assert abs(trajectory(0.05, 40)[3] / error) == pytest.approx(0.25, rel=0.1)


def test_coarse_steps_are_corrected_by_rejection():
    """With long steps and many rejections the moments of a normal distribution are right."""
    chain = Chain(
        Gaussian(np.zeros(2), np.eye(2)), np.random.default_rng(0), n_leapfrog=2, step=1.65
    )
    draws, acceptance = [], []
    for _ in range(12_000):
        chain.sweep()
        draws.append(chain.position)
        acceptance.append(chain.acceptance)
    assert 0.3 < np.mean(acceptance) < 0.85
    for values, expected in (
        (np.array(draws), 0),
        (np.array(draws) ** 2, 1),
        (np.array(draws) ** 4, 3),
    ):
        error = values.std(axis=0) / np.sqrt(effective_sample_size(values[None]))
        assert (np.abs(values.mean(axis=0) - expected) < 5 * error).all()


def test_number_of_jobs_does_not_change_the_draws():
    """Each chain has its own random numbers, whoever runs it."""
    one, two = (sample_posterior(gaussian, Sampling(3, 20, 30, 4), 0, n_jobs=k) for k in (1, 2))
    assert_array_equal(one.draws, two.draws)
    assert not np.array_equal(one.chains[0], one.chains[1])


class Interrupting(Gaussian):
    """Ctrl-C arrives in the main thread after some sweeps; the threads stop when they are told."""

    left = 25

    def refresh(self, position, rng):
        Interrupting.left -= 1
        if Interrupting.left == 0:
            _thread.interrupt_main()
            assert self.stop.wait(60)


@pytest.mark.parametrize(("n_warmup", "n_drawn"), [(5, 20), (40, 1)])
def test_interrupted_run_gives_what_was_drawn(n_warmup, n_drawn, monkeypatch):
    """Ctrl-C ends the chains.

    The draws so far, or the state within the warm-up, come back with a note.
    """
    stop = Event()
    monkeypatch.setattr(chains, "Event", lambda: stop)
    monkeypatch.setattr(Interrupting, "left", 25)
    monkeypatch.setattr(Interrupting, "stop", stop, raising=False)
    posterior = sample_posterior(
        lambda: Interrupting(MEAN, COVARIANCE), Sampling(2, n_warmup, 60, 2), 0, n_jobs=1
    )
    assert posterior.note == f"interrupted after 25 of {2 * (n_warmup + 60)} sweeps"
    assert len(posterior.draws) == n_drawn
    assert np.isfinite(posterior.draws).all()


class Waiting(Gaussian):
    """Goes on when the first line of progress is on the screen, and not before."""

    def __init__(self, screen):
        super().__init__(MEAN, COVARIANCE)
        self.screen, self.begun = screen, False

    def refresh(self, position, rng):
        assert self.begun or self.screen.awaits()
        self.begun = True


def test_progress_is_written_while_chains_run(monkeypatch):
    """With verbose a line now and then says how many sweeps are done."""
    screen = Screen()
    Clock(step=1.5).rule(monkeypatch, "models.bayes.chains")
    monkeypatch.setattr(chains, "REPORT", 2.0)
    monkeypatch.setattr(sys, "stderr", screen)
    sample_posterior(lambda: Waiting(screen), Sampling(1, 5, 15, 5), 0, verbose=1)
    assert screen.getvalue().startswith("subsel: 0 of 20 sweeps in 3 s\n")


def test_effective_sample_size_of_an_autoregression():
    """For correlation phi between neighbours it is (1 - phi) / (1 + phi) of the number of draws."""
    rng = np.random.default_rng(0)
    phi, noise = np.array([0.0, 0.5, 0.9, -0.5]), rng.standard_normal((4, 20_000, 4))
    draws = np.empty_like(noise)
    draws[:, 0] = noise[:, 0]
    for t in range(1, draws.shape[1]):
        draws[:, t] = phi * draws[:, t - 1] + np.sqrt(1 - phi**2) * noise[:, t]
    assert_allclose(effective_sample_size(draws) / 80_000, (1 - phi) / (1 + phi), rtol=0.1)
    assert_allclose(r_hat(draws), 1, atol=2e-3)


def test_autocovariance_is_the_mean_of_products():
    """The Fourier transform gives the sums of lagged products."""
    chain = np.random.default_rng(0).standard_normal((17, 2))
    z = chain - chain.mean(axis=0)
    slow = [(z[: 17 - lag] * z[lag:]).sum(axis=0) / 17 for lag in range(17)]
    assert_allclose(autocovariance(chain), slow, atol=1e-12)


def test_constants_and_short_chains_have_defined_diagnostics():
    """What never moves is known exactly; with fewer than four draws there is no answer."""
    assert_allclose(r_hat(np.ones((2, 10, 1))), 1)
    assert_allclose(effective_sample_size(np.ones((2, 10, 1))), 20)
    assert np.isnan(effective_sample_size(np.ones((2, 3, 1)))).all()
    assert np.isnan(r_hat(np.ones((2, 3, 1)))).all()


@pytest.mark.parametrize(
    "options", [{"n_chains": 0}, {"n_draws": 0}, {"n_leapfrog": 0}, {"n_warmup": -1}]
)
def test_wrong_lengths_are_named(options):
    """A message names the number that is out of its range."""
    with pytest.raises(ValueError, match=next(iter(options))):
        Sampling(**options)
