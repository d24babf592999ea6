"""Latent features: partial least squares where the loss is squared, and what the chapter proves
for every loss.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.optimize import approx_fprime, linprog
from sklearn.cross_decomposition import PLSRegression
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.preprocessing import KernelCenterer, StandardScaler

from subsel.construct import (
    KernelLatentFeatures,
    KernelPLS,
    LatentFeatures,
    LatentFeaturesCV,
    anyboost,
)
from subsel.construct.latent.components import smoothed
from subsel.construct.latent.losses import LOSSES
from subsel.literature.embedding import GramPCA
from subsel.literature.recipes import latent_svm
from subsel.ranking import gram_schmidt

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 6)) @ RNG.normal(size=(6, 6)) + 3
CODES = (X[:, 0] - X[:, 1] + 2 * RNG.normal(size=80) > 0).astype(int)
Y = X @ RNG.normal(size=6) + RNG.normal(size=80)
EXACT = {"damping": 0.0, "n_steps": 100}


def target(loss):
    return CODES if LOSSES[loss].two_classes else Y


@pytest.mark.parametrize("loss", LOSSES)
def test_residual_is_minus_the_gradient(loss):
    """Finite differences of the loss agree with the residual and, where there is one, the
    curvature.
    """
    y = 2.0 * CODES[:8] - 1 if LOSSES[loss].two_classes else Y[:8]
    f, weight = RNG.normal(size=8), RNG.uniform(0.5, 2, size=8)
    numeric = approx_fprime(f, lambda g: LOSSES[loss].value(y, g, weight), 1e-7)
    assert_allclose(LOSSES[loss].residual(y, f, weight), -numeric, rtol=1e-4, atol=1e-5)
    if loss != "absolute":
        slope = [
            approx_fprime(f, lambda g, i=i: LOSSES[loss].residual(y, g, weight)[i], 1e-7)[i]
            for i in range(8)
        ]
        assert_allclose(
            LOSSES[loss].curvature(y, f, weight), -np.array(slope), rtol=1e-4, atol=1e-5
        )


@pytest.mark.parametrize("n_components", [1, 2, 4, 6])
def test_squared_loss_is_partial_least_squares(n_components):
    """Predictions, features and directions are those of PLSRegression for one response."""
    ours = LatentFeatures(n_components).fit(X, Y)
    oracle = PLSRegression(n_components, scale=False).fit(X, Y)
    assert_allclose(ours.decision_function(X + 1), oracle.predict(X + 1).ravel())
    scores = oracle.transform(X)
    assert_allclose(
        ours.transform(X),
        scores / np.linalg.norm(scores, axis=0) * np.sign((scores * ours.transform(X)).sum(0)),
    )
    assert_allclose(ours.coef_, oracle.coef_.ravel())
    if n_components == 6:
        assert_allclose(ours.decision_function(X), LinearRegression().fit(X, Y).predict(X))


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("options", [{}, EXACT], ids=["one step", "exact"])
def test_features_are_orthonormal_and_loss_never_grows(loss, options):
    """T'T = I, T = (X - mean) R on any rows, and the loss falls from component to component."""
    fitted = LatentFeatures(6, loss, **options).fit(X, target(loss))
    T = fitted.transform(X)
    assert_allclose(T.T @ T, np.eye(T.shape[1]), atol=1e-8)
    assert_allclose(T.mean(axis=0), 0, atol=1e-8)
    y = 2.0 * CODES - 1 if LOSSES[loss].two_classes else Y
    losses = [LOSSES[loss].value(y, f, np.ones(80)) for f in fitted.staged_decision_function(X)]
    assert (np.diff(losses) <= 1e-8 * losses[0]).all()
    assert_allclose(fitted.transform(X[:3]), T[:3], atol=1e-9)


@pytest.mark.parametrize("loss", ["exponential", "logistic"])
def test_exact_refit_makes_the_gradient_orthogonal_to_features(loss):
    """With an exact refit the residual is orthogonal to all features, and starts are half the
    log odds.
    """
    fitted = LatentFeatures(3, loss, **EXACT).fit(X, CODES)
    u = LOSSES[loss].residual(2.0 * CODES - 1, fitted.decision_function(X), np.ones(80))
    assert_allclose(fitted.transform(X).T @ u, 0, atol=1e-7)
    assert_allclose(u.sum(), 0, atol=1e-7)
    start, _ = LOSSES[loss].refit(
        2.0 * CODES - 1, np.ones((80, 1)), np.zeros(1), np.ones(80), 0.0, 100
    )
    assert_allclose(start, np.log(CODES.mean() / (1 - CODES.mean())) / 2)


