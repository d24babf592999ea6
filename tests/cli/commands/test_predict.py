"""``model.skops`` and ``subsel predict``: the fitted model comes back as it was, and nothing else does."""

import builtins
import csv
import json
import shutil
import sys
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.base import BaseEstimator
from sklearn.datasets import load_diabetes, load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from subsel.assessment.race import contenders as field_of
from subsel.assessment.race.costs import TableShape
from subsel.assessment.race.searches import elimination_contender, search_contenders
from subsel.assessment.race.winner import fitted_on_all
from subsel.cli import main
from subsel.data.task import Task
from subsel.models.committee import CommitteeClassifier
from subsel.models.subset_model import SubsetModel
from subsel.result.model_file import TRUSTED, _skops, for_prediction, load_model, save_model


def data(kind):
    X, y = (load_wine if kind == "classification" else load_diabetes)(return_X_y=True)
    return X[::2], y[::2]


def procedures(kind, groups=()):
    X, _ = data(kind)
    shape = TableShape(250, X.shape[1], 3 if kind == "classification" else 1)
    field = field_of.Field(kind, shape, groups=groups, fixed=(2,) if groups else ())
    settings = {
        "scoring": "accuracy" if kind == "classification" else "r2",
        "random_state": 0,
        "budget": 50,
    }
    searches = [
        elimination_contender(field, **settings),
        *search_contenders(field, "sfs", **settings),
    ]
    return [*field_of.plain_contenders(field), *searches]


@pytest.mark.parametrize("kind", ["classification", "regression"])
def test_every_raced_model_makes_the_round_trip(kind, tmp_path, monkeypatch):
    """Each procedure that a race may take predicts the same from its file, which holds trusted types only."""
    monkeypatch.setattr(field_of, "N_TREES", 5)
    X, y = data(kind)
    task = Task.of(X, y, kind)
    for contender in (*procedures(kind), *procedures(kind, groups=((0, 1),))[:4]):
        fitted = fitted_on_all(contender.procedure, task, 0)
        found = load_model(save_model(tmp_path / "m.skops", fitted, X, kind=kind))
        np.testing.assert_array_equal(
            found.model.predict(X), fitted.predict(X), err_msg=contender.name
        )


def test_a_committee_makes_the_round_trip(tmp_path):
    """Several procedures that vote, with their probabilities, behind a choice of columns."""
    X, y = data("classification")
    labels = np.array(["red", "rosé", "white"])[y]
    members = [contender.procedure for contender in procedures("classification")[:3]]
    model = SubsetModel(np.arange(1, 13), CommitteeClassifier(members).fit(X[:, 1:], labels))
    found = load_model(save_model(tmp_path / "m.skops", model, X, kind="classification"))
    np.testing.assert_array_equal(found.model.predict(X), model.predict(X))
    np.testing.assert_allclose(found.model.predict_proba(X), model.predict_proba(X))


