"""One run with a journal, as a program of its own.

``python -m tests.engine.journal.journal_run DIR SEARCH RESTARTS`` starts it.

Prints a line once the first evaluation was made, so that a test knows when to kill it, and the
result at the end.
"""

import hashlib
import sys
import time

import numpy as np

from subsel.criteria.base import Evaluator
from subsel.criteria.traits import Traits
from subsel.data.task import Task
from subsel.engine import run
from subsel.engine.journal.journal import Journal
from subsel.search import find_search
from subsel.space.space import Space

BUDGET, COLUMNS = 1500, 12
TASK = Task.of(np.eye(20, COLUMNS), np.arange(20) % 2)


class Slow(Evaluator):
    """A bumpy quality that takes a moment."""

    traits = Traits(relevance=True)
    said = False

    def __init__(self, pause=0.0):
        rng = np.random.default_rng(0)
        self.pause, self.weight, self.pair = (
            pause,
            rng.normal(size=COLUMNS),
            rng.normal(size=(COLUMNS, COLUMNS)),
        )

    def quality(self, columns):
        if self.pause and not Slow.said:
            Slow.said = True
            print("begun", flush=True)
        time.sleep(self.pause)
        return float(self.weight[columns].sum() + self.pair[np.ix_(columns, columns)].sum())

    def relevances(self, columns, stream=(0, 0)):
        time.sleep(self.pause)
        return self.weight[columns]


def play(folder, key, restarts, pause=0.0, budget=BUDGET):
    """The run, with or without a journal."""
    journal = folder and Journal(folder, {"search": key}, TASK, np.random.SeedSequence(3))
    return run(
        find_search(key),
        Slow(pause),
        Space.of(COLUMNS, low=2, high=8),
        budget=budget,
        restarts=restarts,
        seed=3,
        journal=journal,
    )


def seal(result):
    """Everything that must not depend on interruptions."""
    found = [
        result.chosen,
        result.chosen_quality,
        result.best,
        result.n_evaluations,
        result.n_computed,
    ]
    found += [
        (f.columns.tolist(), f.quality)
        for f in (*result.front, *result.finalists, *result.restart_answers)
    ]
    found += [
        result.stopped_by,
        result.improvements[["restart", "evaluation", "quality", "size"]].tolist(),
    ]
    return hashlib.sha256(result.trace.tobytes() + repr(found).encode()).hexdigest()


if __name__ == "__main__":
    result = play(sys.argv[1], sys.argv[2], int(sys.argv[3]), pause=float(sys.argv[4]))
    print(seal(result), result.n_replayed, flush=True)
