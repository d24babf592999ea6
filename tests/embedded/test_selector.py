"""Any model that says what it used, with every cut, as a selector and a predictor."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.feature_selection import SelectFromModel
from sklearn.linear_model import Lasso, LinearRegression, LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from subsel import RankingSelector
from subsel.embedded import EmbeddedSelector, Importance

X, Y = load_breast_cancer(return_X_y=True)
X = StandardScaler().fit_transform(X)


@parametrize_with_checks(
    [
        EmbeddedSelector(LogisticRegression(), cut=0.9),
        EmbeddedSelector(Ridge()),
        EmbeddedSelector(
            DecisionTreeClassifier(max_depth=3), "permutation", cut=0.9, cv=2, random_state=0
        ),
    ]
)
def test_scikit_learn_contract(estimator, check):
    """Every check of scikit-learn passes."""
    check(estimator)


@pytest.mark.parametrize(
    "model", [Ridge(), LogisticRegression(), ExtraTreesClassifier(10, random_state=0)]
)
def test_a_number_keeps_what_scikit_learn_keeps(model):
    """With a number of columns the choice is that of SelectFromModel, and the model is the one
    trained on them.
    """
    ours = EmbeddedSelector(model, cut=5).fit(X, Y)
    theirs = SelectFromModel(model, max_features=5, threshold=-np.inf).fit(X, Y)
    assert_array_equal(ours.get_support(), theirs.get_support())
    assert_allclose(
        ours.predict(X),
        clone(model).fit(X[:, ours.get_support()], Y).predict(X[:, ours.get_support()]),
    )


def test_a_threshold_keeps_what_a_sparse_model_left():
    """The columns of a lasso that are not 0, dense or sparse, are those kept by a threshold
    above 0.
    """
    model = Lasso(alpha=0.02)
    expected = np.flatnonzero(model.fit(X, Y).coef_)
    for table in (X, sparse.csr_array(X)):
        found = EmbeddedSelector(model, cut="threshold:1e-12").fit(table, Y)
        assert_array_equal(found.get_support(indices=True), expected)


def test_several_rows_of_weights_count_by_their_norm():
    """Of a model of three classes the score is the root of the squares summed over the classes."""
    table, y = load_wine(return_X_y=True)
    model = LinearSVC(C=0.1, random_state=0)
    Z = StandardScaler().fit_transform(table)
    found = EmbeddedSelector(model, cut=4, random_state=0).fit(Z, y)
    assert_allclose(found.scores_, np.linalg.norm(model.fit(Z, y).coef_, axis=0))
    assert found.score(Z, y) > 0.9
    assert found.decision_function(Z).shape == (len(y), 3)
    assert not hasattr(found, "predict_proba")


def test_probes_pass_what_matters_and_little_else():
    """Among forty columns of noise the two that make the target are kept by probes beside the
    model.
    """
    rng = np.random.default_rng(0)
    table = rng.standard_normal((120, 42))
    y = (table[:, 3] + table[:, 17] > 0).astype(int)
    score = Importance(ExtraTreesClassifier(25, random_state=0))
    found = RankingSelector(score, cut="fdr:0.1", n_probes=210, random_state=0).fit(table, y)
    same = EmbeddedSelector(score.estimator, cut="fdr:0.1", n_probes=210, random_state=0).fit(
        table, y
    )
    assert {3, 17} <= set(found.get_support(indices=True).tolist())
    assert found.get_support().sum() <= 5
    assert "permuted probes" in same.evidence_
    assert_array_equal(same.get_support(), found.get_support())


def test_the_number_is_validated_with_the_model_itself():
    """With cut="cv" about as many columns are kept as carry the target."""
    rng = np.random.default_rng(0)
    table = rng.standard_normal((100, 12))
    y = table[:, :3] @ [3.0, 2.0, 1.0] + 0.1 * rng.standard_normal(100)
    found = EmbeddedSelector(LinearRegression(), cut="cv").fit(table, y)
    assert {0, 1, 2} <= set(found.get_support(indices=True).tolist())
    assert found.validation_.chosen == found.get_support().sum() <= 4


def test_models_that_say_nothing_are_asked_by_shuffling():
    """Neighbours, which have no weights, find the column that makes the classes."""
    rng = np.random.default_rng(0)
    table = rng.standard_normal((150, 5))
    y = (table[:, 2] > 0).astype(int)
    found = EmbeddedSelector(KNeighborsClassifier(), "permutation", cut=1, random_state=0).fit(
        table, y
    )
    assert found.get_support(indices=True).tolist() == [2]
    with pytest.raises(ValueError, match="permutation"):
        EmbeddedSelector(KNeighborsClassifier(), cut=1).fit(table, y)


def test_nothing_kept_has_no_model_to_predict_with():
    """A cut that keeps nothing says so when asked to predict."""
    found = EmbeddedSelector(Ridge(), cut="threshold:1e9").fit(X, Y)
    assert not found.get_support().any()
    with pytest.raises(ValueError, match="kept no column"):
        found.predict(X)


def test_whole_weights_are_repeated_rows():
    """Weights of whole numbers give the scores and the model of a table with its rows repeated."""
    weight = np.random.default_rng(0).integers(0, 3, len(Y))
    weighted = EmbeddedSelector(Ridge(), cut=5).fit(X, Y, sample_weight=weight)
    repeated = EmbeddedSelector(Ridge(), cut=5).fit(
        np.repeat(X, weight, axis=0), np.repeat(Y, weight)
    )
    assert_allclose(weighted.scores_, repeated.scores_)
    assert_allclose(weighted.predict(X), repeated.predict(X))
    assert weighted.score(X, Y, sample_weight=weight) == pytest.approx(
        repeated.score(X, Y, sample_weight=weight)
    )


def test_frames_pipelines_and_grids():
    """A frame is selected from by name in any order of columns.

    Settings of the inner model can be searched.
    """
    table, y = load_breast_cancer(return_X_y=True, as_frame=True)
    model = EmbeddedSelector(make_pipeline(StandardScaler(), LogisticRegression()), cut=3).fit(
        table, y
    )
    assert_array_equal(model.predict(table), model.predict(table[table.columns[::-1]]))
    grid = GridSearchCV(
        model, {"estimator__logisticregression__C": [0.1, 1.0], "cut": [2, 3]}, cv=2
    ).fit(table, y)
    assert grid.best_estimator_.get_support().sum() == grid.best_params_["cut"]
    assert grid.best_score_ > 0.85  # two in three are of one class


def test_a_step_that_makes_other_columns_is_refused():
    """A pipeline whose model sees other columns than the table cannot say which of the table it
    used.
    """
    from sklearn.decomposition import PCA

    with pytest.raises(ValueError, match="other columns"):
        EmbeddedSelector(make_pipeline(PCA(2), Ridge()), cut=1).fit(X, Y)
