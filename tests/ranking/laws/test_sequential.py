"""P-values by random permutations.

Against every labelling, the laws they estimate, and what they must not depend on.
"""

from itertools import permutations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse, stats

from subsel import RankingSelector
from subsel.ranking.cuts import ordered_scores as ranked
from subsel.ranking.laws import contingency_table, sums
from subsel.ranking.laws import student as permuted_sums
from subsel.ranking.laws import ties as tied_law
from subsel.ranking.laws.random_tables import sampled_tails
from subsel.ranking.laws.sequential import sequential_p_values, stages
from subsel.ranking.laws.student import arrangements
from subsel.ranking.laws.ties import tied_log_tails
from subsel.ranking.registry import SCORES
from subsel.ranking.scores.moments.pearson import pearson_p_value
from subsel.ranking.scores.moments.student_t import t_test_p_value, welch_t_p_value
from subsel.ranking.scores.ranks.mann_whitney import auc_p_value
from subsel.ranking.scores.ranks.rank_correlation import spearman, spearman_p_value
from subsel.ranking.scores.ranks.runs import _agreements, runs_p_value

UNEVEN = np.array([0, 0, 0, 0, 0, 1, 1])
SKEWED = np.exp(2 * np.random.default_rng(0).standard_normal((7, 200)))


def share_of_labellings(score, X, y):
    """The share of all different orders of the labels that score at least as high."""
    own = score(X, y)
    scores = np.array(
        [score(X, np.array(labels)) for labels in sorted(set(permutations(y.tolist())))]
    )
    return (scores >= own * (1 - 1e-9)).mean(axis=0)


@pytest.mark.parametrize(
    ("key", "y", "form"),
    [
        ("t-test", UNEVEN, np.asarray),
        ("t-test", UNEVEN, sparse.csc_array),
        ("welch-t", UNEVEN, np.float32),
        ("anova-f", np.array([0, 0, 0, 0, 1, 1, 2]), sparse.csr_array),
        ("pearson", UNEVEN, np.asarray),
        ("pearson", np.exp(np.arange(6.0)), np.asarray),
        ("spearman", np.array([0.1, 0.4, 0.2, 3.0, 5.0, 0.3]), sparse.csc_array),
    ],
)
def test_of_few_rows_the_p_value_counts_every_labelling(key, y, form):
    """Where the law is in doubt and gives at most a tenth, the p-value is the share of labellings
    that score as high."""
    X = form(SKEWED[: len(y)])
    dense = X.toarray() if sparse.issparse(X) else np.asarray(X)
    p = SCORES[key].p_value(X, y)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(permuted_sums, "LARGEST_CHECKED", -1.0)
        law = SCORES[key].p_value(X, y)
    asked = (law <= 0.1) & (p != law)
    assert asked.sum() >= 5
    assert_allclose(
        p[asked], share_of_labellings(SCORES[key].function, dense[:, asked], y), rtol=1e-9
    )
    assert_array_equal(p[law > 0.1], law[law > 0.1])


@pytest.mark.parametrize("sizes", [(2, 3), (1, 2, 2), (1, 1, 1, 1), (4,)])
def test_arrangements_are_all_different_orders(sizes):
    """Every different order of the target, once."""
    target = np.repeat(np.arange(len(sizes)), sizes).astype(float)[:, None]
    found = target[arrangements(target)][:, :, 0]
    assert_array_equal(np.unique(found, axis=0), sorted(set(permutations(target[:, 0]))))
    assert len(np.unique(found, axis=0)) == len(found)
    assert arrangements(np.arange(9.0)[:, None]) is None


def test_random_permutations_estimate_what_enumeration_gives():
    """Spearman's coefficient of eight rows, which has more orders than are enumerated, against all
    of them."""
    rng = np.random.default_rng(1)
    y = np.arange(8.0)
    X = y[:, None] + 2 * rng.standard_normal((8, 60))
    centred = np.arange(8) - 3.5
    every = np.abs(np.array(list(permutations(centred))) @ centred) / 42
    exact = np.array([(every >= rho - 1e-9).mean() for rho in spearman(X, y)])
    asked = exact <= 0.05
    asked &= exact > exact.min()  # of a perfect order Student's law says 0
    p, student = (
        spearman_p_value(X, y)[asked],
        stats.spearmanr(np.column_stack([X, y])).pvalue[-1, :-1][asked],
    )
    assert asked.sum() > 5
    assert np.abs(np.log(p / exact[asked])).max() < 4 / np.sqrt(20)
    assert np.abs(np.log(p / exact[asked])).mean() < np.abs(np.log(student / exact[asked])).mean()


