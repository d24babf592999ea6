"""P-values from probes and shuffles, and their corrections, against brute force and other
libraries."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.stats import false_discovery_control, kstest
from sklearn.feature_selection import f_classif

from subsel import RankingSelector
from subsel.ranking.cuts.by_evidence import max_permutation_p_value, relabelled_bar
from subsel.ranking.cuts.multiple_testing import bonferroni, q_values
from subsel.ranking.cuts.probe_p_values import probe_fdr, probe_fdr_estimate, probe_p_value
from subsel.ranking.cuts.probe_scores import probe
from subsel.ranking.registry import SCORES
from subsel.ranking.scores.counts.presence import frequency_difference
from subsel.ranking.scores.moments.anova import anova_f
from subsel.ranking.scores.moments.pearson import pearson, pearson_p_value
from subsel.ranking.scores.moments.student_t import t_test, t_test_p_value
from subsel.ranking.scores.neighbours.relieff import relieff

scores_with_ties = st.lists(
    st.sampled_from([-2.0, 0.0, 0.5, 1.0, 3.0, np.inf, -np.inf, np.nan]), min_size=1, max_size=12
)


@given(p=st.lists(st.floats(0, 1), min_size=1, max_size=30))
@settings(max_examples=60, deadline=None)
def test_q_values_are_those_of_scipy(p):
    """Benjamini-Hochberg agrees with scipy, ties and extremes included."""
    assert_allclose(q_values(np.array(p)), false_discovery_control(p), rtol=1e-12)


def test_corrections_agree_with_statsmodels():
    """The corrections agree with statsmodels."""
    multipletests = pytest.importorskip("statsmodels.stats.multitest").multipletests
    p = np.random.default_rng(0).random(50) ** 3
    assert_allclose(q_values(p), multipletests(p, method="fdr_bh")[1])
    assert_allclose(q_values(p, any_dependence=True), multipletests(p, method="fdr_by")[1])
    assert_allclose(bonferroni(p), multipletests(p, method="bonferroni")[1])


def test_a_missing_p_value_counts_as_one():
    """NaN is no evidence, but one more feature that was looked at."""
    p = np.array([0.01, np.nan, 0.02])
    assert_array_equal(q_values(p), q_values(np.array([0.01, 1.0, 0.02])))
    assert_array_equal(bonferroni(p), [0.03, 1.0, 0.06])


def test_selections_are_nested():
    """What Bonferroni keeps, Benjamini-Hochberg keeps; what that keeps has a small p-value."""
    p = np.random.default_rng(1).random(300) ** 4
    assert np.all(bonferroni(p) >= q_values(p))
    assert np.all(q_values(p) >= p)


@given(scores=scores_with_ties, probes=scores_with_ties)
@settings(max_examples=80, deadline=None)
def test_probe_p_values_count_the_probes_that_do_as_well(scores, probes):
    """One plus the probes at or above, over one plus all.

    NaN is below everything, and no evidence for a feature.
    """

    def below(value):
        return -np.inf if np.isnan(value) else value

    expected = [(1 + sum(below(p) >= below(s) for p in probes)) / (1 + len(probes)) for s in scores]
    assert_allclose(probe_p_value(np.array(scores), np.array(probes)), expected)


def test_a_probe_that_ties_but_for_rounding_counts():
    """Scores that are equal but for the last bits are equal."""
    assert probe_p_value(np.array([1 / 3]), np.array([1 / 3 - 1e-16])) == 1.0
    assert probe_p_value(np.array([1 / 3]), np.array([1 / 3 - 1e-6])) == 0.5


@given(
    scores=st.lists(st.sampled_from([0.0, 0.5, 1.0, 3.0]), min_size=1, max_size=12),
    seed=st.integers(0, 99),
)
@settings(max_examples=60, deadline=None)
def test_the_probe_bound_is_that_of_the_book(scores, seed):
    """The rate of keeping a feature is the smallest bound (n_sp / n_p)(n_c / n_sc) at its score or
    a lower one."""
    scores, probes = np.array(scores), np.random.default_rng(seed).choice([0.0, 0.5, 1.0, 2.0], 9)

    def bound(s):
        return (1 + np.sum(probes >= s)) / (1 + len(probes)) * len(scores) / np.sum(scores >= s)

    expected = [min(1.0, *(bound(t) for t in scores if t <= s), bound(s)) for s in scores]
    assert_allclose(probe_fdr(scores, probes), expected)


def test_figures_of_the_specification():
    """1000 columns, 50 relevant: Bonferroni keeps about 20, BH about 45 with a rate of .10."""
    counts = []
    for seed in range(20):
        rng, y = np.random.default_rng(seed), np.repeat([0, 1], 30)
        X = rng.standard_normal((60, 1000))
        X[:, :50] += np.where(y == 1, 0.5, -0.5)[:, None]
        p = t_test_p_value(X, y)
        kept = q_values(p) <= 0.1
        counts.append([(bonferroni(p) <= 0.1).sum(), kept.sum(), kept[50:].sum() / kept.sum()])
    strict, loose, rate = np.mean(counts, axis=0)
    assert 17 < strict < 23
    assert 41 < loose < 50
    assert 0.06 < rate < 0.14


@given(scores=scores_with_ties, seed=st.integers(0, 99))
@settings(max_examples=60, deadline=None)
def test_the_probe_estimate_is_that_of_the_book(scores, seed):
    """(n_sp / n_p)(n_c - n_sc) / n_sc at the score of each feature, never above the bound before
    that is made to fall."""

    def below(values):
        return np.where(np.isnan(values), -np.inf, values)

    scores, probes = np.array(scores), np.random.default_rng(seed).choice([0.0, 0.5, 1.0, 2.0], 9)

    def kept(s):
        return np.sum(below(scores) >= s)

    def passed(s):
        return (1 + np.sum(probes >= s)) / (1 + len(probes))

    expected = [min(1.0, passed(s) * (len(scores) - kept(s)) / kept(s)) for s in below(scores)]
    found = probe_fdr_estimate(scores, probes)
    assert_allclose(found, expected)
    assert np.all(found <= probe_p_value(scores, probes) * len(scores))


def test_the_probe_estimate_of_the_specification():
    """Cut at p = .01: the true rate is about .18, the bound by 1000 probes .2, the estimate .19."""
    rates = []
    for seed in range(20):
        rng, y = np.random.default_rng(seed), np.repeat([0, 1], 30)
        X = rng.standard_normal((60, 1000))
        X[:, :50] += np.where(y == 1, 0.5, -0.5)[:, None]
        found = probe(t_test, X, y, 1000, random_state=seed)
        kept = t_test_p_value(X, y) <= 0.01
        last = np.flatnonzero(kept)[np.argmin(found.scores[kept])]
        estimate = probe_fdr_estimate(found.scores, found.probe_scores)[last]
        rates.append(
            [kept[50:].sum() / kept.sum(), found.p_values[kept].max() * 1000 / kept.sum(), estimate]
        )
    true, bound, estimate = np.mean(rates, axis=0)
    assert 0.13 < true < 0.22
    assert 0.16 < bound < 0.26
    assert_allclose(estimate / bound, 0.192 / 0.203, rtol=0.02)


# Probes of any score ------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["permuted", "gaussian"])
def test_probe_p_values_agree_with_the_law(kind):
    """For the correlation the p-values of many probes are those of the t law, within sampling
    error."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 12))
    y = X[:, 0] * 0.3 + rng.standard_normal(80)
    p = probe(pearson, X, y, 6000, kind, random_state=1).p_values
    law = pearson_p_value(X, y)
    assert np.all(np.abs(p - law) < 5 * np.sqrt(law * (1 - law) / 6000) + 2 / 6000)


