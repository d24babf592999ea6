"""Out-of-bag z-scores beside scikit-learn's permutation: ``python -m benchmarks.embedded_trees`` writes its table.

CPU time of one thread on one forest, equal repeats. The peer's time grows in proportion to the columns and is measured on
the first few of them; the row says so. The answers differ by design: every tree on its own out-of-bag rows, against the
whole forest on all rows.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

from time import process_time

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.inspection import permutation_importance

from benchmarks.table import Row, write
from subsel.embedded import out_of_bag_importance

N_ROWS, N_COLUMNS, N_TREES = 2000, 500, 500
N_MEASURED = 5  # columns on which the peer is timed


def main() -> None:
    """Measure and write."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N_ROWS, N_COLUMNS)).astype(np.float32)
    y = (X[:, :10].sum(axis=1) > 0).astype(int)
    forest = RandomForestClassifier(N_TREES, random_state=0).fit(X, y)
    out_of_bag_importance(RandomForestClassifier(2, random_state=0).fit(X[:50], y[:50]), X[:50], y[:50])  # compile
    begin = process_time()
    z = out_of_bag_importance(forest, X, y, random_state=0).z
    ours = process_time() - begin
    peer = _peer(forest, X, y) * N_COLUMNS
    best = f"{len(set(np.argsort(-z)[:10]) & set(range(10)))} of the 10 relevant first"
    what = f"{N_ROWS} x {N_COLUMNS}, {N_TREES} trees, one repeat ({best})"
    row = Row(what, f"{ours:.2f} s", f"{peer:.0f} s (from {N_MEASURED} columns)", f"{peer / ours:.0f}x")
    write("embedded_trees", "Out-of-bag permutation", ("forest", "ours", "permutation_importance", "ratio"), [row])


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
