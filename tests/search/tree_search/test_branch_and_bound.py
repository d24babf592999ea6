"""Branch and bound."""

from itertools import combinations
from math import comb

import numpy as np
import pytest

from subsel.search.tree_search.branch_and_bound import BranchAndBound
from subsel.search.tree_search.exhaustive import Exhaustive
from subsel.space.space import Space
from subsel.testing.search import SPACES
from tests.oracles.sequential import drive, everything

N = 7


def coverage(rng):
    """How much weight the sets of the chosen columns cover: monotone, with overlaps."""
    covers, weight = rng.random((N, 12)) < 0.3, rng.random(12)
    return lambda s: round(float(weight[covers[sorted(s)].any(axis=0)].sum()), 10)


def consistency(rng):
    """Minus the inconsistency count of book-01 F27.

    Rows that disagree with the majority of their equals.
    """
    X, y = rng.integers(0, 2, (40, N)), rng.integers(0, 2, 40)

    def quality(s):
        groups: dict[bytes, list[int]] = {}
        for row, label in zip(X[:, sorted(s)], y):
            groups.setdefault(row.tobytes(), []).append(label)
        return -float(sum(len(g) - max(sum(g), len(g) - sum(g)) for g in groups.values()))

    return quality


def least_squares(rng):
    """Minus the residual sum of squares of a linear fit."""
    X = rng.normal(size=(15, N))
    y = X @ rng.normal(size=N) + X[:, 0] * X[:, 1] + rng.normal(size=15)

    def quality(s):
        A = X[:, sorted(s)]
        return round(-float(((y - A @ np.linalg.lstsq(A, y, rcond=None)[0]) ** 2).sum()), 8)

    return quality


@pytest.mark.parametrize("criterion", [coverage, consistency, least_squares])
@pytest.mark.parametrize("d", [1, 2, 4, 6, 7])
def test_equals_exhaustive_search_for_monotone_criteria(criterion, d):
    """The best subset of size d is found, with its quality, whatever the monotone criterion."""
    for seed in range(6):
        f = criterion(np.random.default_rng(seed))
        asked = drive(BranchAndBound(), Space.of(N, low=d, high=d), f)[1]
        assert max(f(s) for s in asked if len(s) == d) == max(map(f, everything(N, d, d)))


@pytest.mark.parametrize("criterion", [coverage, least_squares])
def test_bounds_instead_of_a_size(criterion):
    """Between two sizes the optimum has the quality of the best of the greater size."""
    for seed in range(6):
        f = criterion(np.random.default_rng(seed))
        asked = drive(BranchAndBound(), Space.of(N, low=2, high=4), f)[1]
        assert max(f(s) for s in asked if len(s) in (2, 3, 4)) == max(map(f, everything(N, 2, 4)))


@pytest.mark.parametrize("criterion", [coverage, consistency, least_squares])
@pytest.mark.parametrize("d", [1, 3, 5])
def test_no_subset_below_the_size_and_none_twice(criterion, d):
    """After the forward selection that seeds it, it asks only for subsets of size d or
    more, each at most once.
    """
    seeding = d * (2 * N - d + 1) // 2
    for seed in range(6):
        asked = drive(
            BranchAndBound(), Space.of(N, low=d, high=d), criterion(np.random.default_rng(seed))
        )[1]
        assert len(set(asked[seeding:])) == len(asked[seeding:])
        assert all(d <= len(s) < N for s in asked[seeding:])


def test_even_without_any_pruning_no_subset_comes_twice():
    """On a criterion that is not monotone, and prunes nothing, at most all subsets of size
    d or more are asked for.
    """
    for seed in range(5):
        noise = np.random.default_rng(seed).random(2**N)

        def f(s, noise=noise):
            return 10.0 * (len(s) > 3) + noise[sum(1 << c for c in s)]

        asked = drive(BranchAndBound(), Space.of(N, low=3, high=3), f)[1][3 * (2 * N - 2) // 2 :]
        assert len(set(asked)) == len(asked) <= sum(comb(N, k) for k in range(3, N + 1))
        assert sum(len(s) == 3 for s in asked) > 5


@pytest.mark.parametrize("criterion", [coverage, least_squares])
def test_nothing_below_a_subset_that_is_no_better_than_the_answer(criterion):
    """No removal is tried from a subset whose quality the best answer known by then already has."""
    space = Space.of(N, low=3, high=3)
    for seed in range(20):
        f = criterion(np.random.default_rng(seed))
        requests, _, _ = drive(BranchAndBound(), space, f)
        best = -np.inf
        for number, request in enumerate(requests):
            base = getattr(request, "base", None)
            if (
                number > 3 and base is not None
            ):  # three requests of forward selection, then the root
                assert f(frozenset(space.columns(base).tolist())) > best
            best = max(
                [best, *(f(frozenset(space.columns(s).tolist())) for s in request if s.size == 3)]
            )


def test_it_prunes():
    """Where a few features carry everything, most subsets are never asked for."""
    weight = np.array([64.0, 32, 16, 8, 4, 2, 1, 0.5, 0.25, 0.1, 0.05, 0.02])

    def f(s):
        return float(weight[sorted(s)].sum())

    asked = drive(BranchAndBound(), Space.of(12, low=6, high=6), f)[1]
    assert len(asked) < comb(12, 6) / 4


def test_groups_costs_and_choices():
    """With groups of unequal width, prices or a choice it still equals exhaustive search on
    monotone criteria.
    """
    for name in ("groups", "dead ends", "costs", "tight costs", "fixed", "choice, exactly"):
        space = SPACES[name]
        for seed in range(5):
            f = coverage(np.random.default_rng(seed))
            ends = []
            for search in (BranchAndBound(), Exhaustive()):
                requests, asked, _ = drive(search, space, f)
                subsets = [s for request in requests for s in request]
                ends.append(max(f(c) for s, c in zip(subsets, asked) if space.eligible(s)))
            assert ends[0] == ends[1], name


def test_the_full_set_is_the_answer_where_it_may_be():
    """Without bounds a monotone criterion needs no branching.

    The full set is asked for and the search ends.
    """
    asked = drive(BranchAndBound(), Space.of(5), len)[1]
    assert frozenset(range(5)) in asked
    assert len(asked) <= 5 * 6 // 2 + 1


def test_it_says_that_it_needs_a_monotone_criterion():
    """The engine can read from the class that the answer is exact for monotone criteria only."""
    assert BranchAndBound.needs_monotone is True
    assert BranchAndBound().needs_monotone is True


def test_the_criteria_of_these_tests_are_monotone():
    """Adding a column never lowers coverage, consistency or the fit."""
    for criterion in (coverage, consistency, least_squares):
        f = criterion(np.random.default_rng(0))
        for k in range(1, N):
            for s in combinations(range(N), k):
                assert all(f(frozenset(s) | {c}) >= f(frozenset(s)) for c in range(N))
