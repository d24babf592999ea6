"""Knockoff copies, the filter on them, and what it lets through."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from sklearn.covariance import LedoitWolf
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.utils.estimator_checks import parametrize_with_checks

from subsel.embedded import Knockoffs, fixed_knockoffs, gaussian_knockoffs
from subsel.embedded.contrasts.knockoff_copies import (
    conditional_law,
    equicorrelated,
    minimum_variance,
)
from subsel.embedded.contrasts.knockoffs import knockoff_threshold


@parametrize_with_checks(
    [
        Knockoffs("entry", random_state=0),
        Knockoffs(copies="fixed", distances="equicorrelated", random_state=0),
    ]
)
def test_scikit_learn_contract(estimator, check):
    """Every check of scikit-learn passes."""
    check(estimator)


def correlated(p, rho):
    """Equal correlations in blocks of four."""
    C = np.eye(p)
    for j in range(0, p, 4):
        C[j : j + 4, j : j + 4] = rho
    np.fill_diagonal(C, 1.0)
    return C


def unit(seed, n=60, p=8):
    """Centred columns of unit length."""
    X = (
        np.random.default_rng(seed).standard_normal((n, p))
        @ np.linalg.cholesky(correlated(p, 0.6)).T
    )
    X -= X.mean(axis=0)
    return X / np.linalg.norm(X, axis=0)


@pytest.mark.parametrize("distances", ["minimum-variance", "equicorrelated"])
def test_fixed_copies_have_the_products_of_their_columns(distances):
    """Copies among themselves, and with other columns, have the products of the columns.

    With their own column the product is smaller by S.
    """
    X = unit(0)
    copies = fixed_knockoffs(X, distances, random_state=0)
    gram, cross = X.T @ X, X.T @ copies
    assert_allclose(copies.T @ copies, gram, atol=1e-8)
    off = ~np.eye(8, dtype=bool)
    assert_allclose(cross[off], gram[off], atol=1e-8)
    assert (np.diag(cross) < 0.95).all()
    assert_allclose(copies.mean(axis=0), 0, atol=1e-10)


def test_fixed_copies_need_rows_and_independent_columns():
    """Too few rows and columns that depend on each other are refused."""
    with pytest.raises(ValueError, match="twice as many rows"):
        fixed_knockoffs(unit(0, n=16))
    X = unit(0)
    X[:, 1] = X[:, 0]
    with pytest.raises(ValueError, match="depend"):
        fixed_knockoffs(X)


@pytest.mark.parametrize("distances", ["minimum-variance", "equicorrelated"])
def test_gaussian_copies_can_change_places_with_their_columns(distances):
    """The covariance of columns and copies is the same when some change places, as far as 20,000
    rows tell.
    """
    C = correlated(8, 0.8)
    X = np.random.default_rng(0).standard_normal((20_000, 8)) @ np.linalg.cholesky(C).T * 3 + 5
    both = np.hstack((X, gaussian_knockoffs(X, distances, random_state=1)))
    swapped = both.copy()
    swapped[:, [1, 4, 9, 12]] = both[:, [9, 12, 1, 4]]
    assert_allclose(
        np.cov(swapped, rowvar=False), np.cov(both, rowvar=False), atol=0.45
    )  # of variances of 9
    assert_allclose(both.mean(axis=0), 5, atol=0.15)


def test_the_law_of_copies_is_a_law():
    """The joint covariance that the conditional law implies is that of columns and copies with S
    on the diagonal.
    """
    C = correlated(8, 0.7)
    for distances, choose in (
        ("minimum-variance", minimum_variance),
        ("equicorrelated", equicorrelated),
    ):
        shift, root = conditional_law(C, distances)
        S = np.diag(choose(C))
        assert_allclose(C @ shift, C - S, atol=1e-9)
        assert_allclose(shift.T @ C @ shift + root.T @ root, C, atol=1e-9)


@pytest.mark.parametrize("rho", [0.0, 0.5, 0.9])
def test_minimum_variance_is_the_minimum(rho):
    """No distances found by a general minimiser make the sum of inverse conditional variances
    smaller.
    """
    C = correlated(8, rho)

    def objective(S):
        values = np.linalg.eigvalsh(2 * C - np.diag(S))
        return np.inf if values[0] <= 0 or S.min() <= 0 else (1 / S).sum() + (1 / values).sum()

    S = minimum_variance(C)
    assert np.linalg.eigvalsh(2 * C - np.diag(S))[0] > 0
    other = minimize(
        objective, 0.9 * S, method="Nelder-Mead", options={"maxiter": 4000, "fatol": 1e-10}
    ).fun
    assert objective(S) <= other + 1e-6
    assert objective(S) <= objective(equicorrelated(C) * 0.999) + 1e-9


def test_the_filter_counts_as_it_is_written():
    """The threshold is the least that has the rate, by trying all.

    Cases include ties, zeros and statistics without a threshold.
    """
    rng = np.random.default_rng(0)
    for _ in range(100):
        W = np.round(rng.standard_normal(15) + 0.5, 1) * (rng.random(15) < 0.8)
        for offset in (0, 1):
            tried = [
                t
                for t in np.unique(np.abs(W[W != 0]))
                if (offset + (-t >= W).sum()) <= 0.3 * max((t <= W).sum(), 1)
            ]
            assert knockoff_threshold(W, 0.3, offset) == (min(tried) if tried else np.inf)


def test_the_same_copies_and_threshold_as_hidimstat():
    """Distances, the mean of the copies given the columns and the thresholds are those of
    another library.

    Its noise is multiplied from the wrong side, so that only the root itself, not what is drawn
    with it, is compared.
    """
    pytest.importorskip("hidimstat", reason="hidimstat, a test-only tool, is not installed")
    from hidimstat.knockoffs import ModelXKnockoff
    from hidimstat.samplers.gaussian_knockoffs import GaussianKnockoffs

    X = (
        np.random.default_rng(0).standard_normal((100, 6))
        @ np.linalg.cholesky(correlated(8, 0.5)[:6, :6]).T
    )
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = GaussianKnockoffs().fit(X)
    shift, root = conditional_law(
        LedoitWolf(assume_centered=True).fit(X).covariance_, "equicorrelated"
    )
    assert_allclose(X @ shift, theirs.mu_tilde_, atol=1e-5)
    factor = theirs.sigma_tilde_decompose_
    assert_allclose(root.T @ root, factor @ factor.T, atol=1e-5)
    rng = np.random.default_rng(1)
    for _ in range(50):
        W = rng.standard_normal(20) + 0.8
        theirs = ModelXKnockoff.knockoff_threshold(
            W, 0.2
        )  # may be 0, where ours is the least of the values
        assert_array_equal(knockoff_threshold(W, 0.2, 1) <= W, (theirs <= W) & (W > 0))


def test_exchanging_a_column_with_its_copy_turns_its_sign():
    """The statistics are antisymmetric: what is proved of the filter rests on it."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 5))
    y = X[:, 0] + rng.standard_normal(80)
    both = np.hstack((X, gaussian_knockoffs(X, random_state=0)))
    swapped = both[:, [5, 1, 2, 8, 4, 0, 6, 7, 3, 9]]
    for statistic in ("coefficient", "entry", Ridge()):
        selector = Knockoffs(statistic)
        plain, turned = selector._statistics(both, y, 0), selector._statistics(swapped, y, 0)
        assert_allclose(
            turned, plain * [-1, 1, 1, -1, 1], atol=2e-3
        )  # the tolerance of coordinate descent
        assert np.abs(plain[[0, 3]]).max() > 0.1


