"""Splicing: no exchange of one unit improves its answer; small problems are solved."""

from itertools import combinations

import numpy as np
import pytest

from subsel import SubsetSelector
from subsel.criteria import LeastSquares
from subsel.space.space import Space
from tests.oracles.driving import drive, random_qualities

BIC = LeastSquares(alpha=0.0, criterion="bic")


def correlated(seed, n=60, p=12, n_true=4):
    """A table of correlated columns and a target that some of them make."""
    rng = np.random.default_rng(seed)
    mix = rng.standard_normal((p, p)) + 1.5 * np.eye(p)
    X = rng.standard_normal((n, p)) @ mix
    true = rng.choice(p, n_true, replace=False)
    signal = X[:, true] @ rng.choice([-1.0, 1.0], n_true)
    return X, signal + signal.std() * rng.standard_normal(n)


def bic(X, y, columns):
    """Minus BIC of least squares with an intercept, from the textbook."""
    A = np.column_stack([np.ones(len(y)), X[:, list(columns)]])
    left = y - A @ np.linalg.lstsq(A, y, rcond=None)[0]
    n = len(y)
    return -(n * (np.log(2 * np.pi * (left @ left) / n) + 1) + np.log(n) * A.shape[1])


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7])
@pytest.mark.parametrize("seed", range(5))
def test_no_exchange_of_one_unit_helps(seed, size):
    """By brute force, no exchange of a selected column with another is better."""
    X, y = correlated(seed, p=14)
    found = SubsetSelector(BIC, search="splicing", n_features=size).fit(X, y).result_.chosen
    others = set(range(14)) - set(found)
    best = bic(X, y, found)
    for out in found:
        for into in others:
            assert bic(X, y, {*found, into} - {out}) <= best + 1e-8


def test_small_problems_are_solved_as_by_trying_all():
    """Of 100 problems of up to 14 columns at least 95 have the subset of an exhaustive search."""
    alike = 0
    for seed in range(100):
        p = 8 + seed % 7
        X, y = correlated(seed, n=40 + seed % 30, p=p)
        size = 2 + seed % 4
        every = max(combinations(range(p), size), key=lambda columns: bic(X, y, columns))
        found = SubsetSelector(BIC, search="splicing", n_features=size).fit(X, y).result_.chosen
        alike += tuple(found) == every
    assert alike >= 95


def test_it_is_nowhere_worse_than_forward_selection():
    """At each size the best subset is at least as good as that of forward selection."""
    for seed in range(10):
        X, y = correlated(seed, p=12)
        sizes = {}
        for search in ("sfs", "splicing"):
            front = SubsetSelector(BIC, search=search, n_features=(1, 8)).fit(X, y).result_.front
            sizes[search] = {found.size: found.quality for found in front}
        for size in sizes["sfs"].keys() & sizes["splicing"].keys():
            assert sizes["splicing"][size] >= sizes["sfs"][size] - 1e-8


@pytest.mark.parametrize(
    "space",
    [
        Space.of(6, low=2, high=4),
        Space.of(7, low=1, high=5, fixed=(2,), forbidden=(4,)),
        Space.of(7, low=2, high=5, groups=[(0, 1), (2, 3, 4), (5,), (6,)]),
        Space.of(4, low=1, high=4),
    ],
    ids=["bounds", "fixed and forbidden", "groups", "to all"],
)
@pytest.mark.parametrize("seed", range(4))
def test_on_a_table_of_random_qualities(space, seed):
    """It ends by itself, asks for visitable subsets only, and ends at a local optimum."""
    quality = random_qualities(seed)
    record = drive(find(), quality, space, limit=20_000)
    assert all(space.visitable(subset) for subset in record.asked)
    eligible = [subset for subset in record.asked if space.eligible(subset)]
    best = max(eligible, key=quality)
    swaps = [s for s in space.swaps(best) if s.size == best.size and space.eligible(s)]
    assert all(quality(s) <= quality(best) for s in swaps)


def find():
    from subsel.search import Splicing

    return Splicing()
