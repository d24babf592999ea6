"""``subsel rank``: table, picture and files come out whole; messages name the trouble; exit codes fit for scripts."""

import csv
import json
import sys

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from subsel import RankingSelector
from subsel.cli import main
from subsel.literature.challenge.tables.files import write_challenge


@pytest.fixture
def iris(tmp_path):
    """Iris with a column of noise and a constant one."""
    X, y = load_iris(return_X_y=True)
    noise = np.random.default_rng(0).standard_normal(150).round(3)
    lines = ["sl,sw,pl,pw,noise,flat,kind"]
    lines += [",".join([*map(str, row), str(n), "1", "abc"[c]]) for row, n, c in zip(X, noise, y)]
    path = tmp_path / "iris.csv"
    path.write_text("\n".join(lines))
    return path


def rank(iris, *options):
    return main(["rank", str(iris), "--target", "kind", *options])


def test_the_table(iris, capsys):
    """Rank, feature, score, p, q and note, best first, with what was kept and by which evidence."""
    assert rank(iris, "--cut", "fdr:0.1") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["rank", "feature", "score", "p", "q", "kept", "note"]
    assert [line.split()[1] for line in lines[1:7]] == ["pl", "pw", "sl", "sw", "noise", "flat"]
    assert lines[1].split()[:3] == ["1", "pl", "1180"]
    assert lines[6].endswith("constant")
    assert (
        lines[7]
        == "anova-f, cut fdr:0.1: kept 4 of 6 columns (p-values of the score, Benjamini-Hochberg)"
    )


def test_top_limits_the_rows_printed(iris, capsys):
    """--top prints that many rows."""
    assert rank(iris, "--top", "2") == 0
    assert len(capsys.readouterr().out.splitlines()) == 4


