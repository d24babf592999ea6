"""Ctrl-C and termination of commands.

The exit code says it, what was found is written, nothing stays behind.
"""

import os
import signal
import sys
import time

import pytest

from subsel.cli import main
from tests.faults.table import Desk

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="looks at processes through /proc"
)


@pytest.fixture
def desk(tmp_path):
    return Desk(tmp_path)


def test_ctrl_c_in_the_search_gives_the_best_so_far(desk):
    """Written with exit code 130, without an assessment that nobody limits.

    The workers and maps are gone.
    """
    process = desk.start(*desk.select("--out", "out", "--jobs", "2"), pause=0.3)
    desk.await_fits(process, 8)
    os.killpg(process.pid, signal.SIGINT)
    begin = time.perf_counter()
    code, said = desk.end(process)
    assert (code, "Traceback" in said) == (130, False), said
    assert time.perf_counter() - begin < 30
    document = (desk.folder / "out" / "selection.json").read_text()
    assert "interrupted before the assessment" in document
    assert desk.left_behind(process) == []


def test_termination_in_the_first_fold_keeps_the_selection(desk):
    """The search is finished, the assessment is not.

    Exit code 143, the selection is written, children are gone.
    """
    fits = (
        2 * 12 + 12
    )  # two folds for each of twelve subsets, a few for the choice; then the outer folds have begun
    process = desk.start(*desk.select("--out", "out", "--jobs", "2"), pause=0.1)
    desk.await_fits(process, fits)
    process.send_signal(signal.SIGTERM)
    code, said = desk.end(process)
    assert (code, "Traceback" in said) == (143, False), said
    document = desk.selection("out")
    assert (document["run"]["stopped_by"], document["selected"]) == ("evaluations", ["b"])
    assert desk.left_behind(process) == []


def test_a_second_ctrl_c_ends_at_once(desk):
    """Even a model that does not listen."""
    deaf = desk.folder / "deaf"
    process = desk.start(*desk.select("--out", "out"), pause=30, DEAF=str(deaf))
    desk.await_fits(process)
    while not deaf.exists():
        process.send_signal(signal.SIGINT)
        time.sleep(0.5)
    begin = time.perf_counter()
    process.send_signal(signal.SIGINT)
    assert desk.end(process)[0] == 130
    assert time.perf_counter() - begin < 5


def test_a_killed_command_leaves_no_workers(desk):
    """After kill -9 the workers see that they are alone.

    The map goes with them or at the next start.
    """
    process = desk.start(*desk.select("--out", "out", "--jobs", "2"), pause=0.2)
    desk.await_fits(process, 4)
    process.kill()
    desk.end(process)
    assert desk.left_behind(process) == []


@pytest.mark.parametrize("error", ["ImportError", "SystemError"])
def test_an_interrupted_import_is_an_interruption(error, tmp_path, monkeypatch, capsys):
    """Modules turn Ctrl-C into errors of their own.

    The command still ends by Ctrl-C, in one line.
    """
    body = f"import signal\ntry:\n    signal.raise_signal(signal.SIGINT)\nexcept KeyboardInterrupt:\n    raise {error}('half')\n"
    (tmp_path / f"half_{error}.py").write_text(body)
    monkeypatch.chdir(tmp_path)
    assert main(["--plugin", f"half_{error}", "methods"]) == 130
    assert capsys.readouterr().err == "subsel: interrupted before anything was found\n"
