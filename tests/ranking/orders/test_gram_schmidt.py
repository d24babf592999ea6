"""Gram-Schmidt forward selection against refitting, and its stops."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse, stats

from subsel.data.statistics.centred_table import CentredTable
from subsel.literature.problems.toys import forward_against_backward
from subsel.ranking.cuts.probe_risk import n_within_risk, probe_risk, sampled_probe_risk
from subsel.ranking.orders.gram_schmidt import gram_schmidt
from subsel.ranking.scores.moments.nested_f import nested_f_elimination, nested_f_test
from tests.oracles import redundancy as oracle


def problem(seed, n=30, p=12, noise=0.5):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p)) @ rng.standard_normal((p, p)) + 5
    return X, X[:, : p // 2] @ rng.standard_normal(p // 2) + noise * rng.standard_normal(n)


@pytest.mark.parametrize("shape", [(30, 12), (12, 30), (100, 5), (8, 3)])
@pytest.mark.parametrize("seed", range(3))
def test_the_path_is_that_of_refitting(shape, seed):
    """Each feature is the one whose refitted model has the smallest residual, more columns than
    rows too."""
    X, y = problem(seed, *shape)
    length = min(shape[0] - 3, shape[1])
    path = gram_schmidt(X, y, length)
    assert path.features.tolist() == oracle.forward_least_squares(X, y, length)


@pytest.mark.parametrize("seed", range(3))
def test_residuals_and_leave_one_out_are_those_of_refitting(seed):
    """The residual and the leave-one-out error of every prefix equal those of refitted models."""
    X, y = problem(seed)
    path = gram_schmidt(X, y)
    for k in range(1, len(path) + 1):
        prefix = X[:, path.features[:k]]
        assert path.residual[k - 1] == pytest.approx(
            oracle.residual_sum_of_squares(prefix, y), rel=1e-8
        )
        assert path.leave_one_out[k - 1] == pytest.approx(oracle.leave_one_out(prefix, y), rel=1e-8)


def test_the_residual_is_a_product_of_cosines():
    """RSS after k steps is the total times the product of 1 - cos^2."""
    X, y = problem(3)
    path = gram_schmidt(X, y)
    total = np.sum((y - y.mean()) ** 2)
    assert_allclose(path.residual, total * np.cumprod(1 - path.scores), rtol=1e-7)


def test_the_first_step_is_the_correlation():
    """The first score is the largest squared correlation."""
    X, y = problem(4)
    correlation = np.corrcoef(np.column_stack((X, y)).T)[-1, :-1]
    path = gram_schmidt(X, y, 1)
    assert path.features[0] == np.argmax(correlation**2)
    assert path.scores[0] == pytest.approx(np.max(correlation**2))


@given(
    scale=st.lists(st.floats(1e-3, 1e3), min_size=6, max_size=6),
    shift=st.lists(st.floats(-100, 100), min_size=6, max_size=6),
)
@settings(max_examples=25, deadline=None)
def test_scale_and_shift_of_columns_do_not_matter(scale, shift):
    """The path of affine images of the columns is the same."""
    X, y = problem(5, 20, 6)
    path = gram_schmidt(X * np.array(scale) + np.array(shift), y)
    expected = gram_schmidt(X, y)
    assert_array_equal(path.features, expected.features)
    assert_allclose(path.leave_one_out, expected.leave_one_out, rtol=1e-6)


@pytest.mark.parametrize("seed", range(20))
def test_dependent_columns_are_never_taken(seed):
    """Of a, b and a+b two are selected; the third, then pure rounding, and a constant are not."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((12, 7))
    X[:, 2] = X[:, 0] + X[:, 1]
    X[:, 3] = 0.1
    y = rng.standard_normal(12)
    path = gram_schmidt(X, y)
    assert len(path) == 5
    assert 3 not in path.features
    assert not {0, 1, 2} <= set(path.features.tolist())
    assert path.residual[-1] == pytest.approx(oracle.residual_sum_of_squares(X, y), rel=1e-8)


def test_copies_of_a_feature_taken_are_left_out():
    """A scaled and shifted copy is never taken, dense or sparse."""
    X, y = problem(0, 25, 4)
    X = np.hstack((X, 3 - 2 * X[:, :2]))
    for table in (X, sparse.csr_array(X)):
        features = gram_schmidt(table, y).features
        assert len(features) == 4
        assert len({int(j) % 4 for j in features}) == 4


