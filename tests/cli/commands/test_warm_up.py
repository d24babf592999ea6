"""What was compiled ahead is not compiled again, and what is compiled is said where a status line is open."""

import os
import subprocess
import sys

import pytest

from subsel._loops.compiler import listeners
from subsel.cli import main
from subsel.runtime import status_line
from subsel.runtime.status_line import StatusLine
from tests.oracles.screen import Screen

JOBS = """
import numpy as np
from numba.core import event
from sklearn.datasets import make_classification
from subsel import SubsetSelector
from subsel.criteria import Discriminant, LeastSquares, NearestNeighbours

compiled = []

class Listener(event.Listener):
    on_start = lambda self, event: compiled.append(event.data["dispatcher"].py_func.__name__)
    on_end = lambda self, event: None

criteria = LeastSquares(), Discriminant(), Discriminant("qda"), Discriminant("gaussian-nb"), NearestNeighbours()
with event.install_listener("numba:compile", Listener()):
    for n, p, n_classes in (300, 20, 2), (900, 60, 2), (900, 60, 3), (1500, 120, 2):
        X, y = make_classification(n, p, n_informative=6, n_classes=n_classes, random_state=0)
        for criterion in criteria:
            for search in "sfs", "sffs", "rfs1":
                SubsetSelector(criterion, search, n_features=(1, 4), budget=400, random_state=0).fit(X, y)
        for search in "sfs", "rfs1", "rfe":
            SubsetSelector(LeastSquares(), search, n_features=(1, 4), budget=400, random_state=0).fit(X, X[:, 0] + y)
print("compiled:", compiled)
"""


@pytest.mark.slow
def test_nothing_is_left_to_compile(tmp_path):
    """After it no run of the searches and criteria that people begin with waits for the compiler."""
    settings = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    subprocess.run(
        [sys.executable, "-m", "subsel", "warm-up"], env=settings, check=True, capture_output=True
    )
    jobs = [sys.executable, "-W", "ignore", "-c", JOBS]
    told = subprocess.run(jobs, env=settings, check=True, capture_output=True, text=True).stdout
    assert told.splitlines()[-1] == "compiled: []"


@pytest.mark.slow
def test_warm_up_says_what_is_ready(capsys, monkeypatch, tmp_path):
    """Each family of evaluators, once its loops are compiled."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert main(["warm-up"]) == 0
    told = capsys.readouterr().out.splitlines()
    assert {line.partition(":")[0] for line in told} >= {"ridge", "walkers", "nearest neighbours"}
    assert all(line.partition(":")[2].startswith(" ready after ") for line in told)


@pytest.mark.parametrize("terminal", [False, True])
def test_what_is_compiled_is_said_once_under_an_open_line(terminal, monkeypatch):
    """Nothing is said where nobody asked for a status line."""
    screen = Screen(terminal)
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(status_line._screen, "announced", set())
    for shown, expected in ((False, ""), (True, "subsel: compiling walks, once on this machine")):
        with StatusLine(lambda: "", shown=shown):
            for _ in range(2):
                for listen in listeners:
                    listen("walks")
        assert screen.getvalue().strip() == expected
