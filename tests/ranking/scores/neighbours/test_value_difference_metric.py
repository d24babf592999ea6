"""The value difference metric is the distance of class posteriors, between rows and between
features."""

from importlib import import_module

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.neighbors import KNeighborsClassifier

from subsel.data.statistics import blocks
from subsel.ranking import value_difference
from subsel.ranking.scores.neighbours.value_difference_metric import (
    feature_value_difference,
    value_difference_metric,
)

RNG = np.random.default_rng(5)
N = 60
X = np.column_stack(
    [RNG.integers(0, 4, N), RNG.integers(-3, 3, N), RNG.integers(0, 2, N), RNG.integers(0, 9, N)]
)
X = X.astype(float)
Y = np.array(["a", "b", "c"])[(X[:, 0] + RNG.integers(0, 2, N)).astype(int) % 3]
WEIGHT = RNG.random(N) * 3
HOLES = np.where(RNG.random(X.shape) < 0.15, np.nan, X)


def same(a, b):
    return (a == b) | (np.isnan(a) & np.isnan(b))


def posterior(x, y, value, weight):
    """Class shares of the rows of a value; of all rows where there are none."""
    mass = np.where(same(x, value), weight, 0.0)
    if not mass.sum():
        mass = weight
    return np.array([mass[y == label].sum() for label in np.unique(y)]) / mass.sum()


def by_pairs(X, y, Z, weight):
    """Equation 3.24, a pair of values at a time."""
    squared = np.zeros((len(Z), len(X)))
    for f in range(X.shape[1]):
        asked = [posterior(X[:, f], y, value, weight) for value in Z[:, f]]
        known = [posterior(X[:, f], y, value, weight) for value in X[:, f]]
        squared += [[((a - b) ** 2).sum() for b in known] for a in asked]
    return np.sqrt(squared)


@pytest.mark.parametrize("table", [X, HOLES], ids=["whole", "holes"])
@pytest.mark.parametrize("weight", [None, WEIGHT, np.arange(N) % 3])
def test_distances_are_those_of_the_definition(table, weight):
    """Rows, new rows, unseen and missing values, weights: all are those of pairs of values."""
    Z = np.vstack([table[:7], [[99, 0, 1, np.nan], [np.nan, 77, 1, 2]]])
    plain = np.ones(N) if weight is None else weight
    for asked in (None, Z):
        found = value_difference_metric(table, Y, asked, sample_weight=weight)
        assert_allclose(
            found, by_pairs(table, Y, table if asked is None else asked, plain), atol=1e-14
        )


@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csc_matrix, np.asfortranarray])
def test_storage_and_blocks_change_nothing(form, monkeypatch):
    """Sparse tables, tables by columns, and small blocks give the same distances."""
    rows = value_difference_metric(X, Y, X[::2], numeric=[3], sample_weight=WEIGHT)
    features = feature_value_difference(X, Y, numeric=[3], sample_weight=WEIGHT)
    monkeypatch.setattr(blocks, "BLOCK_CELLS", 700)
    monkeypatch.setattr(
        import_module("subsel.ranking.scores.neighbours.value_difference_metric"),
        "BLOCK_POSTERIORS",
        50,
    )
    assert_allclose(
        value_difference_metric(form(X), Y, form(X[::2]), numeric=[3], sample_weight=WEIGHT),
        rows,
        atol=1e-14,
    )
    assert_allclose(
        feature_value_difference(form(X), Y, numeric=[3], sample_weight=WEIGHT),
        features,
        atol=1e-14,
    )


@pytest.mark.parametrize("table", [X, HOLES], ids=["whole", "holes"])
@pytest.mark.parametrize("weight", [None, WEIGHT])
def test_expected_square_is_the_score(table, weight):
    """Averaged over two rows drawn by weight, the square of a column is the score of contingency
    tables."""
    share = np.full(N, 1 / N) if weight is None else weight / weight.sum()
    scores = value_difference(table, Y, discretise=None, sample_weight=weight)
    squares = [value_difference_metric(x[:, None], Y, sample_weight=weight) ** 2 for x in table.T]
    assert_allclose([share @ square @ share for square in squares], scores, atol=1e-14)
    assert scores.min() > 0.001  # what is compared is not nothing
    idle = np.column_stack([table, np.ones(N)])
    to_idle = feature_value_difference(idle, Y, sample_weight=weight)[-1, :-1]
    assert_allclose(to_idle**2, scores / 2, atol=1e-14)


def test_metric():
    """Symmetric, the triangle holds, 0 where posteriors are equal though values are not, names do
    not matter."""
    distances = value_difference_metric(X, Y)
    assert_array_equal(distances, distances.T)
    assert_array_equal(np.diag(distances), 0)
    assert (distances[:, None] <= distances[:, :, None] + distances[None] + 1e-12).all()
    names = RNG.permutation(20)
    assert_array_equal(
        value_difference_metric(names[X.astype(int)], Y), distances
    )  # negative ones from the end
    twice = np.vstack([X, X + 100])  # every value has a twin of the same posterior
    assert_array_equal(
        value_difference_metric(twice, np.r_[Y, Y])[:N, N:],
        value_difference_metric(twice, np.r_[Y, Y])[:N, :N],
    )


