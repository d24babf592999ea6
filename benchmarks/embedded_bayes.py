"""Leapfrog steps a minute of the Bayesian network: ``python -m benchmarks.embedded_bayes``."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from time import process_time

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.table import Row, write
from subsel.models.bayes.bayesian_network import NetworkTarget
from subsel.models.bayes.chains import Chain, leapfrog

CASES = ((800, 300, (20, 8)), (100, 100, (20, 8)), (2000, 500, (20, 8)))
WANTED = 10_000  # steps a minute on 800 x 300, one core


def target_of(m, n, hidden):
    """A network on normal inputs, the class being the sign of a product."""
    X = np.random.default_rng(0).standard_normal((m, n))
    return NetworkTarget(X, (X[:, 0] * X[:, 1] > 0).astype(float), np.ones(m), hidden, 1.0, 0)


def steps_a_minute(target, n_steps=300, repeats=5):
    """The best of some trajectories, by CPU time."""
    rng, seconds = np.random.default_rng(0), []
    position, gradient = target.start(rng), np.empty(target.size)
    target.density(position, gradient)
    for _ in range(repeats):
        begin = process_time()
        leapfrog(
            target,
            position.copy(),
            rng.standard_normal(target.size),
            gradient.copy(),
            1e-3 * target.scales(),
            n_steps,
        )
        seconds.append(process_time() - begin)
    return 60 * n_steps / min(seconds)


def sweep_overhead(target, n_leapfrog=100):
    """The share of a sweep of 100 steps that is not the trajectory: widths and bookkeeping."""
    chain = Chain(target, np.random.default_rng(0), n_leapfrog, step=1e-3)
    chain.sweep()
    begin = process_time()
    for _ in range(3):
        chain.sweep()
    whole = (process_time() - begin) / 3
    return 1 - 60 * n_leapfrog / steps_a_minute(target) / whole


def rows():
    for m, n, (G, H) in CASES:
        target = target_of(m, n, (G, H))
        speed = steps_a_minute(target)
        flops = 4 * m * (n * G + G * H) * speed / 60 / 1e9
        yield Row(
            f"{m} x {n}, {G} + {H} units",
            f"{speed:,.0f}",
            f"{flops:.1f}",
            f"{sweep_overhead(target):.0%}",
        )


def main():
    header = (
        "network",
        "leapfrog steps a minute",
        "GFlop/s",
        "of a sweep of 100 steps beside them",
    )
    with threadpool_limits(1):
        title = f"Hamiltonian Monte Carlo of a Bayesian network, one core (wanted: {WANTED:,} on 800 x 300)"
        write("embedded_bayes", title, header, rows())


if __name__ == "__main__":
    main()
