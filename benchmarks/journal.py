"""What a journal costs: time beside the same run without one, bytes per evaluation. ``python -m benchmarks.journal``."""

import tempfile
from pathlib import Path
from time import process_time

import numpy as np

from benchmarks.engine import Constant
from benchmarks.table import Row, write
from subsel.data.task import Task
from subsel.engine import run
from subsel.engine.journal.journal import Journal
from subsel.search import find_search
from subsel.space.space import Space

STEPS, COLUMNS = 200_000, 1_000
TASK = Task.of(np.eye(20, COLUMNS), np.arange(20) % 2)


def seconds_of(key, seed, folder=None):
    """CPU seconds of one run, with the journal in ``folder`` or without one."""
    begin = process_time()
    journal = (
        None
        if folder is None
        else Journal(folder, {"search": key}, TASK, np.random.SeedSequence(seed))
    )
    run(find_search(key), Constant(), Space.of(COLUMNS), budget=STEPS, seed=seed, journal=journal)
    return process_time() - begin


def main():
    rows = []
    for key in ("rfs1", "genetic", "sfs"):
        with tempfile.TemporaryDirectory() as folder:
            pairs = [(seconds_of(key, seed), seconds_of(key, seed, folder)) for seed in range(9)]
            size = sum(file.stat().st_size for file in Path(folder).iterdir()) / 9
            again = [seconds_of(key, seed, folder) for seed in range(9)]
        plain = np.median([a for a, _ in pairs]) / STEPS
        cost = 1e6 * plain * (np.median([b / a for a, b in pairs]) - 1)
        shown, held = (
            f"{cost:.2f} us ({cost / plain / 1e6:.1%} of this run)",
            "yes" if cost < 0.3 else "NO",
        )
        rows.append(
            Row(f"{key}: {1 / plain:,.0f} evaluations/s without a journal", "0.3 us", shown, held)
        )
        rows.append(Row(f"{key}: bytes per evaluation", "about 8", f"{size / STEPS:.2f}", ""))
        rows.append(
            Row(
                f"{key}: replaying a finished run",
                "",
                f"{STEPS / np.median(again):,.0f} evaluations/s",
                "",
            )
        )
    write(
        "journal",
        "What a journal costs: at most 3% at 100,000 evaluations per second (CPU time, median of nine pairs)",
        ("job", "at most", "seen", "holds"),
        rows,
    )


if __name__ == "__main__":
    main()
