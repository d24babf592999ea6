"""Stability selection: half-samples, bounds, and the lasso that is fast on them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.feature_selection import SelectFromModel, SelectKBest, f_regression
from sklearn.linear_model import Lasso
from sklearn.utils.estimator_checks import parametrize_with_checks

from subsel._loops.linear.lasso_entries import lasso_entries
from subsel.embedded import StabilitySelection, lasso, quadratic_path
from subsel.embedded.contrasts.stability import half_samples
from subsel.embedded.contrasts.stability_bounds import (
    false_selections,
    r_concave_bound,
    tail_bound,
    unimodal_bound,
    worst_case_bound,
)


@parametrize_with_checks(
    [
        StabilitySelection(n_samples=4),
        StabilitySelection(SelectFromModel(Lasso(0.01)), n_samples=4, threshold=None),
    ]
)
def test_scikit_learn_contract(estimator, check):
    """Every check of scikit-learn passes."""
    check(estimator)


def problem(seed=0, n=80, p=60):
    """Three columns of sixty make the target."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    return X, X[:, 3] + X[:, 7] - X[:, 11] + rng.standard_normal(n)


@pytest.mark.parametrize("n", [20, 21])
@pytest.mark.parametrize("pairs", [True, False])
def test_half_samples_are_halves(n, pairs):
    """Every half-sample has half the rows, none twice.

    Two of a pair share none, and strata are halved.
    """
    strata = np.repeat([0, 1], [n - 8, 8])
    halves = list(half_samples(n, 10, pairs, strata, np.random.default_rng(0)))
    assert [len(set(half.tolist())) for half in halves] == [n // 2] * 10
    shared = [np.isin(halves[k], halves[k + 1]).any() for k in range(0, 10, 2)]
    assert not any(shared) if pairs else any(shared)
    assert all(strata[half].sum() == 4 for half in halves) or n % 2


@settings(max_examples=80, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(3, 40),
    p=st.integers(1, 60),
    kind=st.sampled_from("nct"),
)
def test_the_fast_lasso_takes_the_columns_of_the_exact_path(seed, n, p, kind):
    """Columns and penalties of the compiled homotopy are those of the general one.

    Tables have correlated, tied, repeated and constant columns.
    """
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    if kind == "c":
        X = X @ (np.eye(p) + 2 * rng.standard_normal((p, p)) / np.sqrt(p))
    if kind == "t" and p > 3:
        X[:, 2], X[:, 1] = X[:, 0], 3.0
    y = X[:, :3].sum(axis=1) + rng.standard_normal(n)
    q = int(rng.integers(1, p + 1))
    entered, penalties = np.empty(q, dtype=np.int64), np.empty(q)
    n_entered = lasso_entries(
        np.ascontiguousarray((X - X.mean(axis=0)).T), y - y.mean(), 1e-3, entered, penalties
    )
    expected = quadratic_path(X, y, n_features=q)
    assert_array_equal(entered[:n_entered], expected.entered)
    assert_allclose(2 * penalties[:n_entered], expected.entry_penalties, rtol=1e-6)


def test_frequencies_are_those_of_a_plain_loop():
    """What is counted is what the order takes on every half-sample, dense or sparse, on any
    number of threads.
    """
    X, y = problem()
    found = StabilitySelection(n_features=5, n_samples=20, random_state=3).fit(X, y)
    rng = np.random.default_rng(np.random.RandomState(3).randint(2**31))
    plain = np.zeros(60)
    for half in half_samples(80, 20, True, None, rng):
        plain[lasso(X[half], y[half], 5).features] += 1 / 20
    assert_allclose(found.frequencies_, plain)
    assert_array_equal(found.get_support(), plain >= 0.75 - 1e-12)
    for other in (sparse.csr_array(X), sparse.csc_array(X)):
        again = StabilitySelection(n_features=5, n_samples=20, random_state=3, n_jobs=2).fit(
            other, y
        )
        assert_allclose(again.frequencies_, plain)


def test_any_selector_can_be_the_base():
    """A foreign selector is counted by what it keeps.

    Its mean number goes into the bound, the threshold follows.
    """
    X, y = problem(n=200)
    found = StabilitySelection(
        SelectKBest(f_regression, k=4), threshold=None, bound="worst", n_samples=20, random_state=0
    ).fit(X, y)
    assert found.n_selected_ == 4
    assert {3, 7, 11} <= set(found.get_support(indices=True).tolist())
    assert found.threshold_ == pytest.approx(0.65)  # the least level with 16 / (60 (2 t - 1)) <= 1
    assert found.bounds_["worst"] == pytest.approx(16 / (0.3 * 60))
    assert "worst" in found.evidence_


def test_independent_halves_have_the_worst_case_bound_only():
    """Without pairs the sharper bounds are refused and not reported."""
    X, y = problem()
    with pytest.raises(ValueError, match="complementary pairs"):
        StabilitySelection(pairs=False).fit(X, y)
    found = StabilitySelection(pairs=False, bound="worst", n_samples=20, random_state=0).fit(X, y)
    assert list(found.bounds_) == ["worst"]
    assert {3, 7, 11} <= set(found.get_support(indices=True).tolist())


def test_the_number_of_features_is_the_most_that_the_bound_allows():
    """With one feature more on a half-sample the bound would be passed."""
    X, y = problem()
    for bound, function in (
        ("worst", worst_case_bound),
        ("unimodal", unimodal_bound),
        ("r-concave", r_concave_bound),
    ):
        q = StabilitySelection(bound=bound, n_samples=20, random_state=0).fit(X, y).n_features_
        assert function(q, 60, 0.75, 10) <= 1 < function(q + 1, 60, 0.75, 10)


def test_the_randomised_lasso_breaks_ties_between_twins():
    """Of two nearly equal columns the plain lasso takes the better one, the randomised one
    either at times.
    """
    rng = np.random.default_rng(0)
    X = rng.standard_normal((100, 20))
    X[:, 1] = X[:, 0] + 0.1 * rng.standard_normal(100)
    y = X[:, 0] + 0.2 * rng.standard_normal(100)
    plain, weak = (
        StabilitySelection(n_features=1, n_samples=60, weakness=w, random_state=0)
        .fit(X, y)
        .frequencies_
        for w in (1.0, 0.3)
    )
    assert plain[0] > 0.9
    assert weak[1] > 0.15  # about a quarter: the better one shrunk, the other not
    with pytest.raises(ValueError, match="L1 penalty"):
        StabilitySelection("omp", weakness=0.5).fit(X, y)
    thin = StabilitySelection(n_features=1, n_samples=60, weakness=0.3, random_state=0).fit(
        sparse.csr_array(X), y
    )
    assert_allclose(thin.frequencies_, weak)


@pytest.mark.parametrize("base", ["l1-logistic", "mrmr", "cmim"])
def test_classes_are_halved_and_orders_go_by_name(base):
    """An order of classes finds its columns on half-samples that hold half of every class."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((90, 12))
    y = np.where(X[:, 4] + 0.3 * rng.standard_normal(90) > 0.8, "few", "many")
    found = StabilitySelection(base, n_features=1, n_samples=10, random_state=0).fit(X, y)
    assert found.frequencies_.argmax() == 4
    assert found.frequencies_[4] > 0.7


def test_a_score_and_impossible_settings_are_refused():
    """The message says what to do instead."""
    X, y = problem()
    for settings_, message in (
        ({"base": "pearson"}, "RankingSelector"),
        ({"threshold": 0.5}, "threshold"),
        ({"bound": "none"}, "bound"),
        ({"n_samples": 5}, "even"),
        ({"n_features": 100}, "n_features"),
        ({"base": SelectKBest(f_regression), "n_features": 3}, "decides for itself"),
        ({"weakness": 0.0}, "weakness"),
    ):
        with pytest.raises(ValueError, match=message):
            StabilitySelection(**settings_).fit(X, y)


def test_bounds_are_ordered_and_fall_with_the_threshold():
    """r-concave is under unimodal, which is under the worst case.

    All fall as more half-samples must agree.
    """
    before = None
    for threshold in (0.55, 0.6, 0.7, 0.75, 0.8, 0.9, 1.0):
        worst, unimodal, concave = false_selections(30, 500, threshold, 50).values()
        assert 0 <= concave <= unimodal <= worst
        assert before is None or (
            concave <= before[0] and unimodal <= before[1] and worst <= before[2]
        )
        before = (concave, unimodal, worst)


def concave_law(a, k, n, r, step):
    """An r-concave law on 0 to n: a power of a line up to k, and part of the next step after it."""
    law = np.zeros(n + 1)
    law[: k + 1] = (a + np.arange(k + 1)) ** (1 / r)
    if k < n:
        law[k + 1] = step * (a + k + 1) ** (1 / r)
    return law / law.sum()


@settings(max_examples=100, deadline=None)
@given(
    a=st.floats(0.01, 50),
    share=st.floats(0.1, 1),
    step=st.floats(0, 1),
    r=st.sampled_from([-0.5, -0.25]),
    tail=st.floats(0.3, 1),
)
def test_no_concave_law_passes_the_tail_bound(a, share, step, r, tail):
    """Whatever r-concave law, its tail is at most the bound for its mean; some come near."""
    n = 20
    law = concave_law(a, int(share * n), n, r, step)
    mean = float(law @ np.arange(n + 1) / n)
    t = max(1, int(tail * n))
    assert law[t:].sum() <= tail_bound(mean, n, r, t) + 1e-6


def test_the_tail_bound_is_attained():
    """The largest tail over a fine grid of extreme laws of one mean is the bound."""
    n, t, mean, r = 20, 12, 0.1, -0.5
    best = 0.0
    for k in range(t - 1, n + 1):
        for a in np.geomspace(0.01, 30, 400):
            low, high = concave_law(a, k, n, r, 0.0), concave_law(a, k, n, r, 1.0)
            means = [law @ np.arange(n + 1) / n for law in (low, high)]
            if means[0] <= mean:
                best = max(best, low[t:].sum(), high[t:].sum() if means[1] <= mean else 0)
    assert best <= tail_bound(mean, n, r, t) + 1e-9
    assert best >= 0.97 * tail_bound(mean, n, r, t)
