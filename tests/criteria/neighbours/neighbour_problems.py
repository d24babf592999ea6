"""Problems of nearest neighbours on which single precision, ties and scales could lead
scans astray.
"""

from typing import Any

import numpy as np
from hypothesis import strategies as st
from sklearn.model_selection import KFold, LeaveOneOut, ShuffleSplit

from subsel.criteria.neighbours.distances import Nearest
from subsel.criteria.neighbours.nearest_neighbours import NearestNeighbours
from subsel.data.task import Task
from subsel.space.candidates import Candidates
from tests.oracles.neighbours import PlainNeighbours

TABLES = {
    "normal": lambda rng, n, p: rng.normal(size=(n, p)),
    "uneven": lambda rng, n, p: rng.normal(size=(n, p)) * np.logspace(-2, 2, p),
    "grid": lambda rng, n, p: rng.integers(0, 3, size=(n, p)).astype(float),
    "fine grid": lambda rng, n, p: rng.integers(0, 30, size=(n, p)) / 10,
    "heavy tails": lambda rng, n, p: rng.standard_cauchy(size=(n, p)),
    "far out": lambda rng, n, p: rng.normal(size=(n, p)) ** 9,
    "twins": lambda rng, n, p: rng.normal(size=(n, p))[rng.integers(0, max(2, n // 2), size=n)],
    "constants": lambda rng, n, p: np.where(np.arange(p) % 3, rng.normal(size=(n, p)), 4.0),
    "alike": lambda rng, n, p: np.repeat(rng.normal(size=(n, 1)), p, axis=1),
    "one far out": lambda rng, n, p: np.where(
        np.arange(n)[:, None] == 7, 1e7, rng.normal(size=(n, p))
    ),
    "wide columns": lambda rng, n, p: (
        rng.normal(size=(n, p)) * np.where(np.arange(p) % 4 == 1, 1e7, 1.0)
    ),
    "wide columns, few values": lambda rng, n, p: (
        rng.integers(0, 4, (n, p)) * np.where(np.arange(p) % 4, 0.1, 1e6)
    ),
    "far apart": lambda rng, n, p: rng.normal(size=(n, p)) * np.logspace(-20, 20, p),
}
SPLITTERS = {
    "five": lambda n: KFold(5),
    "alone": lambda n: LeaveOneOut(),
    "unequal": lambda n: ShuffleSplit(2, train_size=0.7, test_size=2, random_state=0),
    "every second": lambda n: [
        (np.arange(1, n, 2), np.arange(0, n, 2)),
        (np.arange(0, n, 2), np.arange(1, n, 2)),
    ],
}


@st.composite
def problems(draw: Any, n_columns: int) -> tuple[Nearest, PlainNeighbours, bool]:
    """A search for the nearest rows, the oracle of the same problem, and whether distances
    weigh votes.
    """

    def take(*values: Any) -> Any:
        return draw(st.sampled_from(values))

    rng, n, weights = (
        np.random.default_rng(draw(st.integers(0, 2**20))),
        take(12, 40, 64, 65, 150),
        take("uniform", "distance"),
    )
    X = TABLES[take(*sorted(TABLES))](rng, n, n_columns)[:, rng.permutation(n_columns)]
    n_classes = take(2, 4, None)
    task = Task.of(X, rng.normal(size=n) if n_classes is None else np.arange(n) % n_classes)
    metric, cv, scaling = (
        take("euclidean", "l1"),
        SPLITTERS[take(*sorted(SPLITTERS))](n),
        take(None, "standard"),
    )
    criterion = NearestNeighbours(
        take(1, 2, 5), weights, metric=metric, cv=cv, pooled=True, scaling=scaling
    )
    nearest = votes_of(criterion, task)
    return nearest, PlainNeighbours(nearest), weights == "distance"


def votes_of(criterion: NearestNeighbours, task: Task) -> Nearest:
    """The search of a criterion, such that it keeps votes where hits would do."""
    nearest = criterion.bind(task).nearest
    nearest.fold = nearest.fold[:0]
    return nearest


def plain_qualities(evaluator: Any, plain: PlainNeighbours, candidates: Candidates) -> np.ndarray:
    """What the score of an evaluator makes of the oracle's votes."""
    outputs = [evaluator._outputs(plain.subset(c)[0][:, :, None]) for c in candidates.columns()]
    return np.concatenate([evaluator.held_out.quality(each) for each in outputs])