@pytest.mark.parametrize("key", ["t-test", "welch-t", "anova-f"])
def test_permutations_of_normal_columns_estimate_their_law(key, monkeypatch):
    """Of normal columns and two classes the laws hold: p-values by permutation agree with them."""
    monkeypatch.setattr(sums, "DEPARTURE", -1.0)
    rng, y = np.random.default_rng(2), np.arange(80) % 2
    X = rng.standard_normal((80, 60)) + 0.4 * y[:, None]
    peer = stats.ttest_ind(X[y == 0], X[y == 1], equal_var=key != "welch-t").pvalue
    p = SCORES[key].p_value(X, y)
    asked = (peer <= 0.1) & (peer > 1e-3)
    assert asked.sum() > 20
    assert np.abs(np.log(p / peer)[asked]).max() < 1.0


def test_random_tables_estimate_the_enumerated_law():
    """Tables small enough to be enumerated.

    The sampled tail is the exact one up to the error of its draws.
    """
    rng = np.random.default_rng(3)
    masses = rng.integers(0, 6, (3, 50, 4)).astype(float)
    statistic = contingency_table._MassStatistic(
        lambda tables: SCORES["g-statistic"].function.of_counts(tables)
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tied_law, "OUTCOMES", 1 << 17)
        exact = np.exp(tied_log_tails(masses, statistic)[1])
    p = sampled_tails(masses, statistic, 100_000, 0)
    known = np.isfinite(exact)
    assert known.sum() > 20
    assert np.abs(np.log(p / exact)[known]).max() < 5 / np.sqrt(50)
    two = rng.integers(0, 4, (2, 30, 5)).astype(float)
    two[:, :, 0] += 1
    exact = np.exp(tied_log_tails(two, _agreements)[1])
    assert np.abs(np.log(sampled_tails(two, _agreements, 100_000, 0) / exact)).max() < 5 / np.sqrt(
        50
    )


@pytest.mark.parametrize(
    "key", ["welch-t", "pearson", "runs", "jeffreys-matusita", "g-statistic", "gini"]
)
def test_a_seed_repeats_and_company_decides_nothing(key):
    """One seed, one answer, alone or among others, in any order.

    Another seed, another answer of about that size.
    """
    rng, p_value = np.random.default_rng(4), SCORES[key].p_value
    y = (
        np.repeat([0, 1], [40, 9])
        if key in ("welch-t", "pearson", "runs")
        else np.repeat(np.arange(6), 16)
    )
    X = np.round(np.exp(rng.standard_normal((len(y), 24)) + 0.8 * (y[:, None] == 1)), 1)
    p = p_value(X, y)
    assert_array_equal(p_value(X, y, random_state=0), p)
    assert_array_equal(p_value(X[:, ::-1], y)[::-1], p)
    assert_array_equal(np.concatenate([p_value(X[:, :7], y), p_value(X[:, 7:], y)]), p)
    other = p_value(X, y, random_state=1)
    assert (other != p).any()
    assert np.abs(np.log(other / p)).max() < 2


