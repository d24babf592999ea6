"""Exact laws of tied columns against every labelling, other libraries, and simulated noise."""

from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse, stats

from subsel import RankingSelector
from subsel.ranking.laws.ties import tied_log_tails
from subsel.ranking.registry import SCORES
from subsel.ranking.scores.counts.contingency import chi_square_p_value
from subsel.ranking.scores.counts.hypergeometric import hypergeometric_p_value
from subsel.ranking.scores.ranks.kolmogorov_smirnov import kolmogorov_smirnov_p_value, t_times_ks
from subsel.ranking.scores.ranks.mann_whitney import auc_p_value
from tests.real_tables import real_table

TWO_SIDED = ["auc", "spearman", "kendall"]
ONE_SIDED = [
    "kolmogorov-smirnov",
    "runs",
    "chi-square",
    "g-statistic",
    "goodman-kruskal-tau",
    "jeffreys-matusita",
]
FORMS = [np.asarray, sparse.csr_array, sparse.csc_array]


def labellings(n, m):
    """Every way to give n + m rows their labels, one a line."""
    chosen = list(combinations(range(n + m), m))
    y = np.zeros((len(chosen), n + m), dtype=int)
    y[np.arange(len(chosen))[:, None], chosen] = 1
    return y


def tied_tables(n_rows, seed=0):
    """A constant, bits, rare bits, few values, values below and above zero, no ties."""
    rng = np.random.default_rng(seed)
    return np.column_stack(
        [
            np.full(n_rows, 2.5),
            rng.integers(0, 2, n_rows),
            np.arange(n_rows) == 3,
            rng.integers(0, 3, n_rows),
            rng.integers(-1, 2, n_rows) * rng.integers(0, 3, n_rows),
            rng.permutation(n_rows),
        ]
    ).astype(float)


def rank_sum(X, y):
    """The rank sum of the second class, by scipy's midranks."""
    return stats.rankdata(X, axis=0)[y == 1].sum(axis=0)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("sizes", [(5, 4), (7, 2), (2, 6), (1, 5), (8, 1)])
@pytest.mark.parametrize("key", TWO_SIDED)
def test_twice_the_smaller_tail_over_all_labellings(key, sizes, form):
    """The Mann-Whitney statistic, alias rank correlations of two classes.

    Twice the smaller tail by enumeration.
    """
    X, labels = tied_tables(sum(sizes)), labellings(*sizes)
    all_sums = np.array([rank_sum(X, y) for y in labels])
    for y, sums in list(zip(labels, all_sums))[::7]:
        smaller = np.minimum(
            (all_sums <= sums + 1e-9).mean(axis=0), (all_sums >= sums - 1e-9).mean(axis=0)
        )
        assert_allclose(SCORES[key].p_value(form(X), y), np.minimum(2 * smaller, 1.0), rtol=1e-10)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("sizes", [(5, 4), (7, 2), (2, 6), (1, 5)])
@pytest.mark.parametrize("key", ONE_SIDED)
def test_the_share_of_all_labellings_that_score_as_well(key, sizes, form):
    """The p-value of any score is the share of labellings that score at least as high."""
    entry = SCORES[key]
    X, labels = tied_tables(sum(sizes)), labellings(*sizes)
    scores = np.array([entry.function(X, y) for y in labels])
    for y, score in list(zip(labels, scores))[::7]:
        expected = (scores >= score - 1e-9).mean(axis=0)
        assert_allclose(entry.p_value(form(X), y), expected, rtol=1e-10)


@pytest.mark.parametrize("key", [*TWO_SIDED, *ONE_SIDED])
@pytest.mark.parametrize("sizes", [(60, 40), (190, 10)])
def test_of_two_values_the_law_is_hypergeometric(key, sizes):
    """Bits: twice the smaller hypergeometric tail, or that of all overlaps at least as far off by
    Fisher's law."""
    rng = np.random.default_rng(4)
    y = rng.permutation(np.repeat([0, 1], sizes))
    X = (rng.random((len(y), 60)) < np.geomspace(0.01, 0.9, 60)).astype(float)
    X = X[:, np.ptp(X, axis=0) > 0]
    p = SCORES[key].p_value(sparse.csc_array(X), y)
    if key in TWO_SIDED:
        assert_allclose(p, hypergeometric_p_value(X, y), rtol=1e-9)
        return
    for x, found in zip(X.T, p):
        k = np.arange(max(0, int(x.sum()) - sizes[0]), min(int(x.sum()), sizes[1]) + 1)
        law = stats.hypergeom(len(y), int(x.sum()), sizes[1]).pmf(k)
        scores = SCORES[key].function(
            np.column_stack([bits_with(x, y, overlap) for overlap in k]), y
        )
        assert_allclose(
            found, law[scores >= SCORES[key].function(x[:, None], y) - 1e-9].sum(), rtol=1e-8
        )


