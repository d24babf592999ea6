"""Parameters of criteria are read, set, cloned and searched as those of estimators."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from subsel import SubsetSelector, criteria
from subsel.engine.journal.description import describe
from subsel.literature.linkage import LinkageAccuracy
from subsel.registry.parameters import Parameters

CRITERIA = [
    criteria.CrossValidated(DecisionTreeClassifier(max_depth=2)),
    criteria.LeastSquares(alpha=2.0),
]
CRITERIA += [
    criteria.Discriminant("qda"),
    criteria.Scatter("hotelling"),
    criteria.NearestNeighbours(3),
]
CRITERIA += [
    criteria.IcompPerf(splits=2),
    criteria.Margin("zero-one"),
    criteria.CorrelationMerit("pearson"),
]
CRITERIA += [LinkageAccuracy(2), criteria.PrototypeAccuracy(3), criteria.Separability(0.1)]
CRITERIA += [criteria.Inconsistency(), criteria.DiscreteNaiveBayes(0.5), criteria.KernelRidge(0.1)]
CRITERIA += [criteria.NearestCentroid("manhattan"), criteria.RedundancyPenalised("mifs")]


@dataclass(frozen=True)
class Halved(Parameters):
    """A parameter that is checked, and what is derived from it."""

    whole: int = 2
    inner: Any = None
    half: int = field(init=False)

    def __post_init__(self) -> None:
        if self.whole % 2:
            raise ValueError(f"whole must be even, got {self.whole}.")
        object.__setattr__(self, "half", self.whole // 2)


@pytest.mark.parametrize("criterion", CRITERIA, ids=lambda c: type(c).__name__)
def test_a_clone_of_a_criterion_has_its_parameters(criterion):
    """Cloning gives another object with the same parameters and journal description."""
    twin = clone(criterion)
    assert twin is not criterion and type(twin) is type(criterion)
    assert describe(twin) == describe(criterion)
    inside = clone(SubsetSelector(criterion)).estimator
    assert inside is not criterion and describe(inside) == describe(criterion)


def test_a_selector_sets_parameters_of_its_criterion():
    """``estimator__alpha`` reaches the criterion, and the criterion's own estimator below it."""
    selector = SubsetSelector(criteria.LeastSquares(alpha=1.0))
    assert selector.set_params(estimator__alpha=5.0).estimator == criteria.LeastSquares(alpha=5.0)
    selector = SubsetSelector(criteria.CrossValidated(Ridge()))
    assert selector.get_params()["estimator__estimator__alpha"] == 1.0
    assert selector.set_params(estimator__estimator__alpha=3.0).estimator.estimator.alpha == 3.0


def test_a_grid_over_a_parameter_of_a_criterion():
    """A grid search over the ridge of the criterion tries each, and leaves the original alone."""
    X, y = load_diabetes(return_X_y=True)
    criterion = criteria.LeastSquares()
    selector = SubsetSelector(criterion, search="sfs", n_features=2)
    pipeline = make_pipeline(selector, Ridge())
    grid = GridSearchCV(pipeline, {"subsetselector__estimator__alpha": [0.1, 1e6]}, cv=2).fit(X, y)
    assert (
        len(grid.cv_results_["params"]) == 2
        and np.isfinite(grid.cv_results_["mean_test_score"]).all()
    )
    assert grid.best_estimator_[0].estimator.alpha in (0.1, 1e6)
    assert criterion == criteria.LeastSquares()


def test_setting_checks_and_derives_again():
    """What ``__post_init__`` refuses is refused, and leaves the object as it was.

    What it derives follows.
    """
    value = Halved(4)
    with pytest.raises(ValueError, match="even, got 3"):
        value.set_params(whole=3)
    assert value == Halved(4)
    assert value.set_params(whole=8) is value
    assert value.half == 4 and hash(value) == hash(Halved(8))


def test_setting_a_part_and_a_parameter_of_it_together():
    """A new part is put in before its own parameter is set."""
    ridge = Ridge()
    assert Halved(inner=None).set_params(inner=ridge, inner__alpha=4.0).inner is ridge
    assert ridge.alpha == 4.0


def test_unknown_parameters_are_named():
    """A misspelt parameter is an error that says which comes near."""
    with pytest.raises(
        ValueError, match=r"LeastSquares has no parameter 'alpa'. Did you mean alpha\?"
    ):
        SubsetSelector(criteria.LeastSquares()).set_params(estimator__alpa=1.0)


@pytest.mark.parametrize(
    "criterion", [criteria.Scatter(), criteria.Scatter("hotelling"), criteria.Discriminant("qda")]
)
def test_a_parameter_called_kind_is_not_the_kind_of_task(criterion):
    """A selector reads the kind of task from what its criterion serves, not from a parameter."""
    X, y = load_iris(return_X_y=True)
    selector = SubsetSelector(criterion, search="sfs", n_features=2).fit(X, y)
    assert selector.get_support().sum() == 2


def test_the_kind_of_task_is_what_the_criterion_serves():
    """Many integers are classes to a criterion of classes, a quantity to one of quantities."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 3)), np.repeat(np.arange(40), 2)
    assert (
        SubsetSelector(criteria.KernelRidge(), search="sfs", n_features=1)
        .fit(X, y)
        .get_support()
        .sum()
        == 1
    )
    assert (
        SubsetSelector(criteria.Inconsistency(), search="sfs", n_features=1)
        .fit(X, y)
        .get_support()
        .sum()
        == 1
    )