def test_json_is_one_document(iris, capsys):
    """--json prints the whole ranking, equal to what the selector gives."""
    assert rank(iris, "--score", "relieff", "--cut", "fdr:0.1", "--seed", "3", "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert document["evidence"] == "100 permuted probes, Benjamini-Hochberg"
    assert set(document["kept"]) >= {"pl", "pw"}
    assert [row["rank"] for row in document["ranking"]] == [1, 2, 3, 4, 5, 6]
    table = np.genfromtxt(iris, delimiter=",", skip_header=1, usecols=range(6))
    selector = RankingSelector("relieff", "fdr:0.1", random_state=3).fit(table, load_iris().target)
    assert document["ranking"][0]["score"] == pytest.approx(selector.scores_.max())


def test_infinite_scores_are_valid_json(tmp_path, capsys):
    """JSON has no infinity: such a score is text."""
    path = tmp_path / "t.csv"
    path.write_text(
        "a,b,y\n" + "\n".join(f"{i % 2},{i * i},{['no', 'yes'][i % 2]}" for i in range(12))
    )
    assert main(["rank", str(path), "--target", "y", "--json"]) == 0
    document = json.loads(
        capsys.readouterr().out, parse_constant=lambda name: pytest.fail(f"{name} is not JSON")
    )
    assert document["ranking"][0]["score"] == "inf"
    assert main(["rank", str(path), "--target", "y", "--out", str(tmp_path / "out")]) == 0
    assert (tmp_path / "out" / "ranking.png").stat().st_size > 5000


def test_quiet_prints_nothing(iris, tmp_path, capsys):
    """--quiet prints nothing, the files are written all the same."""
    assert rank(iris, "--quiet", "--out", str(tmp_path / "out")) == 0
    captured = capsys.readouterr()
    assert captured.out == captured.err == ""
    assert (tmp_path / "out" / "ranking.csv").exists()


def test_the_files(iris, tmp_path, capsys):
    """--out writes the whole table and a picture, makes the folder, and leaves nothing else there."""
    out = tmp_path / "deep" / "out"
    assert rank(iris, "--cut", "2", "--out", str(out)) == 0
    assert sorted(p.name for p in out.iterdir()) == ["ranking.csv", "ranking.json", "ranking.png"]
    rows = list(csv.DictReader((out / "ranking.csv").open()))
    assert list(rows[0]) == ["rank", "feature", "column", "score", "p", "q", "kept", "note"]
    assert [(r["feature"], r["kept"]) for r in rows][:3] == [
        ("pl", "True"),
        ("pw", "True"),
        ("sl", "False"),
    ]
    assert [r["column"] for r in rows] == ["2", "3", "0", "1", "4", "5"]
    assert (out / "ranking.png").read_bytes().startswith(b"\x89PNG")
    assert "written: " in capsys.readouterr().out


def test_nothing_half_written(iris, tmp_path, monkeypatch, capsys):
    """If the picture fails, the old files stay as they were."""
    out = tmp_path / "out"
    assert rank(iris, "--quiet", "--out", str(out)) == 0
    before = {p.name: p.read_bytes() for p in out.iterdir()}

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr("subsel.cli.commands.rank.picture", fail)
    assert rank(iris, "--quiet", "--cut", "1", "--out", str(out)) == 1
    assert "disk full" in capsys.readouterr().err
    assert {p.name: p.read_bytes() for p in out.iterdir()} == before


def test_without_matplotlib_there_is_a_table(iris, tmp_path, monkeypatch, capsys):
    """The picture is left out with a hint, and the run succeeds."""
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert rank(iris, "--out", str(tmp_path / "out")) == 0
    assert "pip install 'subsel[plots]'" in capsys.readouterr().err
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["ranking.csv", "ranking.json"]


def test_ties_across_the_cut_are_noted(tmp_path, capsys):
    """Where chance (the order of the columns) decided between equal scores, the table says so."""
    path = tmp_path / "t.csv"
    path.write_text(
        "a,b,c,y\n" + "\n".join(f"{i},{i},{(7 * i) % 5},{int(i > 5)}" for i in range(12))
    )
    assert main(["rank", str(path), "--target", "y", "--cut", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].endswith("tied across the cut") and lines[2].endswith("tied across the cut")
    assert not lines[3].endswith("cut")


def test_orders_numbers_and_sparse_files(tmp_path, capsys):
    """A numeric target gets the correlation by default; orders can be asked for; a sparse NPZ stays sparse."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((50, 5)) * (rng.random((50, 5)) < 0.5)
    matrix = sparse.csr_matrix(X)
    parts = {
        "data": matrix.data,
        "indices": matrix.indices,
        "indptr": matrix.indptr,
        "shape": matrix.shape,
    }
    np.savez(
        tmp_path / "thin.npz", format="csr", y=X[:, 3] + 0.1 * rng.standard_normal(50), **parts
    )
    assert main(["rank", str(tmp_path / "thin.npz")]) == 0
    printed = capsys.readouterr().out
    assert printed.splitlines()[1].split()[1] == "x3" and "pearson, cut fdr:0.1" in printed
    assert (
        main(
            [
                "rank",
                str(tmp_path / "thin.npz"),
                "--score",
                "gram_schmidt",
                "--cut",
                "probe-risk:0.1",
            ]
        )
        == 0
    )
    assert "no score" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--score", "relief_f"], "Did you mean relieff"),
        (["--score", "t-test"], "defined for two classes, y has 3"),
        (["--cut", "best"], "there is no cut 'best'"),
        (["--cut", "9"], "between 1 and n_features = 6"),
        (["--cut", "cv"], "name a model with --estimator"),
        (
            ["--cut", "cv", "--estimator", "knnn"],
            "there is no estimator named 'knnn'. Did you mean knn",
        ),
        (
            ["--cut", "2", "--estimator", "knn"],
            "--estimator goes with --cut cv or cv-gap, got --cut 2",
        ),
        (["--probes", "odd", "--cut", "probes:0.1"], "probes must be one of"),
        (["--target", "knd"], "Did you mean kind"),
    ],
)
def test_trouble_is_named_and_nothing_written(iris, tmp_path, capsys, options, message):
    """A bad name, target or cut ends with code 2, or 1 where the table decides; one line on stderr, and no file."""
    out = tmp_path / "out"
    decided = {
        "defined for two classes, y has 3",
        "between 1 and n_features = 6",
        "Did you mean kind",
    }
    assert rank(iris, *options, "--out", str(out)) == (1 if message in decided else 2)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("subsel: error: ") and message in captured.err
    assert not list(out.iterdir())


def test_missing_values_are_named_by_column(tmp_path, capsys):
    """An empty cell is filled with a note or, where that is asked for, refused by name; scores that can take it do."""
    path = tmp_path / "t.csv"
    path.write_text(
        "age,b,y\n" + "\n".join(f"{'' if i == 3 else i},{i % 3},{int(i > 5)}" for i in range(12))
    )
    assert main(["rank", str(path), "--target", "y", "--impute", "none"]) == 1
    assert "column 'age' holds NaN in row 3" in capsys.readouterr().err
    assert main(["rank", str(path), "--target", "y"]) == 0
    assert (
        "note: missing values were filled by the median of their column." in capsys.readouterr().out
    )
    assert (
        main(["rank", str(path), "--target", "y", "--score", "mutual-information", "--cut", "1"])
        == 0
    )
    assert "filled" not in capsys.readouterr().out


@pytest.mark.parametrize(
    "options", [["--top", "0"], ["--top", "x"], ["--seed", "x"], ["--unknown"]]
)
def test_bad_options_are_usage_errors(iris, options):
    """Options that cannot be read end with code 2."""
    with pytest.raises(SystemExit) as end:
        rank(iris, *options)
    assert end.value.code == 2


def test_the_number_of_columns_by_cross_validation(iris, capsys):
    """--cut cv validates with the model asked for, as the selector does."""
    assert rank(iris, "--cut", "cv", "--estimator", "knn", "--json") == 0
    document = json.loads(capsys.readouterr().out)
    table = np.genfromtxt(iris, delimiter=",", skip_header=1, usecols=range(6))
    model = make_pipeline(StandardScaler(), KNeighborsClassifier())
    selector = RankingSelector("anova-f", "cv", estimator=model).fit(table, load_iris().target)
    assert document["evidence"] == "cross-validated number, one-standard-error rule"
    assert len(document["kept"]) == selector.validation_.chosen < 6


def test_long_names_stay_apart(tmp_path, capsys):
    """Long names are cut in the middle, and a name never breaks the line."""
    names = [f"a name that is far too long for any table number {j}" for j in range(2)]
    path = tmp_path / "t.csv"
    header = ",".join([*names, '"two\nlines"', "y"])
    path.write_text(
        header + "\n" + "\n".join(f"{i},{i * i % 7},{i % 3},{int(i > 5)}" for i in range(12))
    )
    assert main(["rank", str(path), "--target", "y"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 5
    assert (
        sum("number 0" in line for line in lines) == sum("number 1" in line for line in lines) == 1
    )
    assert sum("two lines" in line for line in lines) == 1


def test_the_files_of_the_challenge(tmp_path, capsys):
    """A .param file stands for the parts beside it; rows without labels are left out, and the table says so."""
    rng = np.random.default_rng(0)
    y = np.where(np.arange(40) % 2, 1, -1)
    bits = (rng.random((40, 6)) < 0.3).astype(int)
    bits[y > 0, 4] = 1
    X, y[30:] = sparse.csr_array(bits), 0
    write_challenge(tmp_path, "toy", X, y, np.repeat([0, 1], [30, 10]), ("train", "test"))
    assert (
        main(
            [
                "rank",
                str(tmp_path / "toy.param"),
                "--score",
                "hypergeometric",
                "--cut",
                "1",
                "--json",
            ]
        )
        == 0
    )
    document = json.loads(capsys.readouterr().out)
    assert document["kept"] == ["x4"]
    expected = RankingSelector("hypergeometric", cut=1).fit(X[:30], y[:30])
    assert [r["column"] for r in document["ranking"]] == expected.ranking_.tolist()
    assert main(["rank", str(tmp_path / "toy.param")]) == 0
    assert "note: 10 rows without a label were left out." in capsys.readouterr().out
    (tmp_path / "toy_train.data").write_text("1 2\n7\n")
    assert main(["rank", str(tmp_path / "toy.param")]) == 1
    assert "line 2: the index must lie in [1, 6], got '7'" in capsys.readouterr().err


def _sparse_parts(**changed):
    parts = {
        "data": np.ones(4),
        "indices": np.array([0, 1, 2, 0]),
        "indptr": np.arange(5),
        "shape": (4, 3),
    }
    return {"format": "csr", "y": np.array([0, 1, 0, 1]), **parts, **changed}


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        (
            _sparse_parts(indices=np.array([0, 1, 3, 0])),
            "does not hold a sparse matrix: indices must be < 3",
        ),
        (_sparse_parts(indices=np.array([0, -1, 2, 0])), "does not hold a sparse matrix"),
        (_sparse_parts(indptr=np.array([0, 1, 2, 3, 9])), "does not hold a sparse matrix"),
        (_sparse_parts(indptr=np.array([0, 3, 1, 3, 4])), "does not hold a sparse matrix"),
        (_sparse_parts(format="coo"), "must be csr or csc, got 'coo'"),
        (
            _sparse_parts(feature_names=np.array(["a", "b"])),
            "one name for each of the 3 columns of X, got 2",
        ),
        (
            {"X": np.ones((4, 2)), "y": np.arange(4) % 2, "feature_names": np.array(["a"])},
            "one name for each of the 2 columns of X, got 1",
        ),
        (
            {"X": np.arange(4.0), "y": np.arange(4) % 2},
            "must be a table of rows and columns, got 1 dimension",
        ),
        ({"X": np.ones((4, 2))}, "has no array 'y' for the target; it has X"),
        ({"y": np.ones(4)}, "has no array 'X'"),
        ({"X": np.ones((4, 2)), "y": np.array([None, 1, 2, 3])}, "without pickles"),
    ],
)
def test_an_npz_file_that_does_not_fit_is_refused(tmp_path, capsys, arrays, message):
    """Indices outside the table, names or labels that do not fit end with one line, never with a crash."""
    np.savez(tmp_path / "t.npz", **arrays)
    assert main(["rank", str(tmp_path / "t.npz"), "--cut", "1"]) == 1
    captured = capsys.readouterr()
    assert (
        captured.err.startswith(f"subsel: error: {tmp_path / 't.npz'}") and message in captured.err
    )


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.npz", b"PK\x03\x04 broken", "is not a readable NPZ file"),
        ("t.csv", b"  \n\n \n", "but it has no rows"),
        ("t.csv", b"a,y\n", "has a header and no rows"),
        ("t.csv", b"a,y\n1,2\n\n3\n", "line 4: 1 cells were read, but the first line has 2"),
        ("t.csv", b'"a\nb",y\n1,2\n3\n', "line 4: 1 cells were read, but the first line has 2"),
    ],
)
def test_broken_files_are_named(tmp_path, capsys, name, content, message):
    """A file that cannot be read is named, with the line where there is one."""
    (tmp_path / name).write_bytes(content)
    assert main(["rank", str(tmp_path / name), "--target", "y"]) == 1
    assert message in capsys.readouterr().err


def test_blank_lines_before_the_header(tmp_path, capsys):
    """The delimiter is told from the header, not from a blank line before it."""
    path = tmp_path / "t.csv"
    path.write_text("\n\na;b;y\n" + "\n".join(f"{i};{i % 3};{int(i > 5)}" for i in range(12)))
    assert main(["rank", str(path), "--target", "y"]) == 0
    assert "kept 1 of 2" in capsys.readouterr().out


def test_a_parquet_column_of_lists_is_named(tmp_path, capsys):
    """What is neither numbers, text nor dates is refused by its name and type."""
    pd.DataFrame({"many": [[1, 2]] * 8, "x": range(8), "y": [0, 1] * 4}).to_parquet(
        tmp_path / "t.parquet"
    )
    assert main(["rank", str(tmp_path / "t.parquet"), "--target", "y"]) == 1
    assert "column 'many' must hold numbers, text or dates, got list" in capsys.readouterr().err


def mixed(tmp_path):
    """A table with text, dates and numbers, of which text and a number tell the target."""
    rng, n = np.random.default_rng(0), 90
    town, age = rng.choice(list("ABCD"), n), rng.normal(50, 10, n).round(1)
    y = 2 * (town == "B") + (age - 50) / 10 + rng.normal(0, 0.3, n) > 0.8
    days = np.datetime64("2020-01-01") + rng.permutation(n)
    frame = pd.DataFrame(
        {
            "id": range(n),
            "town": town,
            "born": days.astype(str),
            "age": age,
            "x": rng.normal(size=n),
        }
    )
    frame.assign(y=np.where(y, "yes", "no")).to_csv(tmp_path / "mixed.csv", index=False)
    return tmp_path / "mixed.csv"


@pytest.mark.parametrize(
    "score, best", [("anova-f", "best of 4 parts: town=B"), ("mutual-information", "")]
)
def test_a_column_of_the_file_is_one_row(tmp_path, capsys, score, best):
    """Text and dates are ranked whole, in JSON and CSV too; the note tells of how many parts a score is the best."""
    path = mixed(tmp_path)
    assert (
        main(["rank", str(path), "--target", "y", "--score", score, "--out", str(tmp_path / "out")])
        == 0
    )
    printed = capsys.readouterr().out
    assert (
        "of 4 columns" in printed
        and "a search selects" not in printed
        and "'id' numbers the rows" in printed
    )
    rows = {
        row["feature"]: row for row in csv.DictReader((tmp_path / "out" / "ranking.csv").open())
    }
    assert set(rows) == {"town", "born", "age", "x"}
    assert [rows[name]["column"] for name in ("town", "born", "age", "x")] == ["1", "2", "3", "4"]
    assert rows["town"]["note"] == best and rows["born"]["note"].startswith(
        "best of 4 parts: born ("
    )
    assert rows["town"]["kept"] == "True" and rows["born"]["kept"] == "False"


@pytest.mark.parametrize("more", [[], ["--memory", "200MB"]])
def test_weights_count_rows_and_are_not_ranked(tmp_path, capsys, more):
    """A row of weight zero is as if it were not there, in memory and on disk."""
    frame = pd.DataFrame(
        {"a": [1.0, 2, 7, 9, 8, 2], "b": [5.0, 3, 4, 4, 5, 5], "y": list("uuvvvu")}
    )
    wrong = pd.DataFrame({"a": [50.0, 60.0], "b": [0.0, 0.0], "y": ["u", "v"], "w": 0})
    pd.concat([frame.assign(w=1), wrong]).to_csv(tmp_path / "w.csv", index=False)
    frame.to_csv(tmp_path / "t.csv", index=False)
    found = []
    for file, options in (("w.csv", ["--weights", "w", *more]), ("t.csv", more)):
        assert (
            main(["rank", str(tmp_path / file), "--target", "y", "--cut", "1", "--json", *options])
            == 0
        )
        found.append(
            {r["feature"]: r["score"] for r in json.loads(capsys.readouterr().out)["ranking"]}
        )
    assert found[0] == pytest.approx(found[1]) and set(found[0]) == {"a", "b"}


def test_a_file_left_on_disk_is_ranked_by_whole_columns_too(tmp_path, capsys):
    """Scores and p-values of text columns are those of the table read whole."""
    frame = pd.read_csv(mixed(tmp_path)).drop(columns=["id", "born"])
    frame.to_csv(tmp_path / "t.csv", index=False)
    found = []
    for more in ([], ["--memory", "200MB"]):
        assert main(["rank", str(tmp_path / "t.csv"), "--target", "y", "--json", *more]) == 0
        found.append(json.loads(capsys.readouterr().out)["ranking"])
    here, there = ({row["feature"]: row for row in rows} for rows in found)
    assert set(here) == set(there) == {"town", "age", "x"}
    assert there["town"]["score"] == pytest.approx(here["town"]["score"])
    assert (
        there["town"]["note"] == here["town"]["note"] == "best of 4 parts: town=B"
        and there["town"]["kept"]
    )
