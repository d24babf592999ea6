"""Nobody waits for the compiler: it works in the background, once per machine, and the next run finds its code."""

import os
import subprocess
import sys
import time

import pytest

from subsel._loops import readiness
from subsel.cli import main


@pytest.fixture
def fresh(monkeypatch, tmp_path):
    """A machine on which nothing was compiled; gives the commands that are started."""
    started = []
    monkeypatch.delenv("SUBSEL_COMPILE")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    for name, value in (("ready", False), ("started", False), ("alone", False), ("looked", -1.0)):
        monkeypatch.setattr(readiness._State, name, value)
    monkeypatch.setattr(readiness, "_LOOK", 0.0)
    monkeypatch.setattr(
        subprocess, "Popen", lambda command, **options: started.append((command, options))
    )
    return started


def test_numpy_goes_on_while_the_compiler_works(fresh):
    """Little work starts nothing, more of it one process; the code is used once the process has said it is there."""
    assert not readiness.at_hand(0.1) and not fresh
    assert not readiness.at_hand(1.0) and not readiness.at_hand(2.0) and len(fresh) == 1
    command, options = fresh[0]
    assert (
        command[1:] == ["-m", "subsel", "warm-up", "--background"]
        and options["env"]["SUBSEL_COMPILE"] == "now"
    )
    readiness.marker().touch()
    assert readiness.at_hand(2.0)


def test_one_compiler_at_a_time(fresh, monkeypatch):
    """A second process finds the first at work, and takes its place only once that must be dead."""
    assert not readiness.at_hand(1.0)
    monkeypatch.setattr(readiness._State, "started", False)
    assert not readiness.at_hand(1.0) and len(fresh) == 1
    monkeypatch.setattr(readiness._State, "started", False)
    monkeypatch.setattr(readiness, "_STALE", -1.0)
    assert not readiness.at_hand(1.0) and len(fresh) == 2


def test_a_long_run_waits_with_a_message(fresh, monkeypatch, capfd):
    """It says what it waits for, and goes on compiled when the code is there."""
    monkeypatch.setattr(time, "sleep", lambda seconds: readiness.mark_ready())
    assert readiness.at_hand(60.0) and "waiting for compiled code" in capfd.readouterr().err


def test_where_nothing_can_be_written_the_run_compiles_itself(fresh, monkeypatch, tmp_path):
    """There is no cache to fill: as it was before."""
    (tmp_path / "file").touch()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "file" / "cache"))
    assert readiness.at_hand(1.0) and not fresh


def test_another_source_is_another_mark(fresh, monkeypatch, tmp_path):
    """Code of an older version does not count."""
    before = readiness.marker()
    monkeypatch.setattr(readiness, "version", lambda name: "0.0")
    assert readiness.marker() != before


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
    settings = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "SUBSEL_COMPILE": "now"}
    subprocess.run(
        [sys.executable, "-m", "subsel", "warm-up"], env=settings, check=True, capture_output=True
    )
    jobs = [sys.executable, "-W", "ignore", "-c", JOBS]
    told = subprocess.run(jobs, env=settings, check=True, capture_output=True, text=True).stdout
    assert told.splitlines()[-1] == "compiled: []"


@pytest.mark.slow
def test_warm_up_says_what_is_ready(capsys, monkeypatch, tmp_path):
    """Every loop is compiled, the mark is set, and qualities are those of the plain path."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert main(["warm-up"]) == 0 and "nearest neighbours: ready" in capsys.readouterr().out
    assert readiness.marker().exists()
