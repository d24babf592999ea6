"""The command line: files come out whole, messages name the trouble, exit codes fit for scripts."""

import csv
import json
import os
import re
import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import dump_svmlight_file, load_iris

from subsel.cli import main
from subsel.data.files.read_table import read_table


@pytest.fixture
def iris(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # results go beside the data unless told otherwise
    table, y = load_iris(return_X_y=True)
    path = tmp_path / "iris.csv"
    rows = [
        ["sl", "sw", "pl", "pw", "kind"],
        *([*map(str, row), ["se", "ve", "vi"][c]] for row, c in zip(table, y)),
    ]
    path.write_text("\n".join(",".join(row) for row in rows))
    return path


def test_a_device_is_named_checked_and_used(iris, tmp_path, capsys, monkeypatch):
    """On the device of PyTorch the same columns are selected; the document says where they were evaluated."""
    pytest.importorskip("torch")
    options = [
        "--target",
        "kind",
        "--search",
        "sfs",
        "--n-features",
        "2",
        "--estimator",
        "ridge",
        "--no-assess",
    ]
    chosen = []
    for where in ([], ["--device", "cpu"]):
        assert (
            main(
                [
                    "select",
                    str(iris),
                    *options,
                    *where,
                    "--out",
                    str(tmp_path / f"out{len(chosen)}"),
                ]
            )
            == 0
        )
        document = json.loads((tmp_path / f"out{len(chosen)}" / "selection.json").read_text())
        chosen.append((document["selected"], document["run"]["evaluator"]))
    assert chosen[0][0] == chosen[1][0] and chosen[1][1].endswith(" on cpu")


@pytest.mark.parametrize(
    "options, said",
    [
        (["--search", "sfs", "--device", "cuda"], "needs PyTorch: install the extra"),
        (["--search", "sfs", "--device", "tpu"], "device must be None, 'cpu', 'cuda'"),
        (["--device", "cpu"], "a race evaluates on the processor"),
    ],
)
def test_a_device_that_cannot_be_used_is_refused(iris, capsys, monkeypatch, options, said):
    """Before any work: without PyTorch by the extra that brings it."""
    monkeypatch.setitem(sys.modules, "torch", None)
    assert main(["select", str(iris), "--target", "kind", *options]) == 2
    assert said in capsys.readouterr().err


def write(path, text):
    path.write_text(text)
    return str(path)


def test_select_writes_its_files_and_says_what_it_found(iris, tmp_path, capsys):
    """The chosen columns are printed and written, with the guide quality named as such."""
    out = tmp_path / "deep" / "out"
    options = [
        "--target",
        "kind",
        "--search",
        "sfs",
        "--n-features",
        "2",
        "--estimator",
        "knn",
        "--out",
        str(out),
    ]
    code = main(["select", str(iris), *options])
    printed = capsys.readouterr().out
    assert code == 0
    assert "selected 2 of 4 columns: pl, pw" in printed
    assert "guide quality" in printed
    selection = json.loads((out / "selection.json").read_text())
    assert selection["selected"] == ["pl", "pw"]
    assert selection["data"] == {
        "source": str(iris),
        "rows": 150,
        "columns": 4,
        "target": "kind",
        "task": "classification",
    }
    features = list(csv.DictReader((out / "features.csv").open()))
    assert [(f["feature"], f["selected"]) for f in features] == [
        ("sl", "0"),
        ("sw", "0"),
        ("pl", "1"),
        ("pw", "1"),
    ]
    assert sorted(p.name for p in out.iterdir()) == [
        "features.csv",
        "model.skops",
        "report.html",
        "selection.json",
    ]
    low, high = selection["assessment"]["interval"]
    assert low <= selection["assessment"]["performance"] <= high
    assert "performance" in printed
    assert len(printed.splitlines()) <= 14


@pytest.mark.parametrize("quiet", ["--quiet", "--json"])
def test_quiet_and_json(iris, capsys, quiet):
    """Quiet prints nothing; JSON prints one document and nothing else."""
    options = [
        "--target",
        "kind",
        "--search",
        "sfs",
        "--n-features",
        "1:2",
        "--estimator",
        "nb",
        quiet,
    ]
    assert main(["select", str(iris), *options]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    assert captured.out == "" if quiet == "--quiet" else json.loads(captured.out)["schema"] == 1


def test_every_format_gives_the_same_selection(iris, tmp_path, capsys):
    """CSV, gzip, TSV, Parquet, NPZ (dense, sparse) and libsvm hold the same table."""
    import gzip

    import pandas as pd

    table, y = load_iris(return_X_y=True)
    frame = pd.read_csv(iris)
    frame.to_parquet(tmp_path / "iris.parquet")
    frame.to_csv(tmp_path / "iris.tsv", sep="\t", index=False)
    with gzip.open(tmp_path / "iris.csv.gz", "wt") as file:
        frame.to_csv(file, index=False)
    np.savez(tmp_path / "iris.npz", X=table, y=y)
    matrix = sparse.csr_matrix(table)
    np.savez(
        tmp_path / "sparse.npz",
        format="csr", shape=matrix.shape, data=matrix.data, indices=matrix.indices, indptr=matrix.indptr, y=y,
    )  # fmt: skip
    dump_svmlight_file(table, y, str(tmp_path / "iris.libsvm"))
    chosen = set()
    for name in (
        "iris.csv",
        "iris.csv.gz",
        "iris.tsv",
        "iris.parquet",
        "iris.npz",
        "sparse.npz",
        "iris.libsvm",
    ):
        target = ["--target", "kind"] if "csv" in name or "tsv" in name or "parquet" in name else []
        options = [
            str(tmp_path / name),
            *target,
            "--search",
            "sfs",
            "--n-features",
            "2",
            "--estimator",
            "ridge",
            "--no-assess",
            "--json",
        ]
        assert main(["select", *options]) == 0, name
        chosen.add(tuple(json.loads(capsys.readouterr().out)["columns"]))
    assert len(chosen) == 1


def test_text_columns_move_as_groups(tmp_path, capsys, monkeypatch):
    """A text column is encoded and selected whole, as the column of the file that it is."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    colour = rng.integers(0, 3, 90)
    rows = [
        f"{rng.normal():.3f},{'rgb'[c]},{i}-id,{'yes' if c == 1 else 'no'}"
        for i, c in enumerate(colour)
    ]
    path = write(tmp_path / "t.csv", "noise,colour,tag,y\n" + "\n".join(rows))
    assert (
        main(
            [
                "select",
                path,
                "--target",
                "y",
                "--search",
                "sfs",
                "--estimator",
                "tree",
                "--no-assess",
                "--json",
            ]
        )
        == 0
    )
    selection = json.loads(capsys.readouterr().out)
    assert "colour" in selection["selected"] and selection["data"]["columns"] == 3
    assert any("'tag' has 90 different values" in note for note in selection["notes"])


BAD = {
    "no file": (None, [], "there is no file"),
    "empty file": ("", [], "is empty"),
    "header only": ("a,b,y\n", [], "no rows"),
    "ragged": ("a,b,y\n1,2,0\n1,2\n", [], "line 3: 2 cells"),
    "unknown target": ("a,b,z\n1,2,0\n2,1,1\n", [], "has no column 'y'"),
    "nan": (
        "a,b,y\n" + "1,2,0\n,1,1\n" * 6,
        ["--impute", "none"],
        "none leaves column 'a' with missing values",
    ),
    "inf": ("a,b,y\n" + "1,2,0\ninf,1,1\n" * 6, [], "column 'a' holds infinity in row 1"),
    "one class": ("a,b,y\n" + "1,2,0\n2,1,0\n" * 6, [], "one class only"),
    "single row": ("a,b,y\n" + "1,2,0\n" * 9 + "2,1,1\n", [], "has a single row"),
    "missing target": ("a,b,y\n1,2,0\n2,1,\n", [], "missing in data row 2"),
    "text for regression": (
        "a,b,y\n" + "1,2,u\n2,1,v\n" * 6,
        ["--task", "regression"],
        "numeric for regression",
    ),
    "only a target": ("y\n" + "0\n1\n" * 6, [], "no column is left"),
}


BAD_OPTIONS = {
    "target fixed": ("a,b,y\n" + "1,2,0\n2,1,1\n" * 6, ["--fixed", "y"], "'y' is the target"),
    "unknown fixed": ("aaa,b,y\n" + "1,2,0\n2,1,1\n" * 6, ["--fixed", "aa"], "Did you mean aaa"),
    "impossible size": ("a,b,y\n" + "1,2,0\n2,1,1\n" * 6, ["--n-features", "3"], "between 1 and 2"),
    "no search": ("a,b,y\n" + "1,2,0\n2,1,1\n" * 6, ["--search", "sfffs"], "Did you mean"),
    "no estimator": (
        "a,b,y\n" + "1,2,0\n2,1,1\n" * 6,
        ["--estimator", "oracle"],
        "no estimator named 'oracle'",
    ),
    "wrong estimator": (
        "a,b,y\n" + "1,2,0\n2,1,1\n" * 6,
        ["--estimator", "kernel-ridge"],
        "does not do classification",
    ),
    "bad budget": ("a,b,y\n" + "1,2,0\n2,1,1\n" * 6, ["--budget", "soon"], "budget must be"),
}


@pytest.mark.parametrize(("text", "options", "message"), BAD.values(), ids=BAD.keys())
def test_bad_input_fails_with_a_message_and_nothing_written(
    tmp_path, capsys, text, options, message
):
    """Each mistake exits with 1, says what is wrong in one line, and leaves no file behind."""
    path = tmp_path / "data.csv"
    if text is not None:
        path.write_text(text)
    out = tmp_path / "out"
    assert (
        main(["select", str(path), "--target", "y", "--out", str(out), "--search", "sfs", *options])
        == 1
    )
    error = capsys.readouterr().err.strip()
    assert error.startswith("subsel: error: ")
    assert re.search(message, error), error
    assert not out.exists() or list(out.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "options", "message"), BAD_OPTIONS.values(), ids=BAD_OPTIONS.keys()
)
def test_bad_options_exit_with_2(tmp_path, capsys, text, options, message):
    """What was asked for is at fault, not the data: one line, exit code 2, nothing written."""
    path, out = tmp_path / "data.csv", tmp_path / "out"
    path.write_text(text)
    assert (
        main(["select", str(path), "--target", "y", "--out", str(out), "--search", "sfs", *options])
        == 2
    )
    error = capsys.readouterr().err.strip()
    assert error.startswith("subsel: error: ") and error.count("\n") == 0
    assert re.search(message, error), error
    assert not out.exists() or list(out.iterdir()) == []


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        (["compare", "--methods", "sfs:nb,sfsf:nb"], "--methods: there is no search named 'sfsf'"),
        (["compare", "--methods", "sfs:oracle"], "--methods: there is no estimator named 'oracle'"),
        (["select", "--cv", "1"], "--cv: must be at least 2"),
        (["select", "--criterion", "magic"], "--criterion: there is no criterion"),
        (["select", "--memory", "lots"], "--memory: memory must be"),
        (["assess", "--search", "forward"], "It is called sfs here"),
        (["rank", "--score", "f_classif"], "It is called anova-f here"),
        (["rank", "--cut", "fdr"], "--cut: cut 'fdr' needs a value"),
    ],
)
def test_bad_options_are_refused_before_the_table_is_read(capsys, typed, message):
    """Names and numbers are looked at first: the file need not even be there."""
    assert main([typed[0], "not-there.csv", "--target", "y", *typed[1:]]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    "name", ["broken.csv", "broken.csv.gz", "broken.npz", "broken.parquet", "broken.libsvm"]
)
def test_a_broken_file_is_named(tmp_path, capsys, name):
    """Bytes that are no table give one line that names the file, whatever its ending promises."""
    path = tmp_path / name
    path.write_bytes(bytes(range(144, 256)) * 3)
    assert main(["select", str(path), "--target", "y", "--out", str(tmp_path / "out")]) == 1
    error = capsys.readouterr().err.strip()
    assert error.startswith(f"subsel: error: {path} is not a readable")
    assert not (tmp_path / "out").exists()


def test_constant_columns_are_no_trouble(tmp_path, capsys, monkeypatch):
    """A constant column is searched like any other and not preferred."""
    monkeypatch.chdir(tmp_path)
    path = write(tmp_path / "c.csv", "a,c,y\n" + "1,7,0\n2,7,1\n" * 10)
    assert (
        main(["select", path, "--target", "y", "--search", "sfs", "--n-features", "1", "--json"])
        == 0
    )
    assert json.loads(capsys.readouterr().out)["selected"] == ["a"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_an_unwritable_folder_is_refused_before_the_search(iris, tmp_path, capsys):
    """Nothing is searched if nothing can be written."""
    (tmp_path / "locked").mkdir(mode=0o500)
    assert (
        main(["select", str(iris), "--target", "kind", "--out", str(tmp_path / "locked" / "out")])
        == 1
    )
    assert "cannot write" in capsys.readouterr().err


def test_a_file_in_place_of_the_folder_is_refused(iris, tmp_path, capsys):
    """An output path that is a file is refused before the search."""
    (tmp_path / "taken").write_text("")
    assert main(["select", str(iris), "--target", "kind", "--out", str(tmp_path / "taken")]) == 1
    assert "cannot write to" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        (
            "select x.csv --tarte y",
            "usage: subsel select .*not expected: --tarte y. Did you mean --target\\?",
        ),
        (
            "rank x.csv --scroe=relieff",
            "usage: subsel rank .*not expected: --scroe=relieff. Did you mean --score\\?",
        ),
        ("select x.csv --qqq", "not expected: --qqq. Known: --target, "),
        ("select x.csv y.csv", "not expected: y.csv.$"),
        ("--verson", "usage: subsel .*"),
    ],
)
def test_a_mistyped_option_exits_with_the_usage_of_its_command(typed, told, capsys):
    """Unknown options end with 2, the usage of the command and the option that comes nearest."""
    with pytest.raises(SystemExit) as stop:
        main(typed.split())
    assert stop.value.code == 2
    assert re.search(told, capsys.readouterr().err.strip(), re.DOTALL)


def test_methods_lists_everything(capsys):
    """Every search, criterion and ranking has one line."""
    assert main(["methods", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert {"rfs1", "sffs", "branch-and-bound", "relieff"} <= {row["key"] for row in rows}
    assert {"search", "criterion", "ranking", "order"} < {row["kind"] for row in rows}
    assert all(row["summary"] for row in rows)


def test_methods_name_sources_that_a_stranger_can_look_up(capsys):
    """The literature's methods name author and year, and nobody is sent to a table of ours."""
    assert main(["methods", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["key"] for row in rows if row["kind"] == "search" and not row["source"]] == []
    ours = re.compile(r"\b(book-0\d|papers [A-Z])")
    assert [row["key"] for row in rows if ours.search(json.dumps(row))] == []


def test_compare_puts_searches_side_by_side(iris, tmp_path, capsys):
    """Two searches on the same folds: a table, a report, one row each."""
    out = tmp_path / "compared"
    options = [
        "--target",
        "kind",
        "--methods",
        "sfs:nb,sbs:ridge",
        "--n-features",
        "2",
        "--budget",
        "100",
        "--out",
        str(out),
    ]
    assert main(["compare", str(iris), *options]) == 0
    printed = capsys.readouterr().out
    assert "sfs:nb" in printed
    assert "sbs:ridge" in printed
    assert sorted(p.name for p in out.iterdir()) == ["comparison.csv", "report.html"]


def test_assess_says_how_good_a_way_of_selecting_is(iris, tmp_path, capsys):
    """No selection on all rows: performance, stability, references, and a report."""
    out = tmp_path / "assessed"
    options = [
        "--target",
        "kind",
        "--search",
        "sfs",
        "--estimator",
        "nb",
        "--n-features",
        "2",
        "--out",
        str(out),
    ]
    assert main(["assess", str(iris), *options]) == 0
    assert "performance" in capsys.readouterr().out
    document = json.loads((out / "assessment.json").read_text())
    assert document["performance"] > 0.8
    assert document["folds"] == 10
    assert sorted(p.name for p in out.iterdir()) == ["assessment.json", "report.html"]


def test_the_default_job_writes_beside_the_data(iris, tmp_path, capsys):
    """With no option but the target, everything is decided, assessed and reported."""
    assert main(["select", str(iris), "--target", "kind", "--budget", "2s"]) == 0
    assert (tmp_path / "subsel-iris" / "report.html").exists()
    selection = json.loads((tmp_path / "subsel-iris" / "selection.json").read_text())
    procedures = {row["name"] for row in selection["race"]["procedures"]}
    assert {"all features, ridge"} < procedures and set(selection["race"]["taken"]) <= procedures
    assert selection["assessment"]["performance"] > 0.8
    assert selection["settings"]["command"].startswith("subsel select")
    assert "the race, best first" in capsys.readouterr().out


def test_demo_runs(tmp_path):
    """The demonstration runs in a process of its own and writes its files."""
    out = tmp_path / "demo"
    done = subprocess.run(
        [sys.executable, "-m", "subsel", "demo", "--out", str(out)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "selected" in done.stdout
    assert (out / "selection.json").exists()


def test_importing_the_package_is_light():
    """``import subsel`` pulls in neither scikit-learn nor numba nor pandas."""
    code = "import sys, subsel; print([m for m in ('sklearn', 'numba', 'pandas', 'scipy') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_equal_names_in_an_npz_are_numbered(tmp_path):
    """Names there are labels, not handles: repeated ones get a number, and the user is told."""
    path = tmp_path / "d.npz"
    np.savez(path, X=np.eye(3), y=[0, 1, 0], feature_names=["gene", "gene", "other"])
    table = read_table(path)
    assert table.names == ["gene", "gene (2)", "other"]
    assert "occur more than once" in table.notes[0]


def test_read_table_tells_numbers_from_text(tmp_path):
    """Missing marks in numbers are NaN; semicolons and quotes are understood."""
    table = read_table(write(tmp_path / "q.csv", 'a;"b;c";y\n1;2,5;u\n?;x;v\n'), "y")
    assert np.isnan(table.X[1, 0])
    assert table.names == ["a", "b;c=2,5", "b;c=x"]
    assert table.y.tolist() == ["u", "v"]
