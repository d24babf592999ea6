"""Information-theoretic transforms.

They are compared with finite differences and closed forms; objectives only improve.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.optimize import approx_fprime
from scipy.stats import norm
from sklearn.cross_decomposition import CCA
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import mutual_info_score
from sklearn.naive_bayes import GaussianNB

from subsel.literature.information import (
    CanonicalProjection,
    InformationBottleneck,
    InformationProjection,
    LearningMetric,
    learning_distances,
    neighbour_information,
    quadratic_information,
)
from subsel.literature.information.bottleneck import mutual_information
from subsel.literature.information.learning_metric import fisher_information
from subsel.literature.information.metric_paths import path_length

RNG = np.random.default_rng(0)
PLACES, CODES = RNG.normal(size=(25, 2)), np.arange(25) % 3


@pytest.mark.parametrize(
    "estimate",
    [
        lambda places: quadratic_information(places, CODES, 0.7),
        lambda places: neighbour_information(places, CODES, 1),
        lambda places: neighbour_information(places, CODES, 3),
    ],
    ids=["quadratic", "neighbours 1", "neighbours 3"],
)
def test_gradients_agree_with_finite_differences(estimate):
    """The gradient by every place is that of finite differences."""
    numeric = approx_fprime(PLACES.ravel(), lambda flat: estimate(flat.reshape(25, 2))[0], 1e-7)
    assert_allclose(estimate(PLACES)[1].ravel(), numeric, atol=1e-5)


def test_quadratic_information_is_the_integral():
    """In one dimension the closed form is an integral of squared differences of densities."""
    x, width = PLACES[:, 0], 0.4
    grid = np.linspace(-8, 8, 4001)
    bumps = norm.pdf(grid[:, None], x, width) / len(x)
    joint = np.stack([bumps[:, c == CODES].sum(axis=1) for c in range(3)])
    product = joint.sum(axis=0) * (np.bincount(CODES) / 25)[:, None]
    expected = ((joint - product) ** 2).sum() * (grid[1] - grid[0])
    assert_allclose(quadratic_information(x[:, None], CODES, width)[0], expected, rtol=1e-6)


def test_quadratic_information_is_zero_where_classes_share_their_places():
    """It is 0 for classes with the same places and positive for others."""
    twice, codes = np.vstack([PLACES, PLACES]), np.repeat([0, 1], 25)
    assert abs(quadratic_information(twice, codes, 0.5)[0]) < 1e-12
    assert quadratic_information(twice + codes[:, None], codes, 0.5)[0] > 1e-3


def test_neighbour_information_tends_to_the_truth():
    """Two distant classes of equal size have the information ln 2, equal ones about none.

    Tiny classes are left out.
    """
    rng = np.random.default_rng(1)
    places, codes = rng.normal(size=(400, 2)), np.repeat([0, 1], 200)
    assert_allclose(
        neighbour_information(places + 50 * codes[:, None], codes)[0], np.log(2), atol=0.02
    )
    assert abs(neighbour_information(places, codes)[0]) < 0.1
    assert neighbour_information(places[:3], np.arange(3))[0] == 0
    assert np.isfinite(
        neighbour_information(np.repeat(places[:20], 5, axis=0), np.arange(100) % 2)[1]
    ).all()


@pytest.mark.parametrize("estimate", ["quadratic", "neighbours"])
def test_projection_climbs_and_whitens(estimate):
    """Information never falls at one width; features are uncorrelated with variance 1."""
    X, y = load_iris(return_X_y=True)
    fitted = InformationProjection(2, estimate, max_iter=15).fit(X, y)
    for values in fitted.information_:
        assert (np.diff(values) > 0).all()
    assert_allclose(np.cov(fitted.transform(X).T, bias=True), np.eye(2), atol=1e-8)
    assert len(fitted.information_[0]) > 1


def test_projection_of_two_shifted_gaussians_is_the_discriminant():
    """Where discriminant analysis is right, the most informative direction is its own."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 150)
    X = rng.normal(size=(300, 4)) @ rng.normal(size=(4, 4)) + np.outer(y, [3, 1, 0, 2])
    ours = InformationProjection(1, widths=(0.5,)).fit(X, y).components_[0]
    theirs = LinearDiscriminantAnalysis().fit(X, y).coef_[0]
    assert abs(ours @ theirs) / np.linalg.norm(ours) / np.linalg.norm(theirs) > 0.98


