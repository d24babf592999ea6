"""``subsel resume`` and ``subsel inspect``: a killed job goes on from the shell, and shows how far it came."""

import io
import json
import os
import signal
import subprocess
import sys
import time

import pytest
from sklearn.datasets import load_wine

from subsel.cli import main
from subsel.engine.journal.state import read_runs
from subsel.runtime.record_file import JournalError

OPTIONS = [
    "--target",
    "kind",
    "--search",
    "rfs1",
    "--estimator",
    "lda",
    "--restarts",
    "2",
    "--no-assess",
]


@pytest.fixture
def wine(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = load_wine(as_frame=True).data.assign(kind=load_wine().target)
    table.to_csv("wine.csv", index=False)
    return tmp_path / "wine.csv"


def selection(folder):
    found = json.loads((folder / "selection.json").read_text())
    return found["selected"], found["guide_quality"], found["run"]["evaluations"]


def begun(folder):
    try:
        return read_runs(folder)
    except JournalError:  # not yet there
        return []


@pytest.mark.skipif(os.name == "nt", reason="SIGKILL is of POSIX")
def test_a_killed_job_is_resumed(wine, tmp_path, capsys):
    """Kill -9, inspect, resume: the files of the job that nothing happened to."""
    budget = ["--budget", "20000"]
    command = [
        sys.executable,
        "-m",
        "subsel.cli",
        "select",
        "wine.csv",
        *OPTIONS,
        *budget,
        "--journal",
        "runs",
        "--quiet",
    ]
    with subprocess.Popen(command) as process:
        while not any(
            restart.evaluations for run in begun(tmp_path / "runs") for restart in run.restarts
        ):
            assert process.poll() is None
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
    assert not (tmp_path / "subsel-wine").exists() or not list((tmp_path / "subsel-wine").iterdir())
    assert main(["inspect", "runs"]) == 0
    assert "broken off" in capsys.readouterr().out
    assert main(["resume", "runs", "--quiet"]) == 0
    assert main(["select", "wine.csv", *OPTIONS, *budget, "--out", "plain", "--quiet"]) == 0
    assert selection(tmp_path / "subsel-wine") == selection(tmp_path / "plain")


def test_inspect_and_extend(wine, tmp_path, capsys):
    """What inspect shows is what the job found; a larger budget goes on."""
    job = ["select", "wine.csv", *OPTIONS, "--journal", "runs", "--quiet", "--budget"]
    assert main([*job, "100"]) == 0
    assert main(["inspect", "runs", "--json", "--out", "course.png"]) == 0
    (run,) = json.loads(capsys.readouterr().out)
    assert run["search"] == "RandomWalk"
    assert run["criterion"] == "LinearDiscriminantAnalysis"
    assert [r["evaluations"] for r in run["restarts"]] == [100, 100]
    assert {r["state"] for r in run["restarts"]} == {"ended by evaluations"}
    assert set(run["best"]["features"]) <= set(load_wine().feature_names)
    assert (tmp_path / "course.png").stat().st_size > 5000
    assert main(["resume", "runs", "--budget", "150", "--quiet"]) == 0
    assert main(["inspect", "runs"]) == 0
    assert "150 evaluations" in capsys.readouterr().out


def test_what_is_not_the_same_job_is_refused(wine, capsys):
    """Other options, other data, no command, no journal: each is named."""
    job = ["select", "wine.csv", *OPTIONS, "--budget", "20", "--journal", "runs", "--quiet"]
    assert main(job) == 0
    assert main([*job, "--cv", "3"]) == 1
    assert "options.cv is 3 now and was None" in capsys.readouterr().err
    wine.write_text(wine.read_text().replace("14.23", "14.24", 1))
    assert main(["resume", "runs"]) == 1
    assert "data.digest is" in capsys.readouterr().err
    assert main(["resume", "elsewhere"]) == 1
    assert "holds no command to resume" in capsys.readouterr().err
    assert main(["inspect", "elsewhere"]) == 1
    assert "there is no journal elsewhere" in capsys.readouterr().err


class Closed(io.StringIO):
    """The output of a command that nobody reads any more."""

    def write(self, text):
        raise BrokenPipeError


JOBS = {
    "inspect": (["inspect", "runs", "--out", "course.svg"], "course.svg"),
    "select": (
        ["select", "wine.csv", *OPTIONS, "--budget", "20", "--out", "out"],
        "out/selection.json",
    ),
    "rank": (["rank", "wine.csv", "--target", "kind", "--out", "out"], "out/ranking.csv"),
}


@pytest.mark.parametrize(("typed", "file"), JOBS.values(), ids=JOBS)
def test_a_closed_output_loses_no_file(wine, tmp_path, monkeypatch, typed, file):
    """``subsel ... | head`` writes its files whoever reads along."""
    if typed[0] == "inspect":
        assert (
            main(["select", "wine.csv", *OPTIONS, "--budget", "20", "--journal", "runs", "--quiet"])
            == 0
        )
    monkeypatch.setattr(sys, "stdout", Closed())
    assert main(typed) == 0
    assert (tmp_path / file).stat().st_size > 500
