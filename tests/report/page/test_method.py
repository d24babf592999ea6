"""The lines of Python in the report are the procedure that was assessed, and give the model that was saved."""

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

from subsel import SubsetSelector
from subsel.cli import SelectOptions, select_job
from subsel.cli.files import write_model
from subsel.cli.reading import Reading
from subsel.criteria import NearestCentroid
from subsel.data import TableEncoder
from subsel.data.files.table import Table
from subsel.models import CommitteeClassifier
from subsel.report.page.material import Material
from subsel.report.page.method import model_code, procedure_code
from subsel.result.model_file import load_model
from subsel.selector import ScreenedSelector


@pytest.mark.parametrize("estimator", ["nb", None])
def test_the_code_of_a_search_gives_the_saved_model(tmp_path, estimator):
    """Run as printed it selects and predicts as the model file does, whether a model was named or several were tried."""
    X, y = load_wine(return_X_y=True)
    path = tmp_path / "wine.csv"
    np.savetxt(
        path,
        np.column_stack((X, y)),
        delimiter=",",
        header=",".join([*"abcdefghijklm", "y"]),
        comments="",
    )
    table = Table(X, y.astype(float), list("abcdefghijklm"), "y")
    options = SelectOptions(
        search="sfs", estimator=estimator, n_features=(1, 3), budget="60", assess=False
    )
    found = select_job(table, options, source=str(path))
    code = procedure_code(
        Material(
            found.document, found.selector.result_, names=table.names, procedure=found.procedure
        )
    )
    scope: dict = {}
    exec(code, scope)
    write_model(tmp_path, found, table)
    saved = load_model(tmp_path / "model.skops")
    np.testing.assert_array_equal(scope["model"].predict(X), saved.model.predict(table.frame()))
    np.testing.assert_array_equal(scope["model"][0].get_support(), found.selector.get_support())
    assert list(saved.needed) == found.document["selected"]


@pytest.mark.parametrize(
    "procedure, line",
    [
        (SubsetSelector(GaussianNB()), "from subsel import SubsetSelector"),
        (ScreenedSelector(), "from subsel.selector import ScreenedSelector"),
        (SubsetSelector(NearestCentroid()), "from subsel.criteria import NearestCentroid"),
        (CommitteeClassifier([GaussianNB()]), "from subsel.models import CommitteeClassifier"),
        (make_pipeline(TableEncoder(), GaussianNB()), "from subsel.data import TableEncoder"),
    ],
    ids=["top", "selector", "criterion", "model", "encoder"],
)
def test_the_code_imports_from_where_things_are_public(procedure, line):
    """Ours come from the top or their room, not from the module that defines them; the lines run."""
    code = procedure_code(Material({}, procedure=procedure))
    assert line in code.splitlines()
    imports = [text for text in code.splitlines() if " import " in text]
    scope: dict = {}
    exec("\n".join(imports), scope)
    assert not [text for text in imports if "subsel" in text and text.split()[1].count(".") > 1]
    assert scope[type(procedure).__name__] is type(procedure)


def awkward(folder):
    """A file with semicolons, decimal commas, cp1252, gaps, text, dates out of order, weights and groups of rows."""
    rng, n = np.random.default_rng(0), 72
    size, town = rng.normal(5, 2, n).round(2), rng.choice(["Köln", "Bonn", "Ulm"], n)
    y = np.where(size + 2 * (town == "Ulm") + rng.normal(0, 1, n) > 5.5, "ja", "nein")
    days = np.datetime64("2020-01-01") + rng.permutation(n)
    lines = ["größe;stadt;tag;rest;wer;gewicht;y"]
    for i in range(n):
        told = "" if i % 9 == 4 else f"{size[i]:.2f}".replace(".", ",")
        rest = f"{rng.normal():.2f}".replace(".", ",")
        lines.append(f"{told};{town[i]};{days[i]};{rest};{i % 24};{1 + i % 3};{y[i]}")
    path = folder / "awkward.csv"
    path.write_bytes("\n".join(lines).encode("cp1252"))
    return path


READ = {"groups": "wer", "weights": "gewicht"}
WRITTEN = {"separator": "semicolon", "decimal": ",", "encoding": "cp1252", "header": True}


@pytest.mark.parametrize(
    "reading, asked",
    [
        (READ, {"estimator": "logistic"}),
        (READ | WRITTEN, {"estimator": "tree", "impute": "knn"}),
        ({"weights": "6"} | WRITTEN, {"cv": "time", "estimator": None}),
    ],
    ids=["roles", "dialect-knn", "time"],
)
def test_the_code_reads_and_fits_as_the_command_did(tmp_path, reading, asked):
    """Groups, weights, separator, decimal comma, encoding, order of time and filled gaps are in the lines."""
    how, path = Reading(**reading), awkward(tmp_path)
    table = how.table(path, "y")
    options = SelectOptions(search="sfs", n_features=(1, 2), budget="40", assess=False, **asked)
    found = select_job(table, options, source=str(path), reading=how)
    parts = {"names": table.column_names, "procedure": found.procedure, "estimator": found.model}
    material = Material(found.document, found.selector.result_, **parts)
    X = table.as_in_file()
    write_model(tmp_path, found, table)
    saved = load_model(tmp_path / "model.skops").model
    for code in (procedure_code(material), model_code(material)):
        scope: dict = {}
        exec(code, scope)
        told, kept = (
            getattr(model, "predict_proba", model.predict)(X) for model in (scope["model"], saved)
        )
        np.testing.assert_array_equal(told, kept, err_msg=code)


def test_the_code_of_a_race_has_what_the_command_had(tmp_path, monkeypatch):
    """Weights, groups, order of time, dialect and imputing stand in the lines of a race; they give its winner."""
    monkeypatch.setattr("subsel.auto.RACING", 1e6)
    how, path = Reading(**READ, **WRITTEN), awkward(tmp_path)
    table = how.table(path, "y")
    options = SelectOptions(budget="1s", prefer="few", cv="time", impute="knn")
    found = select_job(table, options, source=str(path), reading=how)
    code = model_code(Material(found.document, found.selector.result_, names=table.column_names))
    scope: dict = {}
    exec(code, scope)
    assert scope["model"].taken_ == found.selector.taken_
    np.testing.assert_array_equal(
        scope["model"].predict(table.as_in_file()), found.selector.predict(table.as_in_file())
    )


def test_a_journal_is_not_in_the_code(tmp_path):
    """Where a run keeps its records does not change its answer, and is no Python."""
    X, y = load_wine(return_X_y=True)
    table = Table(X, y.astype(float), list("abcdefghijklm"), "y")
    options = SelectOptions(
        search="sfs",
        estimator="nb",
        n_features=1,
        budget="20",
        assess=False,
        journal=tmp_path / "j",
    )
    found = select_job(table, options)
    code = procedure_code(
        Material(
            found.document, found.selector.result_, names=table.names, procedure=found.procedure
        )
    )
    assert "journal" not in code
