"""XGBoost and LightGBM by their names, and classes made into numbers for those that ask for it."""

import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.utils.estimator_checks import parametrize_with_checks

from subsel import RankingSelector, SubsetSelector
from subsel.embedded import Boruta, Importance
from subsel.models import EncodedClasses
from subsel.models.relevance import model_relevance
from subsel.models.short_names import ESTIMATORS, estimator_of

PACKAGES = ["lightgbm", "xgboost"]


@parametrize_with_checks([EncodedClasses(GaussianNB())])
def test_scikit_learn_contract(estimator, check):
    """Every check of scikit-learn passes."""
    check(estimator)


def test_names_change_nothing():
    """With names for classes the answers are those of the model trained on numbers.

    Weights are included.
    """
    X, y = problem()
    weight = np.arange(1.0, len(y) + 1)
    plain = LogisticRegression().fit(X, y, weight)
    named = EncodedClasses(LogisticRegression()).fit(X, np.array(["b", "d"])[y], weight)
    assert_array_equal(named.predict(X), np.array(["b", "d"])[plain.predict(X)])
    assert_allclose(named.predict_proba(X), plain.predict_proba(X))
    assert_allclose(named.decision_function(X), plain.decision_function(X))
    assert_allclose(model_relevance(named), model_relevance(plain))


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_that_is_not_there_is_named(package, monkeypatch):
    """Its key is in the table; without the package the message says what to install."""
    monkeypatch.setitem(sys.modules, package, None)
    assert package in ESTIMATORS
    with pytest.raises(ValueError, match=r"subsel\[boosting\]"):
        estimator_of(package, "regression")


def problem(n=120):
    """Two columns of six matter."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 6))
    return X, (X[:, 1] + X[:, 4] > 0).astype(int)


@pytest.mark.slow
@pytest.mark.parametrize("package", PACKAGES)
@pytest.mark.parametrize("kind", ["classification", "regression"])
def test_where_installed_they_serve_as_any_model(package, kind):
    """Importances find the columns that matter, in elimination and Boruta, too.

    Classes may have names, and values may be missing.
    """
    pytest.importorskip(package, reason=f"{package}, of the extra 'boosting', is not installed")
    X, y = problem()
    target = np.array(["no", "yes"])[y] if kind == "classification" else X[:, 1] + 2 * X[:, 4]
    model = estimator_of(package, kind)
    best = RankingSelector(Importance(model), cut=2).fit(X, target)
    assert best.get_support(indices=True).tolist() == [1, 4]
    assert_allclose(best.scores_, RankingSelector(Importance(model), cut=2).fit(X, target).scores_)
    small = estimator_of(package, kind)
    small.set_params(**{f"{'estimator__' if hasattr(small, 'estimator') else ''}n_estimators": 10})
    found = SubsetSelector(small, search="rfe", n_features=2, cv=3, random_state=0).fit(X, target)
    assert found.get_support(indices=True).tolist() == [1, 4]
    shadowed = Boruta(small, max_iter=15, random_state=0).fit(X, target)
    assert (shadowed.hits_[[1, 4]] == shadowed.n_iter_).all()
    X[::5, 1] = np.nan
    assert small.fit(X, target).score(X, target) > 0.5
