"""Walks moved together against as many restarts, and what the engine costs. ``python -m benchmarks.walkers``."""

import tempfile
from time import process_time

import numpy as np

from benchmarks.table import Row, write
from subsel.criteria import LeastSquares
from subsel.criteria.base import Evaluator
from subsel.criteria.traits import Traits
from subsel.engine import run
from subsel.engine.journal import Journal
from subsel.search import Annealing, HillClimbing, RandomSampling, RandomWalk
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


def ridge_rates(n=2000, p=500, rounds=10):
    """Evaluations a second (CPU time) of walkers and of restarts, with one evaluator of the same table."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, p))
    task = Task.of(X, X[:, :15].sum(axis=1) + 2 * rng.standard_normal(n), "regression")
    space, evaluator = Space.of(p, low=15, high=25), LeastSquares().bind(task)
    walk = lambda walkers: RandomWalk(c=10.0, patience=10**9, walkers=walkers)
    from subsel._loops import subsets  # noqa: F401  (so that both are measured with compiled code)

    run(walk(64), evaluator.fork(), space, budget=64 * 20)
    found = []
    for walkers, restarts in ((WALKERS, 1), (1, WALKERS)):
        begin = process_time()
        result = run(walk(walkers), evaluator.fork(), space, budget=walkers * rounds, restarts=restarts, seed=0)
        found.append(result.n_evaluations / (process_time() - begin))
    return found


def main():
    rows = []
    walks = RandomWalk(c=1e-6, patience=10**9, walkers=BATCH), HillClimbing(10**9, walkers=BATCH)
    for search in (*walks, Annealing(n_flips=1, walkers=BATCH), RandomSampling(walkers=BATCH)):
        took = per_candidate(search, 1000)
        name = f"{type(search).__name__}, {BATCH:,} walkers, p = 1,000"
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
