"""Thresholds, linear machines, votes and centroids.

They are compared with slow, plain versions and with scikit-learn's.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LinearRegression, LogisticRegression, Perceptron, SGDClassifier
from sklearn.metrics import balanced_accuracy_score, matthews_corrcoef
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.multiclass import OneVsOneClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.preprocessing import normalize, scale
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from subsel.literature.models import (
    AggressivePerceptron,
    DecisionThreshold,
    GolubVote,
    KernelNeighbours,
    LabelPowerset,
    LinearMachine,
    NormalisedRBF,
    ShortlistClassifier,
    ShrunkenCentroids,
    SleepingNaiveBayes,
    opposite_class_width,
)
from subsel.literature.models.decisions.cut_points import CUT_RULES
from subsel.models import NearestMean


@parametrize_with_checks(
    [
        AggressivePerceptron(),
        DecisionThreshold(SVC(kernel="linear"), cv=2),
        GolubVote(),
        KernelNeighbours(),
        LabelPowerset(),
        LinearMachine(),
        LinearMachine("relaxation", max_iter=50),
        NearestMean(),
        NormalisedRBF(),
        ShortlistClassifier(),
        ShrunkenCentroids(),
        SleepingNaiveBayes(),
    ]
)
def test_scikit_learn_contract(estimator, check):
    """Every check of scikit-learn passes."""
    check(estimator)


def cancer(n=None):
    X, y = load_breast_cancer(return_X_y=True)
    return scale(X)[:n], y[:n]


WORTH = {
    "ber": balanced_accuracy_score,
    "mcc": matthews_corrcoef,
    "class-share": lambda y, called: -abs(int(called.sum()) - int(y.sum())),
}


@pytest.mark.parametrize("rule", CUT_RULES)
@pytest.mark.parametrize("seed", range(5))
def test_a_cut_is_the_best_of_all(rule, seed):
    """No other threshold is better by scikit-learn's measure, also with ties of scores."""
    rng = np.random.default_rng(seed)
    y = rng.random(40) < 0.3
    scores = np.round(rng.normal(size=40) + y, 1)
    values = np.unique(scores)
    tried = [-np.inf, *(values[:-1] + np.diff(values) / 2), np.inf]
    best = max(WORTH[rule](y, scores > cut) for cut in tried)
    assert WORTH[rule](y, scores > CUT_RULES[rule](scores, y)) == pytest.approx(best)


def test_thresholds_see_held_out_scores_only():
    """The threshold is that of scikit-learn's held-out decisions.

    Predictions depend on the side of the threshold.
    """
    X, y = cancer(200)
    model = DecisionThreshold(LogisticRegression(), "ber", cv=4).fit(X, y)
    held_out = cross_val_predict(LogisticRegression(), X, y, cv=4, method="decision_function")
    assert model.threshold_ == CUT_RULES["ber"](held_out, y == 1)
    assert_array_equal(
        model.predict(X),
        (LogisticRegression().fit(X, y).decision_function(X) > model.threshold_) * 1,
    )
    assert_array_equal(model.decision_function(X) > 0, model.predict(X) == 1)


def test_probabilities_over_the_share_of_the_class_are_least_balanced_error():
    """If probabilities are true, the prior is the optimal threshold for the balanced error."""
    rng = np.random.default_rng(0)
    y = rng.random(4000) < 0.1
    X = (rng.normal(size=4000) + 1.5 * y)[:, None]
    moved = DecisionThreshold(GaussianNB(), "prior").fit(X, y)
    assert moved.threshold_ == y.mean()

    def error(found):
        return 1 - balanced_accuracy_score(y, found)

    assert error(moved.predict(X)) < error(GaussianNB().fit(X, y).predict(X)) - 0.1
    assert error(moved.predict(X)) < error(X[:, 0] > CUT_RULES["ber"](X[:, 0], y)) + 0.02


def test_fishers_machine_is_linear_discriminant_analysis():
    """Decisions are those of scikit-learn for two and for three classes.

    The direction is that of least squares.
    """
    X, y = load_iris(return_X_y=True)
    assert_array_equal(
        LinearMachine().fit(X, y).predict(X), LinearDiscriminantAnalysis().fit(X, y).predict(X)
    )
    two, code = X[30:], (y[30:] == 2).astype(float)
    machine = LinearMachine().fit(two, code)
    ratio = machine.coef_[0] / LinearRegression().fit(two, 2 * code - 1).coef_
    assert_allclose(ratio, ratio[0], rtol=1e-9)
    peer = LinearDiscriminantAnalysis(solver="lsqr").fit(two, code)
    assert_allclose(machine.decision_function(two), peer.decision_function(two), rtol=1e-8)


