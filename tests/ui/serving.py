"""A server of the page in a process of its own, as `subsel ui` starts it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import psutil

from subsel.runtime.record_file import is_locked
from subsel.ui.run_folder import RunFolder


def write_table(path: Path, n_rows: int = 90, n_columns: int = 12, seed: int = 0) -> Path:
    """A table of which the first two columns decide the class, and one is text."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns))
    kind = np.where(X[:, 0] + X[:, 1] > 0, "sweet", "sour")
    names = [f"sensor {j}" for j in range(n_columns)]
    lines = [",".join([*names, "town", "taste"])]
    lines += [
        ",".join([*map("{:.4f}".format, row), "AB"[i % 2], kind[i]]) for i, row in enumerate(X)
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf8")
    return path


class Served:
    """Where the page is, and the process that serves it."""

    def __init__(self, process: subprocess.Popen[str], address: str) -> None:
        self.process, self.address = process, address
        self.port = int(re.search(r":(\d+)/", address)[1])

    def rss(self) -> int:
        """Bytes of memory of the server itself."""
        return psutil.Process(self.process.pid).memory_info().rss


@contextmanager
def served(folder: Path) -> Iterator[Served]:
    """Serve until the end of the block."""
    command = [sys.executable, "-m", "subsel", "ui", "--no-browser", "--folder", str(folder)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    try:
        line = process.stdout.readline()
        yield Served(process, re.search(r"http://\S+", line)[0])
    finally:
        process.terminate()
        process.wait(60)
        process.stdout.close()


def end_runs(folder: Path) -> None:
    """End what still runs in a folder: runs outlive their server."""
    for steps in (folder / "runs").glob("*/steps.jsonl"):
        if is_locked(steps):
            os.kill(RunFolder(steps.parent).last("begin")["pid"], signal.SIGKILL)
