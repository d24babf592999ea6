"""A Parquet table several times larger than the process may be, ranked under that limit, beside plain scans of it.

Run ``python -m benchmarks.stored [gigabytes]``; the table goes to ``benchmarks/results/stored.md``. Everything is
written to a temporary folder and deleted. Each job runs in a process of its own whose peak resident memory (``VmHWM``,
the libraries included) is measured; a row of the ``empty`` job says what the libraries alone take.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter, process_time

import numpy as np

from benchmarks.table import write

LIMIT_MB = 500  # of the whole process
WORKING = "150MB"  # of that for reading and ranking; the libraries take the rest
P = 400
SUBSET = 20_000  # rows on which scores are compared with those in memory
SCORES = (
    "anova-f",
    "pearson",
    "odds-ratio",
    "auc",
    "kolmogorov-smirnov",
    "chi-square",
    "mutual-information",
)
SKETCHED = "auc from histograms"  # under a limit that no column fits in
SCANS = ("empty", "arrow scan", "duckdb average", "pandas chunks")


def main() -> None:
    """Write the table, run every job, write the results."""
    gigabytes = float(sys.argv[1]) if len(sys.argv) > 1 else 2.2
    with tempfile.TemporaryDirectory() as folder:
        path, subset = Path(folder) / "table.parquet", Path(folder) / "subset.parquet"
        n_rows = int(gigabytes * 1e9 / 8 / P)
        generate(path, n_rows)
        generate(subset, SUBSET)
        size = path.stat().st_size
        rows = [row(job, path, n_rows, size) for job in (*SCANS, *SCORES, SKETCHED)]
        same = max(difference(subset, score) for score in SCORES)
    title = f"A stored table of {size / 1e9:.2f} GB ({n_rows:,} rows, {P} columns) under {LIMIT_MB} MB, working limit {WORKING}"
    header = (
        "job",
        "peak MB",
        "table / peak",
        "under limit",
        "seconds",
        "CPU s",
        "million rows/s",
        "MB/s",
    )
    notes = [
        (
            "largest relative difference from in-memory scores, subset",
            f"{same:.1e}",
            "",
            "",
            "",
            "",
            "",
            "",
        )
    ]
    write("stored", title, header, [*rows, *notes])


def generate(path: Path, n_rows: int) -> None:
    """Normal columns, the first ones shifted between two classes, in row groups of 50,000 rows."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng, writer = np.random.default_rng(0), None
    shift = np.where(np.arange(P) < 20, 0.2, 0.0)
    for begin in range(0, n_rows, 50_000):
        y = rng.integers(0, 2, min(50_000, n_rows - begin))
        X = rng.standard_normal((len(y), P)) + y[:, None] * shift
        X[:, ::10] = np.round(X[:, ::10])
        table = pa.table({**{f"x{j}": X[:, j] for j in range(P)}, "y": y})
        writer = writer or pq.ParquetWriter(
            path, table.schema, use_dictionary=False, compression="none"
        )
        writer.write_table(table)
    assert writer is not None
    writer.close()


def row(job: str, path: Path, n_rows: int, size: int) -> tuple[str, ...]:
    """Run a job in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.stored", "--job", job, str(path)]
    out = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    peak, seconds = out["peak"], max(out["seconds"], 1e-9)
    line = (
        job,
        f"{peak / 1e6:.0f}",
        f"{size / peak:.1f}",
        "yes" if peak < LIMIT_MB * 1e6 else "no",
        f"{seconds:.1f}",
        f"{out['cpu']:.1f}",
        "" if job == "empty" else f"{n_rows / seconds / 1e6:.2f}",
        "" if job == "empty" else f"{size / seconds / 1e6:.0f}",
    )
    print(line, flush=True)
    return line


def run_job(job: str, path: str) -> None:
    """In the process: do the job and print what it took."""
    from subsel.data import open_table
    from subsel.ranking.stored.rank_stored import rank_stored

    begin, cpu = perf_counter(), process_time()
    if job == "arrow scan":
        table = open_table(path)
        for first in range(0, P, 20):
            for batch in table.scan(table.names[first : first + 20], 8192):
                batch.column(0)
    elif job == "duckdb average":
        import duckdb

        with duckdb.connect(config={"memory_limit": "250MB", "threads": "1"}) as connection:
            for first in range(0, P, 20):
                means = ", ".join(f"avg(x{j}), var_samp(x{j})" for j in range(first, first + 20))
                connection.execute(f"SELECT y, {means} FROM '{path}' GROUP BY y").fetchall()
    elif job == "pandas chunks":
        table, sums = open_table(path), 0
        for first in range(0, P, 20):
            for batch in table.scan([*table.names[first : first + 20], "y"], 8192):
                frame = batch.to_pandas()
                sums = sums + frame.groupby("y").sum().to_numpy().sum()
    elif job == SKETCHED:
        bounds = rank_stored(open_table(path), "y", "auc", cut=20, memory="40MB").bounds_
        assert 0 < bounds.max() < 0.01
    elif job != "empty":
        rank_stored(open_table(path), "y", job, cut=20, memory=WORKING)
    status = Path("/proc/self/status").read_text()
    peak = 1024 * int(status.split("VmHWM:")[1].split()[0])
    print(
        json.dumps({"peak": peak, "seconds": perf_counter() - begin, "cpu": process_time() - cpu})
    )


def difference(path: Path, score: str) -> float:
    """The largest relative difference between the scores of the stored table and of the table in memory."""
    import pandas as pd

    from subsel import RankingSelector
    from subsel.data import open_table
    from subsel.ranking.stored.rank_stored import rank_stored

    frame = pd.read_parquet(path)
    memory = RankingSelector(score, 20).fit(frame.drop(columns="y"), frame["y"]).scores_
    stored = rank_stored(open_table(path), "y", score, 20, memory="20MB").scores_
    return float(np.max(np.abs(stored - memory) / np.maximum(np.abs(memory), 1e-300)))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--job"]:
        run_job(sys.argv[2], sys.argv[3])
    else:
        main()
