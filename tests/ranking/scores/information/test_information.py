"""Scores of information against scikit-learn, against their formulas, and against each other."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.special import gammaln
from scipy.stats import norm
from sklearn.metrics import homogeneity_score, mutual_info_score, normalized_mutual_info_score

from subsel.data.intervals.mdl import MDL
from subsel.data.intervals.modl import (
    MARKS,
    MODL,
    _merges,
    _runs_of_one_class,
    best_partition,
    greedy_partition,
    partition_cost,
)
from subsel.ranking.registry import find_score
from subsel.ranking.scores.counts.contingency import g_statistic
from subsel.ranking.scores.counts.gini import gini
from subsel.ranking.scores.information.entropy_distance import (
    entropy_distance,
    mantaras_distance,
    symmetrical_uncertainty,
)
from subsel.ranking.scores.information.j_measure import j_measure_terms
from subsel.ranking.scores.information.mdl_index import mdl_index
from subsel.ranking.scores.information.modl import modl
from subsel.ranking.scores.information.mutual_information import (
    gain_ratio,
    miller_madow_information,
    mutual_information,
    mutual_information_p_value,
)
from subsel.ranking.scores.information.threshold_gain import (
    median_information,
    median_information_p_value,
    threshold_gain,
)
from tests.ranking.scores.counts.test_contingency import THREE, example, rows_of
from tests.real_tables import real_table

SCORES = [
    entropy_distance,
    gain_ratio,
    mantaras_distance,
    mdl_index,
    median_information,
    miller_madow_information,
    modl,
    mutual_information,
    symmetrical_uncertainty,
    threshold_gain,
]


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6), n_classes=st.integers(2, 4))
def test_information_and_its_ratios_are_scikit_learns(seed, n_classes):
    """I, I/H(X) and 2I/(H(X)+H(Y)) are mutual_info_score, homogeneity and normalised mutual
    information."""
    X, y = example(seed, n_classes=n_classes)
    for j, x in enumerate(X.T):
        varies = np.ptp(x) > 0  # scikit-learn calls a constant labelling perfectly homogeneous
        assert mutual_information(X, y)[j] == pytest.approx(mutual_info_score(x, y), abs=1e-12)
        assert gain_ratio(X, y)[j] == pytest.approx(
            homogeneity_score(x, y) if varies else 0, abs=1e-12
        )
        expected = normalized_mutual_info_score(x, y, average_method="arithmetic") if varies else 0
        assert symmetrical_uncertainty(X, y)[j] == pytest.approx(expected, abs=1e-12)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_identities_between_indices(seed):
    """G = 2nI; SU = 1 - D_H/(H+H); J-measure terms are not negative and add up to I."""
    X, y = example(seed)
    information = mutual_information(X, y)
    assert_allclose(g_statistic(X, y), 2 * len(y) * information, atol=1e-10)
    terms = j_measure_terms(X, y)
    assert min(t.min() for t in terms) >= -1e-12
    assert_allclose([t.sum() for t in terms], information, atol=1e-12)
    entropies = [mutual_info_score(x, x) + mutual_info_score(y, y) for x in X.T]
    assert_allclose(
        symmetrical_uncertainty(X, y), 1 + entropy_distance(X, y) / entropies, atol=1e-10
    )
    jointly = entropies - information
    assert_allclose(mantaras_distance(X, y), information / jointly - 1, atol=1e-10)


def test_the_numbers_of_the_specification():
    """Information in bits, SU and Mantaras distance of three tables are those printed."""
    for index, expected in (
        (lambda X, y: mutual_information(X, y) / np.log(2), [0.3113, 0.2141, 0.2987]),
        (symmetrical_uncertainty, [0.3437, 0.2214, 0.2988]),
        (mantaras_distance, [-0.7925, -0.8755, -0.8244]),
    ):
        assert_allclose([index(*rows_of(t))[0] for t in THREE], expected, atol=5e-5)


def test_distances_obey_the_triangle_inequality():
    """Entropy distance and Mantaras distance are metrics on labellings."""
    rng = np.random.default_rng(0)
    labellings = rng.integers(0, 3, (12, 20))
    for distance in (entropy_distance, mantaras_distance):
        d = np.array([-distance(labellings.T, labels) for labels in labellings])
        for a, b, c in itertools.permutations(range(12), 3):
            assert d[a, c] <= d[a, b] + d[b, c] + 1e-12


def test_miller_madow_takes_the_bias_away():
    """Where all cells are occupied the correction is -(V-1)(K-1)/(2n); on noise the mean is then
    near 0."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 4, (200, 500)).astype(float), np.arange(200) % 3
    assert_allclose(miller_madow_information(X, y), mutual_information(X, y) - 6 / 400, atol=1e-12)
    assert abs(miller_madow_information(X, y).mean()) < 0.1 * mutual_information(X, y).mean()


