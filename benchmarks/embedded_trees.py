"""Selection by trees beside its peers: ``python -m benchmarks.embedded_trees`` writes its table.

CPU time of one thread. Out-of-bag z-scores against scikit-learn's permutation on one forest with equal repeats: the peer's
time grows in proportion to the columns and is measured on the first few of them; the row says so. The answers differ by
design: every tree on its own out-of-bag rows, against the whole forest on all rows. Boruta against the package of its name
with equal trees and rounds, in turn, once with the same forest, once with one that cuts columns into levels. ACE on a wide table has no peer.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

from statistics import median
from time import process_time

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.inspection import permutation_importance

from benchmarks.table import Row, write
from subsel.embedded import ACE, Boruta, out_of_bag_importance
from subsel.models import BinnedForestClassifier

N_ROWS, N_COLUMNS, N_TREES = 2000, 500, 500
N_MEASURED = 5  # columns on which the peer is timed
BORUTA_ROWS, BORUTA_COLUMNS, BORUTA_TREES, ROUNDS, REPEATS = 300, 60, 50, 20, 3
WIDE_ROWS, WIDE_COLUMNS = 100, 10_000


def main() -> None:
    """Measure and write."""
    rows = [out_of_bag(), *boruta(), wide()]
    write("embedded_trees", "Selection by trees", ("what", "ours", "peer", "ratio"), rows)


def out_of_bag() -> Row:
    """Out-of-bag permutation of a large forest."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N_ROWS, N_COLUMNS)).astype(np.float32)
    y = (X[:, :10].sum(axis=1) > 0).astype(int)
    forest = RandomForestClassifier(N_TREES, random_state=0).fit(X, y)
    out_of_bag_importance(
        RandomForestClassifier(2, random_state=0).fit(X[:50], y[:50]), X[:50], y[:50]
    )  # compile
    begin = process_time()
    z = out_of_bag_importance(forest, X, y, random_state=0).z
    ours = process_time() - begin
    peer = _peer(forest, X, y) * N_COLUMNS
    best = f"{len(set(np.argsort(-z)[:10]) & set(range(10)))} of the 10 relevant first"
    what = f"out-of-bag z, {N_ROWS} x {N_COLUMNS}, {N_TREES} trees, one repeat ({best})"
    peer_text = f"{peer:.0f} s, permutation_importance (from {N_MEASURED} columns)"
    return Row(what, f"{ours:.2f} s", peer_text, f"{peer / ours:.0f}x")


def boruta() -> list[Row]:
    """The package and ours in turn, with the same forest, and with ours on levels of columns."""
    what = f"Boruta, {BORUTA_ROWS} x {BORUTA_COLUMNS}, {BORUTA_TREES} trees of depth 5, {ROUNDS} rounds"
    try:
        from boruta import BorutaPy
    except ImportError:
        return [Row(what, "", "the package Boruta is not installed", "")]
    rng = np.random.default_rng(0)
    X = rng.standard_normal((BORUTA_ROWS, BORUTA_COLUMNS))
    y = (X[:, :5].sum(axis=1) > 0).astype(int)
    same, levels = (
        kind(BORUTA_TREES, max_depth=5) for kind in (RandomForestClassifier, BinnedForestClassifier)
    )
    Boruta(levels, max_iter=1).fit(X, y)  # compile
    times: dict[str, list[float]] = {
        "peer": [],
        "the same forest": [],
        "BinnedForestClassifier": [],
    }
    for seed in range(REPEATS):
        peer = BorutaPy(
            same, n_estimators=BORUTA_TREES, max_iter=ROUNDS, two_step=False, random_state=seed
        )
        ours = [
            Boruta(forest, alpha=0.05, max_iter=ROUNDS, random_state=seed)
            for forest in (same, levels)
        ]
        for seconds, selector in zip(times.values(), (peer, *ours)):
            begin = process_time()
            selector.fit(X, y)
            seconds.append(process_time() - begin)
    slow, *fast = (median(seconds) for seconds in times.values())
    rows = []
    for name, found, seconds in zip(list(times)[1:], ours, fast):
        alike = (found.confirmed_ & peer.support_).sum() / max(
            (found.confirmed_ | peer.support_).sum(), 1
        )
        text = f"{what}, {name} (Jaccard {alike:.2f})"
        rows.append(
            Row(text, f"{seconds:.2f} s", f"{slow:.2f} s, BorutaPy", f"{slow / seconds:.1f}x")
        )
    return rows


def wide() -> Row:
    """ACE with its defaults on a wide table."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((WIDE_ROWS, WIDE_COLUMNS))
    y = 3 * X[:, 0] + 2 * X[:, 1] + X[:, 2]
    ACE(n_replicates=2, n_trees=2, max_passes=1, random_state=0).fit(X[:, :5], y)  # compile
    begin = process_time()
    kept = ACE(random_state=0).fit(X, y).get_support(indices=True)
    seconds = process_time() - begin
    found = f"kept {len(kept)}, of the 3 relevant {len(set(kept) & {0, 1, 2})}"
    return Row(f"ACE, {WIDE_ROWS} x {WIDE_COLUMNS} ({found})", f"{seconds:.0f} s", "", "")


def _peer(forest: RandomForestClassifier, X: np.ndarray, y: np.ndarray) -> float:
    """Seconds per column; scoring the table as it is counts as one more column."""
    begin = process_time()
    few = X[:, :N_MEASURED]

    class OnFew:
        """The forest seen as a model of the first columns."""

        classes_ = forest.classes_

        def fit(self, X: np.ndarray, y: np.ndarray) -> "OnFew":
            """Be fitted already."""
            return self

        def score(self, part: np.ndarray, y: np.ndarray) -> float:
            """Predict with the other columns as they are."""
            return forest.score(np.hstack((part, X[:, N_MEASURED:])), y)

    permutation_importance(OnFew(), few, y, n_repeats=1, random_state=0)
    return (process_time() - begin) / (N_MEASURED + 1)


if __name__ == "__main__":
    main()
