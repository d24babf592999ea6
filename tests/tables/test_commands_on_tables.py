"""The command line on a spreadsheet as people have it.

Everything speaks of the columns of the file.
"""

import json

import numpy as np
import pandas as pd
import pytest

from subsel.cli import CompareOptions, SelectOptions, assess_job, compare_job, main, select_job
from subsel.cli.reading import Reading, recognition_notes
from subsel.data import read_table
from subsel.data.files.table import Table

QUICK = ["--search", "sfs", "--estimator", "nb", "--n-features", "1:2", "--budget", "40"]
COLUMNS = ["id", "größe", "town", "joined", "smokes", "who", "n0", "n1", "n2", "n3"]


def run(capsys, *typed):
    code = main(list(map(str, typed)))
    printed = capsys.readouterr()
    return code, printed.out, printed.err


@pytest.fixture(scope="module")
def selected(wards_file, tmp_path_factory):
    """One selection with assessment, groups and weights, and the files it wrote."""
    out = tmp_path_factory.mktemp("selected")
    roles = ["--groups", "ward", "--weights", "weight"]
    assert (
        main(["select", wards_file, "--target", "y", *roles, *QUICK, "--quiet", "--out", str(out)])
        == 0
    )
    return out


def test_the_document_counts_columns_of_the_file(selected):
    """Ten columns beside target, groups and weights.

    What was selected, the front, the folds are among them.
    """
    document = json.loads((selected / "selection.json").read_text())
    assert document["data"]["columns"] == 10 and set(document["selected"]) <= {"größe", "town"}
    assert document["columns"] == [COLUMNS.index(name) for name in document["selected"]]
    assert all(point["size"] == len(point["features"]) <= 2 for point in document["front"])
    assert (
        max(document["assessment"]["sizes"]) <= 2
        and "all features" in document["assessment"]["references"]
    )
    notes = " ".join(document["notes"])
    assert "größe, town): filled by the median" in notes and "use --cv time" in notes
    assert (
        "read as ; separated, decimal comma, cp1252" in notes
        and "'who' has 120 different values" in notes
    )
    assert len(document["notes"]) == len(set(document["notes"]))


def test_the_tables_and_the_report_count_columns_of_the_file(selected):
    """One line per column of the file in features.csv; the page shows none that was made of one."""
    lines = (selected / "features.csv").read_text(encoding="utf8").splitlines()
    assert [line.split(",")[0] for line in lines[1:]] == COLUMNS
    page = (selected / "report.html").read_text(encoding="utf8")
    assert (
        "größe" in page
        and "town=A" not in page
        and "joined (year)" not in page
        and "(missing)" not in page
    )


def test_the_terminal_counts_columns_of_the_file(wards_file, tmp_path, capsys):
    """What was recognised stands in the first line, what was selected is told of all columns.

    The target by position.
    """
    code, out, _ = run(
        capsys, "select", wards_file, "--target", "-1", *QUICK, "--no-assess", "--out", tmp_path
    )
    first = out.splitlines()[0]
    assert code == 0 and first.startswith(
        f"read {wards_file}: 120 rows, 12 columns (7 numbers, 1 yes or no, 1 dates, 1 text, 2 left out)"
    )
    assert "32 cells missing" in first and first.endswith(
        "read as ; separated, decimal comma, cp1252"
    )
    assert " of 12 columns: " in out and "town=" not in out


def test_a_race_on_the_file(wards_file):
    """Without a search whole procedures race on the columns of the file.

    Groups and weights go with them.
    """
    table = Reading(groups="ward", weights="weight").table(wards_file, "y")
    found = select_job(table, SelectOptions(budget="1s", prefer="few"))
    assert found.selector.support_.shape == (10,) and found.document["data"]["columns"] == 10
    assert all(row["size"] <= 8 for row in found.document["race"]["procedures"])
    assert any("missing values" in note for note in found.document["notes"])
    rows = found.selector.race_.splits[0]
    assert not set(table.row_groups[rows.train]) & set(table.row_groups[rows.test])


