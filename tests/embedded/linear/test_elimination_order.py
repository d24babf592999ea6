"""Recursive elimination as an order, beside scikit-learn's RFE and RFECV."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from sklearn.feature_selection import RFE, RFECV
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, normalize, scale
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from subsel import RankingSelector
from subsel.embedded.orders import rfe
from subsel.ranking.cuts.cross_validation import validated_size
from tests.real_tables import real_table

CANCER, STATE = load_breast_cancer(return_X_y=True)
CANCER, STATE = scale(CANCER)[::3, :12], STATE[::3]
DIABETES, PROGRESS = load_diabetes(return_X_y=True)
WINE, CULTIVAR = load_wine(return_X_y=True)

PROBLEMS = {
    "ridge": (Ridge(), scale(DIABETES), PROGRESS, KFold(5)),
    "ridge classifier": (RidgeClassifier(), CANCER, STATE, StratifiedKFold(4)),
    "linear svc": (SVC(kernel="linear", tol=1e-8), CANCER, STATE, StratifiedKFold(3)),
    "logistic": (LogisticRegression(tol=1e-8, max_iter=1000), CANCER, STATE, StratifiedKFold(3)),
    "several classes": (
        LogisticRegression(tol=1e-8, max_iter=1000),
        scale(WINE),
        CULTIVAR,
        StratifiedKFold(3),
    ),
    "tree": (DecisionTreeClassifier(random_state=0), CANCER, STATE, StratifiedKFold(3)),
}


@pytest.mark.parametrize("name", PROBLEMS)
def test_the_order_is_that_of_rfe(name):
    """The first k of the order are what scikit-learn keeps at every k, and what an order of k
    takes.
    """
    model, X, y, _ = PROBLEMS[name]
    ranking = RFE(model, n_features_to_select=1).fit(X, y).ranking_
    features = rfe(X, y, estimator=model, scale=False).features
    assert_array_equal(ranking[features], np.arange(1, X.shape[1] + 1))
    assert set(rfe(X, y, 4, estimator=model, scale=False).features) == set(features[:4])


@pytest.mark.parametrize("name", PROBLEMS)
def test_with_a_cut_by_cross_validation_it_is_rfecv(name):
    """Eliminated anew in every fold, scored on held-out rows at every number.

    An explicit loop gives the same curve, number and columns.
    """
    model, X, y, cv = PROBLEMS[name]
    peer = RFECV(model, cv=cv).fit(X, y)

    def take(X, y):
        return rfe(X, y, estimator=model, scale=False).features

    found = validated_size(take, model, X, y, cv, sizes=np.arange(1, X.shape[1] + 1), one_se=False)
    assert_allclose(found.scores, peer.cv_results_["mean_test_score"], rtol=1e-12)
    assert found.chosen == peer.n_features_
    assert set(take(X, y)[: found.chosen]) == set(np.flatnonzero(peer.support_))


def test_a_selector_cuts_it_by_cross_validation():
    """By its name, with the model that says what it used as an option and the one that validates
    beside it.
    """
    model = make_pipeline(StandardScaler(), RidgeClassifier())
    selector = RankingSelector(
        "rfe", cut="cv", estimator=model, options={"estimator": RidgeClassifier()}, cv=3
    )
    kept = selector.fit(WINE, CULTIVAR).get_support(indices=True)
    assert set(kept) == set(rfe(WINE, CULTIVAR).features[: selector.validation_.chosen])
    assert 1 < len(kept) < 13


@pytest.mark.parametrize("drop", [3, 0.3, "half", "powers"])
def test_several_at_a_time_leave_in_the_order_of_their_relevance(drop):
    """The order is that of plain refitting, the weakest of those that go together first."""
    columns, dropped = np.arange(12), []
    sizes = {
        3: [9, 6, 3, 1],
        0.3: [9, 7, 5, 4, 3, 2, 1],
        "half": [6, 3, 2, 1],
        "powers": [8, 4, 2, 1],
    }[drop]
    for size in sizes:
        weights = np.abs(Ridge().fit(CANCER[:, columns], STATE * 1.0).coef_)
        weakest = np.argsort(weights, kind="stable")[: len(columns) - size]
        dropped += columns[weakest].tolist()
        columns = np.delete(columns, weakest)
    path = rfe(CANCER, STATE * 1.0, estimator=Ridge(), drop=drop, scale=False)
    assert path.features.tolist() == [*columns, *dropped[::-1]]


@pytest.mark.parametrize("estimator", [None, LinearSVC(tol=1e-10, max_iter=100_000)])
def test_sparse_tables_weights_and_units(estimator):
    """Sparse or dense, a row of weight two or twice, whatever the units: the same order."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 8)) * (rng.random((60, 8)) < 0.5)
    y = (X[:, 1] - X[:, 5] + 0.5 * X[:, 6] + 0.3 * rng.normal(size=60) > 0).astype(int)
    features = rfe(X, y, estimator=estimator).features
    assert_array_equal(rfe(sparse.csr_array(X), y, estimator=estimator).features, features)
    weight = rng.integers(1, 4, 60)
    twice = rfe(np.repeat(X, weight, axis=0), np.repeat(y, weight), estimator=estimator).features
    assert_array_equal(rfe(X, y, estimator=estimator, sample_weight=weight).features, twice)
    assert_array_equal(
        rfe(X * 10.0 ** rng.integers(-3, 4, 8), y, estimator=estimator).features, features
    )