def test_more_columns_than_rows_end_at_the_rank():
    """With n rows at most n - 1 features are taken; then the target is explained."""
    X, y = problem(1, 10, 40)
    path = gram_schmidt(X, y)
    assert len(path) <= 9
    assert path.residual[-1] < 1e-15 * np.sum((y - y.mean()) ** 2)
    assert np.isinf(path.leave_one_out[8:]).all()


def test_nothing_to_explain_or_to_explain_with_gives_an_empty_path():
    """A constant target or constant columns give no features."""
    X, y = problem(2)
    assert len(gram_schmidt(X, np.ones(len(y)))) == 0
    assert len(gram_schmidt(np.full((30, 3), 0.1), y)) == 0


def test_an_exact_fit_ends_the_path():
    """When the target lies in the span of two columns, two are taken."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, 8))
    path = gram_schmidt(X, 10 * X[:, 2] + X[:, 5])
    assert_array_equal(path.features, [2, 5])


@pytest.mark.parametrize(
    "make", [sparse.csr_array, sparse.csc_array, np.asfortranarray, np.float32]
)
def test_other_forms_of_the_table_give_the_same_path(make):
    """Sparse, column by column or in single precision, the path is the same."""
    rng = np.random.default_rng(0)
    X = np.where(rng.random((40, 15)) < 0.3, rng.integers(1, 9, (40, 15)), 0).astype(float)
    y = X[:, :4].sum(axis=1) + rng.standard_normal(40)
    path, expected = gram_schmidt(make(X), y), gram_schmidt(X, y)
    assert_array_equal(path.features, expected.features)
    assert_allclose(path.leave_one_out, expected.leave_one_out, rtol=1e-6)


def test_nearly_dependent_columns_stay_accurate():
    """Columns that differ by one part in ten thousand are still told apart as refitting does."""
    rng = np.random.default_rng(0)
    base = rng.standard_normal((40, 4))
    X = np.hstack((base, base + 1e-4 * rng.standard_normal((40, 4))))
    y = base.sum(axis=1) + 1e4 * (X[:, 4] - X[:, 0]) + 0.1 * rng.standard_normal(40)
    path = gram_schmidt(X, y)
    assert path.features.tolist() == oracle.forward_least_squares(X, y, 8)
    residuals = [oracle.residual_sum_of_squares(X[:, path.features[:k]], y) for k in range(1, 9)]
    assert_allclose(path.residual, residuals, rtol=1e-6)


def test_two_classes_by_any_name():
    """Class names, booleans and signs give one path."""
    X, y = problem(6)
    signs = np.sign(y - np.median(y)).astype(int)
    expected = gram_schmidt(X, signs).features
    for labels in (np.where(signs > 0, "yes", "no"), signs > 0):
        assert_array_equal(gram_schmidt(X, labels).features, expected)


def test_forward_selection_begins_with_the_best_single_feature():
    """On the toy problem of Figure 2-g the third column is taken first, and the pair then explains
    the rest."""
    toy = forward_against_backward(4000, random_state=0)
    path = gram_schmidt(toy.X, toy.y)
    assert path.features[0] == 2
    total = np.sum((toy.y - toy.y.mean()) ** 2)
    assert 1 - path.residual[[0, 1, 2]] / total == pytest.approx([0.5, 0.556, 0.963], abs=0.03)


# ------------------------------------------------------------------------------------------- probes


def test_the_chance_of_one_probe_is_an_f_test():
    """The first risk is the p-value of the F-to-enter test."""
    cosine, n = 0.3, 25
    expected = stats.f.sf((n - 2) * cosine / (1 - cosine), 1, n - 2)
    assert probe_risk(np.array([cosine]), n)[0] == pytest.approx(expected)


def test_the_risk_bounds_the_share_of_simulated_probes():
    """Exact at the first step, the analytic risk is never below that of many simulated probes."""
    X, y = problem(7, 50, 10, noise=20)
    path = gram_schmidt(X, y)
    sampled = sampled_probe_risk(X, y, path, n_probes=20_000, random_state=0)
    assert path.risk[0] == pytest.approx(sampled[0], abs=0.01)
    assert (path.risk > sampled - 0.01).all()
    assert (np.diff(sampled) >= 0).all()


def test_a_step_without_freedom_has_risk_one():
    """When one dimension is left, any probe fits it."""
    assert probe_risk(np.array([0.9, 0.9]), 3)[1] == 1


def test_probes_reproduce_the_specified_example():
    """Ten candidates, five relevant, alpha .1.

    All five are found, with half a false positive on average.
    """
    n_false, n_found = [], []
    for seed in range(100):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((100, 10))
        y = X[:, :5].sum(axis=1) + rng.standard_normal(100)
        path = gram_schmidt(X, y)
        risk = sampled_probe_risk(X, y, path, n_probes=100, random_state=rng)
        kept = path.features[: n_within_risk(risk, 0.1)]
        n_found.append(np.sum(kept < 5))
        n_false.append(np.sum(kept >= 5))
    assert np.min(n_found) == 5
    assert np.mean(n_false) == pytest.approx(0.49, abs=0.25)


def test_a_risk_ends_the_path():
    """With a largest risk the path stops before the first feature that reaches it."""
    X, y = problem(8, 60, 20, noise=10)
    path = gram_schmidt(X, y)
    for alpha in (0.01, 0.1, 0.5):
        stopped = gram_schmidt(X, y, max_risk=alpha)
        assert len(stopped) == n_within_risk(path.risk, alpha)
        assert_array_equal(stopped.features, path.features[: len(stopped)])


def test_given_probes_are_used():
    """Probes equal to the target beat every feature at once; shuffled copies of noise seldom do."""
    X, y = problem(9)
    path = gram_schmidt(X, y, 2)
    assert_array_equal(sampled_probe_risk(X, y, path, probes=y[:, None]), [1, 1])


# ------------------------------------------------------------------------------------ nested models


def test_one_dropped_feature_gives_the_square_of_t():
    """For one feature F is the squared t statistic of its coefficient, with the same p-value."""
    sm = pytest.importorskip("statsmodels.api")
    X, y = problem(0, 40, 4)
    large = sm.OLS(y, sm.add_constant(X)).fit()
    for j in range(4):
        small = oracle.residual_sum_of_squares(np.delete(X, j, axis=1), y)
        ratio, p_value = nested_f_test(small, large.ssr, 1, 3, 40)
        assert ratio == pytest.approx(large.tvalues[j + 1] ** 2, rel=1e-6)
        assert p_value == pytest.approx(large.pvalues[j + 1], rel=1e-6, abs=1e-300)


@pytest.mark.parametrize("seed", range(4))
def test_elimination_equals_refitting(seed):
    """The features that stay are those of the loop that refits every model."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((30, 8)) + 3
    y = X[:, 0] - 2 * X[:, 3] + 2 * rng.standard_normal(30)
    kept = list(range(8))
    while kept:
        large = oracle.residual_sum_of_squares(X[:, kept], y)
        tests = [
            nested_f_test(
                oracle.residual_sum_of_squares(X[:, [k for k in kept if k != j]], y),
                large,
                1,
                len(kept) - 1,
                30,
            )[1]
            for j in kept
        ]
        if max(tests) <= 0.05:
            break
        kept.pop(int(np.argmax(tests)))
    assert nested_f_elimination(X, y).tolist() == kept