def test_probe_p_values_of_noise_are_uniform():
    """Where nothing is relevant every p-value is as likely as any other."""
    rng = np.random.default_rng(2)
    X, y = rng.standard_normal((60, 300)), np.repeat([0, 1], 30)
    assert kstest(probe(anova_f, X, y, 3000, random_state=0).p_values, "uniform").pvalue > 0.01


def test_probing_counts_by_hand():
    """Features and probes are scored beside each other, at most as many probes as features at a
    time, and pooled."""
    seen = []

    def score(X, y):
        seen.append(X.shape)
        return X.sum(axis=0)

    X = np.array([[1.0, 10.0], [2.0, 0.0]])
    found = probe(score, X, np.array([0, 1]), 5, random_state=0)
    assert seen == [(2, 4), (2, 4), (2, 3)]
    assert_array_equal(found.scores, [3.0, 10.0])
    assert sorted(found.probe_scores)[:2] == [3.0, 3.0]
    expected = [(1 + np.sum(found.probe_scores >= s)) / 6 for s in (3.0, 10.0)]
    assert_allclose(found.p_values, expected)


@pytest.mark.parametrize("make", [np.asarray, sparse.csc_array])
def test_constant_columns_have_no_evidence_and_make_no_probes(make):
    """A constant column has the p-value one, whatever its score, and does not water down the probes
    of the others."""
    rng = np.random.default_rng(0)
    X = np.hstack((rng.standard_normal((50, 2)), np.ones((50, 8))))
    y = np.arange(50) % 2
    found = probe(
        lambda X, y: np.append(pearson(X, y)[:2], np.append(np.full(8, 9.0), pearson(X, y)[10:])),
        make(X),
        y,
        4000,
        random_state=0,
    )
    assert_array_equal(found.p_values[2:], 1.0)
    assert_allclose(found.p_values[:2], pearson_p_value(X, y)[:2], atol=0.03)
    assert_array_equal(
        probe(lambda X, y: X.sum(axis=0), make(np.ones((4, 2))), y[:4], 5).p_values, 1.0
    )


