"""Markov blankets of sampled networks, and the steps of both algorithms done slowly."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import chi2

from subsel.data.intervals.sparse_codes import coded_table
from subsel.ranking import iamb, koller_sahami
from subsel.ranking.orders.markov_blanket import _conditional, _refined


def network(n, seed=0):
    """Parents 0 and 1, child 2 with the spouse 3, and outside the blanket a grandparent, a
    grandchild and noise."""
    rng = np.random.default_rng(seed)

    def noisy(chance, flip):
        return (rng.random(n) < np.where(chance, 1 - flip, flip)).astype(int)

    grandparent = rng.integers(0, 2, n)
    first, second = noisy(grandparent, 0.15), rng.integers(0, 2, n)
    y = (rng.random(n) < 0.1 + 0.5 * first + 0.3 * second).astype(int)
    spouse = rng.integers(0, 2, n)
    child = (rng.random(n) < 0.1 + 0.45 * y + 0.35 * spouse).astype(int)
    grandchild = noisy(child, 0.2)
    return np.column_stack(
        [first, second, child, spouse, grandparent, grandchild, rng.integers(0, 2, (2, n)).T]
    ), y


def conditional_information(x, y, z):
    """I(x; y | z) in nats by its definition."""
    total = 0.0
    for a, b, c in set(zip(x, y, z)):
        both = np.mean((x == a) & (y == b) & (z == c))
        total += both * np.log(
            both * np.mean(z == c) / (np.mean((x == a) & (z == c)) * np.mean((y == b) & (z == c)))
        )
    return total


@pytest.mark.parametrize("seed", range(4))
def test_the_blanket_of_a_network_is_found(seed):
    """With many rows the set is parents, children and spouses, and it leaves the others nothing to
    tell."""
    X, y = network(20_000, seed)
    assert sorted(iamb(X, y, alpha=1e-3).features) == [0, 1, 2, 3]
    table = coded_table(X, y)
    strata = np.zeros(len(y), dtype=np.int64)
    for j in range(4):
        strata = _refined(strata, X[:, j])
    assert np.all(2 * len(y) * _conditional(table, strata)[4:] < chi2.isf(1e-4, 16))


def test_no_smaller_set_tells_as_much():
    """Of all subsets of the columns, the blanket is the smallest after which no test rejects."""
    X, y = network(8_000, 1)
    table = coded_table(X, y)
    for size in range(5):
        good = []
        for subset in itertools.combinations(range(X.shape[1]), size):
            strata = np.zeros(len(y), dtype=np.int64)
            for j in subset:
                strata = _refined(strata, X[:, j])
            rest = np.delete(_conditional(table, strata), subset)
            if np.all(2 * len(y) * rest < chi2.isf(1e-3, strata.max() + 1)):
                good.append(subset)
        if good:
            break
    assert good == [(0, 1, 2, 3)]


@pytest.mark.parametrize("seed", range(3))
def test_conditional_information_is_its_definition(seed):
    """I(X; Y | strata) equals the sum over triples."""
    X, y = network(80, seed)
    strata = _refined(_refined(np.zeros(80, dtype=np.int64), X[:, 3]), X[:, 5])
    slow = [conditional_information(x, y, strata) for x in X.T]
    assert_allclose(_conditional(coded_table(X, y), strata), slow, atol=1e-12)


def test_noise_alone_has_no_blanket():
    """Nothing is taken where nothing tells, but for the chance that alpha grants each column."""
    rng = np.random.default_rng(0)
    taken = [
        len(iamb(rng.integers(0, 3, (200, 5)), rng.integers(0, 2, 200), alpha=0.001))
        for _ in range(40)
    ]
    assert sum(taken) <= 3


def test_growing_ends_where_strata_get_thin():
    """A feature is not taken on the evidence of cells with fewer than five rows on average."""
    X, y = network(38)
    assert (
        len(iamb(X, y, alpha=1.0)) <= 2
    )  # 38 rows: 2 values, 2 classes, at most one stratum of a pair more


def slow_koller_sahami(X, y, blanket_size):
    """Every blanket and every need anew at every step."""
    left, dropped = list(range(X.shape[1])), []
    nothing = np.zeros(len(y), dtype=int)
    while left:
        needs = []
        for k in left:
            others = [j for j in left if j != k]
            shared = [round(conditional_information(X[:, k], X[:, j], nothing), 10) for j in others]
            blanket = [
                others[i] for i in np.argsort(-np.array(shared), kind="stable")[:blanket_size]
            ]
            strata = (
                np.unique(X[:, blanket], axis=0, return_inverse=True)[1].ravel()
                if blanket
                else nothing
            )
            needs.append(conditional_information(X[:, k], y, strata))
        gone = int(np.argmax(-np.array(needs) >= -min(needs) - 1e-10 * abs(min(needs)) - 1e-13))
        dropped.append((left.pop(gone), needs[gone]))
    return dropped[::-1]


@pytest.mark.parametrize("blanket_size", [1, 2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_koller_sahami_is_its_pseudocode(seed, blanket_size):
    """The path is the reverse of eliminations counted afresh."""
    X, y = network(60, seed)
    X = np.column_stack([X[:, :6], X[:, 0]])
    slow = slow_koller_sahami(X, y, blanket_size)
    path = koller_sahami(X, y, blanket_size=blanket_size)
    assert_array_equal(path.features, [k for k, _ in slow])
    assert_allclose(path.scores, [need for _, need in slow], atol=1e-10)


def test_an_impossible_blanket_is_refused():
    """The message names the size."""
    with pytest.raises(ValueError, match="blanket_size"):
        koller_sahami([[0], [1]], [0, 1], blanket_size=0)


def test_what_later_features_make_needless_is_dropped():
    """A noisy copy of the class comes first and goes again once the two parts of the class are
    taken."""
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 2, (2, 3000))
    y = 2 * a + b
    copy = np.where(rng.random(3000) < 0.85, y, rng.integers(0, 4, 3000))
    X = np.column_stack([copy, a, b, rng.integers(0, 2, 3000)])
    assert iamb(X, y, n_features=1).features.tolist() == [0]
    assert sorted(iamb(X, y).features) == [1, 2]