def test_assess_and_compare_on_the_file(wards_file):
    """Both take the file as it is, and tell what was recognised."""
    table = Reading(groups="ward").table(wards_file, "y")
    quick = {"n_features": (1, 2), "budget": "30"}
    assessed = assess_job(table, SelectOptions(search="sfs", estimator="nb", **quick))
    compared = compare_job(table, CompareOptions(methods=("sfs:nb", "sbs:nb"), **quick))
    for notes in (assessed.notes, compared.notes):
        assert any("use --cv time" in note for note in notes)
    assert assessed.sizes.max() <= 2 and assessed.names == tuple(table.column_names)
    assert compared.assessments["sfs:nb"].sizes.max() <= 2


def test_boosting_reads_gaps_as_they_are(wards_file):
    """`--estimator boosting` on a file with gaps fills none.

    What cannot read them must have them filled.
    """
    table = read_table(wards_file, "y")
    boosting = SelectOptions(
        search="sfs", estimator="boosting", n_features=1, budget="8", assess=False, cv=2
    )
    found = select_job(table, boosting)
    assert found.model[0].impute == "none" and any(
        "left as they are" in note for note in found.document["notes"]
    )
    with pytest.raises(ValueError, match="--impute none leaves column 'größe' with missing values"):
        select_job(table, SelectOptions(search="sfs", estimator="nb", impute="none"))
    filled = select_job(
        table,
        SelectOptions(
            search="sfs", estimator="nb", n_features=1, budget="20", impute="knn", assess=False
        ),
    )
    assert filled.model[0].impute == "knn"


def test_the_model_behind_the_selection_reads_the_file(wards_file):
    """Encoder and model together learn from the chosen columns as the file has them."""
    table = read_table(wards_file, "y")
    found = select_job(
        table, SelectOptions(search="sfs", estimator="nb", n_features=2, budget="40", assess=False)
    )
    chosen = table.as_in_file()[found.document["selected"]]
    assert found.model.fit(chosen, table.y).score(chosen, table.y) > 0.6


FORWARD = ["--cv", "time", "--no-assess"]


def test_folds_that_follow_time(wards_file, tmp_path, capsys):
    """With --cv time rows are sorted by their dates, and every fold is later than its training."""
    typed = ["select", wards_file, "--target", "y", *QUICK, *FORWARD, "--json", "--out", tmp_path]
    code, out, _ = run(capsys, *typed)
    assert code == 0 and any(
        "in the order of 'joined'" in note for note in json.loads(out)["notes"]
    )
    assert not any("use --cv time" in note for note in json.loads(out)["notes"])
    table = read_table(wards_file, "y")
    assessed = assess_job(
        table, SelectOptions(search="sfs", estimator="nb", n_features=1, budget="20", cv="time")
    )
    assert assessed.n_folds == 5 and assessed.folds["n_train"].tolist() == [20, 40, 60, 80, 100]
    raced = assess_job(table, SelectOptions(budget="0.2s", cv="time"))
    assert raced.folds["n_train"][0] == 20


def test_rows_are_taken_as_they_stand_without_dates():
    """A table without dates is taken to be in order, which is noted."""
    X = np.arange(40.0).reshape(20, 2) % 7
    table = Table(X, np.arange(20) % 2, ["a", "b"], "y")
    found = select_job(
        table, SelectOptions(search="sfs", estimator="nb", cv="time", budget="5", assess=False)
    )
    assert (
        "no column of dates: the rows are taken to be in order of time." in found.document["notes"]
    )


DIALECTS = {
    "separator": ("a:b:y\n1:2:u\n3:4:v\n", ["--separator", ":"]),
    "word for it": ("a\tb\ty\n1\t2\tu\n3\t4\tv\n", ["--separator", "tab"]),
    "decimal": ("a;b;y\n1,5;2;u\n3,5;4;v\n", ["--decimal", ","]),
    "encoding": ("ä;b;y\n1;2;u\n3;4;v\n", ["--encoding", "cp1252"]),
    "no header": ("1;2;u\n3;4;v\n", ["--no-header"]),
    "header": ("1.5;2;3\n3;4;u\n1;2;v\n", ["--header"]),
}