@pytest.mark.parametrize("seed", range(4))
def test_mdl_index_is_its_formula_both_ways(seed):
    """Both indices equal the logarithms of binomials and multinomials written out."""

    def length(counts):
        n, k = sum(counts), len(counts)
        return (
            gammaln(n + 1)
            - gammaln(np.add(counts, 1)).sum()
            + gammaln(n + k)
            - gammaln(k)
            - gammaln(n + 1)
        )

    def saved(table):
        prior = length(table.sum(axis=0))
        return (prior - sum(length(row) for row in table)) / prior if prior > 0 else 0.0

    X, y = example(seed)
    for j, x in enumerate(X.T):
        table = np.array([[np.sum((x == a) & (y == c)) for c in range(3)] for a in np.unique(x)])
        assert_allclose(mdl_index(X, y)[j], saved(table), atol=1e-12)
        assert_allclose(
            mdl_index(X, y, symmetric=True)[j], (saved(table) + saved(table.T)) / 2, atol=1e-12
        )


def test_mdl_index_has_a_natural_zero():
    """A constant column scores exactly 0, noise below.

    For many rows the saving per row is information.
    """
    assert mdl_index(np.zeros((6, 1)), [0, 1, 0, 1, 1, 1])[0] == 0
    assert_allclose(mdl_index(*rows_of([[25, 25], [25, 25]])), -0.01969, atol=5e-6)
    assert_allclose(mdl_index(*rows_of([[50, 0], [0, 50]])), 0.88986, atol=5e-6)
    X, y = rows_of(np.array(THREE[0]) * 2000)
    prior_bits = len(y) * mutual_info_score(y, y)
    assert_allclose(mdl_index(X, y) * prior_bits / len(y), mutual_information(X, y), rtol=1e-3)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6), n_classes=st.integers(2, 4), ties=st.booleans())
def test_threshold_gain_is_the_best_of_all_thresholds(seed, n_classes, ties):
    """The gain equals the largest information over every midpoint."""
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, 30)])
    X = rng.normal(size=(len(y), 3)).round(0 if ties else 9)
    cuts = [np.column_stack([x > t for t in np.unique(x)]) for x in X.T]
    expected = [mutual_information(above, y).max() for above in cuts]
    assert_allclose(threshold_gain(X, y), expected, atol=1e-12)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(5, 30), ties=st.booleans())
def test_median_information_is_that_of_lying_above_the_median(seed, n, ties):
    """The score is the information of x > median(x); a column of two values is left as it is."""
    rng = np.random.default_rng(seed)
    y = np.concatenate([[0, 1], rng.integers(0, 2, n)])
    X = rng.normal(size=(n + 2, 4)).round(0 if ties else 9)
    X[:, 3] = X[:, 3] > 0.8
    above = [x > np.median(x) if len(np.unique(x)) > 2 else x for x in X.T]
    assert_allclose(median_information(X, y), [mutual_info_score(a, y) for a in above], atol=1e-12)


def test_information_after_mdl_cuts_is_zero_where_nothing_is_cut():
    """With Fayyad and Irani's cuts most noise scores exactly 0 and a shifted column does not."""
    rng = np.random.default_rng(0)
    y = np.arange(100) % 2
    X = rng.normal(size=(100, 101)) + np.outer(y, [2] + [0] * 100)
    scores = mutual_information(X, y, discretise=MDL())
    uncut = np.array([len(cuts) == 0 for cuts in MDL().fit(X, y).cut_points_])
    assert scores[0] > 0.2 and uncut[1:].mean() > 0.9
    assert ((scores == 0) == uncut).all()
    assert (mutual_information_p_value(X, y, discretise=MDL())[uncut] == 1).all()