def test_the_score_of_a_neighbourhood_is_that_beside_the_probes():
    """Relief sees other neighbours beside probes.

    The features are evaluated by their mean score there.
    """
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 5))
    y = (X[:, 0] > 0).astype(int)
    found = probe(relieff, X, y, 10, random_state=0)
    assert not np.allclose(found.scores, relieff(X, y))
    assert found.scores.argmax() == 0
    assert_array_equal(probe(t_test, X, y, 10, random_state=0).scores, t_test(X, y))


@pytest.mark.parametrize(
    ("kind", "make"),
    [
        *(("permuted", make) for make in (np.asarray, sparse.csr_array, sparse.csc_array)),
        *(
            ("zipf", make) for make in (np.asarray, sparse.csc_array)
        ),  # drawn from the values as they are stored
        ("gaussian", np.asarray),
    ],
)
def test_probes_apart_are_those_beside(kind, make):
    """For a score of one column at a time, the same probes apart from the columns give the same in
    every respect."""
    rng = np.random.default_rng(0)
    X = np.where(rng.random((50, 9)) < 0.4, rng.integers(1, 4, (50, 9)), 0).astype(float)
    X[:, 4] = 2.0
    y = np.arange(50) % 2
    beside, apart = (
        probe(t_test, make(X), y, 40, kind, 5, together=together) for together in (True, False)
    )
    assert_allclose(apart.probe_scores, beside.probe_scores, rtol=1e-12)
    assert_allclose(apart.scores, beside.scores, rtol=1e-12)
    assert_array_equal(apart.p_values, beside.p_values)
    assert apart.p_values[4] == 1.0 and str(apart) == f"40 {kind} probes"


@pytest.mark.parametrize(
    "key", sorted({entry.key for entry in SCORES.values() if entry.univariate})
)
def test_univariate_scores_look_at_one_column_at_a_time(key):
    """What the selector relies on when it scores probes apart.

    A column's score does not depend on its company.
    """
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (40, 6)).astype(float)
    y = np.arange(40) % 2 if SCORES[key].classification else rng.standard_normal(40)
    score = SCORES[key].function
    for table in (X, sparse.csr_array(X)):
        assert_allclose(
            np.concatenate([score(table[:, [j]], y) for j in range(6)]), score(table, y), rtol=1e-12
        )


