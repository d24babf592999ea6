"""The second date: pooled predictions of folds, and the files of 2003."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline

from subsel.assessment.measures import balanced_error
from subsel.cli import main
from subsel.literature.challenge import (
    ENTRIES,
    Entry,
    Figure,
    SecondDate,
    Submission,
    load_problem,
    problem_of,
    write_files,
)
from subsel.literature.challenge.page import challenge_page
from subsel.literature.challenge.results import EntryResult
from subsel.literature.challenge.scoring import EntryScore
from subsel.literature.challenge.submission_files import read_files
from tests.cli.commands.test_challenge import folder as folder  # (a fixture)


class Plain(Entry):
    title, team, chapter = "plain", "nobody", "0"
    fits: list = []

    def procedure(self, problem):
        Plain.fits.append(problem.X.shape[0])
        return make_pipeline(SelectKBest(f_classif, k=3), LogisticRegression())


def small(as_sparse=False):
    rng = np.random.default_rng(3)
    y = np.where(rng.random(90) < 0.4, 1, -1)
    X = rng.normal(size=(90, 12)) + 0.8 * (np.arange(12) < 2) * y[:, None]
    table = sparse.csr_array(np.maximum(X, 0)) if as_sparse else X
    return problem_of("small", table[:60], y[:60], table[60:], y[60:], np.arange(12) >= 2)


@pytest.fixture
def second(tmp_path):
    ENTRIES.add("plain", Plain, home=f"{__name__}:Plain")
    Plain.fits.clear()
    return lambda problem: SecondDate([problem], ["plain"], tmp_path)


@pytest.mark.parametrize("as_sparse", [False, True])
def test_pooled_predictions_are_those_of_a_plain_loop_over_folds(second, as_sparse):
    """Every labelled row is predicted by a model of the other folds, and the error is that of all rows together."""
    problem = small(as_sparse)
    run = second(problem)
    assert run.run() == {} and len(Plain.fits) == 10 and run.pending() == []
    X = problem.X.toarray() if as_sparse else problem.X
    others = problem.others.toarray() if as_sparse else problem.others
    X, y = np.vstack([X, others]), np.concatenate([problem.y, problem.sealed])
    said = np.zeros(90)
    for train, test in StratifiedKFold(10, shuffle=True, random_state=0).split(X, y):
        said[test] = Plain().procedure(problem).fit(X[train], y[train]).decision_function(X[test])
    given = run.submissions(problem)["plain"]
    np.testing.assert_allclose(np.concatenate([given.train, given.valid]), said, atol=1e-8)
    (result,) = run.results(problem)
    assert result.score.ber == pytest.approx(100 * balanced_error(y, np.where(said > 0, 1, -1)))
    assert result.score.n_features == 3 and 33 < result.score.probes < 67 and result.figure is None


def test_what_is_done_is_not_done_again_fold_by_fold(second):
    """With one fold lost that fold alone is run; before that nothing is told."""
    problem = small()
    run = second(problem)
    run.run()
    (lost,) = run.folder.glob("fold-4-of-10/small/plain.npz")
    lost.unlink()
    assert run.pending() == [("plain", "small", 3)] and run.results(problem) == []
    Plain.fits.clear()
    run.run(seconds=0)
    assert Plain.fits == []
    run.run()
    assert Plain.fits == [81] and len(run.results(problem)) == 1


def test_files_of_2003_read_back(tmp_path):
    """Labels, confidences and columns, numbered from 1; no list of columns where all were used."""
    given = Submission(
        "hand", "tiny", np.array([0.25, -3.0, 1e-9]), np.array([-0.5, 0.0]), np.array([4, 1]), 1.0
    )
    write_files(given, tmp_path, 6)
    assert (tmp_path / "tiny_valid.resu").read_text() == "-1\n-1\n"
    assert (tmp_path / "tiny_train.conf").read_text().split()[1] == "3.0"
    assert (tmp_path / "tiny.feat").read_text() == "2\n5\n"
    again = read_files(tmp_path, "tiny", 6)
    np.testing.assert_allclose(again.train, given.train)
    np.testing.assert_allclose(again.valid, given.valid, atol=1e-300)
    assert again.fingerprint == given.fingerprint
    write_files(
        Submission("hand", "tiny", given.train, given.valid, np.arange(6), 1.0), tmp_path, 6
    )
    assert (
        not (tmp_path / "tiny.feat").exists() and len(read_files(tmp_path, "tiny", 6).features) == 6
    )


def test_test_rows_are_predicted_where_they_are_at_hand(folder, capsys):
    """On either date files of the test rows are written, by a model of all rows that had labels then."""
    held = dict(np.load(folder / "madelon.npz"))
    test = np.random.default_rng(1).normal(size=(5, 8))
    held |= {
        "X": np.vstack([held["X"], test]),
        "y": np.append(held["y"], np.zeros(5)),
        "split": np.append(held["split"], [2] * 5),
    }
    np.savez(folder / "madelon.npz", **held | {"split_names": np.array(["train", "valid", "test"])})
    said = {}
    for date in ("1", "2"):
        typed = [
            "challenge",
            "--data",
            str(folder),
            "--entries",
            "fs-svm",
            "--quick",
            "--date",
            date,
        ]
        assert main([*typed, "--out", str(folder / "out"), "--write", str(folder / date)]) == 0
        said[date] = read_files(folder / date / "fs-svm", "madelon", 8).test
    problem = load_problem(folder, "madelon")
    first = ENTRIES.find("fs-svm")(quick=True).fit(problem)
    then = ENTRIES.find("fs-svm")(quick=True).fit(
        problem_of("madelon", *labelled(problem), problem.others, problem.sealed, test=test)
    )
    np.testing.assert_allclose(said["1"], first.test)
    np.testing.assert_allclose(said["2"], then.test)
    assert not np.allclose(said["1"], said["2"])


def labelled(problem):
    return np.vstack([problem.X, problem.others]), np.concatenate([problem.y, problem.sealed])


def test_what_the_folder_says_of_test_rows_and_probes_is_checked(folder):
    """Another number of test rows or of probes than is printed is refused; the right ones are given on."""
    held = dict(np.load(folder / "madelon.npz"))
    np.savez(folder / "madelon.npz", **held, probes=np.arange(8) > 3)
    with pytest.raises(ValueError, match="7 probes are due, found 4 in 8 columns"):
        load_problem(folder, "madelon")
    split, y = np.repeat([0, 1, 2], [30, 30, 4]), np.append(held["y"], np.zeros(4))
    held |= {
        "X": np.vstack([held["X"], np.ones((4, 8))]),
        "split_names": np.array(["train", "valid", "test"]),
    }
    np.savez(folder / "madelon.npz", **held | {"y": y, "split": split})
    with pytest.raises(ValueError, match="madelon, test: 5 rows are due, found 4"):
        load_problem(folder, "madelon")
    with pytest.raises(ValueError, match="3 columns in training, 2 in test"):
        problem_of(
            "tiny",
            np.ones((2, 3)),
            np.array([1, -1]),
            np.ones((2, 3)),
            np.array([1, -1]),
            test=np.ones((1, 2)),
        )


def test_broken_files_are_named(tmp_path):
    """A label of 0, a confidence below nothing, a column too far."""
    given = Submission("hand", "tiny", np.array([1.0, -1.0]), np.array([1.0]), np.array([5]), 1.0)
    for name, text in (
        ("tiny_train.resu", "0\n1\n"),
        ("tiny_train.conf", "-1\n1\n"),
        ("tiny.feat", "7\n"),
    ):
        write_files(given, tmp_path, 6)
        (tmp_path / name).write_text(text)
        with pytest.raises(ValueError, match=name):
            read_files(tmp_path, "tiny", 6)


def test_the_command_runs_the_second_date_and_writes_files(folder, capsys):
    """Ten folds are kept apart from first submissions, the page tells the date, and the files lie where asked."""
    typed = ["challenge", "--data", str(folder), "--entries", "fs-svm", "--quick", "--date", "2"]
    (folder / "out").mkdir()
    (folder / "out" / "note.txt").write_text("What else is to be said.\n")
    assert main([*typed, "--out", str(folder / "out"), "--write", str(folder / "files")]) == 0
    page = capsys.readouterr().out
    assert "\n\nWhat else is to be said.\n\n" in page
    assert "## The second date" in page and "| FS+SVM, quick | MADELON |" in page
    assert len(list((folder / "out" / "second_date").rglob("*.npz"))) == 10
    assert not (folder / "out" / "submissions").exists()
    read = read_files(folder / "files" / "fs-svm", "madelon", 8)
    assert len(read.train) == len(read.valid) == 30


def test_a_figure_of_the_second_date_is_compared_with_that_date():
    """Where it was run, unless validation rows were printed, which are compared with the first date."""

    def score(ber):
        return EntryScore("x", "madelon", ber, 1.0, 95.0, 4.0, 0.0, 20, 3.0)

    def made(key, ber, figure):
        return EntryResult(key, score(ber), 0.0, 1, "2026-01-01", figure)

    late, both = Figure(None, 7.0, "8 Dec", 20), Figure(7.0, 6.0, "8 Dec", 20)
    first = {
        "madelon": [
            made("ghostminer", 20.0, late),
            made("cba", 20.0, both),
            made("esnb-nn", 20.0, late),
        ]
    }
    then = {"madelon": [made("ghostminer", 8.0, late), made("cba", 6.0, late)]}

    def off(second):
        return challenge_page(first, second=second).split("## What lies off")[1]

    assert "Of 3 results with a printed figure, 0 lie within" in off({})
    assert "Of 3 results with a printed figure, 1 lie within" in off(
        then
    ) and "20.00 against 7.00" in off(then)
    assert "2 of 2 with a printed figure lie within" in challenge_page(first, second=then)
    worse = {"madelon": [made("ghostminer", 12.0, late)]}
    assert "on MADELON (second date), 12.00 against 7.00" in off(worse)