def test_madelon_keeps_thirteen_columns():
    """Information after MDL cuts is positive for 13 of MADELON's 500 columns, as published."""
    data = np.load(real_table("madelon.npz"))
    train = data["split"] == 0
    assert (
        np.count_nonzero(mutual_information(data["X"][train], data["y"][train], discretise=MDL()))
        == 13
    )


def test_modl_costs_are_those_printed():
    """The costs of small partitions have their known values."""
    golden = [
        ([[3, 0], [0, 3]], 6.510258),
        ([[3, 3]], 6.733402),
        ([[2, 0], [0, 2]], 5.192957),
        ([[2, 2]], 4.787492),
        ([[5, 0], [0, 5]], 8.283999),
        ([[5, 5]], 10.229909),
    ]
    for intervals, cost in golden:
        assert partition_cost(np.array(intervals)) == pytest.approx(cost, abs=1e-6)


def test_modl_probabilities_add_up_to_one():
    """exp(-cost) over all models, empty intervals included, and all label strings is a law."""
    for m, n_classes in ((3, 2), (4, 2), (3, 3)):
        total = 0.0
        for labels in itertools.product(range(n_classes), repeat=m):
            for n_intervals in range(1, m + 1):
                for cuts in itertools.combinations_with_replacement(range(m + 1), n_intervals - 1):
                    ends = [0, *cuts, m]
                    counts = [
                        np.bincount(labels[a:b], minlength=n_classes)
                        for a, b in itertools.pairwise(ends)
                    ]
                    total += np.exp(-partition_cost(np.array(counts)))
        assert total == pytest.approx(1)


def random_table(rng, n_values, n_classes, ties):
    table = rng.multinomial(1, np.full(n_classes, 1 / n_classes), size=n_values)
    return (
        table + rng.integers(0, 3, table.shape) * (rng.random((n_values, 1)) < 0.4)
        if ties
        else table
    )


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), n_classes=st.integers(2, 3), ties=st.booleans())
def test_modl_dynamic_programme_is_the_best_of_all_partitions(seed, n_classes, ties):
    """The exact optimum equals enumeration, with and without ties.

    Greedy merging is never better than it.
    """
    table = random_table(np.random.default_rng(seed), 8, n_classes, ties)
    cuts = (c for size in range(8) for c in itertools.combinations(range(1, 8), size))
    cheapest = min(partition_cost(np.add.reduceat(table, [0, *c], axis=0)) for c in cuts)
    for partition in (best_partition, greedy_partition):
        begins, cost = partition(table)
        assert partition_cost(np.add.reduceat(table, begins, axis=0)) == pytest.approx(
            cost, abs=1e-9
        )
        assert cost >= cheapest - 1e-9
    assert best_partition(table)[1] == pytest.approx(cheapest, abs=1e-9)


def slow_merging(table):
    """Greedy merging from runs, every cost from scratch, to the end: the best cost seen."""
    pure = [int(np.argmax(row)) if np.count_nonzero(row) == 1 else -1 for row in table]
    parts = [table[0]]
    for before, label, row in zip(pure, pure[1:], table[1:]):
        if label == before >= 0:
            parts[-1] = parts[-1] + row
        else:
            parts.append(row)
    best = partition_cost(np.array(parts))
    while len(parts) > 1:
        merged = [
            [*parts[:k], parts[k] + parts[k + 1], *parts[k + 2 :]] for k in range(len(parts) - 1)
        ]
        costs = [partition_cost(np.array(m)) for m in merged]
        parts = merged[int(np.argmin(np.round(costs, 9)))]
        best = min(best, min(costs))
    return best