@pytest.mark.parametrize(("content", "options"), DIALECTS.values(), ids=DIALECTS)
def test_what_is_said_of_a_file_wins(tmp_path, capsys, content, options):
    """Options for how a file is written are taken instead of what its beginning tells."""
    path = tmp_path / "t.csv"
    head, _, rest = content.partition("\n")
    lines = (
        [head, *rest.splitlines() * 10]
        if options != ["--no-header"]
        else (content.splitlines()) * 10
    )
    path.write_bytes(("\n".join(lines) + "\n").encode("cp1252"))
    typed = [
        "select",
        path,
        "--target",
        "-1",
        *QUICK,
        "--no-assess",
        "--json",
        "--out",
        tmp_path / "out",
        *options,
    ]
    code, out, err = run(capsys, *typed)
    assert code == 0, err
    assert json.loads(out)["data"] | {"source": ""} == {
        "source": "", "rows": 20, "columns": 2, "task": "classification",
        "target": {"no header": "column 3", "header": "3"}.get(" ".join(options).strip("-").replace("-", " "), "y"),
    }  # fmt: skip


BAD = {
    "no such encoding": (["--encoding", "klingon"], "there is no encoding 'klingon'"),
    "long separator": (["--separator", "::"], "--separator must be one sign"),
    "no such groups": (["--groups", "wart"], "no column 'wart'. Did you mean ward"),
    "text as weights": (["--weights", "town"], "the weights 'town' must be numbers"),
    "roc_auc of numbers": (["--target", "n0", "--scoring", "roc_auc"], "'roc_auc' is not a measure for regression"),
    "r2 of classes": (["--scoring", "r2"], "'r2' is not a measure for classification"),
    "mistyped": (["--scoring", "acuracy"], "'acuracy' is not known. Did you mean accuracy, balanced_accuracy, top_k_accuracy"),

    "no probabilities": (["--estimator", "ridge", "--scoring", "neg_log_loss"], "needs probabilities, which RidgeClassifier"),
}  # fmt: skip


@pytest.mark.parametrize(("options", "message"), BAD.values(), ids=BAD)
def test_what_cannot_be_done_is_said_before_work_begins(
    wards_file, tmp_path, capsys, options, message
):
    """One line on stderr, exit code 1 for the file and 2 for the options, nothing written."""
    code, _, err = run(
        capsys, "select", wards_file, "--target", "y", "--out", tmp_path / "out", *options
    )
    assert (
        code == (2 if "--scoring" in options else 1)
        and err.count("\n") == 1
        and err.startswith("subsel: error: ")
    )
    assert message in err
    assert not (tmp_path / "out").exists() or not list((tmp_path / "out").iterdir())


@pytest.mark.parametrize("cv", ["one", "1.5"])
def test_folds_are_a_number_or_time(wards_file, cv):
    """Anything else is a mistake in the options."""
    with pytest.raises(SystemExit) as end:
        main(["select", wards_file, "--target", "y", f"--cv={cv}"])
    assert end.value.code == 2


def test_several_measures_of_probabilities(wards_file):
    """Without a user's model, a search by log loss leaves out those without probabilities."""
    table = read_table(wards_file, "y")
    options = SelectOptions(
        search="sfs", scoring="neg_log_loss", n_features=1, budget="20", assess=False
    )
    found = select_job(table, options)
    assert "ridge" not in found.document["guides"] and "naive Bayes" in found.document["guides"]


COUNTS = {
    "counts": (
        np.arange(60) % 41,
        "41 distinct numbers: taken as a quantity; --task classification for classes.",
    ),
    "few counts": (
        np.arange(60) % 7,
        "7 distinct numbers: taken as classes; --task regression for a quantity.",
    ),
    "rounded": (
        (np.arange(60) % 12) / 2,
        "12 distinct numbers: taken as a quantity; --task classification for classes.",
    ),
    "two classes": (np.arange(60) % 2, ""),
    "measured": (np.arange(60) / 7, ""),
}


@pytest.mark.parametrize(("y", "note"), COUNTS.values(), ids=COUNTS)
def test_what_a_target_of_numbers_was_taken_for(y, note):
    """Counts and rounded numbers could be either kind.

    What they were taken for is said, unless the user said it.
    """
    X = np.column_stack([np.arange(60) % 5, np.arange(60) % 3]).astype(float)
    options = SelectOptions(
        search="sfs", estimator="knn", n_features=1, budget="3", cv=2, assess=False
    )
    told = select_job(Table(X, y, ["a", "b"], "y"), options).document["notes"]
    assert [line for line in told if "distinct numbers" in line] == ([note] if note else [])


