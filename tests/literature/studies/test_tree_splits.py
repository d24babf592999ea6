"""Splits of FACT, QUEST and Cal5 against scikit-learn's discriminants, scipy's tests and plain definitions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import chi2_contingency, f_oneway, levene
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis

from subsel.literature.studies import cal5_split, fact_split, quest_split
from subsel.literature.studies.tree_splits import cal5_intervals, cal5_quotient

iris, species = load_iris(return_X_y=True)


def test_fact_takes_the_largest_f_and_cuts_as_linear_discriminants_do():
    """The feature is that of scipy's F; parts are the regions of scikit-learn's classifier on it."""
    split = fact_split(iris, species)
    assert_allclose(split.scores, f_oneway(*(iris[species == c] for c in range(3))).statistic)
    assert split.feature == split.scores.argmax()
    x = iris[:, [split.feature]]
    grid = np.linspace(x.min(), x.max(), 500)[:, None]
    expected = LinearDiscriminantAnalysis().fit(x, species).predict(grid)
    assert_array_equal(split.classes[np.searchsorted(split.cuts, grid[:, 0])], expected)


def test_fact_sees_spread_where_means_are_equal():
    """Two classes of one mean and different spread: the feature is that of Levene's test."""
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    table = rng.normal(size=(200, 3))
    table[:, 2] *= 1 + 4 * y
    table -= np.stack([table[y == c].mean(axis=0) for c in (0, 1)])[y]
    split = fact_split(table, y)
    expected = [
        levene(column[y == 0], column[y == 1], center="mean").statistic for column in table.T
    ]
    assert split.feature == 2
    assert_allclose(split.scores, expected)


def test_quest_compares_p_values_of_both_kinds():
    """Numbers are evaluated by the F test, names by chi-square; a name of fifty values without meaning is not taken."""
    rng = np.random.default_rng(0)
    y = np.arange(150) % 3
    table = np.column_stack(
        [
            rng.integers(50, size=150),
            rng.normal(size=150) + 0.5 * y,
            (y + rng.integers(2, size=150)) % 4,
        ]
    )
    split = quest_split(table, y, nominal=[0, 2])
    counts = [
        np.array(
            [
                [np.sum((table[:, j] == v) & (y == c)) for c in range(3)]
                for v in np.unique(table[:, j])
            ]
        )
        for j in (0, 2)
    ]
    expected = [chi2_contingency(t).pvalue for t in counts]
    assert_allclose(-split.scores[[0, 2]], expected)
    assert -split.scores[1] == pytest.approx(f_oneway(*(table[y == c, 1] for c in range(3))).pvalue)
    assert split.feature == 2 and not len(split.cuts) and len(split.classes) == 4


def test_quest_cuts_where_two_gaussians_are_equally_likely():
    """For two classes the cut is the border of scikit-learn's quadratic discriminant nearest to the lower mean."""
    rng = np.random.default_rng(1)
    y = np.arange(120) % 2
    x = rng.normal(3.0 * y, 1.0 + y)
    split = quest_split(x[:, None], y)
    grid = np.linspace(-1, 4, 20001)
    peer = QuadraticDiscriminantAnalysis().fit(x[:, None], y)

    def biased(c):
        return x[y == c].var(ddof=0)

    peer_scores = [
        np.log(0.5) - np.log(biased(c)) / 2 - (grid - x[y == c].mean()) ** 2 / (2 * biased(c))
        for c in (0, 1)
    ]
    border = grid[np.flatnonzero(np.diff(np.sign(peer_scores[1] - peer_scores[0])))]
    lower = x[y == 0].mean()
    assert split.cuts[0] == pytest.approx(border[np.abs(border - lower).argmin()], abs=1e-3)
    assert np.mean(peer.predict(x[:, None]) == (x > split.cuts[0])) > 0.95


def test_quest_gathers_classes_in_two_and_tests_spread():
    """Three classes, two of them near each other, part once; equal means are parted by spread if at all."""
    split = quest_split(iris, species)
    sides = iris[:, split.feature] > split.cuts[0]
    assert not sides[species == 0].any() and sides[species > 0].all()
    rng = np.random.default_rng(0)
    y = np.arange(300) % 2
    table = rng.normal(size=(300, 2))
    table[:, 1] *= 1 + 3 * y
    table -= np.stack([table[y == c].mean(axis=0) for c in (0, 1)])[y]
    assert quest_split(table, y).feature == 1


def test_cal5_closes_an_interval_as_soon_as_a_class_is_sure():
    """Walking by hand through the sorted values gives the same ends; a mixed stretch has no class."""
    rng = np.random.default_rng(0)
    x = np.arange(120.0)
    y = np.where(x < 40, 0, np.where(x < 80, rng.integers(2, size=120), 1))
    cuts, parts = cal5_intervals(x, y, 0.8, 0.3)
    ends, found, n, k = [], [], 0, 0
    for value, label in zip(x, y, strict=True):
        n, k = n + 1, k + label
        shares = []
        for count in (
            n - k,
            k,
        ):  # the share p whose squared distance to the seen one is p (1 - p) / (doubt n)
            roots = np.roots([0.3 * n + 1, -(2 * 0.3 * count + 1), 0.3 * count**2 / n])
            shares.append((roots.min(), roots.max()))
        sure = [c for c in (0, 1) if shares[c][0] >= 0.8]
        if sure or all(high < 0.8 for _, high in shares):
            ends.append(value)
            found.append(sure[0] if sure else -1)
            n = k = 0
    if n:
        ends.append(x[-1])
        found.append(int(2 * k > n))
    changes = [i for i in range(len(found) - 1) if found[i] != found[i + 1]]
    assert_array_equal(cuts, [ends[i] + 0.5 for i in changes])
    assert_array_equal(parts, [*(found[i] for i in changes), found[-1]])
    assert -1 in parts and parts[0] == 0 and parts[-1] == 1


def test_the_quotient_and_the_split_of_cal5():
    """The quotient is that of centroids and spread; it chooses the feature, and its parts classify."""
    means = np.stack([iris[species == c].mean(axis=0) for c in range(3)])
    within = sum(((iris[species == c] - means[c]) ** 2).sum(axis=0) for c in range(3)) / 150
    between = ((means[[0, 0, 1]] - means[[1, 2, 2]]) ** 2).mean(axis=0)
    assert_allclose(cal5_quotient(iris, species), between / (within + between))
    split = cal5_split(iris, species)
    assert split.feature == cal5_quotient(iris, species).argmax()
    assert (
        np.mean(split.classes[np.searchsorted(split.cuts, iris[:, split.feature])] == species) > 0.9
    )
    assert_array_equal(cal5_quotient(np.ones((4, 1)), [0, 1, 0, 1]), [0.0])
    with pytest.raises(ValueError, match="threshold"):
        cal5_intervals([1.0, 2.0], [0, 1], threshold=0.0)
