"""A table, a slow model, and the command line as a process that can be hit at any moment."""

import json
import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import numpy as np

PLUGIN = '''
import os, time
from pathlib import Path
from sklearn.naive_bayes import GaussianNB
from subsel.models.short_names import add_estimator


class Slow(GaussianNB):
    """Naive Bayes that takes its time, writes down that it has begun, and may be deaf to Ctrl-C."""

    def fit(self, X, y, sample_weight=None):
        Path(os.environ["BEGUN"]).open("a").write("x")
        try:
            time.sleep(float(os.environ["PAUSE"]))
        except KeyboardInterrupt:
            if "DEAF" not in os.environ:
                raise
            Path(os.environ["DEAF"]).touch()
            time.sleep(600)
        return super().fit(X, y, sample_weight)


add_estimator("slow", classifier=Slow)
'''


class Desk:
    """A folder with a table and the plugin, from which commands are started."""

    def __init__(self, folder):
        self.folder, self.begun, self.maps = folder, folder / "begun", folder / "maps"
        self.maps.mkdir()
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(60, 5)), np.arange(60) % 2
        X[:, 1] += 4 * y
        rows = [
            "a,b,c,d,e,y",
            *(",".join(f"{v:.4f}" for v in row) + f",{label}" for row, label in zip(X, y)),
        ]
        (folder / "t.csv").write_text("\n".join(rows) + "\n")
        (folder / "slow_model.py").write_text(PLUGIN)

    def start(self, *typed, pause=0.0, **changes):
        """Start a command in a session of its own."""
        self.begun.unlink(missing_ok=True)
        home = str(Path(__file__).parents[2])
        paths = os.pathsep.join([str(self.folder), home, os.environ.get("PYTHONPATH", "")])
        own = {
            "BEGUN": str(self.begun),
            "PAUSE": str(pause),
            "JOBLIB_TEMP_FOLDER": str(self.maps),
            "PYTHONPATH": paths,
        }
        command = [sys.executable, "-m", "subsel", "--plugin", "slow_model", *typed]
        pipes = {
            "stdout": subprocess.PIPE,
            "stderr": subprocess.PIPE,
            "text": True,
            "start_new_session": True,
        }
        return subprocess.Popen(
            command, cwd=self.folder, env={**os.environ, **own, **changes}, **pipes
        )

    def select(self, *typed, job="select"):
        """What to type for a selection with the slow model."""
        search = ["--search", "sfs", "--estimator", "slow", "--budget", "12", "--cv", "2"]
        return [job, "t.csv", "--target", "y", *search, *typed]

    def await_fits(self, process, count=1):
        """Wait until the model was fitted so often."""
        limit = time.perf_counter() + 120
        while not self.begun.exists() or self.begun.stat().st_size < count:
            assert process.poll() is None, process.communicate()
            assert time.perf_counter() < limit
            time.sleep(0.01)

    def end(self, process, seconds=240):
        """Wait for the end; gives exit code and what was said."""
        said = process.communicate(timeout=seconds)
        return process.returncode, said[1]

    def left_behind(self, process, patience=5.0):
        """Processes of the session and maps that exist after a moment in which they may end."""
        limit = time.perf_counter() + patience
        while (
            left := [*_session(process.pid), *self.maps.glob("subsel-*")]
        ) and time.perf_counter() < limit:
            time.sleep(0.1)
        return left

    def selection(self, folder):
        """The document of a selection."""
        return json.loads((self.folder / folder / "selection.json").read_text())


def _session(leader):
    """The processes of a session that are alive."""
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            state = (entry / "stat").read_text().rpartition(")")[2].split()
            if int(state[3]) == leader and state[0] != "Z":
                yield int(entry.name)