def test_stages_and_stopping():
    """Stages double up to the number asked for.

    A column stops at the first stage with enough, others go on.
    """
    assert stages(100) == [100]
    assert sum(stages(100_000)) == 100_000
    asked = []

    def n_reaching(columns, stage, size):
        asked.append((columns.tolist(), size))
        return np.where(columns == 0, size // 2, 0)

    assert_allclose(sequential_p_values(n_reaching, 2, 1000, 20), [65 / 129, 1 / 1001])
    assert asked == [([0, 1], 128), ([1], 128), ([1], 256), ([1], 488)]


def test_stopping_early_does_not_make_p_values_too_small():
    """Of a score whose law is known, P(p <= alpha) is at most alpha at every level, though drawing
    stops when enough did as well."""
    rng = np.random.default_rng(5)
    u = rng.random(20_000)
    p = sequential_p_values(
        lambda columns, stage, size: rng.binomial(size, u[columns]), len(u), 5000, 20
    )
    for level in (0.2, 0.1, 0.05, 0.02, 0.01, 0.002):
        assert (p <= level).mean() <= level + 4 * np.sqrt(level / len(u))


def test_a_cut_draws_as_many_permutations_as_one_column_needs(monkeypatch):
    """A single column that stands out passes fdr among 1000, for which permutations as few as set
    here would not do."""
    monkeypatch.setattr(ranked, "FEWEST_OF_A_CUT", 99)
    rng, y = np.random.default_rng(6), (np.arange(60) < 12).astype(int)
    X = np.zeros((60, 1000))
    X[:, 0] = np.exp(rng.standard_normal(60) + 4.0 * y)
    selector = RankingSelector("welch-t", "fdr:0.1").fit(X, y)
    assert_array_equal(np.flatnonzero(selector.support_), [0])
    assert selector.p_values_[0] == 1 / 100_001
    assert welch_t_p_value(X[:, :1], y, n_permutations=99)[0] == 0.01
    assert ranked.fine_enough_law(auc_p_value, 1e-9) is auc_p_value
    found = [
        ranked.fine_enough_law(t_test_p_value, finest).keywords["n_permutations"]
        for finest in (1.0, 1e-4, 1e-6, 1e-9)
    ]
    assert found == [99, 100_000, 1_000_000, 2_000_000]


def test_without_a_seed_the_selector_repeats():
    """P-values by permutation are the same in every fit unless a seed asks for others."""
    rng, y = np.random.default_rng(7), (np.arange(60) < 8).astype(int)
    X = np.exp(rng.standard_normal((60, 30)) + 0.7 * y[:, None])
    first, again, seeded = (
        RankingSelector("t-test", "fdr:0.1", random_state=s).fit(X, y).p_values_
        for s in (None, None, 3)
    )
    assert_array_equal(first, again)
    assert_array_equal(first, t_test_p_value(X, y, n_permutations=20_000))
    assert (first != seeded).any()


# Cells of docs/p_values.md that failed under the laws of large samples ----------------------------


def noise(kind, n, p=4000):
    rng = np.random.default_rng(8)
    X = rng.standard_normal((n, p))
    return {
        "normal": X,
        "lognormal": np.exp(X),
        "Cauchy": np.tan(np.pi * (stats.norm.cdf(X) - 0.5)),
        "rounded": np.round(X, 1),
    }[kind]


EIGHT, SKEWED_EIGHT = np.arange(96) % 8, np.repeat(np.arange(8), [25, 7, 5, 5, 2, 2, 2, 2])
FEW = np.repeat([0, 1], [42, 8])


@pytest.mark.parametrize(
    ("key", "kind", "y", "level"),
    [
        ("jeffreys-matusita", "normal", EIGHT, 0.01),
        ("bhattacharyya", "normal", SKEWED_EIGHT, 0.01),
        ("mutual-information", "normal", EIGHT, 0.01),
        ("gini", "normal", SKEWED_EIGHT, 0.01),
        ("median-information", "normal", EIGHT[:50], 0.01),
        ("runs", "rounded", FEW, 0.01),
        ("welch-t", "lognormal", FEW, 0.01),
        ("t-test", "lognormal", FEW, 0.001),
        ("anova-f", "Cauchy", SKEWED_EIGHT, 0.01),
        ("pearson", "Cauchy", np.tan(np.linspace(-1.5, 1.5, 50)), 0.01),
    ],
)
def test_what_was_promised_too_much_is_so_no_more(key, kind, y, level):
    """Null columns reach the level no more often than promised, to four standard errors and a
    fifth."""
    X = noise(kind, len(y), 20_000 if level < 0.01 else 2000)
    p = SCORES[key].p_value(X, y)
    assert (p <= level).mean() <= 1.2 * level + 4 * np.sqrt(level / len(p))
    assert (p <= 5 * level).mean() >= 2 * level  # and not by giving up


def test_fractional_weights_keep_the_law():
    """What no permutation of rows can stand for is left to the law.

    Halved weights give the p-values of large samples.
    """
    rng = np.random.default_rng(9)
    X, weight = np.exp(rng.standard_normal((50, 300))), rng.integers(1, 4, 50)
    whole = t_test_p_value(X, FEW, weight)
    assert_allclose(
        whole, t_test_p_value(np.repeat(X, weight, axis=0), np.repeat(FEW, weight)), rtol=1e-9
    )
    halves = t_test_p_value(X, FEW, weight / 2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(permuted_sums, "LARGEST_CHECKED", -1.0)
        assert_array_equal(t_test_p_value(X, FEW, weight / 2), halves)
        assert (t_test_p_value(X, FEW, weight) != whole).any()
    for weights, said in ((weight, False), (weight / 2, True)):
        evidence = RankingSelector("t-test").fit(X, FEW, sample_weight=weights).evidence_
        assert ("laws of large samples" in evidence) == said


def test_ranks_need_no_permutations():
    """The AUC's p-values draw nothing: its law holds for any column without ties."""
    X = noise("Cauchy", 50)
    assert_array_equal(
        auc_p_value(X, FEW),
        auc_p_value(np.argsort(np.argsort(X, axis=0), axis=0).astype(float), FEW),
    )
    assert runs_p_value(X, FEW).min() > 0
    assert pearson_p_value(X, FEW).min() >= 1 / 100_001
