"""Peak memory of every univariate score of a sparse table, alone and through the selector, beside the table itself.

``python -m benchmarks.ranking_memory --data FOLDER``; the folder, by default that of the environment
variable SUBSEL_DATA, holds ``dorothea.npz``.
"""

import tracemalloc
from time import process_time
from typing import Any

import numpy as np
from scipy import sparse
from tests.real_tables import given_folder, needed_table

from benchmarks.table import write
from subsel import RankingSelector
from subsel.ranking.registry import SCORES

FORMS = [
    ("rows, bytes", sparse.csr_array, np.uint8),
    ("rows, doubles", sparse.csr_array, np.float64),
    ("columns, bytes", sparse.csc_array, np.uint8),
    ("columns, doubles", sparse.csc_array, np.float64),
]


CUTS = ("k:100", "fdr:0.1")
TARGET = 2.0


def main() -> None:
    """Measure every score of sparse tables in every form and with every cut, and write the table."""
    path = needed_table("dorothea.npz", given_folder())
    stored = np.load(path)
    train = stored["split"] == 0
    X, y = sparse.csr_array(sparse.load_npz(path))[train], stored["y"][train]
    tables = [form(X.astype(dtype)) for _, form, dtype in FORMS]
    title = f"Peak memory of ranking DOROTHEA ({X.shape[0]} x {X.shape[1]:,}, {X.nnz:,} stored) as a multiple of the table"
    sizes = [f"{name} ({size(t) / 1e6:.1f} MB)" for (name, *_), t in zip(FORMS, tables)]
    header = ["score", "call", *sizes, "ms, rows, bytes"]
    rows, peaks = [], []
    for key in sorted({entry.key for entry in SCORES.values() if entry.sparse}):
        for name, call in calls(key).items():
            peaks.append([peak(call, table, y) / size(table) for table in tables])
            start = process_time()
            call(tables[0], y)
            rows.append(
                [
                    key,
                    name,
                    *(f"{p:.2f}" for p in peaks[-1]),
                    f"{1e3 * (process_time() - start):.0f}",
                ]
            )
    rows.append(
        [
            "the most of all",
            f"at most {TARGET:g} wanted",
            *(f"{p:.2f}" for p in np.max(peaks, axis=0)),
            "",
        ]
    )
    write("ranking_memory", f"{title}, which is not counted", header, rows)


def calls(key: str) -> dict[str, Any]:
    """The score alone, and the selector that ranks by it, with cuts by number and by evidence where it has a law."""
    cuts = CUTS if SCORES[key].p_value is not None else CUTS[:1]
    fits = {f"fit, {cut}": RankingSelector(key, cut).fit for cut in cuts}
    return {"score": SCORES[key].function, **fits}


def peak(function: Any, X: Any, y: np.ndarray) -> float:
    """The most memory, in bytes, that a call had at once beyond what was there before."""
    function(X[:, :200], y)  # compiled first
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