def test_a_small_class_lowers_the_folds_of_every_job(tmp_path, capsys):
    """Three rows of a class: three folds, with a note.

    Two: no assessment, which is said as well.
    """
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"a": rng.normal(size=40), "b": rng.normal(size=40), "y": ["u"] * 36 + ["v"] * 4}
    )
    frame["a"] += 3 * (frame["y"] == "v")
    table = Table(frame[["a", "b"]].to_numpy(), frame["y"].to_numpy(dtype=str), ["a", "b"], "y")
    quick = {"search": "sfs", "estimator": "nb", "n_features": 1, "budget": "4"}
    wanted = "class 'v' has 4 rows: 4 folds instead of 5."
    assert wanted in select_job(table, SelectOptions(**quick)).document["notes"]
    assert wanted in assess_job(table, SelectOptions(**quick)).notes
    assert wanted in compare_job(table, CompareOptions(methods=("sfs:nb",), **quick)).notes
    assert wanted in select_job(table, SelectOptions(budget="0.1s")).document["notes"]
    frame.iloc[:38].to_csv(tmp_path / "t.csv", index=False)
    typed = ["select", tmp_path / "t.csv", "--target", "y", *QUICK, "--quiet", "--out", tmp_path]
    assert run(capsys, *typed)[0] == 0
    document = json.loads((tmp_path / "selection.json").read_text())
    assert document["assessment"] is None and any(
        "'v' has 2 rows: too few to select on" in n for n in document["notes"]
    )


def test_what_was_recognised_of_tables_without_a_file():
    """Plain and sparse tables are told by their size."""
    from scipy import sparse

    assert (
        recognition_notes(Table(sparse.eye(3, format="csr"), np.arange(3), list("abc"), "y"))
        == "3 rows, 3 columns, sparse"
    )
    assert (
        recognition_notes(Table(np.ones((1, 1)), np.arange(1), ["a"], "y"))
        == "1 row, 1 column (1 numbers)"
    )


def test_a_resumed_job_reads_the_file_in_the_same_way(wards_file, tmp_path, capsys):
    """The journal keeps how the file was read; another way of reading it is another job."""
    journal, out = tmp_path / "journal", tmp_path / "out"
    typed = [
        "select",
        wards_file,
        "--target",
        "y",
        "--groups",
        "ward",
        *QUICK,
        "--no-assess",
        "--journal",
        journal,
    ]
    assert run(capsys, *typed, "--quiet", "--out", out)[0] == 0
    first = json.loads((out / "selection.json").read_text())
    assert run(capsys, "resume", journal, "--quiet", "--out", out)[0] == 0
    again = json.loads((out / "selection.json").read_text())
    assert again["selected"] == first["selected"] and again["data"]["columns"] == 11
    code, _, err = run(
        capsys,
        *[part for part in typed if part not in ("--groups", "ward")],
        "--quiet",
        "--out",
        out,
    )
    assert code == 1 and "is the journal of another job" in err


def test_a_column_that_looks_misread_is_questioned(tmp_path, capsys):
    """Numbers with a few words among them are not silently taken for text of very many values."""
    lines = [
        "age,x,y",
        *(f"{'n.k.' if i % 10 == 3 else 20 + i},{i % 7},{i % 2}" for i in range(60)),
    ]
    (tmp_path / "t.csv").write_text("\n".join(lines))
    assert main(["rank", str(tmp_path / "t.csv"), "--target", "y"]) == 0
    assert "column 'age' would hold numbers but for 'n.k.': misread?" in capsys.readouterr().out


def test_serious_cautions_stand_on_the_terminal(tmp_path, capsys):
    """A column that gives the target away is told in a line of its own, beside the report."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    lines = [
        "leak,a,b,y",
        *(f"{c},{a:.3f},{b:.3f},{c}" for c, (a, b) in zip(y, rng.normal(size=(60, 2)))),
    ]
    (tmp_path / "t.csv").write_text("\n".join(lines))
    options = [
        "--search",
        "sfs",
        "--estimator",
        "nb",
        "--budget",
        "20",
        "--out",
        str(tmp_path / "out"),
        "--no-assess",
    ]
    assert main(["select", str(tmp_path / "t.csv"), "--target", "y", *options]) == 0
    told = [line for line in capsys.readouterr().out.splitlines() if line.startswith("caution: ")]
    assert any("leak" in line for line in told)
