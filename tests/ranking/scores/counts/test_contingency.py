"""Scores of contingency tables against scipy, against the formulas cell by cell, and against each
other."""

import inspect
import itertools
from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.stats import chi2_contingency, pearsonr

from subsel.data.intervals.equal import EqualFrequency
from subsel.data.intervals.mdl import MDL
from subsel.ranking.laws import contingency_table
from subsel.ranking.laws import ties as tied_law
from subsel.ranking.registry import find_score
from subsel.ranking.scores.counts.class_divergence import class_divergence, weight_of_evidence
from subsel.ranking.scores.counts.contingency import (
    chi_square,
    chi_square_p_value,
    g_statistic,
    g_statistic_p_value,
)
from subsel.ranking.scores.counts.gini import (
    gini,
    goodman_kruskal,
    goodman_kruskal_p_value,
    value_difference,
)
from subsel.ranking.scores.counts.kolmogorov_dependence import kolmogorov_dependence
from subsel.ranking.scores.counts.matusita import (
    bhattacharyya,
    freeman_tukey_p_value,
    jeffreys_matusita,
)
from subsel.ranking.scores.counts.presence import (
    frequency_difference,
    presence_divergence,
    presence_predictive_value,
    presence_rates,
    presence_sensitivity,
)
from subsel.ranking.scores.information.mutual_information import mutual_information

SCORES = [
    bhattacharyya,
    chi_square,
    class_divergence,
    g_statistic,
    gini,
    goodman_kruskal,
    jeffreys_matusita,
    kolmogorov_dependence,
    value_difference,
    weight_of_evidence,
    presence_predictive_value,
    presence_sensitivity,
    frequency_difference,
]
# The three tables that Duch (2006) compares indices on, classes in rows, times 100.
THREE = [[[50, 0], [25, 25]], [[45, 5], [20, 30]], [[41, 9], [10, 40]]]


def rows_of(table):
    """X of one column and y whose contingency table, classes in rows, is the one given."""
    label, value = np.nonzero(table)
    times = np.asarray(table)[label, value]
    return np.repeat(value, times)[:, None].astype(float), np.repeat(label, times)


def example(seed, n=50, p=6, n_classes=3):
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)])
    X = rng.integers(0, [2, 3, 4, 5, 2, 1], size=(n, p)).astype(float)
    X[:, 4] = y == 0
    return X, y


def probabilities(x, y):
    """Joint probabilities, values in rows, with both margins."""
    P = np.array([[np.mean((x == a) & (y == c)) for c in np.unique(y)] for a in np.unique(x)])
    return P, P.sum(axis=1), P.sum(axis=0)


@contextmanager
def large_samples():
    """Leave small tables to the law of large samples (their exact one is in test_tied_law, random
    ones in test_sequential)."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tied_law, "OUTCOMES", 0.5)
        patch.setattr(tied_law, "OUTCOMES_OF_TWO", 0.5)
        patch.setattr(contingency_table, "LARGEST_CHECKED", -1.0)
        yield


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6), n_classes=st.integers(2, 4))
@pytest.mark.parametrize(
    ("statistic", "p_value", "lambda_"),
    [
        (chi_square, chi_square_p_value, "pearson"),
        (g_statistic, g_statistic_p_value, "log-likelihood"),
    ],
)
def test_statistics_and_p_values_are_scipys(statistic, p_value, lambda_, seed, n_classes):
    """Chi-square and G agree with scipy's contingency tests, statistic and p-value where tables are
    not enumerated."""
    X, y = example(seed, n_classes=n_classes)
    with large_samples():
        found, p = statistic(X, y), p_value(X, y)
    for j in range(X.shape[1]):
        table = probabilities(X[:, j], y)[0] * len(y)
        expected = chi2_contingency(table, correction=False, lambda_=lambda_)
        assert found[j] == pytest.approx(expected.statistic, rel=1e-10, abs=1e-12)
        assert p[j] == pytest.approx(expected.pvalue, rel=1e-8, abs=1e-300)


@pytest.mark.parametrize("table", [[[30, 10], [15, 45]], [[5, 9, 2], [7, 3, 8], [1, 4, 6]]])
def test_matusita_has_the_law_of_freeman_and_tukey(table):
    """4 n D_JM is scipy's Freeman-Tukey statistic where no cell is empty, as is the p-value."""
    X, y = rows_of(table)
    expected = chi2_contingency(table, correction=False, lambda_="freeman-tukey")
    for distance in (jeffreys_matusita(X, y), 2 * (1 - np.exp(-bhattacharyya(X, y)))):
        assert_allclose(4 * len(y) * distance, expected.statistic)
    with large_samples():
        assert_allclose(freeman_tukey_p_value(X, y), expected.pvalue)