def test_all_components_of_logistic_loss_are_logistic_regression():
    """At full rank, refitted exactly, coefficients and intercept are half of unpenalised
    logistic regression's.
    """
    fitted = LatentFeatures(6, "logistic", **EXACT).fit(X, CODES)
    oracle = LogisticRegression(C=np.inf, tol=1e-10, max_iter=2000).fit(X, CODES)
    assert_allclose(2 * fitted.coef_, oracle.coef_.ravel(), rtol=1e-4, atol=1e-5)
    assert_allclose(
        2 * (fitted.intercept_ - fitted.mean_ @ fitted.coef_), oracle.intercept_[0], rtol=1e-4
    )


def test_all_components_of_absolute_loss_reach_its_optimum():
    """At full rank the loss is that of the least absolute deviation of all columns."""
    fitted = LatentFeatures(6, "absolute").fit(X, Y)
    A = np.column_stack([np.ones(80), X])
    cost = np.concatenate([np.zeros(7), np.ones(160)])
    bounds = [(None, None)] * 7 + [(0, None)] * 160
    oracle = linprog(cost, A_eq=np.hstack([A, np.eye(80), -np.eye(80)]), b_eq=Y, bounds=bounds)
    assert_allclose(np.abs(Y - fitted.decision_function(X)).sum(), oracle.fun, rtol=1e-8)


@pytest.mark.parametrize("loss", LOSSES)
def test_weight_two_is_two_rows(loss):
    """A row of weight 2 counts as two rows, a row of weight 0 as none."""
    weight = RNG.integers(0, 3, size=80)
    n = (
        6 if loss == "absolute" else 3
    )  # a linear program may have several optima; at full rank their value is one
    one = LatentFeatures(n, loss).fit(X, target(loss), sample_weight=weight)
    other = LatentFeatures(n, loss).fit(
        np.repeat(X, weight, axis=0), np.repeat(target(loss), weight)
    )
    y = 2.0 * CODES - 1 if LOSSES[loss].two_classes else Y
    values = [LOSSES[loss].value(y, fitted.decision_function(X), weight) for fitted in (one, other)]
    assert_allclose(*values, rtol=1e-6)
    if loss != "absolute":
        assert_allclose(one.transform(X), other.transform(X), atol=1e-7)


@pytest.mark.parametrize("loss", LOSSES)
def test_linear_kernel_and_sparse_rows_change_nothing(loss):
    """A linear kernel, and a sparse table, give the features of the dense linear method."""
    y = target(loss)
    expected = LatentFeatures(4, loss).fit(X, y)
    for fitted, rows in [
        (KernelLatentFeatures(4, loss, kernel="linear").fit(X, y), X),
        (LatentFeatures(4, loss).fit(sparse.csr_array(X), y), sparse.csr_array(X)),
    ]:
        assert_allclose(fitted.transform(rows), expected.transform(X), atol=1e-6)
        assert_allclose(fitted.decision_function(rows), expected.decision_function(X), atol=1e-5)


def rosipal_trejo(K, y, n_components):
    """The published loop of kernel PLS, on a centred kernel and response: fitted values."""
    T, deflated, rest = [], K, y
    for _ in range(n_components):
        t = deflated @ rest
        t = t / np.linalg.norm(t)
        project = np.eye(len(K)) - np.outer(t, t)
        deflated, rest = project @ deflated @ project, rest - t * (t @ rest)
        T.append(t)
    return np.array(T).T @ (np.array(T) @ y)


@pytest.mark.parametrize("direct", [False, True])
def test_kernel_pls_follows_the_published_loop(direct):
    """Fitted values are those of Rosipal and Trejo's loop, and for the direct form of PLS on the
    kernel matrix.
    """
    gaussian = {"kernel": "rbf", "kernel_params": {"gamma": 0.02}}
    fitted = KernelPLS(4, direct=direct, **gaussian).fit(X, Y)
    K = KernelCenterer().fit_transform(np.exp(-0.02 * ((X[:, None] - X) ** 2).sum(axis=2)))
    expected = rosipal_trejo(K @ K.T if direct else K, Y - Y.mean(), 4) + Y.mean()
    assert_allclose(fitted.decision_function(X), expected, rtol=1e-6)
    if direct:
        assert_allclose(
            expected, PLSRegression(4, scale=False).fit(K, Y).predict(K).ravel(), rtol=1e-6
        )
    assert_allclose(fitted.transform(X[:5]), fitted.transform(X)[:5])


def test_kernel_pls_with_a_linear_kernel_is_pls():
    """With a linear kernel, new rows get the predictions of PLSRegression."""
    ours = KernelPLS(3, kernel="linear").fit(X, Y).decision_function(X[::-1] * 1.1)
    assert_allclose(ours, PLSRegression(3, scale=False).fit(X, Y).predict(X[::-1] * 1.1).ravel())