@pytest.mark.parametrize("step", ["optimal", "newton", "constant", "decreasing"])
def test_least_mean_squares_reaches_least_squares(step):
    """Every step goes downhill, Newton's gets there at once."""
    X, y = cancer(100)
    X = X[:, :4]
    t = 2.0 * y - 1
    machine = LinearMachine("lms", step=step, rate=0.3, max_iter=3000, tol=1e-10).fit(X, y)
    least = LinearRegression().fit(X, t)

    def gap(m):
        return ((m.decision_function(X) - t) ** 2).mean() - ((least.predict(X) - t) ** 2).mean()

    assert gap(machine) < {"decreasing": 0.1, "constant": 1e-4}.get(step, 1e-6)
    if step == "newton":
        assert machine.n_iter_ <= 3


@pytest.mark.parametrize("rule", ["perceptron", "relaxation"])
@pytest.mark.parametrize("one_by_one", [True, False])
def test_separable_rows_are_separated(rule, one_by_one):
    """In the end every row is on its side (beyond half the margin, for the relaxation)."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 3))
    X = X[np.abs(X @ [1, 2, -1]) > 0.5]
    y = X @ [1, 2, -1] > 0
    machine = LinearMachine(rule, one_by_one=one_by_one, rate=1.0).fit(X, y)
    assert machine.score(X, y) == 1.0
    if rule == "relaxation":
        assert (np.where(y, 1, -1) * machine.decision_function(X)).min() > 0.5


def test_perceptron_one_by_one_is_scikit_learns():
    """Row after row, the corrections are those of scikit-learn's perceptron."""
    X, y = cancer(60)
    ours = LinearMachine("perceptron", one_by_one=True, rate=1.0, max_iter=5, tol=0.0).fit(X, y)
    peer = Perceptron(shuffle=False, max_iter=5, tol=None).fit(X, y)
    assert_allclose(ours.coef_, peer.coef_, atol=1e-12)
    assert_allclose(ours.intercept_, peer.intercept_, atol=1e-12)


@pytest.mark.parametrize("limit", [0.5, 20.0])
def test_aggressive_perceptron_is_descent_on_the_hinge(limit):
    """Over the limit, the weights are those of scikit-learn's descent with step 1 / limit."""
    X, y = cancer(80)
    ours = AggressivePerceptron(limit, max_epochs=6).fit(X, y)
    peer = SGDClassifier(
        penalty=None,
        learning_rate="constant",
        eta0=1 / limit,
        fit_intercept=False,
        shuffle=False,
        max_iter=6,
        tol=None,
    )
    peer.fit(X, y)
    assert_allclose(ours.coef_ / limit, peer.coef_, atol=1e-10)


def test_sleeping_features_add_nothing():
    """The score is a sum over present features of log ratios of smoothed shares.

    Shares are smoothed by the number of equal counts.
    """
    rng = np.random.default_rng(0)
    X, y = (rng.random((60, 12)) < 0.3).astype(float), rng.random(60) < 0.5
    model = SleepingNaiveBayes().fit(X, y)
    ratios = np.zeros(12)
    for sign, part in ((1, X[y]), (-1, X[~y])):
        counts = part.sum(axis=0)
        for i in range(12):
            ratios[i] += sign * np.log(
                min(1, (counts[i] + 1 / (counts == counts[i]).sum()) / len(part))
            )
    assert_allclose(model.log_ratios_, ratios)
    assert_allclose(model.decision_function(X) + model.threshold_, X @ ratios)
    assert model.threshold_ == CUT_RULES["ber"](X @ ratios, y)
    same = SleepingNaiveBayes().fit(csr_matrix(X * 7), y)
    assert_array_equal(same.predict(csr_matrix(X)), model.predict(X))


def test_sleeping_naive_bayes_pools_what_it_is_told():
    """Equal counts are counted among the columns used or among all."""
    X, y = np.array([[1, 1, 0], [1, 1, 0], [0, 0, 1], [1, 0, 1]]), [1, 1, 0, 0]
    used = SleepingNaiveBayes([0], pool="used").fit(X, y).log_ratios_
    assert_allclose(used, [np.log(1.0) - np.log((1 + 1) / 2), 0, 0])
    every = SleepingNaiveBayes([2], pool="all").fit(X, y).log_ratios_
    assert_allclose(every[2], np.log((0 + 1) / 2) - np.log(1.0))


