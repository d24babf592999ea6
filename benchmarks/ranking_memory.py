"""Peak memory of every univariate score of a sparse table, beside the table itself.

``python -m benchmarks.ranking_memory [FOLDER]``; the folder holds ``dorothea.npz`` (default: ``../shared/data``).
"""

import sys
import tracemalloc
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks.table import write
from subsel.ranking import SCORES

FORMS = [
    ("rows, bytes", sparse.csr_array, np.uint8),
    ("rows, doubles", sparse.csr_array, np.float64),
    ("columns, bytes", sparse.csc_array, np.uint8),
    ("columns, doubles", sparse.csc_array, np.float64),
]


def main() -> None:
    """Measure every score of sparse tables in every form, and write the table."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "../shared/data")
    stored = np.load(folder / "dorothea.npz")
    train = stored["split"] == 0
    X, y = sparse.csr_array(sparse.load_npz(folder / "dorothea.npz"))[train], stored["y"][train]
    tables = [form(X.astype(dtype)) for _, form, dtype in FORMS]
    title = (
        f"Peak memory of ranking DOROTHEA ({X.shape[0]} x {X.shape[1]:,}, {X.nnz:,} stored) as a multiple of the table"
    )
    header = ["score", *(f"{name} ({size(t) / 1e6:.1f} MB)" for (name, *_), t in zip(FORMS, tables)), "ms, rows, bytes"]
    rows = []
    for key in sorted({entry.key for entry in SCORES.values() if entry.sparse}):
        function = SCORES[key].function
        peaks = [peak(function, table, y) / size(table) for table in tables]
        start = process_time()
        function(tables[0], y)
        rows.append([key, *(f"{p:.2f}" for p in peaks), f"{1e3 * (process_time() - start):.0f}"])
    write("ranking_memory", f"{title}, which is not counted", header, rows)


def peak(function: Any, X: Any, y: np.ndarray) -> float:
    """The most memory, in bytes, that a call had at once beyond what was there before."""
    function(X[:, :50], y)  # compiled first
    tracemalloc.start()
    function(X, y)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most


def size(X: Any) -> int:
    """What a compressed table takes, in bytes."""
    return X.data.nbytes + X.indices.nbytes + X.indptr.nbytes


if __name__ == "__main__":
    main()
