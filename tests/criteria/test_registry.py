"""Criteria are found by keys, and answer for the estimators that they declare and no others."""

import subprocess
import sys
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from subsel import criteria
from subsel.criteria import (
    CRITERIA,
    CrossValidated,
    Equivalent,
    LeastSquares,
    criterion_of,
    find_criterion,
)
from subsel.criteria.base import Evaluator
from subsel.criteria.registry import criterion
from subsel.models.short_names import ESTIMATORS, add_estimator, estimator_of
from subsel.registry.parameters import Parameters
from subsel.registry.table import Registry


@pytest.fixture
def tables(monkeypatch):
    """Tables that are as before after the test."""
    for table in (CRITERIA, ESTIMATORS):
        len(table)  # loads what is installed
        monkeypatch.setattr(table, "_entries", dict(table._entries))
        monkeypatch.setattr(table, "_homes", dict(table._homes))


class Constant(BaseEstimator):
    """An estimator of somebody else's."""

    def __init__(self, value=0.0):
        self.value = value

    def fit(self, X, y):
        return self

    def predict(self, X):
        return np.full(len(X), self.value)


def test_every_criterion_has_a_key():
    """Every exported class that binds alone is in the table, under a key with hyphens."""
    exported = [
        getattr(criteria, name) for name in criteria.__all__ if name not in ("Criterion", "Choices")
    ]
    binding = {cls for cls in exported if isinstance(cls, type) and hasattr(cls, "bind")}
    assert len(binding) >= 16 and binding <= set(CRITERIA.values())
    assert all(key == key.lower() and "_" not in key for key in CRITERIA)


@pytest.mark.parametrize("key", sorted(set(CRITERIA) - {"cross-validated", "fresh-split-score"}))
def test_a_key_gives_a_criterion_with_parameters(key):
    """The criterion of each key is of its class, and takes its parameters by name."""
    found = find_criterion(key)
    assert type(found) is CRITERIA[key]
    name, value = next(iter(found.get_params(deep=False).items()))
    assert (
        find_criterion(key.replace("-", "_"), **{name: value}).get_params(deep=False)[name] is value
    )


def test_keys_and_parameters_that_do_not_exist():
    """Both are answered with the nearest; an object is given back if it binds."""
    with pytest.raises(
        ValueError, match=r"no criterion named 'least-sqares'. Did you mean least-squares"
    ):
        find_criterion("least-sqares")
    with pytest.raises(ValueError, match=r"has no parameter 'cvv'. Did you mean cv"):
        find_criterion("nearest-centroid", cvv=3)
    with pytest.raises(TypeError, match="key or an object with bind"):
        find_criterion(3)
    assert find_criterion(LeastSquares(2.0)) == LeastSquares(2.0)


def test_another_cannot_take_a_key_of_ours(tables):
    """A class of somebody else's under a key of ours is an error that names the owner."""
    with pytest.raises(
        ValueError, match=r"'margin' belongs to subsel.criteria.neighbours.margin:Margin"
    ):
        criterion("margin")(Constant)


def test_a_class_of_the_same_name_is_refitted():
    """Only the very type is equivalent, not a subclass.

    That holds even under the same name and in a module of the same name.
    """
    Other = type("Ridge", (Ridge,), {"__module__": "sklearn.linear_model"})
    assert isinstance(criterion_of(Other()), CrossValidated)


@pytest.mark.parametrize("named", [True, False], ids=["path", "type"])
def test_a_package_answers_for_its_own_estimator(tables, named):
    """A criterion that declares an equivalent estimator is constructed with settings read from it.

    It is also found behind a scaler if it supports scaling.
    """

    @criterion("tests-constant")
    @dataclass(frozen=True)
    class Known(Parameters):
        value: float
        scoring: Any = None
        cv: Any = 5
        answers: ClassVar = (
            Equivalent(
                f"{__name__}:Constant" if named else Constant,
                lambda model: {"value": model.value} if model.value >= 0 else None,
            ),
        )

        def bind(self, task, seed=None):
            return Evaluator()

    assert criterion_of(Constant(2.0), "r2", 3, "require") == Known(2.0, "r2", 3)
    assert isinstance(criterion_of(Constant(-1.0)), CrossValidated)
    assert isinstance(criterion_of(make_pipeline(StandardScaler(), Constant(2.0))), CrossValidated)


def test_what_a_criterion_gives_decides_which_scorings_it_knows():
    """A criterion of labels refuses a scoring of probabilities, one of probabilities does not."""
    from subsel.data.task import Task

    rng = np.random.default_rng(0)
    task = Task.of(rng.normal(size=(40, 3)), np.arange(40) % 2)
    assert criteria.NearestNeighbours(scoring="neg_log_loss").bind(task).traits.exact
    for refused in (
        criteria.NearestCentroid(scoring="neg_log_loss"),
        criteria.LeastSquares(scoring="neg_log_loss"),
    ):
        with pytest.raises(
            criteria.NotExact, match="cannot compute scoring 'neg_log_loss' without refitting"
        ):
            refused.bind(task)


def test_declaring_estimators_imports_none_of_them():
    """Importing the criteria does not import the models they answer for."""
    code = (
        "import sys, subsel.criteria; heavy = ('sklearn.naive_bayes', 'sklearn.kernel_ridge'); "
        "print([m for m in heavy if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_package_adds_an_estimator(tables):
    """Short names are a table like the others: open, with owners."""
    add_estimator("tests-constant", regressor=Constant)
    assert isinstance(estimator_of("tests_constant", "regression"), Constant)
    with pytest.raises(ValueError, match="does not do classification"):
        estimator_of("tests-constant", "classification")
    with pytest.raises(ValueError, match=r"'nb' belongs to sklearn.naive_bayes:GaussianNB"):
        add_estimator("nb", regressor=Constant)
    with pytest.raises(ValueError, match="needs a classifier or a regressor"):
        add_estimator("tests-nothing")


def test_entry_points_of_both_tables(tmp_path, monkeypatch):
    """A criterion and an estimator of an installed package are found by their keys."""
    (tmp_path / "outside.py").write_text(
        "from subsel.criteria import criterion\n"
        "from subsel.models.short_names import add_estimator\n"
        "@criterion('from-outside')\nclass Outside:\n"
        "    def bind(self, task, seed=None):\n        ...\n"
        "add_estimator('outside', classifier='sklearn.dummy:DummyClassifier')\n"
    )
    info = tmp_path / "outside-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: outside\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[subsel.criteria]\na = outside\n[subsel.models.short_names]\nb = outside\n"
    )
    code = (
        "from subsel.criteria import find_criterion; "
        "from subsel.models.short_names import estimator_of; "
        "print(type(find_criterion('from-outside')).__name__, "
        "estimator_of('outside', 'classification'))"
    )
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{':'.join(sys.path)}")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["Outside", "DummyClassifier(random_state=0)"]
    assert isinstance(CRITERIA, Registry) and isinstance(ESTIMATORS, Registry)