def test_golubs_vote_by_definition():
    """Each column votes with its signal-to-noise ratio for the nearer of both means."""
    X, y = cancer(100)
    a, b = X[y == 1], X[y == 0]
    votes = ((a.mean(0) - b.mean(0)) / (a.std(0) + b.std(0))) * (X - (a.mean(0) + b.mean(0)) / 2)
    model = GolubVote().fit(X, y)
    assert_allclose(model.decision_function(X), votes.sum(axis=1))
    assert_array_equal(model.predict(X), (votes.sum(axis=1) > 0).astype(int))


def test_kernel_width_by_the_double_loop():
    """It is the mean distance to the nearest row of another class, and scales with the data."""
    X, y = load_iris(return_X_y=True)
    X, y = X[::5], y[::5]
    wanted = np.mean(
        [min(np.linalg.norm(a - b) for b, d in zip(X, y) if d != c) for a, c in zip(X, y)]
    )
    assert opposite_class_width(X, y) == pytest.approx(wanted)
    assert opposite_class_width(3 * X, y) == pytest.approx(3 * wanted)


def test_normalised_units_between_neighbours_and_shares():
    """Shares add up to one.

    A tiny width gives the nearest neighbour, a huge one the shares of the classes.
    """
    X, y = load_iris(return_X_y=True)
    X = X + np.random.default_rng(0).normal(scale=1e-3, size=X.shape)
    train, new = slice(0, None, 2), X[1::2]
    chances = NormalisedRBF().fit(X[train], y[train]).predict_proba(new)
    assert_allclose(chances.sum(axis=1), 1.0)
    near = KNeighborsClassifier(1).fit(X[train], y[train]).predict(new)
    assert_array_equal(NormalisedRBF(1e-3).fit(X[train], y[train]).predict(new), near)
    assert_allclose(NormalisedRBF(1e6).fit(X[train], y[train]).predict_proba(new), 1 / 3, atol=1e-6)


@pytest.mark.parametrize("metric", ["minkowski", "chebyshev", "canberra"])
def test_neighbours_by_other_distances_are_scikit_learns(metric):
    """The distances the literature names are there, Canberra over the sum of both sizes."""
    a, b = np.array([[1.0, -2.0]]), np.array([[3.0, 1.0]])
    wanted = {"minkowski": 13**0.5, "chebyshev": 3.0, "canberra": 2 / 4 + 3 / 3}[metric]
    found = KNeighborsClassifier(1, metric=metric).fit(np.vstack([a, a]), [0, 1]).kneighbors(b)[0]
    assert found[0, 0] == pytest.approx(wanted)


@pytest.mark.parametrize("among", ["class", "all"])
def test_kernel_neighbours_by_loops(among):
    """The score of a class is the sum of its largest similarities.

    They are its own k largest, or those among the k largest of all.
    """
    X, y = load_digits(n_class=4, return_X_y=True)
    X, y, new = X[:80], y[:80], X[80:120]
    model = KernelNeighbours(3, among=among, normalise="l1").fit(X, y)
    K = normalize(new, "l1") @ normalize(X, "l1").T
    wanted = np.zeros((len(new), 4))
    for i, row in enumerate(K):
        for c in range(4):
            rows = np.flatnonzero(y == c) if among == "class" else np.argsort(-row)[:3]
            rows = rows[np.argsort(-row[rows])][:3]
            wanted[i, c] = row[rows][y[rows] == c].sum()
    assert_allclose(model.decision_function(new), wanted)


def test_one_kernel_neighbour_is_the_nearest_by_angle():
    """With one neighbour and normalised rows it is scikit-learn's nearest neighbour by cosine."""
    X, y = load_digits(return_X_y=True)
    peer = KNeighborsClassifier(1, metric="cosine").fit(X[:200], y[:200])
    assert_array_equal(
        KernelNeighbours(1).fit(X[:200], y[:200]).predict(X[200:400]), peer.predict(X[200:400])
    )


@pytest.mark.parametrize("distance", ["l1", "l2"])
def test_nearest_mean_by_definition(distance):
    """The nearest mean is that by sums of absolute or squared differences.

    For squared ones it is scikit-learn's nearest centroid.
    """
    X, y = load_iris(return_X_y=True)
    means = np.stack([X[y == c].mean(axis=0) for c in range(3)])
    gaps = np.abs(X[:, None] - means) ** (1 if distance == "l1" else 2)
    found = NearestMean(distance).fit(X, y).predict(X)
    assert_array_equal(found, gaps.sum(axis=2).argmin(axis=1))
    if distance == "l2":
        assert_array_equal(found, NearestCentroid().fit(X, y).predict(X))


