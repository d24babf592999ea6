"""Exact laws of tables of any number of classes, and of t, F and r of few values, against every
labelling."""

from functools import partial
from itertools import permutations
from math import comb

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse, stats

from subsel.data.statistics.class_moments import ClassMoments
from subsel.ranking.laws import few_values
from subsel.ranking.laws import ties as tied_law
from subsel.ranking.laws.ties import _outcomes, tied_log_tails
from subsel.ranking.registry import SCORES
from subsel.ranking.scores.counts.contingency import chi_square_p_value, g_statistic_p_value
from subsel.ranking.scores.moments.anova import anova_f_p_value
from subsel.ranking.scores.moments.pearson import pearson_p_value
from subsel.ranking.scores.moments.student_t import t_test_p_value, welch_t_p_value

TABLES = [
    "chi-square",
    "g-statistic",
    "mutual-information",
    "goodman-kruskal-tau",
    "jeffreys-matusita",
    "bhattacharyya",
]
SPREAD = ["anova-f", "correlation-ratio", "pearson", "spearman", "kendall"]
OF_TWO = [t_test_p_value, welch_t_p_value, anova_f_p_value, pearson_p_value]
FORMS = [np.asarray, np.asfortranarray, sparse.csr_array, sparse.csc_array]


def labellings(y):
    """Every different order of the labels, one a line."""
    return np.array(sorted(set(permutations(y))))


def few_valued(n_rows, seed=0):
    """A constant, bits, one rare bit, one that is rarely absent, three values and four, some below
    zero."""
    rng = np.random.default_rng(seed)
    rare = np.arange(n_rows) == 3
    three = rng.permutation(np.arange(n_rows) % 3)
    four = rng.permutation(np.arange(n_rows) % 4)
    columns = [
        np.full(n_rows, 2.5),
        rng.integers(0, 2, n_rows),
        rare,
        1 - 0.1 * rare,
        three,
        np.array([-1, 0, 2, 2.5])[four],
    ]
    return np.column_stack(columns).astype(float)


def labellings_and_shares(score, X, y):
    """All labellings, and the share of them that score at least as high as each, to rounding.

    Infinite scores are equal.
    """
    orders = labellings(y)
    scores = np.array([score(X, labels) for labels in orders])
    return orders, np.array([(scores >= own * (1 - 1e-9) - 1e-9).mean(axis=0) for own in scores])


