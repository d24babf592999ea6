"""Relevances read from trained models."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.compose import TransformedTargetRegressor
from sklearn.datasets import load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from subsel.models.relevance import fitted, held_out_relevance, model_relevance

X, Y = load_wine(return_X_y=True)


def test_one_row_of_weights_is_read_as_absolute_values():
    """The relevance of a linear model of one output is the absolute weight."""
    model = Ridge().fit(X, Y)
    assert_allclose(model_relevance(model), np.abs(model.coef_))


def test_rows_of_weights_are_joined_by_the_root_of_summed_squares():
    """For several classes the relevance is the norm over the rows.

    This holds for the sparse table of SVC, too.
    """
    Z = StandardScaler().fit_transform(X)
    dense, thin = SVC(kernel="linear").fit(Z, Y), SVC(kernel="linear").fit(sparse.csr_array(Z), Y)
    assert_allclose(model_relevance(dense), np.sqrt((dense.coef_**2).sum(axis=0)))
    assert_allclose(model_relevance(thin), model_relevance(dense), atol=1e-3)


def test_pipelines_and_searches_are_looked_into():
    """The last step of a pipeline, the best of a search and an inner regressor are what is read."""
    pipe = make_pipeline(StandardScaler(), Ridge())
    model = pipe.fit(X, Y)
    search = GridSearchCV(pipe, {"ridge__alpha": [1.0]}).fit(X, Y)
    inner = TransformedTargetRegressor(pipe).fit(X, Y)
    for outer in (search, inner):
        assert_allclose(model_relevance(outer), np.abs(model[-1].coef_))


def test_importances_and_functions_are_read():
    """Trees give their importances; a function is asked with the model as it is."""
    forest = RandomForestClassifier(5, random_state=0).fit(X, Y)
    assert_array_equal(model_relevance(forest), forest.feature_importances_)
    assert_array_equal(
        model_relevance(forest, lambda m: np.arange(m.n_features_in_)), np.arange(13)
    )


def test_a_model_that_says_nothing_is_refused():
    """Neighbours have no weights: the message names what to use; an unknown word is refused."""
    model = KNeighborsRegressor().fit(X, Y)
    with pytest.raises(ValueError, match="permutation"):
        model_relevance(model)
    with pytest.raises(ValueError, match="no feature_importances_"):
        model_relevance(Ridge().fit(X, Y), "importance")
    with pytest.raises(ValueError, match="must be one of"):
        model_relevance(Ridge().fit(X, Y), "weights")


def test_shuffling_on_held_out_rows_finds_what_the_model_uses():
    """A shuffled column that alone makes the target loses about twice its variance.

    An unused column loses nothing.
    """
    rng = np.random.default_rng(0)
    Z = rng.standard_normal((300, 3))
    fall = held_out_relevance(LinearRegression(), Z, 3 * Z[:, 2], cv=KFold(3), random_state=0)
    assert_allclose(fall, [0, 0, 2], atol=0.15)
    thin = held_out_relevance(
        LinearRegression(), sparse.csr_array(Z), 3 * Z[:, 2], cv=KFold(3), random_state=0
    )
    assert_allclose(thin, fall)


def test_row_weights_reach_the_model():
    """Weights equal repeated rows, through pipelines too.

    A model that does not take them is refused.
    """
    weight = np.random.default_rng(0).integers(0, 3, len(Y))
    pipe = make_pipeline(LogisticRegression(C=0.01, tol=1e-9, max_iter=20_000))
    Z = StandardScaler().fit_transform(X)
    repeated = np.repeat(np.arange(len(Y)), weight)
    weighted, twice = (
        fitted(pipe, Z, Y, weight.astype(float)),
        fitted(pipe, Z[repeated], Y[repeated]),
    )
    assert_allclose(model_relevance(weighted), model_relevance(twice), atol=1e-5)
    with pytest.raises(ValueError, match="KNeighborsRegressor does not take sample weights"):
        fitted(KNeighborsRegressor(), Z, Y, weight)
    assert fitted(GaussianNB(), Z, Y, weight).class_prior_.sum() == pytest.approx(1)
