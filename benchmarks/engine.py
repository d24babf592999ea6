"""Cost of the machinery itself: search and engine against a criterion that takes no time. ``python -m benchmarks.engine``."""

import resource
import tracemalloc
from time import process_time

import numpy as np

from benchmarks.table import Row, write
from subsel.criteria.base import Evaluator
from subsel.criteria.traits import Traits
from subsel.engine import run
from subsel.search import find_search
from subsel.space.space import Space


class Constant(Evaluator):
    """A quality in constant time: the hash key of the subset."""

    traits = Traits("constant time")

    def evaluate(self, candidates):
        return np.array([subset.key % 1_000_003 for subset in candidates], dtype=float)


def microseconds_per_step(key, p, steps):
    """The median of five runs, in CPU time."""
    space, seconds = Space.of(p), []
    for seed in range(5):
        begin = process_time()
        run(find_search(key), Constant(), space, budget=steps, seed=seed)
        seconds.append(process_time() - begin)
    return 1e6 * np.median(seconds) / steps


def main():
    rows = []
    for p, steps, limit in ((1_000, 20_000, 10), (100_000, 5_000, 60)):
        for key in ("rfs1", "rfs2", "annealing", "rmhc"):
            took = microseconds_per_step(key, p, steps)
            rows.append(
                Row(
                    f"{key}, p = {p:,}",
                    f"{limit} us",
                    f"{took:.1f} us",
                    "yes" if took <= limit else "NO",
                )
            )
    tracemalloc.start()
    result = run(find_search("rfs1"), Constant(), Space.of(1_000), budget=10**6, seed=0)
    held, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    rows.append(
        Row(
            "10^6 recorded evaluations, peak",
            "200 MB",
            f"{peak / 1e6:.0f} MB",
            "yes" if peak < 200e6 else "NO",
        )
    )
    rows.append(
        Row("held by the result", "", f"{held / 1e6:.0f} MB", f"{result.n_computed:,} computed")
    )
    rows.append(
        Row(
            "whole process, peak resident",
            "",
            f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3:.0f} MB",
            "",
        )
    )
    write(
        "engine",
        "Search and engine with a constant-time criterion (CPU time, median of 5)",
        ("job", "at most", "seen", "holds"),
        rows,
    )


if __name__ == "__main__":
    main()