@pytest.mark.parametrize(
    "y",
    [(0, 0, 0, 1, 1, 2, 2, 2), (0, 0, 0, 0, 0, 1, 2, 2), (3, 3, 0, 0, 1, 1, 2), (2, 0, 1, 1, 1)],
)
@pytest.mark.parametrize("key", TABLES + SPREAD)
def test_the_share_of_all_labellings_that_score_as_high(key, y):
    """Three and four classes: the p-value is the share of labellings whose score is at least as
    large."""
    X, entry = few_valued(len(y)), SCORES[key]
    if key in SPREAD:
        X = X[:, [len(np.unique(x)) <= len(y) // 2 for x in X.T]]
    orders, shares = labellings_and_shares(entry.function, X, y)
    for number, form in zip((0, len(orders) // 3, len(orders) // 2, len(orders) - 2), FORMS):
        assert_allclose(entry.p_value(form(X), orders[number]), shares[number], rtol=1e-9)


@pytest.mark.parametrize("sizes", [(5, 4), (7, 2), (2, 6), (1, 7)])
@pytest.mark.parametrize("key", ["t-test", "welch-t", "anova-f", "pearson"])
def test_two_classes_of_few_values(key, sizes):
    """Student's, Welch's and Pearson's scores of few values.

    The share of labellings, not the law of normal numbers.
    """
    entry, X = SCORES[key], few_valued(sum(sizes))
    orders, shares = labellings_and_shares(entry.function, X, np.repeat([0, 1], sizes))
    for number, form in zip((0, len(orders) // 3, len(orders) // 2, len(orders) - 2), FORMS):
        assert_allclose(entry.p_value(form(X), orders[number]), shares[number], rtol=1e-9)


def test_of_two_by_two_ordered_by_chance_it_is_fishers_test():
    """With the tables ordered by chance the p-value is scipy's fisher_exact."""
    rng = np.random.default_rng(3)
    for _ in range(30):
        table = rng.integers(1, 12, (2, 2))
        law = stats.hypergeom(table.sum(), table[:, 0].sum(), table[0].sum())
        rare = partial(minus_chance, law)
        p = np.exp(tied_log_tails(table[:, None].astype(float), rare)[1])
        assert_allclose(p, stats.fisher_exact(table).pvalue, rtol=1e-9)


def minus_chance(law, masses):
    """A statistic that orders tables by their chance, as Fisher, Freeman and Halton do."""
    return -law.logpmf(masses[0, :, 0])


@pytest.mark.parametrize("statistic", ["chi-square", "g-statistic"])
@pytest.mark.parametrize(
    "table", [[[4, 1, 0], [1, 1, 9], [1, 0, 2]], [[20, 1], [15, 0], [11, 3], [9, 6], [2, 0]]]
)
def test_tables_of_many_rows_agree_with_a_simulation(statistic, table):
    """Tables drawn by scipy's random_table reach the score as often as the p-value says, to four
    standard errors."""
    table = np.array(table)
    drawn = stats.random_table(table.sum(axis=1), table.sum(axis=0)).rvs(20_000, random_state=0)
    lambda_ = {"chi-square": "pearson", "g-statistic": "log-likelihood"}[statistic]
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()

    def score(t):
        return stats.power_divergence(
            t.reshape(len(t), -1), expected.ravel(), axis=1, lambda_=lambda_
        ).statistic

    share = np.mean(score(drawn) >= score(table[None]) - 1e-9)
    label, value = np.nonzero(table)
    times = table[label, value]
    p = SCORES[statistic].p_value(np.repeat(value, times)[:, None], np.repeat(label, times))[0]
    large = stats.chi2.sf(score(table[None])[0], (table.shape[0] - 1) * (table.shape[1] - 1))
    assert abs(p - share) <= 4 * np.sqrt(p / 20_000)
    assert abs(p - large) > 1e-6  # it is not chi-square's


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("n_ones", [1, 4, 9])
def test_outcomes_of_bits(n_classes, n_ones):
    """A rare bit has C(m + K - 1, K - 1) outcomes, each once, with scipy's multivariate
    hypergeometric chances."""
    sizes = 10 + np.arange(n_classes)
    masses, log_chances = _outcomes(np.array([sizes.sum() - n_ones, n_ones]), sizes)
    ones = masses[:, :, 1].T
    assert len(ones) == len(np.unique(ones, axis=0)) == comb(n_ones + n_classes - 1, n_classes - 1)
    assert_allclose(
        np.exp(log_chances),
        stats.multivariate_hypergeom.pmf(ones.astype(int), sizes, n_ones),
        rtol=1e-10,
    )
    assert_array_equal(masses.sum(axis=2), np.tile(sizes[:, None], len(ones)))


@pytest.mark.parametrize(
    ("sizes", "of_class"), [([2, 7, 3], [4, 5, 3]), ([1, 1, 4, 2], [6, 2]), ([5, 5], [1, 1, 1, 7])]
)
def test_outcomes_of_more_values(sizes, of_class):
    """All tables with the margins, each once, and their chances add up to one."""
    masses, log_chances = _outcomes(np.array(sizes), np.array(of_class))
    tables = masses.transpose(1, 0, 2).reshape(masses.shape[1], -1)
    assert len(np.unique(tables, axis=0)) == len(tables)
    assert (tables >= 0).all()
    assert_array_equal(masses.sum(axis=0), np.tile(sizes, (len(tables), 1)))
    assert_array_equal(masses.sum(axis=2).T, np.tile(of_class, (len(tables), 1)))
    assert np.exp(log_chances).sum() == pytest.approx(1, rel=1e-12)
    law = stats.random_table(of_class, sizes)
    assert_allclose(
        log_chances, [law.logpmf(t.reshape(len(of_class), -1)) for t in tables], rtol=1e-9
    )


def test_what_is_enumerated_is_what_was_promised():
    """No column that counts as few has more outcomes than the limit, and of bits the documented
    numbers are exact."""
    rng = np.random.default_rng(4)
    for _ in range(200):
        n_classes, n_values = rng.integers(2, 5, 2)
        sizes, spare = rng.integers(1, 9, n_values), rng.integers(1, 9, n_classes)
        of_class = np.bincount(
            rng.choice(n_classes, sizes.sum(), p=spare / spare.sum()), minlength=n_classes
        )
        if tied_law._are_few(sizes[None].astype(float), of_class[None].astype(float))[0]:
            limit = tied_law.OUTCOMES_OF_TWO if n_values == 2 else tied_law.OUTCOMES
            assert len(_outcomes(sizes, of_class)[1]) <= limit
    for n_classes, most in ((3, 89), (4, 27), (5, 24), (10, 9)):
        of_class = np.full((1, n_classes), 200.0)
        for n_ones, few in ((most, True), (most + 1, False)):
            sizes = np.array([[of_class.sum() - n_ones, n_ones]])
            assert tied_law._are_few(sizes, of_class)[0] == few


def test_beyond_the_bound_the_laws_are_those_of_large_samples():
    """Bits of half ones and five classes of 60.

    Chi-square's and Fisher's laws, as scipy gives them.
    """
    rng = np.random.default_rng(5)
    y, X = np.arange(300) % 5, rng.integers(0, 2, (300, 4)).astype(float)
    tables = [[np.bincount(y[x == v]) for v in (0, 1)] for x in X.T]
    peer = [stats.chi2_contingency(t, correction=False).pvalue for t in tables]
    assert_allclose(chi_square_p_value(X, y), peer, rtol=1e-9)
    assert_allclose(
        anova_f_p_value(X, y), stats.f_oneway(*(X[y == k] for k in range(5))).pvalue, rtol=1e-9
    )


def sparse_noise(n_rows=200, n_columns=2000, seed=6):
    rng = np.random.default_rng(seed)
    return (rng.random((n_rows, n_columns)) < rng.uniform(0.01, 0.03, n_columns)).astype(float)


def test_of_bits_all_statistics_are_one():
    """Two classes: t, F, r and chi-square of bits have one p-value.

    More classes: F and chi-square have.
    """
    X = sparse.csc_array(sparse_noise())
    y = (np.arange(200) < 30).astype(int)
    expected = chi_square_p_value(X, y)
    for p_value in (t_test_p_value, anova_f_p_value, pearson_p_value):
        assert_allclose(p_value(X, y), expected, rtol=1e-9)
    assert_allclose(
        anova_f_p_value(X, np.arange(200) % 3), chi_square_p_value(X, np.arange(200) % 3), rtol=1e-9
    )


@pytest.mark.parametrize("p_value", [chi_square_p_value, g_statistic_p_value, *OF_TWO])
def test_names_and_scale_of_values_do_not_matter(p_value):
    """Two values are two values, whatever they are and however they are stored."""
    X = sparse_noise(n_columns=50)
    y = (np.arange(200) % 5 == 0).astype(int)
    expected = p_value(X, y)
    for other in (
        3 - 7 * X,
        X.astype(np.float32) / 3,
        X.astype(np.int8),
        X.astype(bool),
        sparse.csr_array(X * 1e-9),
    ):
        assert_allclose(p_value(other, y), expected, rtol=1e-9)
    assert_allclose(p_value(X, 1 - y), expected, rtol=1e-9)


@pytest.mark.parametrize("p_value", OF_TWO)
def test_whole_weights_repeat_rows(p_value):
    """Weighted by whole numbers, zero among them, the p-value is that of the rows repeated.

    Other weights have no exact law.
    """
    rng = np.random.default_rng(7)
    X = np.column_stack(
        [rng.integers(0, 2, 30), rng.integers(0, 9, 30) == 1, np.minimum(rng.geometric(0.7, 30), 4)]
    )
    y, weight = np.arange(30) % 3 // 2, rng.integers(0, 4, 30)
    X = X + np.where(weight == 0, np.arange(30.0), 0.0)[:, None]  # values that do not count
    expected = p_value(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    for form in (np.asarray, sparse.csr_array):
        assert_allclose(p_value(form(X), y, sample_weight=weight), expected, rtol=1e-9)
    fractions = p_value(X, y, sample_weight=weight * 0.5)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(few_values, "FEW", 1)
        assert_allclose(fractions, p_value(X, y, sample_weight=weight * 0.5), rtol=1e-12)
        assert not np.allclose(p_value(X, y, sample_weight=weight), expected)


def test_columns_of_many_values_have_the_law_of_normal_numbers():
    """A column without ties, one with a tie in its first rows, two of seven values.

    Student's law.
    """
    rng = np.random.default_rng(8)
    rare = np.where(np.arange(40) % 6 == 5, np.arange(40), 0)  # few outcomes, but seven values
    X = np.column_stack([rng.standard_normal(40), rng.standard_normal(40), np.arange(40) % 7, rare])
    X[:3, 1] = 0.5
    y = np.arange(40) % 2
    for form in FORMS:
        assert_allclose(
            t_test_p_value(form(X), y), stats.ttest_ind(X[y == 1], X[y == 0]).pvalue, rtol=1e-9
        )


@pytest.mark.parametrize("n_classes", [2, 3])
def test_moments_of_bits_know_their_law(n_classes):
    """Moments accumulated in chunks give the p-values of the table, exact for bits.

    Other columns have large laws.
    """
    rng = np.random.default_rng(9)
    X = np.column_stack(
        [
            sparse_noise(90, 20),
            rng.standard_normal(90),
            rng.integers(0, 3, 90),
            np.ones(90),
            1 - 3 * (np.arange(90) == 4),
        ]
    )
    y = np.arange(90) % n_classes
    moments = ClassMoments(n_classes, X.shape[1])
    for part in np.array_split(np.arange(90), [1, 7, 40]):
        moments.accumulate(X[part], y[part])
    bits = [np.isin(x, (0, 1)).all() for x in X.T]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(few_values, "FEW", 1)
        large = anova_f_p_value(X, y)
    for p_value in (anova_f_p_value, t_test_p_value)[: 4 - n_classes]:
        assert_allclose(p_value(moments), np.where(bits, p_value(X, y), large), rtol=1e-8)


@pytest.mark.parametrize("key", ["pearson", "spearman", "kendall"])
def test_a_numeric_target_of_few_values(key):
    """With marks from 0 to 4: the share of all labellings.

    Of many marks the law of large samples.
    """
    rng, entry = np.random.default_rng(10), SCORES[key]
    X, y = few_valued(8), np.array([0.0, 4.0, 1.0, 1.0, 0.0, 2.5, 0.0, 0.0])
    orders, shares = labellings_and_shares(entry.function, X, y)
    for number in (0, 100, len(orders) - 1):
        assert_allclose(entry.p_value(X, orders[number]), shares[number], rtol=1e-9)
    y, bits = rng.standard_normal(30), (np.arange(30) % 9 == 0).astype(float)
    peer = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}[
        key
    ]
    assert_allclose(entry.p_value(bits[:, None], y), peer(bits, y).pvalue, rtol=1e-9)


def test_laws_that_are_forgotten_are_found_again(monkeypatch):
    """With no room to remember, the p-values are the same.

    With room, each margin is enumerated once.
    """
    X, y = sparse.csc_array(sparse_noise()), np.arange(200) % 3
    monkeypatch.setattr(tied_law, "_cache", tied_law._LawCache())
    expected = chi_square_p_value(X, y)
    assert len(tied_law._cache.laws) == len(np.unique(X.sum(axis=0))) - (X.sum(axis=0) == 0).any()
    assert_allclose(anova_f_p_value(X, y), expected, rtol=1e-9)
    n_laws = len(tied_law._cache.laws)
    assert_allclose(anova_f_p_value(5 - 3 * X.toarray(), y), expected, rtol=1e-9)
    assert (
        len(tied_law._cache.laws) <= 2 * n_laws
    )  # ones and zeros have changed sides, whatever they are
    anova_f_p_value(7 - 2 * X.toarray(), y)
    assert len(tied_law._cache.laws) <= 2 * n_laws
    monkeypatch.setattr(tied_law, "CACHED", 100)
    assert_allclose(chi_square_p_value(X, y), expected, rtol=1e-14)
    assert_allclose(chi_square_p_value(X[:, ::-1], y), expected[::-1], rtol=1e-14)


@pytest.mark.parametrize("key", [*TABLES, *SPREAD, "t-test", "welch-t"])
def test_noise_is_called_relevant_no_more_often_than_promised(key):
    """Rare bits of 200 rows: at .05, .01 and .001 no more p-values below than four standard errors
    above the level."""
    entry, X = SCORES[key], sparse.csc_array(sparse_noise(n_columns=4000, seed=11))
    targets = [(np.arange(200) < 30).astype(int)] + [np.arange(200) % 3] * (
        entry.multiclass or entry.regression
    )
    for y in targets:
        p = entry.p_value(X, y)
        for level in (0.05, 0.01, 0.001):
            assert (p <= level).mean() <= level + 4 * np.sqrt(level / len(p))