def test_models_that_cannot_be_tested_are_refused():
    """Too few rows or dependent columns raise an error."""
    X, y = problem(0, 10, 9)
    with pytest.raises(ValueError, match="two rows more"):
        nested_f_elimination(X, y)
    X, y = problem(0, 20, 3)
    with pytest.raises(ValueError, match="independent"):
        nested_f_elimination(np.hstack((X, X[:, :1])), y)
    with pytest.raises(ValueError, match="n_samples"):
        nested_f_test(2.0, 1.0, 1, 5, 7)


# ------------------------------------------------------------------------------------------ Centred


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_a_centred_table_is_the_table_less_its_means(make):
    """Columns, norms, products and correlations agree with the dense definition.

    Constants have norm 0.
    """
    rng = np.random.default_rng(0)
    X = np.where(rng.random((30, 6)) < 0.5, rng.random((30, 6)), 0)
    X[:, 2] = 0.1
    table, dense = CentredTable(make(X)), X - X.mean(axis=0)
    vector = rng.standard_normal(30)
    assert_allclose(table.columns(slice(None)), dense, atol=1e-15)
    assert_allclose(table.products(vector), vector @ dense, atol=1e-13)
    assert table.squared_norms[2] == 0
    assert_allclose(np.delete(table.squared_norms, 2), np.delete((dense**2).sum(axis=0), 2))
    expected = np.corrcoef(np.delete(X, 2, axis=1).T)[0]
    assert_allclose(np.delete(table.correlations(0), 2), expected, atol=1e-12)
    assert table.correlations(0)[2] == 0