def test_the_numbers_of_the_specification():
    """chi-square, G and the indices of three tables are the figures printed."""
    assert_allclose(chi_square(*rows_of([[30, 10], [15, 45]])), 24.2424, atol=5e-5)
    assert_allclose(g_statistic(*rows_of([[30, 10], [15, 45]])), 25.1607, atol=5e-5)
    for index, expected in (
        (gini, [0.6667, 0.6374, 0.6923]),
        (jeffreys_matusita, [0.1680, 0.0799, 0.1109]),
    ):
        assert_allclose([index(*rows_of(t))[0] for t in THREE], expected, atol=5e-5)


def test_chi_square_of_two_binary_columns_is_n_times_squared_correlation():
    """For a table of two by two, chi-square is n rho squared."""
    x, y = np.random.default_rng(3).integers(0, 2, (2, 60))
    assert_allclose(chi_square(x[:, None], y), 60 * pearsonr(x, y)[0] ** 2)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6), n_classes=st.integers(2, 4))
def test_indices_are_their_formulas_cell_by_cell(seed, n_classes):
    """Every index of probabilities equals its formula written out over cells."""
    X, y = example(seed, n_classes=n_classes)
    for j in range(X.shape[1]):
        P, px, py = probabilities(X[:, j], y)
        independent, posterior = np.outer(px, py), P / px[:, None]
        affinity = np.sqrt(P * independent).sum()
        x = X[:, [j]]
        assert_allclose(kolmogorov_dependence(x, y), np.abs(P - independent).sum(), atol=1e-12)
        assert_allclose(gini(x, y), (px[:, None] * posterior**2).sum())
        assert_allclose(jeffreys_matusita(x, y), 2 * (1 - affinity), atol=1e-12)
        assert_allclose(bhattacharyya(x, y), -np.log(affinity), atol=1e-12)
        tau = ((px[:, None] * posterior**2).sum() - (py**2).sum()) / (1 - (py**2).sum())
        assert_allclose(goodman_kruskal(x, y), tau, atol=1e-12)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6), n_classes=st.integers(2, 4), smoothing=st.floats(0.1, 3))
def test_smoothed_indices_are_their_formulas(seed, n_classes, smoothing):
    """Weight of evidence and class divergence equal sums over classes, values and pairs."""
    X, y = example(seed, n_classes=n_classes)
    for j in range(X.shape[1]):
        P, px, py = probabilities(X[:, j], y)
        n = len(y)
        evidence = 0.0
        for i, c in np.ndindex(*P.shape):
            posterior = (n * P[i, c] + smoothing * py[c]) / (n * px[i] + smoothing)
            ratio = posterior / (1 - posterior) / (py[c] / (1 - py[c]))
            evidence += py[c] * px[i] * abs(np.log(ratio))
        assert_allclose(weight_of_evidence(X[:, [j]], y, smoothing=smoothing), evidence, atol=1e-12)
        law = (n * P + smoothing) / (n * P + smoothing).sum(axis=0)
        pairs = [
            (law[:, a] - law[:, b]) @ np.log(law[:, a] / law[:, b])
            for a, b in itertools.combinations(range(n_classes), 2)
        ]
        assert_allclose(
            class_divergence(X[:, [j]], y, smoothing=smoothing), np.mean(pairs), atol=1e-12
        )