def test_the_selector_scores_probes_apart_only_where_it_may(monkeypatch):
    """A univariate score is probed apart, one of neighbourhoods and any function beside the
    columns."""
    asked = []
    monkeypatch.setattr(
        "subsel.ranking.cuts.ordered_scores.probe",
        lambda *a, together: asked.append(together) or probe(*a, together=together),
    )
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((30, 4)), np.arange(30) % 2
    for ranking in ("t-test", "relieff", lambda X, y: t_test(X, y)):
        RankingSelector(ranking, "probes:0.5", n_probes=8, random_state=0).fit(X, y)
    assert asked == [False, True, True]


def test_permuted_probes_keep_sparsity():
    """Probes of a sparse table stay sparse, with as many entries per column as their originals."""
    X = sparse.random_array((50, 8), density=0.1, rng=np.random.default_rng(0), format="csc")
    y = np.arange(50) % 2
    tables = []

    def score(table, y):
        assert sparse.issparse(table)
        tables.append(table)
        return f_classif(table.tocsr() + 0, y)[0]

    with np.errstate(all="ignore"):
        probe(score, X, y, 8, random_state=0)
    entries = np.diff(tables[0].indptr)
    assert sorted(entries[8:]) == sorted(entries[:8])


def test_kinds_of_probes():
    """Gaussian probes have the means and spreads of the columns; sparse tables refuse them.

    Zipf ones are sparse.
    """
    rng = np.random.default_rng(0)
    X = np.array([5.0, -3.0]) + rng.standard_normal((2000, 2)) * [0.1, 10.0]
    tables = []

    def score(table, y):
        tables.append(table)
        return np.zeros(table.shape[1])

    probe(score, X, np.zeros(2000), 2, "gaussian", random_state=0)
    assert_allclose(np.sort(tables[0][:, 2:].std(axis=0)), [0.1, 10.0], rtol=0.1)
    assert_allclose(np.sort(tables[0][:, 2:].mean(axis=0)), [-3.0, 5.0], atol=1.0)
    bits = sparse.random_array((40, 20), density=0.2, rng=rng, format="csc")
    probe(score, bits, np.zeros(40), 20, "zipf", random_state=0)
    assert sparse.issparse(tables[-1]) and tables[-1].shape == (40, 40)
    with pytest.raises(ValueError, match="dense"):
        probe(score, bits, np.zeros(40), 20, "gaussian")
    for full in (np.ones((40, 3)) + np.eye(40, 3), np.zeros((40, 3)), sparse.csc_array((40, 3))):
        with pytest.raises(
            ValueError,
            match=r"zipf probes are sparse, X has (no zeros|zeros only): use probes='permuted'",
        ):
            probe(score, full, np.zeros(40), 5, "zipf")
    with pytest.raises(ValueError, match="permuted, gaussian, zipf"):
        probe(score, X, np.zeros(2000), 2, "cauchy")


# Shuffled labels ----------------------------------------------------------------------------------


def test_family_wise_p_values_by_brute_force():
    """The share of shuffles, with the one seen, whose best score reaches the feature's."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, 6))
    y = X[:, 1] * 0.4 + rng.standard_normal(30)
    p = max_permutation_p_value(pearson, X, y, n_permutations=59, random_state=3)
    again, best = np.random.default_rng(3), []
    for _ in range(59):
        shuffled = y[again.permutation(30)]
        best.append(max(abs(np.corrcoef(x, shuffled)[0, 1]) for x in X.T))
    observed = [abs(np.corrcoef(x, y)[0, 1]) for x in X.T]
    assert_allclose(p, [(1 + sum(b >= s - 1e-9 for b in best)) / 60 for s in observed])


def test_copies_of_a_feature_cost_nothing():
    """Unlike Bonferroni, the family-wise p-value does not grow with copies."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((40, 3))
    y = X[:, 0] + rng.standard_normal(40)
    alone = max_permutation_p_value(pearson, X, y, n_permutations=99, random_state=0)
    copied = max_permutation_p_value(
        pearson, np.hstack([X] * 5), y, n_permutations=99, random_state=0
    )
    assert_array_equal(copied[:3], alone)


