"""Information by nearest neighbours is scikit-learn's.

Information under a kernel is its integral.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.special import digamma, xlogy
from scipy.stats import norm
from sklearn.feature_selection import mutual_info_classif, mutual_info_regression
from sklearn.preprocessing import scale

from subsel._loops.statistics.neighbour_information import (
    AHEAD,
    mean_log_of_points_within,
    mean_log_of_points_within_both,
)
from subsel.data.statistics.entropy import entropy
from subsel.ranking.scores.information.neighbour_information import (
    neighbour_information,
    neighbour_information_regression,
)
from subsel.ranking.scores.information.parzen_information import (
    parzen_information,
    quadratic_information,
)


def example(seed, n=80, n_classes=3, kind="normal"):
    """Numbers with 12 rows per class at least.

    Below 2k rows scikit-learn's distances are rounded products.
    """
    rng = np.random.default_rng(seed)
    y = np.concatenate(
        [np.arange(n_classes).repeat(12), rng.integers(0, n_classes, n - 12 * n_classes)]
    )
    X = rng.normal(size=(n, 4)) + np.outer(y, [2, 0.5, 0, 0])
    X = {"normal": X, "tied": X.round(), "skewed": np.exp(3 * X), "far": X + 1e5}[kind]
    X[:, 3] = 1.0
    return X, y


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n_classes=st.integers(2, 5),
    k=st.integers(1, 5),
    kind=st.sampled_from(["normal", "tied", "skewed", "far"]),
)
def test_classes_equal_scikit_learn(seed, n_classes, k, kind):
    """Tied, skewed, far from zero or constant.

    The estimate is mutual_info_classif's for the same seed.
    """
    X, y = example(seed, n_classes=n_classes, kind=kind)
    expected = mutual_info_classif(X, y, n_neighbors=k, random_state=seed)
    assert_allclose(
        neighbour_information(X, y, n_neighbors=k, random_state=seed), expected, atol=1e-10
    )


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    k=st.integers(1, 7),
    kind=st.sampled_from(["normal", "tied", "skewed"]),
)
def test_numbers_equal_scikit_learn(seed, k, kind):
    """For a numeric target the estimate is mutual_info_regression's for the same seed."""
    X, y = example(seed, kind=kind)
    y = X[:, 0] + np.random.default_rng(seed).normal(size=len(y)).round(int(kind == "normal"))
    expected = mutual_info_regression(X, y, n_neighbors=k, random_state=seed)
    found = neighbour_information_regression(X, y, n_neighbors=k, random_state=seed)
    assert_allclose(found, expected, atol=1e-10)


def test_a_class_of_one_row_is_left_out():
    """Rows of singleton classes do not enter, as in scikit-learn."""
    X, y = example(0)
    y[:2] = [7, 8]
    assert_allclose(
        neighbour_information(X, y), mutual_info_classif(X, y, random_state=0), atol=1e-10
    )