@pytest.mark.parametrize("seed", range(8))
def test_modl_merging_is_the_slow_merging(seed):
    """The tournament of merges ends where trying every merge at every step ends."""
    rng = np.random.default_rng(seed)
    table = np.column_stack([rng.gamma(1.0, 2.0, 25), rng.gamma(1.0, 2.0, 25)])  # no equal costs
    order, n_merges = _merges(table)
    merged = np.delete(np.arange(25), order[:n_merges])
    cost = partition_cost(np.add.reduceat(table, merged, axis=0))
    assert cost == pytest.approx(slow_merging(table), abs=1e-8)
    assert greedy_partition(table)[1] <= cost + 1e-9


def waves(seed, n, n_classes):
    """Labels whose law goes up and down once, three times or six times, a row of the table each."""
    rng = np.random.default_rng(seed)
    chance = 0.5 + 0.45 * np.sin(
        (2, 6, 12)[seed % 3] * np.pi * np.linspace(0, 1, n) + 6 * rng.random()
    )
    return np.eye(n_classes)[(rng.random(n) < chance) * rng.integers(1, n_classes, n)]


def moved_cuts(begins, n):
    """Every split, merge, merge-split and merge-merge-split of a partition."""
    begins, edges = begins.tolist(), [*begins.tolist(), n]
    yield from (sorted({*begins, t}) for t in range(1, n))
    for n_gone in (1, 2):
        for k in range(1, len(begins) - n_gone + 1):
            rest = begins[:k] + begins[k + n_gone :]
            yield from (sorted({*rest, t}) for t in range(edges[k - 1] + 1, edges[k + n_gone]))
            if n_gone == 1:
                yield rest


@pytest.mark.parametrize("marks", [1, 6, MARKS])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_modl_partitions_are_mended(n_classes, marks, monkeypatch):
    """No split, merge, merge-split or merge-merge-split of the partition found has a lower cost."""
    monkeypatch.setattr("subsel.data.intervals.modl.MARKS", marks)
    for seed in range(40):
        table = waves(seed, 120, n_classes)
        begins, cost = greedy_partition(table)
        others = [
            partition_cost(np.add.reduceat(table, cuts, axis=0)) for cuts in moved_cuts(begins, 120)
        ]
        assert cost <= min(others) + 1e-8


@pytest.mark.parametrize(
    ("seed", "n", "n_classes"),
    [(12, 120, 2), (163, 200, 2), (113, 200, 3), (36, 200, 4), (1, 70, 3)],
)
def test_modl_mending_is_the_slow_mending(seed, n, n_classes, monkeypatch):
    """Weighing only the moves near the last one ends where trying every move at every step ends."""
    monkeypatch.setattr("subsel.data.intervals.modl.MARKS", 1)
    table = waves(seed, n, n_classes)

    def cost_of(cuts):
        return partition_cost(np.add.reduceat(table, cuts, axis=0))

    begins, runs = _runs_of_one_class(table)
    order, n_merges = _merges(runs)
    begins, cost = np.delete(begins, order[:n_merges]), np.inf
    while cost_of(begins) < cost - 1e-9:
        cost = cost_of(begins)
        begins = np.array(min(moved_cuts(begins, n), key=cost_of))
    assert greedy_partition(table)[1] == pytest.approx(cost, abs=1e-8)


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n_classes=st.integers(2, 4),
    ties=st.booleans(),
    n=st.integers(1, MARKS),
)
def test_modl_of_few_runs_is_the_cheapest_partition(seed, n_classes, ties, n):
    """Of at most 48 runs the fast search finds what the dynamic programme finds."""
    rng = np.random.default_rng(seed)
    table = random_table(rng, n, n_classes, ties) if seed % 2 else waves(seed, n, n_classes)
    assert greedy_partition(table)[1] == pytest.approx(best_partition(table)[1], abs=1e-9)


def test_modl_chain_over_all_cuts_is_the_dynamic_programme():
    """With every run a mark the chain has the cost of the best partition.

    With some, of the best that cuts there.
    """
    from subsel._loops.statistics.modl import cheapest_chain

    rng = np.random.default_rng(0)
    for seed in range(30):
        table = waves(seed, 60, 3)
        below = np.vstack([np.zeros(3), np.cumsum(table, axis=0)])
        for marks in (np.arange(61), np.sort(rng.choice(np.arange(1, 60), 20, replace=False))):
            marks = np.unique([0, *marks, 60])
            cuts = np.zeros(61, dtype=marks.dtype)
            n_intervals = cheapest_chain(below, marks, cuts)
            cost = partition_cost(np.add.reduceat(table, cuts[:n_intervals], axis=0))
            best = best_partition(np.add.reduceat(table, marks[:-1], axis=0))[1]
            assert cost == pytest.approx(best, abs=1e-9)
            assert cuts[n_intervals] == 60


