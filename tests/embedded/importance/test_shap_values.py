"""Shapley values as relevances."""

import sys
from itertools import combinations
from math import factorial

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor

from subsel import RankingSelector
from subsel.embedded import Boruta, EmbeddedSelector, Importance, shap_importance

RNG = np.random.default_rng(0)
TABLE = RNG.standard_normal((60, 4))


def shapley(values, n):
    """Shapley values of a game by their definition.

    `values` maps a tuple of players to what they get.
    """
    found = np.zeros(n)
    for j in range(n):
        others = [i for i in range(n) if i != j]
        for size in range(n):
            share = factorial(size) * factorial(n - size - 1) / factorial(n)
            for team in combinations(others, size):
                found[j] += share * (values(tuple(sorted((*team, j)))) - values(team))
    return found


def path_value(tree, row, known, node=0):
    """The expected answer of a tree where only some columns are known.

    At splits by other columns both branches count, by their shares of rows.
    """
    t = tree.tree_
    if t.children_left[node] < 0:
        return t.value[node, 0, 0]
    ways = t.children_left[node], t.children_right[node]
    if t.feature[node] in known:
        return path_value(
            tree, row, known, ways[0 if row[t.feature[node]] <= t.threshold[node] else 1]
        )
    shares = t.weighted_n_node_samples[list(ways)] / t.weighted_n_node_samples[node]
    return sum(share * path_value(tree, row, known, way) for share, way in zip(shares, ways))


def test_without_the_package_the_message_says_what_to_install(monkeypatch):
    """The error names the extra, from the score as well."""
    monkeypatch.setitem(sys.modules, "shap", None)
    with pytest.raises(ImportError, match=r"subsel\[shap\]"):
        Importance(LinearRegression(), "shap")(TABLE, TABLE[:, 0])


@pytest.fixture
def package():
    """The package itself."""
    return pytest.importorskip("shap", reason="the extra 'shap' is not installed")


@pytest.mark.slow
def test_trees_equal_the_definition(package):
    """Of a small tree the means are those of Shapley's formula over all sets of columns."""
    y = TABLE[:, 0] * TABLE[:, 1] + TABLE[:, 2]
    tree = DecisionTreeRegressor(max_depth=4, random_state=0).fit(TABLE, y)
    rows = TABLE.astype(np.float32)
    slow = [shapley(lambda team, row=row: path_value(tree, row, team), 4) for row in rows]
    assert_allclose(shap_importance(tree, TABLE), np.abs(slow).mean(axis=0), atol=1e-6)
    weight = np.arange(60.0)
    expected = np.average(np.abs(slow), axis=0, weights=weight)
    assert_allclose(shap_importance(tree, TABLE, sample_weight=weight), expected, atol=1e-6)


@pytest.mark.slow
def test_linear_models_and_others(package):
    """Linear: weights times distances from the mean, behind a scaler too.

    Neighbours are asked for their answers.
    """
    y = 3 * TABLE[:, 1] + TABLE[:, 3]
    model = make_pipeline(StandardScaler(), LinearRegression()).fit(TABLE, y)
    away = np.abs(TABLE - TABLE.mean(axis=0)).mean(axis=0)
    assert_allclose(shap_importance(model, TABLE), away * [0, 3, 0, 1], atol=1e-9)
    neighbours = KNeighborsRegressor().fit(TABLE, y)
    found = shap_importance(neighbours, TABLE, max_rows=20, random_state=0)
    assert found.argmax() == 1 and found.shape == (4,)
    assert_allclose(found, shap_importance(neighbours, TABLE, max_rows=20, random_state=0))


@pytest.mark.slow
@pytest.mark.parametrize(
    "model",
    [
        RandomForestClassifier(15),
        GradientBoostingClassifier(n_estimators=10),
        LogisticRegression(),
    ],
)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_as_a_score_a_selector_and_in_boruta(package, model, n_classes):
    """The column that makes the classes comes first with a cut, refitted, and against shadows."""
    y = np.digitize(TABLE[:, 2], [0.0] if n_classes == 2 else [-0.5, 0.5])
    for selector in (
        RankingSelector(Importance(model, "shap"), cut=1),
        EmbeddedSelector(model, "shap", cut=1),
    ):
        assert selector.set_params(random_state=0).fit(TABLE, y).get_support(
            indices=True
        ).tolist() == [2]
    assert Boruta(model, "shap", max_iter=3, random_state=0).fit(TABLE, y).hits_[2] == 3


@pytest.mark.slow
@pytest.mark.parametrize("package_name", ["lightgbm", "xgboost"])
@pytest.mark.parametrize("kind", ["classification", "regression"])
def test_boosting_packages(package, package_name, kind):
    """Their trees are followed too, behind numbered classes as well."""
    pytest.importorskip(
        package_name, reason=f"{package_name}, of the extra 'boosting', is not installed"
    )
    from subsel.models.short_names import estimator_of

    y = TABLE[:, 2] if kind == "regression" else np.array(["a", "b"])[(TABLE[:, 2] > 0).astype(int)]
    assert shap_importance(estimator_of(package_name, kind).fit(TABLE, y), TABLE).argmax() == 2
