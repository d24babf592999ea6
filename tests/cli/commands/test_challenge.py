"""``subsel challenge`` on small problems."""

import numpy as np
import pytest

from subsel.cli import main
from subsel.literature.challenge import Submission
from subsel.literature.challenge import problem as problems
from subsel.literature.challenge.problem import Known


@pytest.fixture
def folder(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 8)), np.tile([-1, 1], 30)
    X[:, 2] += 2 * y
    np.savez(
        tmp_path / "madelon.npz",
        X=X,
        y=y,
        split=np.repeat([0, 1], 30),
        split_names=np.array(["train", "valid"]),
    )
    known = Known(8, 7, {"train": (15, 15), "valid": (15, 15)}, 0.0, 5)
    monkeypatch.setitem(problems.PROBLEMS, "madelon", known)
    return tmp_path


def test_entries_run_and_the_page_shows_them_beside_the_printed(folder, capsys):
    """Submissions are kept, the page is written, and a second run does nothing again."""
    typed = [
        "challenge",
        "--data",
        str(folder),
        "--entries",
        "f-score-svm",
        "rf-rlsc",
        "--quick",
        "--out",
        str(folder / "out"),
    ]
    assert main(typed) == 0
    page = capsys.readouterr().out
    assert "## MADELON" in page and "RF+RLSC, quick" in page and "6.67 with 19" in page
    made = {path: path.stat().st_mtime_ns for path in (folder / "out").rglob("*.npz")}
    assert len(made) == 2 and main(typed) == 0
    assert {path: path.stat().st_mtime_ns for path in (folder / "out").rglob("*.npz")} == made
    assert len((folder / "out" / "openings.jsonl").read_text().splitlines()) == 2
    assert (folder / "out" / "challenge.png").exists()


@pytest.mark.slow
def test_a_budget_ends_it_and_two_at_a_time_give_the_same(folder, capsys):
    """No time runs nothing and says what waits; jobs beside each other hand in what one after the other does."""
    out = folder / "some"
    typed = [
        "challenge",
        "--data",
        str(folder),
        "--entries",
        "esnb",
        "cba",
        "--quick",
        "--sets",
        "madelon",
        "--out",
    ]
    assert main([*typed, str(out), "--budget", "0.000001s"]) == 0
    assert "2 not run yet: the same command goes on" in capsys.readouterr().err and not list(
        out.rglob("*.npz")
    )
    assert main([*typed, str(out), "--jobs", "2", "--page", str(folder / "page.md")]) == 0
    assert "2 of 2" in capsys.readouterr().err and "## MADELON" in (folder / "page.md").read_text()
    assert main([*typed, str(folder / "again")]) == 0
    for path in out.rglob("*.npz"):
        other = Submission.load(folder / "again" / path.relative_to(out))
        assert other.fingerprint == Submission.load(path).fingerprint


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["--data", "nowhere"], "nowhere is no folder"),
        ([], "--data FOLDER must name"),
        (["--entries", "rf-rlcs", "--data", "."], "rf-rlsc"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(typed, said, capsys):
    """Missing data and mistyped entries."""
    assert main(["challenge", *typed]) == 1
    error = capsys.readouterr().err
    assert said in error and len(error.splitlines()) == 1


def test_entries_are_listed(capsys):
    """With team and chapter."""
    assert main(["challenge", "--list"]) == 0
    assert "RF+RLSC (Kari Torkkola and Eugene Tuv), chapter 11" in capsys.readouterr().out