def test_modl_of_many_runs_is_seldom_missed():
    """Of 40 samples of 160 rows in waves at least 38 have the cheapest partition, the moves alone
    find fewer."""
    tables = [waves(seed, 160, 2 + seed % 3) for seed in range(40)]
    best = np.array([best_partition(table)[1] for table in tables])
    found = np.array([greedy_partition(table)[1] for table in tables])
    assert (found >= best - 1e-9).all()
    assert np.sum(found <= best + 1e-8) >= 38
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("subsel.data.intervals.modl.MARKS", 1)
        moves_alone = np.array([greedy_partition(table)[1] for table in tables])
    assert np.sum(moves_alone <= best + 1e-8) < np.sum(found <= best + 1e-8)
    merged = []
    for table in tables:
        order, n_merges = _merges(table)
        merged.append(
            partition_cost(
                np.add.reduceat(table, np.delete(np.arange(160), order[:n_merges]), axis=0)
            )
        )
    assert (moves_alone <= np.array(merged) + 1e-8).all()


def test_modl_score_is_the_share_of_cost_saved():
    """The score is 1 - cost/cost(no cut) of the intervals the discretiser finds.

    Uncut columns score 0.
    """
    rng = np.random.default_rng(0)
    y = np.arange(120) % 3
    X = rng.normal(size=(120, 4)) + np.outer(y, [3, 1, 0, 0])
    scores, cuts = modl(X, y), MODL().fit(X, y).cut_points_
    for s, x, c in zip(scores, X.T, cuts):
        table = np.array(
            [np.bincount(y[np.searchsorted(c, x) == k], minlength=3) for k in range(len(c) + 1)]
        )
        assert s == pytest.approx(
            1 - partition_cost(table) / partition_cost(table.sum(axis=0)[None])
        )
        assert (s == 0) == (len(c) == 0)
    assert scores[0] > scores[1] > 0
    assert_allclose(modl(-np.exp(X), y), scores)


@pytest.mark.parametrize("statistic", SCORES, ids=lambda f: f.__name__)
@given(order=st.permutations(range(6)))
@settings(max_examples=5, deadline=None)
def test_scores_follow_their_columns(statistic, order):
    """Permuting the columns permutes the scores and nothing else."""
    X, y = example(7)
    assert_allclose(statistic(X[:, order], y), statistic(X, y)[list(order)], atol=1e-14)


@pytest.mark.parametrize("statistic", SCORES, ids=lambda f: f.__name__)
def test_sparse_scores_are_dense_scores(statistic):
    """A sparse table scores as the same table does dense, weighted too."""
    X, y = example(8)
    weight = np.random.default_rng(0).random(len(y))
    for options in ({}, {"sample_weight": weight}):
        dense = statistic(X, y, **options)
        assert_allclose(statistic(sparse.csr_array(X), y, **options), dense, rtol=1e-9, atol=1e-12)
        assert np.isfinite(dense).all()


@pytest.mark.parametrize("statistic", SCORES, ids=lambda f: f.__name__)
def test_a_duplicate_scores_as_its_original(statistic):
    """Equal columns have equal scores, and one row more of weight two counts as two rows."""
    X, y = example(3)
    scores = statistic(np.column_stack([X, X[:, 2]]), y)
    assert scores[2] == scores[-1]
    weight = np.where(np.arange(len(y)) % 2, 2, 1)
    rows = np.repeat(np.arange(len(y)), weight)
    assert_allclose(statistic(X, y, sample_weight=weight), statistic(X[rows], y[rows]), atol=1e-10)