def test_weights_are_shuffled_with_the_labels():
    """Each label keeps its weight in every shuffle, and a score of NaN is not the best."""
    y, weight = np.arange(6), np.arange(6) * 10.0

    def score(X, y, sample_weight):
        assert_array_equal(sample_weight, y * 10.0)
        return np.array([np.nan, float(y[0])])

    p = max_permutation_p_value(
        score, np.ones((6, 2)), y, n_permutations=20, random_state=0, sample_weight=weight
    )
    assert_array_equal(p, [1.0, 1.0])


def test_family_wise_errors_are_as_rare_as_promised():
    """On pure noise any feature at all passes the level .1 in about a tenth of the draws."""
    hits = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        X, y = rng.standard_normal((30, 10)), rng.standard_normal(30)
        hits += (
            max_permutation_p_value(pearson, X, y, n_permutations=39, random_state=seed).min()
            <= 0.1
        )
    assert 2 <= hits <= 20


# Relabelled data ----------------------------------------------------------------------------------


def test_the_bar_is_the_mean_and_deviation_over_shuffles():
    """Kept up to date score by score, it is that of all scores together.

    Weights go with their labels.
    """
    rng = np.random.default_rng(0)
    X, y, weight = rng.standard_normal((30, 5)), np.repeat([0, 1], 15), rng.integers(1, 4, 30)
    bar = relabelled_bar(t_test, X, y, 1.5, n_permutations=40, random_state=7, sample_weight=weight)
    again = np.random.default_rng(7)
    orders = [again.permutation(30) for _ in range(40)]
    scores = np.array([t_test(X, y[rows], sample_weight=weight[rows]) for rows in orders])
    assert_allclose(bar, scores.mean(axis=0) + 1.5 * scores.std(axis=0, ddof=1))


def test_one_in_twenty_passes_two_deviations():
    """500 rows, 4000 bits of density .01 to .3 that know nothing: 5.3 % pass.

    Copies of a good one all do.
    """
    rng = np.random.default_rng(0)
    y = np.arange(500) % 2
    X = (rng.random((500, 4000)) < rng.uniform(0.01, 0.3, 4000)).astype(float)
    X[:, :3] = (rng.random(500) < np.where(y == 1, 0.4, 0.1))[:, None]
    passed = frequency_difference(X, y) > relabelled_bar(
        frequency_difference, X, y, n_permutations=60, random_state=0
    )
    assert passed[:3].all()
    assert 0.04 < passed[3:].mean() < 0.065


def test_the_cut_by_relabelling():
    """The selector keeps what is above the bar, also from a sparse table.

    A negative number is refused.
    """
    rng = np.random.default_rng(1)
    X, y = (rng.random((60, 8)) < 0.3).astype(float), np.arange(60) % 2
    X[:, 5] = y
    for table in (X, sparse.csr_array(X)):
        selector = RankingSelector(
            "frequency-difference", "relabelled:3", n_permutations=50, random_state=0
        )
        assert_array_equal(selector.fit(table, y).get_support(indices=True), [5])
        assert (
            selector.evidence_
            == "3 standard deviations above the mean of 50 shuffles of the labels"
        )
        assert selector.p_values_ is None
    with pytest.raises(ValueError, match="'relabelled' must be a number of at least 0, got -1"):
        RankingSelector("frequency-difference", "relabelled:-1").fit(X, y)
    with pytest.raises(ValueError, match="needs a value, as in 'relabelled:2'"):
        RankingSelector("frequency-difference", "relabelled").fit(X, y)