def bits_with(x, y, overlap):
    """A column with as many ones as x, so many of them in the second class."""
    bits = np.zeros(len(x))
    bits[np.flatnonzero(y == 1)[:overlap]] = 1
    bits[np.flatnonzero(y == 0)[: int(x.sum()) - overlap]] = 1
    return bits


@pytest.mark.parametrize(
    "key", ["auc", "spearman", "kolmogorov-smirnov", "chi-square", "g-statistic"]
)
def test_whole_weights_repeat_rows(key):
    """Weighted by whole numbers, zero among them, the p-value is that of the rows repeated."""
    rng = np.random.default_rng(5)
    X = np.column_stack(
        [rng.integers(0, 2, 30), rng.integers(0, 9, 30) == 1, np.minimum(rng.geometric(0.7, 30), 4)]
    )
    y, weight = np.arange(30) % 3 // 2, rng.integers(0, 4, 30)
    p_value = SCORES[key].p_value
    expected = p_value(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert_allclose(p_value(X, y, sample_weight=weight), expected, rtol=1e-10)
    fractions = p_value(X, y, sample_weight=weight * 0.5)
    assert np.isfinite(fractions).all() and not np.allclose(fractions, expected)


def test_a_column_of_many_outcomes_has_the_law_of_large_samples():
    """Where there are too many outcomes the tails are left open, and the p-values are scipy's."""
    rng = np.random.default_rng(6)
    X, y = rng.integers(0, 6, (200, 5)).astype(float), np.arange(200) % 2
    masses = np.stack(
        [[np.bincount(x[y == k].astype(int), minlength=6) for x in X.T] for k in (0, 1)]
    ).astype(float)
    assert np.isnan(tied_log_tails(masses, lambda masses: masses[1, :, 0])).all()
    peer = [stats.mannwhitneyu(x[y == 1], x[y == 0]).pvalue for x in X.T]
    assert_allclose(auc_p_value(X, y), peer, rtol=1e-9)
    peer = [stats.chi2_contingency(masses[:, j], correction=False).pvalue for j in range(5)]
    assert_allclose(chi_square_p_value(X, y), peer, rtol=1e-8)


def test_small_chances_keep_their_digits():
    """A perfect bit of 2000 rows: the p-values underflow, their logarithm in T*KS does not."""
    y = np.arange(2000) % 2
    bit = ((y == 1) ^ (np.arange(2000) == 5)).astype(float)[:, None]
    log_p = np.log(2) + stats.hypergeom(2000, 999, 1000).logpmf(999)
    assert kolmogorov_smirnov_p_value(bit, y)[0] == 0
    t = abs(stats.ttest_ind(bit[y == 1], bit[y == 0]).statistic[0])
    log_p_t = -1998 / 2 * np.log1p(t**2 / 1998)
    assert t_times_ks(bit, y)[0] == pytest.approx(-log_p - log_p_t, rel=0.01)


NOISE = {
    "rare bits, few positives": (lambda rng: rng.random((400, 4000)) < 0.01, 40),
    "bits, few positives": (lambda rng: rng.random((100, 4000)) < 0.1, 10),
    "counts": (lambda rng: np.minimum(rng.geometric(0.85, (60, 4000)) - 1, 4), 8),
}


@pytest.mark.parametrize("noise", NOISE)
@pytest.mark.parametrize("key", [*TWO_SIDED, *ONE_SIDED])
def test_noise_is_called_relevant_no_more_often_than_promised(key, noise):
    """Independent columns: at .05, .01 and .001 no more p-values below than four standard errors
    above the level."""
    draw, n_positive = NOISE[noise]
    X = draw(np.random.default_rng(11)).astype(float)
    p = SCORES[key].p_value(sparse.csc_array(X), (np.arange(len(X)) < n_positive).astype(int))
    for level in (0.05, 0.01, 0.001):
        assert (p <= level).mean() <= level + 4 * np.sqrt(level / len(p))


@pytest.mark.slow
def test_dorothea_keeps_as_many_as_the_exact_test():
    """At a false discovery rate of .05 the rank sum test keeps the 464 columns of the
    hypergeometric one."""
    stored = np.load(real_table("dorothea.npz"))
    table = sparse.csr_array(
        (stored["data"], stored["indices"], stored["indptr"]), shape=stored["shape"]
    )
    train = stored["split"] == 0
    X, y = table[train], stored["y"][train]
    kept = [
        RankingSelector(ranking, cut="fdr:0.05").fit(X, y).support_
        for ranking in ("auc", "hypergeometric")
    ]
    assert kept[0].sum() == 464
    assert (kept[0] == kept[1]).all()
