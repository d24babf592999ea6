"""Walks moved together against as many restarts, and what the engine costs. ``python -m benchmarks.walkers``.

With ``--seconds S`` the quality that settings of RFS1 reach in S seconds of processor time each, paired over seeds, on
MADELON (5-nearest neighbours; ``--data`` names the folder of ``madelon.npz``) and on a ridge problem of 2,000 x 500.
"""

import argparse
import tempfile
from pathlib import Path
from time import process_time

import numpy as np

from benchmarks.table import Row, write
from subsel.criteria import LeastSquares, NearestNeighbours
from subsel.criteria.base import Evaluator
from subsel.criteria.traits import Traits
from subsel.engine import run
from subsel.engine.journal import Journal
from subsel.search import Annealing, Distribution, Genetic, HillClimbing, RandomSampling, RandomWalk
from subsel.space import Space
from subsel.task import Task

WALKERS, BATCH = 1024, 4096


class Constant(Evaluator):
    """A quality in no time: the hash key of the subset."""

    traits = Traits("constant time")

    def evaluate(self, candidates):
        return (candidates.keys % np.uint64(1_000_003)).astype(float)


def per_candidate(search, p, rounds=100):
    """Microseconds of CPU time a candidate, with a journal, the start of the walks left out."""
    space, task, seconds = Space.of(p), Task.of(np.eye(4, p), np.arange(4) % 2), []
    for n in (1, 1 + rounds):
        with tempfile.TemporaryDirectory() as folder:
            journal = Journal(folder, {"search": search}, task, np.random.SeedSequence(0))
            begin = process_time()
            run(search, Constant(), space, budget=n * BATCH, seed=0, journal=journal)
            seconds.append(process_time() - begin)
    return 1e6 * (seconds[1] - seconds[0]) / (rounds * BATCH)


def ridge_problem(n=2000, p=500):
    """Fifteen columns and noise."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, p))
    return Task.of(X, X[:, :15].sum(axis=1) + 2 * rng.standard_normal(n), "regression")


def ridge_rates(rounds=10):
    """Evaluations a second (CPU time) of walkers and of restarts, with one evaluator of the same table."""
    space, evaluator = Space.of(500, low=15, high=25), LeastSquares().bind(ridge_problem())
    walk = lambda walkers: RandomWalk(c=10.0, patience=10**9, walkers=walkers)
    from subsel._loops import subsets  # noqa: F401  (so that both are measured with compiled code)

    run(walk(64), evaluator.fork(), space, budget=64 * 20)
    found = []
    for walkers, restarts in ((WALKERS, 1), (1, WALKERS)):
        begin = process_time()
        result = run(walk(walkers), evaluator.fork(), space, budget=walkers * rounds, restarts=restarts, seed=0)
        found.append(result.n_evaluations / (process_time() - begin))
    return found


SETTINGS = {"1 walk": (1, 1), "8 restarts": (1, 8), "64 walkers": (64, 1), "1,024 walkers": (1024, 1)}


def problems(folder):
    """The evaluators of the study, and what may be searched."""
    ridge = LeastSquares().bind(ridge_problem())
    yield "ridge 2,000 x 500", ridge, Space.of(500, low=1, high=25)
    if (folder / "madelon.npz").exists():
        with np.load(folder / "madelon.npz") as file:
            X, y, train = file["X"].astype(float), file["y"], file["split"] == 0
        yield (
            "MADELON, 5-NN",
            NearestNeighbours(5, cv=5).bind(Task.of(X[train], y[train])),
            Space.of(500, low=1, high=25),
        )


def reached(walkers, restarts, evaluator, space, seconds, seed):
    """The best quality after so many seconds of processor time, evaluations, and the seconds: no batch is cut short."""
    begin = process_time()
    late = lambda progress: process_time() - begin >= seconds
    search = RandomWalk(walkers=walkers, patience=10**9)
    result = run(search, evaluator.fork(), space, restarts=restarts, seed=seed, n_jobs=1, callbacks=[late])
    return result.best_quality, result.n_evaluations, process_time() - begin


def study(seconds, seeds, folder):
    """Every setting on every problem with the same seeds, in turn; each against the first."""
    rows = []
    for name, evaluator, space in problems(folder):
        reached(64, 1, evaluator, space, 0.1, 0)  # loads compiled code
        found = {key: [] for key in SETTINGS}
        for seed in range(seeds):
            for key, (walkers, restarts) in SETTINGS.items():
                found[key].append(reached(walkers, restarts, evaluator, space, seconds, seed))
        first = np.array([quality for quality, _, _ in found["1 walk"]])
        for key, pairs in found.items():
            quality, asked, took = np.array(pairs).T
            gain = quality - first
            error = gain.std(ddof=1) / np.sqrt(seeds) if seeds > 1 else np.nan
            better = f"{(gain > 0).sum()} better, {(gain < 0).sum()} worse"
            rows.append(
                (
                    name,
                    key,
                    f"{quality.mean():.4f}",
                    f"{gain.mean():+.4f} +- {error:.4f}",
                    better,
                    f"{asked.mean():,.0f}",
                    f"{took.mean():.1f}",
                )
            )
            print(rows[-1], flush=True)
    title = f"Quality of RFS1 in {seconds:g} s of processor time, {seeds} seeds, paired with one walk"
    header = ("problem", "setting", "quality", "gain", "seeds", "evaluations", "CPU s")
    write("walkers_quality", title, header, rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, help="the study of quality, with so many seconds a run")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    given = parser.parse_args()
    if given.seconds:
        study(given.seconds, given.seeds, given.data)
    else:
        costs()


def costs():
    """What a candidate costs beside its evaluation, and walkers against restarts."""
    rows = []
    walks = RandomWalk(c=1e-6, patience=10**9, walkers=BATCH), HillClimbing(10**9, walkers=BATCH)
    bred = Genetic(BATCH, patience=10**9), Distribution("marginals", BATCH, patience=10**9)
    for search in (*walks, Annealing(n_flips=1, walkers=BATCH), RandomSampling(walkers=BATCH), *bred):
        took = per_candidate(search, 1000, 100 if search not in bred else 20)
        many = "members" if search in bred else "walkers"
        name = f"{type(search).__name__}, {BATCH:,} {many}, p = 1,000"
        rows.append(Row(name, "1 us and the walk", f"{took:.2f} us a candidate", ""))
    together, apart = ridge_rates()
    shown = f"{together:,.0f} against {apart:,.0f} a second"
    holds = "yes" if together >= 3 * apart else "NO"
    rows.append(
        Row(
            f"ridge 2,000 x 500, {WALKERS:,} walkers against restarts", "3x", f"{shown}: {together / apart:.1f}x", holds
        )
    )
    write("walkers", "Walks moved together (CPU time)", ("job", "asked", "seen", "holds"), rows)


if __name__ == "__main__":
    main()
