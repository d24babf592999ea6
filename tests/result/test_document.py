"""The selection document: one home, the same facts from Python, the command line and the report."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.linear_model import Ridge
from sklearn.naive_bayes import GaussianNB

from subsel import SubsetSelector, assess
from subsel.report import write_report
from subsel.result.document import TableFacts, names_of, selection_document


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True, as_frame=True)


@pytest.fixture(scope="module")
def selector(iris):
    return SubsetSelector(GaussianNB(), "sfs", n_features=2, cv=3).fit(*iris)


def test_it_holds_what_was_found(iris, selector):
    """Chosen columns, qualities and the run are those of the result.

    It goes through JSON unchanged.
    """
    document = selection_document(selector.result_, table=TableFacts.of(*iris))
    assert document["columns"] == selector.get_support(indices=True).tolist()
    assert document["selected"] == selector.get_feature_names_out().tolist()
    assert document["guide_quality"] == selector.result_.chosen_quality
    assert document["run"]["evaluations"] == selector.result_.n_evaluations
    assert document["data"] == {
        "source": "the table",
        "rows": 150,
        "columns": 4,
        "target": "target",
        "task": "classification",
    }
    assert json.loads(json.dumps(document)) == document


def test_other_names_are_told_throughout(selector):
    """Given names replace those of the result in the selection, the front and the swaps."""
    result = replace(selector.result_, finalists=selector.result_.finalists)
    document = selection_document(result, names=["a", "b", "c", "d"])
    told = [name for f in document["front"] for name in f["features"]]
    told += [name for swap in document["alternatives"] for name in (*swap["drop"], *swap["add"])]
    assert document["selected"] == ["c", "d"]
    assert set(told) <= {"a", "b", "c", "d"}


def test_a_result_without_names_tells_numbers(selector):
    """Where nobody knows names the columns are numbers, as in the result."""
    document = selection_document(replace(selector.result_, names=()))
    assert document["selected"] == [2, 3]


def test_names_come_from_where_they_are_known(iris, selector):
    """As given, of the frame, of the result, numbered; a wrong number of names is refused."""
    X, _ = iris
    bare = replace(selector.result_, names=())
    assert names_of(X, bare, list("abcd")) == list("abcd")
    assert list(names_of(X, bare)) == list(X.columns)
    assert list(names_of(X.to_numpy(), selector.result_)) == list(X.columns)
    assert list(names_of(X.to_numpy(), bare)) == ["x0", "x1", "x2", "x3"]
    assert list(names_of(None, bare)) == ["x0", "x1", "x2", "x3"]
    with pytest.raises(ValueError, match="one name per column of X"):
        names_of(X, bare, ["a"])


@pytest.mark.parametrize("make", [pd.DataFrame, np.asarray])
@pytest.mark.parametrize("with_names", [True, False])
def test_a_report_from_python_shows_the_chosen_features(iris, selector, tmp_path, make, with_names):
    """Frame or array, with or without names: the page counts and lists what was chosen."""
    X, y = iris
    names = list(X.columns) if with_names else ()
    page = write_report(
        tmp_path / "report.html", result=selector.result_, X=make(X), y=y, names=names
    )
    text = page.read_text(encoding="utf8")
    assert "2 features chosen" in text
    assert "2 of 4" in text
    for name in selector.get_feature_names_out():
        assert f"<li>{name}</li>" in text
    assert [p.name for p in tmp_path.iterdir()] == ["report.html"]


def test_a_report_of_a_result_alone(selector, tmp_path):
    """Without the table the page still says what was chosen."""
    page = write_report(tmp_path / "report.html", result=replace(selector.result_, names=()))
    assert "<li>x2</li>" in page.read_text(encoding="utf8")


def test_a_report_from_python_with_an_assessment(tmp_path):
    """The numbers of the assessment stand beside the chosen features, for a numeric target too."""
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    selector = SubsetSelector(Ridge(), "sfs", n_features=2).fit(X, y)
    assessment = assess(
        SubsetSelector(Ridge(), "sfs", n_features=2), Ridge(), X, y, cv=3, random_state=0
    )
    page = write_report(
        tmp_path / "report.html", result=selector.result_, X=X, y=y, assessment=assessment
    )
    text = page.read_text(encoding="utf8")
    assert f"{assessment.performance:.3f}" in text
    assert "2 of 10" in text
    assert "(regression)" in text