def test_projection_sees_what_means_do_not():
    """For classes of equal means the direction of unequal spread is found."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 100)
    X = rng.normal(size=(200, 4))
    X[:, 2] *= np.where(y, 3, 0.3)
    fitted = InformationProjection(1, max_iter=100).fit(X, y)
    assert np.argmax(np.abs(fitted.components_[0] * X.std(axis=0))) == 2


def joint_table(seed, n_columns=12):
    return np.random.default_rng(seed).dirichlet(np.ones(n_columns * 3) * 0.3).reshape(n_columns, 3)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("beta", [2.0, 30.0])
def test_bottleneck_never_raises_its_objective(seed, beta):
    """The objective falls in every round.

    Clusters have no more information about classes than columns.
    """
    joint = joint_table(seed)
    fitted = InformationBottleneck(3, beta, n_betas=1, random_state=seed).fit(
        np.round(1e4 * joint.T), [0, 1, 2]
    )
    values = np.array(fitted.objective_)
    assert (np.diff(values) <= 1e-10 * np.abs(values[1:])).all()
    assert_allclose(fitted.membership_.sum(axis=1), 1)
    assert mutual_information(fitted.membership_.T @ joint) <= mutual_information(joint) + 1e-3


def test_bottleneck_keeps_everything_with_enough_clusters_and_a_high_price():
    """As many clusters as columns and a large beta keep all information.

    Columns with the same class probabilities share a cluster.
    """
    counts = np.array([[8, 4, 0, 0, 3], [4, 2, 0, 6, 3], [0, 0, 9, 2, 0]])
    fitted = InformationBottleneck(5, 1e4, n_betas=15, max_iter=500, random_state=0).fit(
        counts, [0, 1, 2]
    )
    joint = counts.T / counts.sum()
    assert_allclose(
        mutual_information(fitted.membership_.T @ joint), mutual_information(joint), rtol=1e-3
    )
    assert_allclose(fitted.membership_[0], fitted.membership_[1], atol=1e-6)
    dense = fitted.transform(counts)
    assert_allclose(fitted.transform(sparse.csr_array(counts)), dense)
    assert_allclose(dense.sum(axis=1), counts.sum(axis=1))


def test_mutual_information_equals_scikit_learn():
    """The information of a table of counts is that of scikit-learn."""
    counts = np.array([[3, 1, 4], [1, 5, 9]])
    assert_allclose(
        mutual_information(counts / counts.sum()), mutual_info_score(None, None, contingency=counts)
    )


def test_canonical_projection_equals_scikit_learn():
    """Correlations are those of scikit-learn's CCA.

    For classes, the directions are those of discriminant analysis.
    """
    X, y = load_iris(return_X_y=True)
    Y = np.column_stack([X[:, 0] + RNG.normal(size=150), X[:, 1] ** 2])
    oracle = CCA(2, max_iter=5000, tol=1e-12).fit(X[:, 1:], Y)
    scores = oracle.transform(X[:, 1:], Y)
    expected = [np.corrcoef(a, b)[0, 1] for a, b in zip(scores[0].T, scores[1].T)]
    ours = CanonicalProjection(2).fit(X[:, 1:], Y)
    assert_allclose(ours.correlations_, expected, rtol=1e-6)
    assert_allclose(ours.information_, -0.5 * np.log(1 - ours.correlations_**2).sum())
    discriminant = LinearDiscriminantAnalysis(solver="eigen").fit_transform(X, y)
    for a, b in zip(CanonicalProjection(2).fit(X, y).transform(X).T, discriminant.T):
        assert_allclose(abs(np.corrcoef(a, b)[0, 1]), 1)


def test_fisher_information_is_the_curvature_of_divergence():
    """For a small step, half of dx'J dx is the divergence of the class probabilities.

    For logistic models J is p(1-p) ww'.
    """
    X, y = load_iris(return_X_y=True)
    model = LogisticRegression(max_iter=1000).fit(X, y)
    J = fisher_information(model, X[:4])
    for row, metric in zip(X[:4], J):
        dx = 1e-3 * RNG.normal(size=4)
        p, q = model.predict_proba([row, row + dx])
        assert_allclose((p * np.log(p / q)).sum(), dx @ metric @ dx / 2, rtol=0.02)
    two = LogisticRegression().fit(X[:, :2], y == 2)
    p = two.predict_proba(X[:4, :2])[:, 1]
    assert_allclose(
        fisher_information(two, X[:4, :2]),
        (p * (1 - p))[:, None, None] * (two.coef_.T @ two.coef_),
        rtol=1e-4,
    )


def test_learning_metric_features_measure_the_mean_metric():
    """Squared distances of the features are those of the mean metric, for any classifier."""
    X, y = load_iris(return_X_y=True)
    for model in (None, GaussianNB()):
        fitted = LearningMetric(model).fit(X, y)
        steps = 1e-3 * X.std(axis=0)
        assert_allclose(
            fitted.metric_, fisher_information(fitted.estimator_, X, steps).mean(axis=0)
        )
        d = X[0] - X[120]
        found = fitted.transform(X[:1]) - fitted.transform(X[120:121])
        assert_allclose((found**2).sum(), d @ fitted.metric_ @ d, rtol=1e-3)


@pytest.mark.parametrize(
    ("transformer", "words"),
    [
        (InformationProjection(0), "n_components"),
        (InformationProjection(estimate="x"), "estimate"),
        (InformationBottleneck(0), "n_clusters"),
        (CanonicalProjection(0), "n_components"),
        (LearningMetric(step=0), "step"),
    ],
)
def test_parameters_out_of_range_are_named(transformer, words):
    """A wrong parameter is refused by name when fitting."""
    with pytest.raises(ValueError, match=words):
        transformer.fit(np.abs(PLACES), CODES)


def test_empty_counts_are_refused():
    """A table without any count has nothing to cluster."""
    with pytest.raises(ValueError, match="at least one positive"):
        InformationBottleneck().fit(np.zeros((4, 3)), [0, 1, 0, 1])


def test_lengths_of_paths_under_the_metric():
    """For a logistic model the length has a closed form on any path.

    Short steps agree with the Fisher information.
    """
    X, y = load_iris(return_X_y=True)
    model = LogisticRegression(max_iter=1000).fit(X[50:], y[50:])
    start, end = X[50], X[149]
    angle = np.arcsin(np.sqrt(model.predict_proba([start, end])[:, 1]))
    closed = np.sqrt(2) * abs(angle[1] - angle[0])
    straight = start + np.linspace(0, 1, 50)[:, None] * (end - start)
    assert path_length(model, straight) == pytest.approx(closed)
    assert path_length(model, np.vstack([start, X[100], X[60], end])) >= closed
    dx = 1e-3 * RNG.normal(size=4)
    J = fisher_information(model, X[70:71])[0]
    assert path_length(model, [X[70], X[70] + dx]) == pytest.approx(
        np.sqrt(dx @ J @ dx / 2), rel=1e-3
    )


def test_shortest_paths_are_no_longer_than_lines_and_go_through_neighbours():
    """Distances are a metric and no longer than straight lines.

    With neighbours only, they are sums of edges, or infinite.
    """
    X, y = load_iris(return_X_y=True)
    X, model = X[::8], GaussianNB().fit(X, y)
    D = learning_distances(model, X, n_points=6)
    lines = [path_length(model, X[0] + np.linspace(0, 1, 7)[:, None] * (row - X[0])) for row in X]
    assert (D[0] <= np.array(lines) + 1e-12).all() and (D >= 0).all()
    assert_allclose(D, D.T)
    assert (D[:, :, None] <= D[:, None] + D.T[None] + 1e-9).all()
    fewer = learning_distances(model, X, n_neighbors=5, n_points=6)
    assert (fewer >= D - 1e-12).all()
    apart = learning_distances(model, np.r_[X[:3], X[:3] + 100], n_neighbors=1)
    assert np.isinf(apart[0, 3])
    with pytest.raises(ValueError, match="n_neighbors"):
        learning_distances(model, X, n_neighbors=0)
