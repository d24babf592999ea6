"""The inconsistency evaluator against grouping rows with ``np.unique``, and the cost of importing the library."""

import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from statistics import median
from time import perf_counter, process_time

import numpy as np

from benchmarks.evaluators_linear import Row
from subsel.criteria import Inconsistency
from subsel.data.task import Task
from subsel.space.candidates import Candidates
from subsel.space.space import Space


def rows() -> Iterator[Row]:
    """Forward steps and single flips for tables of 1,000 and 10,000 rows."""
    for n in (1_000, 10_000):
        rng = np.random.default_rng(0)
        X, y = rng.integers(0, 3, (n, 100)).astype(float), rng.integers(0, 2, n)
        evaluator, space = Inconsistency().bind(Task.of(X, y)), Space.of(100)
        base = space.subset(range(5))
        additions = space.additions(base)
        walk = [space.flip(base, u) for u in range(5, 45)]
        evaluator.evaluate(additions)
        evaluator.evaluate(Candidates.of(space, walk[:1]))
        step = partial(evaluator.evaluate, additions)
        name = f"inconsistency forward step, {n:,} x 100, s=5"
        yield _row(name, step, X, y, additions, at_least=100, aim=500)
        flips = partial(_one_by_one, evaluator, space, walk)
        name = f"inconsistency one flip, {n:,} x 100"
        yield _row(name, flips, X, y, Candidates.of(space, walk), at_least=60, aim=150)


def _one_by_one(evaluator, space, subsets) -> np.ndarray:
    return np.concatenate(
        [evaluator.evaluate(Candidates.of(space, [subset])) for subset in subsets]
    )


def _row(job, ours, X, y, candidates, *, at_least, aim) -> Row:
    some = candidates.columns()[:20]
    own, peer = [], []
    for _ in range(5):
        begin = process_time()
        qualities = ours()
        own.append((process_time() - begin) / len(candidates))
        begin = process_time()
        expected = [_by_unique(X, y, columns) for columns in some]
        peer.append((process_time() - begin) / len(some))
    assert np.allclose(qualities[:20], expected)
    return Row(job, "np.unique(axis=0)", median(peer), median(own), at_least, aim)


def _by_unique(X, y, columns) -> float:
    _, group = np.unique(X[:, columns], axis=0, return_inverse=True)
    counts = np.bincount(2 * group.ravel() + y, minlength=2 * (group.max() + 1)).reshape(-1, 2)
    return counts.max(axis=1).sum() / len(y) - 1.0


def import_seconds() -> float:
    """Wall time of ``import subsel`` in a fresh interpreter, less that of an empty one; median of 5."""
    took = {"pass": [], "import subsel": []}
    for _ in range(5):
        for code, seconds in took.items():
            begin = perf_counter()
            subprocess.run([sys.executable, "-c", code], check=True)
            seconds.append(perf_counter() - begin)
    return median(took["import subsel"]) - median(took["pass"])