def test_weights_are_repetitions():
    """Whole weights are rows left out or repeated, among numbers too."""
    times = np.arange(N) % 3
    again = np.repeat(np.arange(N), times)
    for numeric in (None, [1, 3]):
        weighted = value_difference_metric(HOLES, Y, numeric=numeric, sample_weight=times)
        repeated = value_difference_metric(HOLES[again], Y[again], HOLES, numeric=numeric)
        assert_allclose(weighted[:, again], repeated, atol=1e-14)
        assert_allclose(
            feature_value_difference(HOLES, Y, numeric=numeric, sample_weight=times),
            feature_value_difference(HOLES[again], Y[again], numeric=numeric),
            atol=1e-14,
        )


def test_numbers_are_interpolated_between_middles_of_bins():
    """Bins [0, 1), [1, 2), ..., the third empty: by hand at the middles, between them, beyond, over
    the gap."""
    x = np.array([0.0, 0.2, 1.0, 1.5, 3.0, 4.0])
    y = np.array([0, 0, 0, 1, 1, 1])
    ones = {
        0.5: 0.0,
        1.5: 0.5,
        3.5: 1.0,
    }  # P(1) at the middles of the bins that hold rows; 4.0 is in the last
    asked = np.array([-5.0, 0.5, 1.0, 1.5, 2.5, 3.5, 9.0])
    expected = np.interp(asked, list(ones), list(ones.values()))
    assert_array_equal(expected, [0, 0, 0.25, 0.5, 0.75, 1, 1])
    found = value_difference_metric(x[:, None], y, asked[:, None], numeric=[0], n_bins=4)
    of_rows = np.interp(x, list(ones), list(ones.values()))
    assert_allclose(found, np.sqrt(2) * np.abs(expected[:, None] - of_rows), atol=1e-14)


def test_bins_are_as_many_as_classes_and_at_least_five():
    """The default number of bins."""
    x, few = RNG.random((200, 1)), RNG.integers(0, 3, 200)
    many = np.arange(200) % 8
    for y, n_bins in ((few, 5), (many, 8)):
        default = value_difference_metric(x, y, numeric=[0])
        assert_array_equal(default, value_difference_metric(x, y, numeric=[0], n_bins=n_bins))
        assert not np.allclose(
            default, value_difference_metric(x, y, numeric=[0], n_bins=n_bins + 1)
        )


def test_missing_and_constant_numbers():
    """Missing numbers have a posterior of their own, that of all rows if none was seen.

    A constant tells nothing.
    """
    x = np.array([[0.0], [1.0], [np.nan], [np.nan]])
    found = value_difference_metric(x, [0, 1, 1, 1], numeric=[0], n_bins=2)
    assert_allclose(found[2], np.sqrt(2) * np.array([1.0, 0, 0, 0]), atol=1e-15)
    unseen = value_difference_metric(x[:2], [0, 1], x[2:], numeric=[0], n_bins=2)
    assert_allclose(unseen, np.sqrt(0.5), atol=1e-15)
    for table in (np.full((4, 1), 3.0), np.full((4, 1), np.nan)):
        for numeric in (None, [0]):
            assert_array_equal(
                value_difference_metric(table, [0, 1, 1, 1], [[8.0], [3.0]], numeric=numeric), 0
            )


def test_distance_of_features_is_that_of_their_profiles():
    """Feature distances by posteriors of every row; 0 for copies under other names."""
    table = np.column_stack([HOLES, 7 - 2 * HOLES[:, 0]])
    found = feature_value_difference(table, Y, sample_weight=WEIGHT)
    profiles = np.array([[posterior(x, Y, value, WEIGHT) for value in x] for x in table.T])
    squared = ((profiles[:, None] - profiles[None]) ** 2).sum(axis=3) @ WEIGHT / WEIGHT.sum()
    assert_allclose(found, np.sqrt(squared), atol=1e-14)
    assert found[0, -1] < 1e-15 and np.sort(found[np.triu_indices(5, 1)])[1] > 0.05


def test_neighbours_by_the_metric():
    """Nearest neighbours take the distances: names that only classes order are told apart."""
    names = np.arange(300) % 30
    y = np.random.default_rng(0).permutation(30)[names] % 2
    x = np.column_stack([names, np.random.default_rng(1).integers(0, 3, 300)])
    train, test = np.arange(200), np.arange(200, 300)
    knn = KNeighborsClassifier(5, metric="precomputed").fit(
        value_difference_metric(x[train], y[train]), y[train]
    )
    assert knn.score(value_difference_metric(x[train], y[train], x[test]), y[test]) == 1.0


def test_refusals():
    """Messages name the argument and the value."""
    with pytest.raises(ValueError, match="Z must have the 4 features of X, got 3"):
        value_difference_metric(X, Y, X[:, :3])
    with pytest.raises(
        ValueError, match=r"numeric must hold feature indices in \[0, 3\], got \[4\]"
    ):
        value_difference_metric(X, Y, numeric=[4])
    with pytest.raises(ValueError, match="n_bins must be at least 1, got 0"):
        value_difference_metric(X, Y, numeric=[0], n_bins=0)
    with pytest.raises(ValueError, match="n_bins must be at least 1, got 0"):
        feature_value_difference(X, Y, numeric=[0], n_bins=0)