def test_evidence_of_two_classes_weighs_both_alike():
    """With two classes both inner sums are equal, so the sum without class weights is twice that
    with them."""
    X, y = example(0, n_classes=2)
    assert_allclose(
        weight_of_evidence(X, y, class_weighted=False), 2 * weight_of_evidence(X, y), atol=1e-12
    )


def test_value_difference_is_the_mean_over_pairs_of_rows():
    """The score is the squared value difference averaged over all ordered pairs of rows."""
    X, y = example(5)
    for j in range(X.shape[1]):
        x = X[:, j]
        profile = np.array([[np.mean(y[x == a] == c) for c in range(3)] for a in x])
        mean = ((profile[:, None] - profile[None]) ** 2).sum(axis=2).mean()
        assert_allclose(value_difference(X[:, [j]], y), mean, atol=1e-12)


def test_kolmogorov_is_bounded_and_attains_its_bound():
    """Scaled dependence lies in [0, 1], and is 1 where the column decides the class."""
    X, y = example(2)
    X[:, 0] = y
    scaled = kolmogorov_dependence(X, y, scaled=True)
    assert scaled[0] == pytest.approx(1) and scaled[5] == 0
    assert ((scaled >= 0) & (scaled <= 1 + 1e-12)).all()


def test_kolmogorov_with_equal_priors_is_relevance_of_the_bayes_rule():
    """For two classes of equal size D_K is (accuracy of the majority per value - 1/2) / (1/2)."""
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 4, 40), np.arange(40) % 2
    accuracy = sum(np.bincount(y[x == a]).max() for a in np.unique(x)) / 40
    assert_allclose(kolmogorov_dependence(x[:, None], y), 2 * accuracy - 1)


@given(seed=st.integers(0, 10**6))
@settings(max_examples=20, deadline=None)
def test_matusita_is_bounded_by_information(seed):
    """D_JM <= 2 (1 - exp(-I/2)) holds on every table."""
    X, y = example(seed)
    bound = 2 * (1 - np.exp(-mutual_information(X, y) / 2))
    assert (jeffreys_matusita(X, y) <= bound + 1e-12).all()