@pytest.mark.parametrize("n_classes", [1, 2, 3])
def test_pointers_count_what_all_distances_count(n_classes):
    """Exact ties, without noise: psi of the points strictly nearer, or equal where the radius is
    zero."""
    rng = np.random.default_rng(n_classes)
    by_class = np.sort(rng.integers(0, 12, (5, n_classes, 20)) / 8, axis=2).reshape(5, -1)
    n, k = by_class.shape[1], 3
    ordered = np.pad(np.sort(by_class, axis=1), ((0, 0), (0, AHEAD)), constant_values=np.inf)
    ends = np.arange(1, n_classes + 1) * 20
    psi, means = digamma(np.maximum(np.arange(n + 1), 1)), np.empty(5)
    mean_log_of_points_within(ordered, by_class, ends, np.full(n_classes, k), psi, means)
    for x, mean in zip(by_class, means):
        distance = np.abs(x[:, None] - x)
        own = distance.reshape(n, n_classes, 20)[np.arange(n), np.arange(n) // 20]
        radius = np.nextafter(np.sort(own, axis=1)[:, k], 0)
        assert mean == pytest.approx(
            digamma((distance <= radius[:, None]).sum(axis=1)).mean(), abs=1e-12
        )


def test_plane_search_counts_what_all_distances_count():
    """The outward search finds the k-th neighbour in the larger of both distances, ties or not."""
    rng = np.random.default_rng(0)
    n, k = 50, 3
    x = np.sort(np.vstack([rng.normal(size=(2, n)), rng.integers(0, 9, (2, n))]), axis=1)
    y = np.vstack([rng.normal(size=n), x[1] + 0.1, rng.integers(0, 9, n), rng.integers(0, 3, n)])
    psi = digamma(np.maximum(np.arange(n + 1), 1))
    for points, target in zip(x, y):
        mean = np.empty(1)
        mean_log_of_points_within_both(points[None], target[None], np.sort(target), k, psi, mean)
        gaps = np.abs(points[:, None] - points), np.abs(target[:, None] - target)
        radius = np.nextafter(np.sort(np.maximum(*gaps), axis=1)[:, k], 0)[:, None]
        expected = sum(digamma((gap <= radius).sum(axis=1)).mean() for gap in gaps)
        assert mean[0] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("bandwidth", [0.1, None, 1.0])
def test_quadratic_information_is_an_integral(bandwidth):
    """The pair sum equals the integral of squared differences of window densities."""
    X, y = example(1)
    s = 1.06 * len(y) ** -0.2 if bandwidth is None else bandwidth
    for j, x in enumerate(scale(X, with_mean=False).T):
        grid = np.linspace(x.min() - 8 * s, x.max() + 8 * s, 4001)
        windows = norm.pdf(grid[:, None], x, s) / len(x)
        joint = [windows[:, y == c].sum(axis=1) for c in range(3)]
        apart = [(p - np.mean(y == c) * windows.sum(axis=1)) ** 2 for c, p in enumerate(joint)]
        expected = np.trapezoid(np.sum(apart, axis=0), grid)
        found = quadratic_information(X[:, [j]], y, bandwidth=bandwidth)[0]
        assert found == pytest.approx(expected, rel=1e-6, abs=1e-12)


def test_quadratic_information_of_alike_classes_is_zero():
    """Classes with the same points have nothing to tell apart."""
    X = np.repeat([[0.0], [1.0], [5.0]], 2, axis=0)
    assert_allclose(quadratic_information(X, [0, 1] * 3), 0, atol=1e-15)


@pytest.mark.parametrize("estimate", [neighbour_information, neighbour_information_regression])
def test_too_many_neighbours_are_refused(estimate):
    """More neighbours than other rows is an error that names the bounds."""
    X, y = example(0)
    with pytest.raises(ValueError, match=r"n_neighbors must lie in \[1, 79\], got 80"):
        estimate(X, y, n_neighbors=80)


def test_classes_of_one_row_each_are_refused():
    """Without a class of two rows there is no neighbour to find."""
    with pytest.raises(ValueError, match="class of at least two rows"):
        neighbour_information(np.arange(4.0)[:, None], ["a", "b", "c", "d"], n_neighbors=1)


def test_a_bandwidth_must_be_positive():
    """A width of nothing is an error."""
    with pytest.raises(ValueError, match="bandwidth must be positive, got 0"):
        quadratic_information(*example(0), bandwidth=0)


@pytest.mark.parametrize("bandwidth", [None, 0.2, 1.5])
def test_parzen_information_is_its_definition(bandwidth):
    """Class posteriors under Gaussian windows, row by row.

    A constant column tells exactly nothing.
    """
    X, y = example(3, n=60)
    s = 1.06 * 60**-0.2 if bandwidth is None else bandwidth
    expected = []
    for x in X.T:
        x = x / (x.std() or 1.0)
        kernel = np.exp(-((x[:, None] - x) ** 2) / (2 * s**2))
        posterior = (
            np.stack([kernel[:, y == c].sum(axis=1) for c in range(3)], axis=1)
            / kernel.sum(axis=1)[:, None]
        )
        expected.append(entropy(np.bincount(y)) + np.mean(xlogy(posterior, posterior).sum(axis=1)))
    found = parzen_information(X, y, bandwidth=bandwidth)
    assert_allclose(found, expected, atol=1e-12)
    assert found[3] == 0


def test_parzen_information_approaches_that_of_the_law():
    """Two unit Gaussians 3 apart share 0.759979 bits with their class."""
    rng = np.random.default_rng(0)
    y = np.arange(4000) % 2
    found = parzen_information(rng.normal(size=(4000, 1)) + 3 * y[:, None], y, bandwidth=0.1)
    assert_allclose(found / np.log(2), 0.759979, atol=0.02)