@pytest.mark.parametrize("statistic", SCORES, ids=lambda f: f.__name__)
def test_missing_is_a_value_of_its_own(statistic):
    """NaN scores as one more value, larger than all others, does."""
    X, y = example(4)
    X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    assert_allclose(statistic(X, y), statistic(np.where(np.isnan(X), 9, X), y), atol=1e-12)


def test_published_names_lead_to_one_function():
    """Information gain and the J-measure are entries of mutual information."""
    assert (
        find_score("information-gain")
        is find_score("j-measure")
        is find_score("mutual-information")
    )
    assert find_score("mutual-information").p_value is mutual_information_p_value


@pytest.mark.parametrize(
    ("n_bins", "information_error", "gini_error", "uncertainty"),
    [(8, -0.060, -0.018, 0.42), (16, -0.016, -0.006, 0.34), (32, -0.004, -0.002, 0.28)],
)
def test_bins_of_two_gaussians_lose_what_was_computed(
    n_bins, information_error, gini_error, uncertainty
):
    """Two unit Gaussians 3 apart in equal bins over [-4, 7].

    Errors and SU have their known values.
    """
    edges = np.linspace(-4, 7, n_bins + 1)
    edges[[0, -1]] = -np.inf, np.inf
    weight = np.concatenate([np.diff(norm.cdf(edges, loc=mean)) for mean in (0, 3)])
    X, y = np.tile(np.arange(n_bins), 2)[:, None], np.repeat([0, 1], n_bins)
    options = {"sample_weight": weight, "discretise": None}
    bits = mutual_information(X, y, **options)[0] / np.log(2)
    assert bits / 0.759979 - 1 == pytest.approx(information_error, abs=6e-4)
    assert gini(X, y, **options)[0] / 0.901379 - 1 == pytest.approx(gini_error, abs=6e-4)
    assert symmetrical_uncertainty(X, y, **options)[0] == pytest.approx(uncertainty, abs=6e-3)


def test_many_values_flatter_information_but_not_the_mdl_index():
    """On noise, information rises with values and faster with classes; the MDL index does not."""
    rng = np.random.default_rng(0)
    few, many = rng.integers(0, 2, (300, 100)), rng.integers(0, 20, (300, 100))
    rise = {}
    for n_classes in (2, 10):
        y = np.arange(300) % n_classes
        rise[n_classes] = (mutual_information(many, y) - mutual_information(few, y)).mean()
        assert mdl_index(many, y).mean() <= mdl_index(few, y).mean() < 0
    assert 0 < 3 * rise[2] < rise[10]


def test_nested_bins_never_tell_less():
    """Refining bins does not lower information (data processing)."""
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    fine = np.floor((rng.normal(size=200) + y) * 8)
    X = np.column_stack([np.floor(fine / 4), np.floor(fine / 2), fine])
    assert (np.diff(mutual_information(X, y, discretise=None)) >= -1e-12).all()


@pytest.mark.parametrize(
    "name",
    [
        "gain-ratio",
        "symmetrical-uncertainty",
        "entropy-distance",
        "mantaras-distance",
        "gini",
        "value-difference",
    ],
)
def test_ratios_of_information_have_its_law(name):
    """Under permuted labels they order the tables as information (or tau) does, so its exact
    p-value is theirs."""
    x, y = np.array([[0], [0], [0], [1], [1], [2], [2], [2]]), np.array([0, 0, 1, 0, 1, 1, 1, 1])
    entry = find_score(name)
    every = [
        np.isin(np.arange(8), chosen).astype(int) for chosen in itertools.combinations(range(8), 5)
    ]
    scores = np.array([entry.function(x, labels)[0] for labels in every])
    p = np.mean(scores >= entry.function(x, y)[0] - 1e-12)
    assert_allclose(entry.p_value(x, y), p)
    assert 0.05 < p < 0.95


def test_median_information_has_the_law_of_its_halves():
    """The p-value is that of information on lying above the median."""
    X, y = example(2)
    halves = (np.median(X, axis=0) < X).astype(float)
    assert_allclose(
        median_information_p_value(X, y), mutual_information_p_value(halves, y), atol=1e-12
    )
    assert find_score("infogain1").p_value is median_information_p_value
