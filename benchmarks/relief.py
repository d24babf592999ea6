"""The Relief family beside skrebate, in one process: ``python -m benchmarks.relief`` writes ``results/relief.md``."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import platform
from importlib.metadata import version
from pathlib import Path
from statistics import median
from time import process_time

import numpy as np
import skrebate
from tests.real_tables import given_folder, table_if_here

from subsel.ranking.scores.neighbours.relief import ratio_relief, relief
from subsel.ranking.scores.neighbours.relieff import relieff
from subsel.ranking.scores.neighbours.rrelieff import rrelieff
from subsel.ranking.scores.neighbours.simba import simba
from subsel.ranking.scores.neighbours.surf import multisurf, multisurf_star, surf, surf_star

RESULT = Path(__file__).parent / "results" / "relief.md"
REPEATS = 5
LONG = 5.0  # a peer that takes this many seconds runs once

PAIRS = {
    "ReliefF, 100 neighbours": (
        lambda X, y: relieff(X, y, n_neighbors=100),
        lambda: skrebate.ReliefF(n_neighbors=100),
    ),
    "SURF": (surf, skrebate.SURF),
    "MultiSURF": (multisurf, skrebate.MultiSURF),
}
ALONE = {
    "Relief": relief,
    "ratio Relief": ratio_relief,
    "ReliefF, 10 neighbours": relieff,
    "SURF": surf,
    "SURF*": surf_star,
    "MultiSURF": multisurf,
    "MultiSURF*": multisurf_star,
    "RReliefF": rrelieff,
}
ON_MADELON = {
    "ReliefF, 10 neighbours": relieff,
    "SURF": surf,
    "MultiSURF": multisurf,
    "Relief": relief,
    "Simba, linear": lambda X, y: simba(X, y, random_state=0),
    "Simba, sigmoid": lambda X, y: simba(X, y, utility="sigmoid", random_state=0),
}
MADELON_TRUE = [
    28,
    48,
    64,
    105,
    128,
    153,
    241,
    281,
    318,
    336,
    338,
    378,
    433,
    442,
    451,
    453,
    455,
    472,
    475,
    493,
]


def problem(n, p):
    """Normal features, the class depending on the first two."""
    X = np.random.default_rng(0).normal(size=(n, p))
    return X, (X[:, 0] + X[:, 1] > 0).astype(int)


def timed(function, *arguments):
    start = process_time()
    value = function(*arguments)
    return value, process_time() - start


def beside_skrebate(n, p):
    """Time both in turn and compare their scores."""
    X, y = problem(n, p)
    for name, (ours, peer) in PAIRS.items():
        ours(X, y)  # compile or load
        mine, theirs = [], []
        for _ in range(REPEATS):
            scores, seconds = timed(ours, X, y)
            mine.append(seconds)
            if not theirs or theirs[0] < LONG:
                model, seconds = timed(peer().fit, X.copy(), y)
                theirs.append(seconds)
        error = np.abs(scores - model.feature_importances_).max()
        ratio = median(theirs) / median(mine)
        yield (
            f"| {name} | {n} x {p} | {median(theirs):.2f} ({len(theirs)}) | {1e3 * median(mine):.1f} | "
            f"{ratio:.0f} | {error:.0e} |"
        )


def alone(n, p):
    """Time ours where the peer would take minutes."""
    X, y = problem(n, p)
    for name, ours in ALONE.items():
        ours(X, y)
        yield f"| {name} | {n} x {p} | {1e3 * median(timed(ours, X, y)[1] for _ in range(3)):.0f} |"


def on_madelon(path):
    """Count the informative features among the first twenty."""
    with np.load(path) as data:
        train = data["split"] == data["split_names"].tolist().index("train")
        X, y = data["X"][train], data["y"][train]
    for name, ours in ON_MADELON.items():
        scores, seconds = timed(ours, X, y)
        found = len(set(np.argsort(-scores)[:20]) & set(MADELON_TRUE))
        yield f"| {name} | {found} | {seconds:.2f} |"


def report():
    yield "# Relief family\n"
    yield (
        f"Python {platform.python_version()}, numpy {version('numpy')}, numba {version('numba')}, skrebate "
        f"{version('skrebate')}; one thread, CPU time, both in turn in one process, median of {REPEATS}; a peer "
        f"that takes more than {LONG:.0f} s runs once (the number of runs is in brackets). Compilation is not counted.\n"
    )
    yield "| score | data | skrebate, s | subsel, ms | ratio | largest difference |\n|---|---|---|---|---|---|"
    for n, p in ((500, 100), (1000, 500), (2000, 500)):
        yield from beside_skrebate(n, p)
    yield "\n| score | data | subsel, ms |\n|---|---|---|"
    yield from alone(1000, 5000)
    path = table_if_here("madelon.npz", given_folder())
    if path is not None:
        yield "\nMADELON, 2000 training rows, 500 features of which 20 are informative:\n"
        yield "| score | informative among the first 20 | s |\n|---|---|---|"
        yield from on_madelon(path)


if __name__ == "__main__":
    lines = []
    for line in report():
        print(line, flush=True)
        lines.append(line)
    RESULT.write_text("\n".join(lines) + "\n")
