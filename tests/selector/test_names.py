"""SubsetSelector takes models and criteria by the short names that ``subsel methods`` lists."""

from inspect import signature

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.utils import get_tags

from subsel import SubsetSelector
from subsel.criteria.registry import CRITERIA, find_criterion
from subsel.models.short_names import ESTIMATORS, estimator_of
from tests.golden import data

KINDS = ("classification", "regression")
TABLES = {"classification": data.three_classes(61, 6), "regression": data.quantity(61, 6)}


def model(key, kind):
    """The model of a name; skips where it does not do this kind, or its package is not there."""
    try:
        return estimator_of(key, kind)
    except ValueError as reason:
        pytest.skip(str(reason))


def selected(estimator, kind, **options):
    X, y = TABLES[kind]
    return SubsetSelector(estimator, "sfs", n_features=2, cv=2, random_state=0, **options).fit(X, y)


def same(one, other):
    assert one.support_.tolist() == other.support_.tolist()
    assert one.result_.chosen_quality == other.result_.chosen_quality
    assert one.result_.evaluator == other.result_.evaluator


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("key", [key for key in ESTIMATORS if "tests" not in key])
def test_a_name_of_a_model_is_the_model(key, kind):
    """The support and its quality are those of passing the object, for every model of the table."""
    given = model(key, kind)
    found = selected(key, kind, budget=12)
    assert repr(found.estimator_) == repr(given)
    same(found, selected(given, kind, budget=12))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("key", [key for key in CRITERIA if "tests" not in key])
def test_a_name_of_a_criterion_is_the_criterion(key, kind):
    """So it is for every criterion that needs no parameters and is for this kind."""
    cls = CRITERIA[key]
    if key in ESTIMATORS:
        pytest.skip("a model has this name")
    if any(p.default is p.empty for p in signature(cls).parameters.values()):
        with pytest.raises(ValueError, match="needs its parameter"):
            selected(key, kind)
        return
    try:
        expected = selected(find_criterion(key), kind, budget=12)
    except (TypeError, ValueError) as reason:
        with pytest.raises(type(reason)):
            selected(key, kind, budget=12)
        return
    same(selected(key, kind, budget=12), expected)


@pytest.mark.parametrize(
    ("name", "near"), [("rigde", "ridge"), ("knnn", "knn"), ("inconsistncy", "inconsistency")]
)
def test_a_name_of_nothing_says_what_comes_near(name, near):
    """The argument, the name and the nearest names of both tables."""
    message = rf"estimator: there is no model or criterion named '{name}'\. Did you mean .*{near}"
    with pytest.raises(ValueError, match=message):
        selected(name, "classification")


def test_where_one_role_exists_the_target_does_not_choose():
    """A regressor given by name learns whole numbers too, as the object does."""
    X, _ = TABLES["regression"]
    y = np.arange(61) % 3
    found = SubsetSelector("linear", "sfs", n_features=1, cv=2).fit(X, y)
    same(
        found,
        SubsetSelector(estimator_of("linear", "regression"), "sfs", n_features=1, cv=2).fit(X, y),
    )


def test_a_name_is_a_parameter_like_any_other():
    """clone, get_params, repr and tags know it before fit; fit does not change it."""
    selector = SubsetSelector("ridge", "sfs", n_features=2)
    assert clone(selector).get_params()["estimator"] == "ridge"
    assert repr(selector).startswith("SubsetSelector(estimator='ridge'")
    for name in ("ridge", "boosting", "nb", "inconsistency", "no such thing"):
        assert get_tags(SubsetSelector(name)).target_tags.required
    assert get_tags(SubsetSelector("boosting")).input_tags.allow_nan
    X, y = TABLES["regression"]
    assert selector.fit(X, y).estimator == "ridge"


def test_a_grid_searches_over_names():
    """The estimator is a parameter of a grid, within a pipeline."""
    X, y = TABLES["classification"]
    pipeline = make_pipeline(
        SubsetSelector("nb", "sfs", n_features=2, cv=2), KNeighborsClassifier(3)
    )
    grid = GridSearchCV(pipeline, {"subsetselector__estimator": ["ridge", "knn"]}, cv=2).fit(X, y)
    assert grid.best_params_["subsetselector__estimator"] in ("ridge", "knn")
    assert np.isfinite(grid.cv_results_["mean_test_score"]).all()


@pytest.mark.parametrize("routing", [False, True])
def test_weights_reach_the_model_of_a_name(routing):
    """As they reach the object; with routing, those that were requested of the selector."""
    X, y = TABLES["classification"]
    weight = np.where(np.arange(61) < 30, 1e-6, 1.0)
    expected = SubsetSelector(estimator_of("nb", "classification"), "sfs", n_features=1, cv=2)
    expected.fit(X, y, sample_weight=weight)
    with config_context(enable_metadata_routing=routing):
        selector = SubsetSelector("nb", "sfs", n_features=1, cv=2)
        if routing:
            selector = selector.set_fit_request(sample_weight=True, groups=True)
        same(selector.fit(X, y, sample_weight=weight), expected)
        groups = np.arange(61) // 3
        grouped = SubsetSelector("nb", "sfs", n_features=1, cv=GroupKFold(3))
        grouped.fit(X, y, groups=groups)
        if routing:
            outer = make_pipeline(selector, KNeighborsClassifier(3))
            outer.fit(X, y, sample_weight=weight)
            assert outer[0].support_.tolist() == expected.support_.tolist()


def test_choices_among_parameters_of_a_named_model():
    """They are searched together with the features, as with the object."""
    X, y = TABLES["regression"]
    options = {"n_features": 2, "cv": 2, "choices": {"ridge__alpha": [0.1, 100.0]}}
    found = SubsetSelector("ridge", "sfs", **options).fit(X, y)
    same(found, SubsetSelector(estimator_of("ridge", "regression"), "sfs", **options).fit(X, y))
    assert found.chosen_options_["ridge__alpha"] in (0.1, 100.0)