def test_an_encoder_inside_comes_along(tmp_path):
    """Whatever stands before the model in the pipeline is saved with it."""
    frame = pd.DataFrame({"town": ["A", "B", "A", "B", "C", "A"] * 5})
    model = make_pipeline(
        OneHotEncoder(handle_unknown="ignore"), *[procedures("regression")[0].procedure[-1]]
    )
    model.fit(frame, np.arange(30.0))
    found = load_model(save_model(tmp_path / "m.skops", model, frame, kind="regression"))
    assert (found.names, found.numeric) == (("town",), ())
    np.testing.assert_array_equal(found.model.predict(frame), model.predict(frame))


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The folder of a finished ``subsel select`` on the wine data."""
    folder = tmp_path_factory.mktemp("selected")
    wine = load_wine(as_frame=True)
    frame = wine.data.assign(kind=np.array(["red", "rosé", "white"])[wine.target])
    frame.to_csv(folder / "wine.csv", index=False)
    options = [
        "--target",
        "kind",
        "--search",
        "sfs",
        "--estimator",
        "nb",
        "--n-features",
        "2",
        "--budget",
        "60",
    ]
    out = ["--no-assess", "--quiet", "--out", str(folder / "out")]
    assert main(["select", str(folder / "wine.csv"), *options, *out]) == 0
    return folder, frame


@pytest.fixture
def selected(written, tmp_path, monkeypatch):
    """A copy of it to work in, and its table."""
    folder, frame = written
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return frame


def predicted(capsys, *typed):
    assert main(["predict", "out/model.skops", *typed]) == 0
    return list(csv.DictReader(capsys.readouterr().out.splitlines()))


def test_predict_gives_what_the_model_says(selected, tmp_path, capsys):
    """One row each with the class as the user wrote it and the chances of all; a file holds the same as the screen."""
    rows = predicted(capsys, "wine.csv")
    assert len(rows) == 178 and {row["kind"] for row in rows} == {"red", "rosé", "white"}
    assert np.mean([row["kind"] == kind for row, kind in zip(rows, selected["kind"])]) > 0.85
    assert sum(
        float(rows[0][f"probability of {c}"]) for c in ("red", "rosé", "white")
    ) == pytest.approx(1.0, abs=1e-4)
    assert main(["predict", "out/model.skops", "wine.csv", "--out", "p.csv"]) == 0
    assert "178 rows predicted" in capsys.readouterr().out
    assert list(csv.DictReader((tmp_path / "p.csv").open(encoding="utf8"))) == rows


def test_only_the_selected_columns_are_needed(selected, capsys):
    """A file with the chosen columns alone, in any order, gives the same predictions."""
    chosen = json.loads(Path("out/selection.json").read_text())["selected"]
    selected[chosen[::-1]].to_csv("few.csv", index=False)
    assert predicted(capsys, "few.csv") == predicted(capsys, "wine.csv")


def test_trouble_is_told_in_one_line(selected, capsys):
    """Missing columns, words for numbers, a broken file, no file: exit code 1, one line that names it."""
    chosen = json.loads(Path("out/selection.json").read_text())["selected"]
    selected.drop(columns=chosen[0]).to_csv("lacking.csv", index=False)
    selected.assign(**{chosen[0]: "many"}).to_csv("words.csv", index=False)
    Path("broken.skops").write_bytes(b"no archive")
    with zipfile.ZipFile("hollow.skops", "w") as archive:
        archive.writestr("else.txt", "nothing")
    for typed, message in (
        (
            ["out/model.skops", "lacking.csv"],
            f"lacks 1 of the 2 columns the model reads: '{chosen[0]}'",
        ),
        (["out/model.skops", "words.csv"], f"column '{chosen[0]}' held numbers"),
        (["out/model.skops", "nowhere.csv"], "there is no file"),
        (["broken.skops", "wine.csv"], "broken.skops is not a readable model file"),
        (["hollow.skops", "wine.csv"], "hollow.skops is not a readable model file"),
        (["nowhere.skops", "wine.csv"], "there is no file nowhere.skops"),
    ):
        assert main(["predict", *typed]) == 1
        said = capsys.readouterr()
        assert said.out == "" and said.err.count("\n") == 1 and message in said.err, said.err


class Stranger(BaseEstimator):
    """A type that nobody trusts; making one leaves a trace."""

    made = 0

    def __setstate__(self, state):
        Stranger.made += 1
        self.__dict__.update(state)

    def predict(self, X):
        return np.zeros(len(X))


def test_types_that_are_not_trusted_are_refused_unmade(selected, capsys):
    """A file with another type is refused by its name before anything is made from it; --trust allows it."""
    name = f"{Stranger.__module__}.Stranger"
    save_model("odd.skops", Stranger(), np.zeros((2, 1)), names=["hue"], kind="regression")
    assert main(["predict", "odd.skops", "wine.csv"]) == 1
    said = capsys.readouterr().err
    assert (
        f"types that are not trusted: {name}" in said
        and said.count("\n") == 1
        and Stranger.made == 0
    )
    assert name not in TRUSTED
    assert main(["predict", "odd.skops", "wine.csv", "--trust", name]) == 0
    assert skops.io.get_untrusted_types(file="odd.skops") == [name]


def test_without_skops_the_selection_goes_on(selected, monkeypatch, capsys):
    """One line says that there is no model file and how to get one; all else is written."""
    monkeypatch.setitem(sys.modules, "skops.io", None)
    options = [
        "--target",
        "kind",
        "--search",
        "sfs",
        "--estimator",
        "nb",
        "--n-features",
        "1",
        "--budget",
        "9",
    ]
    assert main(["select", "wine.csv", *options, "--no-assess", "--out", "bare"]) == 0
    said = capsys.readouterr()
    assert (
        "no model.skops: pip install 'subsel[model]'" in said.err and "model.skops" not in said.out
    )


def test_what_prediction_does_not_need_is_left_behind():
    """Search results, races and grids stay out of the file."""
    X, y = data("classification")
    contender = procedures("classification")[-1]
    pruned = for_prediction(fitted_on_all(contender.procedure, Task.of(X, y, "classification"), 0))
    assert not any(
        hasattr(step, "result_") or hasattr(step, "cv_results_") for _, step in pruned.steps
    )


def test_what_skops_does_not_need_is_not_imported(monkeypatch):
    """Large libraries that scikit-learn's modules would import are not there for the moment, and are again after it."""
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    seen: list = []
    monkeypatch.setattr(builtins, "__import__", watching(seen, builtins.__import__))
    _skops()
    assert seen == [None] and "torch" not in sys.modules


def watching(seen, real):
    """The import statement, which notes what stands for torch while skops is imported."""

    def imported(name, *given, **more):
        if name == "skops.io":
            seen.append(sys.modules.get("torch", "there"))
        return real(name, *given, **more)

    return imported