def test_inverse_gives_back_the_columns_at_full_rank():
    """All features, scaled or not, give back the table.

    Fewer give its least squares approximation by them.
    """
    for scaled in (False, True):
        fitted = LatentFeatures(6, scaled=scaled).fit(X, Y)
        assert_allclose(fitted.inverse_transform(fitted.transform(X)), X)
    fitted = LatentFeatures(2).fit(X, Y)
    T, centred = fitted.transform(X), X - X.mean(axis=0)
    assert_allclose(
        fitted.inverse_transform(T) - X.mean(axis=0), T @ np.linalg.lstsq(T, centred)[0]
    )


@pytest.mark.parametrize("loss", LOSSES)
def test_few_rows_many_columns_and_single_precision(loss):
    """With fewer rows than columns, copies among them, features stay orthonormal.

    Single precision changes little.
    """
    wide = RNG.normal(size=(12, 40))
    wide = np.hstack([wide, wide[:, :5]])
    y = target(loss)[:12]
    T = LatentFeatures(5, loss).fit_transform(wide, y)
    assert_allclose(T.T @ T, np.eye(T.shape[1]), atol=1e-8)
    single = LatentFeatures(5, loss).fit_transform(wide.astype(np.float32).astype(float), y)
    narrow = LatentFeatures(5, loss).fit_transform(wide.astype(np.float32), y)
    assert_allclose(narrow, single)


@pytest.mark.parametrize("n", [1, 2, 5])
def test_smoothed_curve_is_the_mean_of_neighbours(n):
    """Each entry is the mean of itself and the neighbours it has, for short curves too."""
    curve = RNG.normal(size=n)
    padded = np.concatenate([[np.nan], curve, [np.nan]])
    assert_allclose(smoothed(curve), [np.nanmean(padded[i : i + 3]) for i in range(n)])


def test_components_end_where_directions_do():
    """Asked for more than the rank, only as many come out; a constant target gives none."""
    twice = np.hstack([X[:, :2], X[:, :2]])
    assert LatentFeatures(5).fit(twice, Y).transform(twice).shape == (80, 2)
    assert LatentFeatures(5).fit(X, np.ones(80)).transform(X).shape == (80, 0)


def test_number_of_components_minimises_the_smoothed_curve():
    """The curve equals separate fits with each number, and the choice is the first minimum of
    its smoothing.
    """
    cv = [(np.arange(0, 80, 2), np.arange(1, 80, 2)), (np.arange(1, 80, 2), np.arange(0, 80, 2))]
    chosen = LatentFeaturesCV(LatentFeatures(loss="logistic"), max_components=5, cv=cv).fit(
        X, CODES
    )
    for n in range(1, 6):
        wrong = [
            np.mean(
                (LatentFeatures(n, "logistic").fit(X[a], CODES[a]).decision_function(X[b]) > 0)
                != CODES[b]
            )
            for a, b in cv
        ]
        assert_allclose(chosen.errors_[n - 1], np.mean(wrong))
    e = chosen.errors_
    by_hand = [np.mean(e[max(i - 1, 0) : i + 2]) for i in range(5)]
    assert_allclose(chosen.smoothed_, by_hand)
    assert chosen.n_components_ == np.argmin(by_hand) + 1 == chosen.transform(X).shape[1]


def test_recipe_sees_the_rare_class():
    """On sparse rows with 1 in 20 of one class the recipe ranks far better than chance on rows
    kept apart.
    """
    rows, y = make_classification(600, 200, n_informative=10, weights=[0.95], random_state=0)
    rows = sparse.csr_array(np.where(rows > 0, rows, 0))
    model = latent_svm(5).fit(rows[:400], y[:400])
    assert model[0].transform(rows[:400]).shape == (400, 5)
    assert roc_auc_score(y[400:], model.decision_function(rows[400:])) > 0.7


@pytest.mark.parametrize(
    "options", [{}, {"scale": True}, {"centre": False}, {"centre": False, "scale": True}]
)
def test_gram_pca_equals_scikit_learn(options):
    """Components through the small matrix are those of PCA (or of the plain singular vectors),
    dense and sparse.
    """
    wide = RNG.normal(size=(15, 40)) * (RNG.random((15, 40)) < 0.4)
    wide[:, 3] = 0
    fitted = GramPCA(4, **options).fit(wide)
    rows = (
        wide / np.where(wide.std(axis=0) > 0, wide.std(axis=0), 1) if options.get("scale") else wide
    )
    oracle = (PCA(4) if options.get("centre", True) else TruncatedSVD(4, algorithm="arpack")).fit(
        rows
    )
    assert_allclose(np.abs(fitted.transform(wide)), np.abs(oracle.transform(rows)), atol=1e-8)
    assert_allclose(
        GramPCA(4, **options).fit(sparse.csr_array(wide)).transform(wide),
        fitted.transform(wide),
        atol=1e-8,
    )
    everything = GramPCA(15, **options).fit(wide)
    assert_allclose(everything.inverse_transform(everything.transform(wide)), wide, atol=1e-8)