def test_one_column_and_bad_numbers():
    """One column is taken; more than there are are refused."""
    assert rfe(CANCER[:, :1], STATE).features.tolist() == [0]
    with pytest.raises(ValueError, match=r"n_features must be a whole number in \[1, 12\], got 13"):
        rfe(CANCER, STATE, 13)


REAL = (
    28,
    48,
    64,
    105,
    128,
    153,
    241,
    281,
    318,
    336,
    338,
    378,
    433,
    442,
    451,
    453,
    455,
    472,
    475,
    493,
)


def training_part(held):
    return held["split"] == list(held["split_names"]).index("train")


def madelon():
    with np.load(real_table("madelon.npz")) as held:
        train = training_part(held)
        return scale(held["X"][train].astype(float)), held["y"][train]


def test_a_kernel_machine_finds_inputs_of_madelon():
    """Of the 32 with the largest Fisher ratio, 13 of them real, the last eight are all real."""
    X, y = madelon()
    first, second = X[y > 0], X[y < 0]
    ratio = (first.mean(axis=0) - second.mean(axis=0)) ** 2 / (
        first.var(axis=0) + second.var(axis=0)
    )
    top = np.sort(np.argsort(-ratio)[:32])
    kept = rfe(X[:500, top], y[:500], 8, estimator=SVC(gamma=0.05), drop=0.2, scale=False).features
    assert np.isin(top, REAL).sum() == 13
    assert np.isin(top[kept], REAL).all()


@pytest.mark.slow
def test_a_kernel_machine_finds_madelon_among_all_its_columns():
    """Without any filter before it, most of the last twenty of 500 are real, though each alone
    tells next to nothing.
    """
    X, y = madelon()
    kept = rfe(X[:1000], y[:1000], 20, estimator=SVC(gamma=0.01), drop=0.2, scale=False).features
    assert np.isin(kept, REAL).sum() >= 15


def test_dexter_by_a_linear_machine():
    """A sixtieth of the words, chosen anew in each fold of the training texts, errs at most
    three points more than all do.
    """
    with np.load(real_table("dexter.npz")) as held:
        train = training_part(held)
        table = sparse.csr_array((held["data"], held["indices"], held["indptr"]), held["shape"])
        X, y = (
            normalize(sparse.csr_array(table[np.flatnonzero(train)], dtype=float)),
            held["y"][train],
        )
    few = RankingSelector(
        "rfe", cut=300, options={"estimator": LinearSVC(), "drop": "half", "scale": False}
    )
    cv = StratifiedKFold(5, shuffle=True, random_state=0)
    every, chosen = (
        cross_val_score(m, X, y, cv=cv).mean()
        for m in (LinearSVC(), make_pipeline(few, LinearSVC()))
    )
    assert chosen > every - 0.03
