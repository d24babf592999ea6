"""Walks moved together against as many restarts, and what the engine costs. ``python -m benchmarks.walkers``.

With ``--seconds S`` the quality that settings of RFS1 reach in S seconds of processor time each, paired over seeds, on
MADELON (5-nearest neighbours; ``--data`` names a folder of ``madelon.npz`` other than the repository's) and on a ridge problem of 2,000 x 500;
what has ended is kept and not run again (:mod:`benchmarks.walkers_quality`), ``--only`` names a problem or a setting.
"""

import argparse
import tempfile
from time import process_time

import numpy as np
from tests.real_tables import add_data_option

from benchmarks.table import Row, write
from benchmarks.walkers_quality import ridge_problem, study
from subsel.criteria import LeastSquares
from subsel.criteria.base import Evaluator
from subsel.criteria.traits import Traits
from subsel.data.task import Task
from subsel.engine import run
from subsel.engine.journal.journal import Journal
from subsel.search import Annealing, Distribution, Genetic, HillClimbing, RandomSampling, RandomWalk
from subsel.space.space import Space

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


def ridge_rates(rounds=10):
    """Evaluations a second (CPU time) of walkers and of restarts, with one evaluator of the same table."""
    space, evaluator = Space.of(500, low=15, high=25), LeastSquares().bind(ridge_problem())

    def walk(walkers):
        return RandomWalk(c=10.0, patience=10**9, walkers=walkers)

    from subsel._loops.linear import subsets  # noqa: F401  (so that both are measured with compiled code)

    run(walk(64), evaluator.fork(), space, budget=64 * 20)
    found = []
    for walkers, restarts in ((WALKERS, 1), (1, WALKERS)):
        begin = process_time()
        result = run(
            walk(walkers),
            evaluator.fork(),
            space,
            budget=walkers * rounds,
            restarts=restarts,
            seed=0,
        )
        found.append(result.n_evaluations / (process_time() - begin))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--seconds", type=float, help="the study of quality, with so many seconds a run"
    )
    parser.add_argument("--seeds", type=int, default=20)
    add_data_option(parser)
    parser.add_argument(
        "--only", default="", help="a part of the names of problem and setting, as in the table"
    )
    given = parser.parse_args()
    if given.seconds:
        study(given.seconds, given.seeds, given.data, given.only)
    else:
        costs()


def costs():
    """What a candidate costs beside its evaluation, and walkers against restarts."""
    rows = []
    walks = RandomWalk(c=1e-6, patience=10**9, walkers=BATCH), HillClimbing(10**9, walkers=BATCH)
    bred = Genetic(BATCH, patience=10**9), Distribution("marginals", BATCH, patience=10**9)
    for search in (
        *walks,
        Annealing(n_flips=1, walkers=BATCH),
        RandomSampling(walkers=BATCH),
        *bred,
    ):
        took = per_candidate(search, 1000, 100 if search not in bred else 20)
        many = "members" if search in bred else "walkers"
        name = f"{type(search).__name__}, {BATCH:,} {many}, p = 1,000"
        rows.append(Row(name, "1 us and the walk", f"{took:.2f} us a candidate", ""))
    together, apart = ridge_rates()
    shown = f"{together:,.0f} against {apart:,.0f} a second"
    holds = "yes" if together >= 3 * apart else "NO"
    rows.append(
        Row(
            f"ridge 2,000 x 500, {WALKERS:,} walkers against restarts",
            "3x",
            f"{shown}: {together / apart:.1f}x",
            holds,
        )
    )
    write("walkers", "Walks moved together (CPU time)", ("job", "asked", "seen", "holds"), rows)


if __name__ == "__main__":
    main()