def test_breast_cancer_is_told_apart_as_the_chapter_says():
    """Few logistic components tell the Wisconsin tumours apart better than as many of squared
    loss, on training rows.
    """
    rows, y = load_breast_cancer(return_X_y=True)
    rows = StandardScaler().fit_transform(rows)
    right = {
        loss: np.mean(
            (LatentFeatures(5, loss).fit(rows, signs).decision_function(rows) > 0) == (y == 1)
        )
        for loss, signs in [("logistic", y), ("squared", 2.0 * y - 1)]
    }
    assert right["logistic"] > right["squared"] > 0.95


@pytest.mark.parametrize(
    ("features", "words"),
    [
        (LatentFeatures(loss="hinge"), "loss must be one of"),
        (LatentFeatures(0), "n_components"),
        (LatentFeatures(n_steps=0), "n_steps"),
        (LatentFeatures(damping=1), "damping"),
        (LatentFeatures(loss="logistic"), "2 classes"),
        (GramPCA(0), "n_components"),
    ],
)
def test_parameters_out_of_range_are_named(features, words):
    """A wrong parameter is refused by name when fitting."""
    with pytest.raises(ValueError, match=words):
        features.fit(X, np.arange(80) % 3)


def plain_adaboost(H, y, n_steps):
    """Freund and Schapire's loop: reweight rows, take the stump of least weighted error, or its
    negative.
    """
    weight, coefficients = np.full(len(y), 1 / len(y)), np.zeros(H.shape[1])
    for _ in range(n_steps):
        edges = weight @ (H * y[:, None])
        best = np.argmax(np.abs(edges))
        error = (1 - abs(edges[best])) / 2
        step = np.sign(edges[best]) * np.log((1 - error) / error) / 2
        coefficients[best] += step
        weight = weight * np.exp(-step * y * H[:, best])
        weight /= weight.sum()
    return coefficients


def test_boosting_stumps_along_the_exponential_loss_is_adaboost():
    """With the constant among the hypotheses and the classes even, coefficients are those of
    AdaBoost.
    """
    y = np.where(np.arange(80) % 2, 1.0, -1.0)
    table = RNG.normal(size=(80, 3)) + 0.5 * y[:, None]
    H = np.where(np.hstack([table > cut for cut in (-0.5, 0.0, 0.5)]), 1.0, -1.0)
    found = anyboost(H, y, "exponential", 12)
    assert_allclose(found.coefficients, plain_adaboost(H, y, 12), atol=1e-6)
    assert found.intercept == pytest.approx(0, abs=1e-12) and (np.diff(found.losses) < 0).all()


def test_orthogonal_boosting_of_columns_is_gram_schmidt_and_ends_at_the_whole_model():
    """With squared loss it takes columns as Gram-Schmidt does.

    All of them give least squares, or logistic regression.
    """
    centred, y = X - X.mean(axis=0), Y - Y.mean()
    found = anyboost(X, Y, "squared", 6, orthogonal=True)
    assert found.chosen == gram_schmidt(centred, y).features.tolist()
    whole = LinearRegression().fit(X, Y)
    assert_allclose(found.coefficients, whole.coef_, atol=1e-8)
    assert found.intercept == pytest.approx(whole.intercept_)
    classes = anyboost(X, 2.0 * CODES - 1, "logistic", 6, orthogonal=True)
    odds = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(X, CODES)
    assert_allclose(2 * classes.coefficients, odds.coef_[0], rtol=1e-3)
    assert (np.diff(classes.losses) < 0).all()


def test_orthogonal_boosting_needs_no_more_steps_and_stops_where_nothing_points_down():
    """After as many steps the refitted loss is no larger than the plain one.

    A solved problem ends both.
    """
    plain, refitted = (
        anyboost(X, Y, "squared", 4, orthogonal=orthogonal) for orthogonal in (False, True)
    )
    assert refitted.losses[-1] <= plain.losses[-1]
    weighted = anyboost(
        X, Y, "squared", 3, orthogonal=True, sample_weight=np.where(np.arange(80) < 40, 2.0, 1.0)
    )
    twice = anyboost(np.r_[X, X[:40]], np.r_[Y, Y[:40]], "squared", 3, orthogonal=True)
    assert_allclose(weighted.coefficients, twice.coefficients)
    assert anyboost(X, np.full(80, 2.5), "squared").chosen == []
    with pytest.raises(ValueError, match="loss must be one of"):
        anyboost(X, Y, "hinge")
    with pytest.raises(ValueError, match="-1 or 1"):
        anyboost(X, Y, "logistic")