def test_p_values_of_noise_are_uniform():
    """On independent columns about a tenth of the p-values lie below 0.1, for each law."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, (300, 1000)).astype(float), np.arange(300) % 3
    for p_value in (
        chi_square_p_value,
        g_statistic_p_value,
        freeman_tukey_p_value,
        goodman_kruskal_p_value,
    ):
        assert np.mean(p_value(X, y) < 0.1) == pytest.approx(0.1, abs=0.03)


@pytest.mark.parametrize("statistic", SCORES, ids=lambda f: f.__name__)
@given(order=st.permutations(range(6)))
@settings(max_examples=5, deadline=None)
def test_scores_follow_their_columns(statistic, order):
    """Permuting the columns permutes the scores and nothing else."""
    X, y = example(7)
    assert_allclose(statistic(X[:, order], y), statistic(X, y)[list(order)], atol=1e-14)


@pytest.mark.parametrize("statistic", SCORES, ids=lambda f: f.__name__)
def test_sparse_scores_are_dense_scores(statistic):
    """A sparse table of any format, float32 or integers, scores as the same table does dense."""
    X, y = example(8)
    expected = statistic(X, y)
    for form in (sparse.csc_array, sparse.csr_array, sparse.coo_array, sparse.csc_matrix):
        assert_allclose(statistic(form(X), y), expected, rtol=1e-12)
    assert_allclose(statistic(X.astype(np.float32), y), expected, rtol=1e-12)
    assert_allclose(statistic(X.astype(np.int8), y), expected, rtol=1e-12)


@pytest.mark.parametrize("statistic", SCORES[:10], ids=lambda f: f.__name__)
def test_scores_do_not_care_for_names(statistic):
    """Renaming values and classes changes no score of nominal columns."""
    X, y = example(9)
    renamed = np.array(["c", "a", "b"])[y]
    assert_allclose(statistic(7 - X**2, renamed), statistic(X, y), atol=1e-12)


@pytest.mark.parametrize("statistic", SCORES[:10], ids=lambda f: f.__name__)
def test_missing_is_a_value_of_its_own(statistic):
    """NaN scores as one more value does."""
    X, y = example(4)
    X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    assert_allclose(statistic(X, y), statistic(np.where(np.isnan(X), 9, X), y), atol=1e-12)


def test_missing_is_not_present():
    """Presence scores take NaN for absent."""
    X, y = example(4, n_classes=2)
    X[:9, 0] = np.nan
    for statistic in (*SCORES[10:], presence_divergence):
        assert_allclose(statistic(X, y), statistic(np.nan_to_num(X), y))


def test_published_names_lead_to_one_function():
    """The Bayesian measure, Vajda's entropy and the Gini index are one entry of the table of
    scores."""
    assert find_score("bayesian-measure") is find_score("vajda") is find_score("gini")
    assert find_score("chi-square").p_value is chi_square_p_value


def test_numbers_can_be_made_discrete_by_a_discretiser():
    """``discretise`` gives the score of the codes that the discretiser makes, also for sparse
    tables."""
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    X = rng.normal(size=(60, 4)) * (rng.random((60, 4)) < 0.7) + np.outer(y, [1, 0, 0, 0])
    X[3, 1] = np.nan
    for discretiser in (EqualFrequency(4), MDL()):
        codes = discretiser.fit_transform(X, y)
        assert_allclose(
            chi_square(X, y, discretise=discretiser),
            chi_square(codes, y, discretise=None),
            atol=1e-12,
        )
    full = np.nan_to_num(X)
    assert_allclose(
        chi_square(sparse.csc_array(full), y, discretise=MDL()),
        chi_square(full, y, discretise=MDL()),
    )


def test_signatures_show_what_is_taken():
    """The face of a statistic shows X, y, its own parameters and the shared ones, and takes no
    others."""
    assert str(inspect.signature(weight_of_evidence)).startswith("(X, y, *, smoothing")
    assert [*inspect.signature(chi_square).parameters] == ["X", "y", "discretise", "sample_weight"]
    assert [*inspect.signature(presence_sensitivity).parameters] == ["X", "y", "sample_weight"]
    for statistic, unknown in ((presence_sensitivity, "discretise"), (chi_square, "bins")):
        with pytest.raises(TypeError, match=unknown):
            statistic(*example(0), **{unknown: None})


def test_one_class_is_refused():
    """A target of one class is an error."""
    with pytest.raises(ValueError, match="at least two classes"):
        chi_square(np.zeros((3, 1)), np.zeros(3))


@pytest.mark.parametrize("statistic", [weight_of_evidence, class_divergence])
def test_smoothing_must_be_positive(statistic):
    """No smoothing would make empty cells infinite: an error."""
    with pytest.raises(ValueError, match="smoothing must be positive, got 0"):
        statistic(*example(0), smoothing=0)


def test_presence_scores_are_their_definitions():
    """Rates of presence, their divergence and their difference agree with loops over rows."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, (40, 5)) * (rng.random((40, 5)) < 0.5), np.arange(40) % 2
    B = X != 0
    ppv, sensitivity = presence_rates(sparse.csr_array(X.astype(float)), y)
    for j in range(5):
        inside = [B[y == c, j].sum() for c in (0, 1)]
        assert_allclose(ppv[j], np.array(inside) / B[:, j].sum())
        assert_allclose(sensitivity[j], np.array(inside) / 20)
        q, p = ((k + 0.5) / 21 for k in inside)
        assert_allclose(presence_divergence(X[:, [j]], y), (p - q) * np.log(p / q))
        assert_allclose(frequency_difference(X[:, [j]], y), abs(inside[0] - inside[1]) / 20)


def test_presence_of_three_classes_has_no_divergence():
    """A score for two classes says so when there are three."""
    with pytest.raises(ValueError, match="defined for 2 classes, y holds 3"):
        presence_divergence(*example(0))