@pytest.mark.parametrize("threshold", [1e-9, 0.5, 2.0, 5.0])
def test_shrunken_centroids_are_scikit_learns(threshold):
    """Centroids and, in squared differences, predictions are those of scikit-learn."""
    X, y = load_iris(return_X_y=True)
    X, y = X[20:], y[20:]
    ours = ShrunkenCentroids(threshold, distance="l2").fit(X, y)
    peer = NearestCentroid(shrink_threshold=threshold).fit(X, y)
    assert_allclose(ours.centroids_, peer.centroids_, atol=1e-12)
    assert_array_equal(ours.predict(X), peer.predict(X))
    assert_allclose(ours.deviations_, peer.deviations_, atol=1e-12)


def test_standardised_distances_by_definition():
    """Distances are squared differences in units of the deviations plus their median.

    Twice the log of the share of the class is subtracted.
    """
    X, y = load_iris(return_X_y=True)
    X, y = X[20:], y[20:]
    model = ShrunkenCentroids(1.0).fit(X, y)
    within = np.sqrt(
        sum(((X[y == c] - X[y == c].mean(0)) ** 2).sum(0) for c in range(3)) / (len(X) - 3)
    )
    unit = within + np.median(within)
    gaps = (((X[:, None] - model.centroids_) / unit) ** 2).sum(axis=2) - 2 * np.log(
        np.bincount(y) / len(y)
    )
    assert_allclose(model.decision_function(X), -gaps)


def test_the_path_says_when_columns_vanish():
    """Each threshold of the path removes one column.

    A given number of columns is selected exactly.
    """
    X, y = cancer()
    path = ShrunkenCentroids().fit(X, y).path_

    def kept(**given):
        return np.count_nonzero(ShrunkenCentroids(**given).fit(X, y).feature_importances_)

    for k in (1, 7, 29, 30):
        assert (
            kept(n_features=k)
            == k
            == np.count_nonzero(path > ShrunkenCentroids(n_features=k).fit(X, y).threshold_)
        )
    assert kept(threshold=path.max() + 1e-9) == 0


def test_validated_threshold_equals_refitting():
    """The threshold by leave-one-out is that of refitting at every one of them."""
    X, y = load_iris(return_X_y=True)
    X, y = X[::3], y[::3]
    chosen = ShrunkenCentroids("cv", n_thresholds=12, cv=LeaveOneOut(), distance="l1").fit(X, y)
    tried = np.linspace(0, chosen.path_.max(), 12, endpoint=False)

    def refit(t):
        return cross_val_predict(ShrunkenCentroids(t, distance="l1"), X, y, cv=LeaveOneOut())

    scores = np.array([balanced_accuracy_score(y, refit(t)) for t in tried]).round(12)
    assert chosen.threshold_ == tried[np.flatnonzero(scores == scores.max())[-1]]


def test_label_sets_come_back_as_labels():
    """Each set of labels of the training rows is a class, and no other set is predicted.

    With one label it is the wrapped classifier.
    """
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    Y = (X > 0).astype(int)
    Y[:, 2] &= Y[:, 0]
    model = LabelPowerset(KNeighborsClassifier(1)).fit(X, Y)
    assert_array_equal(model.predict(X), Y)
    met = {tuple(row) for row in Y}
    assert len(model.label_sets_) == len(met) == 6
    assert {tuple(row) for row in model.predict(rng.normal(size=(200, 3)))} <= met
    codes = np.unique(Y, axis=0, return_inverse=True)[1].ravel()
    assert_array_equal(model.estimator_.predict(X), codes)


def test_a_shortlist_of_all_classes_is_one_against_one():
    """With every class on the shortlist, the votes are those of scikit-learn.

    With three, few pairs are trained and little accuracy is lost.
    """
    X, y = load_digits(n_class=6, return_X_y=True)
    train, test = slice(0, 300), slice(300, 600)
    whole = ShortlistClassifier(n_shortlisted=6).fit(X[train], y[train])
    peer = OneVsOneClassifier(SVC(kernel="linear")).fit(X[train], y[train])
    assert (whole.predict(X[test]) == peer.predict(X[test])).mean() > 0.99
    assert len(whole.pairs_) == 15
    few = ShortlistClassifier(n_shortlisted=2).fit(X[train], y[train])
    assert (
        len(few.pairs_) < 15 and few.score(X[test], y[test]) > whole.score(X[test], y[test]) - 0.05
    )