def test_features_are_found_and_noise_is_not():
    """Ten strong features of forty are found with few others by every statistic and both kinds
    of copies.
    """
    rng = np.random.default_rng(1)
    X = rng.standard_normal((250, 40))
    y = X[:, :10].sum(axis=1) + rng.standard_normal(250)
    for selector in (
        Knockoffs(fdr=0.2, random_state=0),
        Knockoffs(fdr=0.2, copies="fixed", random_state=0),
        Knockoffs("coefficient", fdr=0.2, distances="equicorrelated", random_state=0),
    ):
        found = selector.fit(X, y).get_support(indices=True)
        assert set(range(10)) <= set(found.tolist())
        assert len(found) <= 15
    nothing = Knockoffs(fdr=0.1, random_state=0).fit(X, rng.standard_normal(250))
    assert nothing.get_support().sum() <= 12
    assert "false discovery rate of at most 0.1" in nothing.evidence_


def test_models_of_classes_are_compared_with_their_copies():
    """A forest and a logistic regression on three classes by name.

    A constant column is never kept.
    """
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 14))
    X[:, 13] = 2.0
    y = np.array(["a", "b", "c"])[np.digitize(X[:, :6].sum(axis=1), [-1.5, 1.5])]
    for model in (LogisticRegression(C=0.1), ExtraTreesClassifier(60)):
        found = Knockoffs(model, fdr=0.3, offset=0, random_state=0).fit(X, y)
        assert found.statistics_[13] == 0
        assert found.get_support()[:6].sum() >= 4
        assert_array_equal(
            found.statistics_,
            Knockoffs(model, fdr=0.3, offset=0, random_state=0).fit(X, y).statistics_,
        )
    with pytest.raises(ValueError, match="two classes"):
        Knockoffs(random_state=0).fit(X, y)


def test_impossible_settings_are_refused():
    """The message names the setting."""
    X, y = np.random.default_rng(0).standard_normal((20, 2)), np.arange(20.0)
    for name, value in (
        ("fdr", 0),
        ("offset", 2),
        ("copies", "x"),
        ("distances", "x"),
        ("statistic", "x"),
    ):
        with pytest.raises(ValueError, match=name):
            Knockoffs(**{name: value}).fit(X, y)
