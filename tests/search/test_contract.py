"""What every strategy promises, whatever it is: exporting a strategy enrols it here."""

import warnings
from itertools import combinations

import numpy as np
import pytest

import subsel.search  # noqa: F401
from subsel.criteria.traits import Traits
from subsel.engine import run
from subsel.search.registry import SEARCHES, find_search
from subsel.space import Block, Space
from tests.oracles.table import Table, random_table

SPACES = {
    "plain": Space.of(5),
    "bounds": Space.of(6, low=2, high=3),
    "exactly": Space.of(5, low=2, high=2),
    "fixed": Space.of(6, fixed=[1], forbidden=[4], low=2, high=4),
    "groups": Space.of(6, groups=[(0, 1), (3, 4, 5)], low=2, high=5),
    "costs": Space.of(5, costs=[1, 2, 1, 3, 1], max_cost=5),
    "choice": Space((Block(4), Block(3, name="kernel", choice=True))),
}
EXACT = {"exhaustive", "branch-and-bound"}
FINDS = {"exhaustive", "branch-and-bound", "random", "rfs1", "rfs3", "annealing"}  # given time, every subset is reached


class Asked(Table):
    """Records each subset it was asked for, with its option."""

    traits = Traits(
        "table", deterministic=False, relevance=True
    )  # nothing remembered: the evaluator sees every request

    def __init__(self, space, function, monotone=False):
        super().__init__(function, monotone)
        self.space, self.subsets = space, []

    def evaluate(self, candidates):
        self.subsets += list(candidates)
        return super().evaluate(candidates)

    def relevances(self, columns, stream=(0, 0)):
        self.subsets.append(self.space.from_columns(columns))
        return super().relevances(columns, stream)


def play(key, space, function, budget=400, seed=0):
    evaluator = Asked(space, function, monotone=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return run(find_search(key), evaluator, space, budget=budget, seed=seed), evaluator


def bumpy(seed, n=6):
    rng = np.random.default_rng(seed)
    weight, pair = rng.normal(size=n), rng.normal(size=(n, n))
    return lambda s: float(sum(weight[c] for c in s) + sum(pair[a, b] for a, b in combinations(sorted(s), 2)))


@pytest.mark.parametrize("space", SPACES.values(), ids=SPACES.keys())
@pytest.mark.parametrize("key", sorted(SEARCHES))
def test_asks_for_visitable_and_answers_with_eligible_subsets(key, space):
    """Only visitable subsets are asked for, an eligible one is the answer, fixed and forbidden columns are honoured."""
    for seed in range(3):
        result, evaluator = play(key, space, bumpy(seed), seed=seed)
        assert all(space.visitable(s) for s in evaluator.subsets)
        chosen = set(result.chosen.tolist())
        block = space.blocks[0]
        assert space.low <= len(chosen) <= space.high
        assert chosen >= set(block.fixed)
        assert not chosen & set(block.forbidden)
        assert all(chosen >= set(g) or not chosen & set(g) for g in block.groups)
        assert block.max_cost is None or sum(block.costs[c] for c in chosen) <= block.max_cost


@pytest.mark.parametrize("key", sorted(SEARCHES))
def test_respects_the_budget_exactly(key):
    """It ends by itself, or gets exactly as many qualities as it was granted."""
    whole, _ = play(key, Space.of(5), bumpy(0), budget=None)
    assert whole.stopped_by == "search"
    for budget in (1, 5, 17):
        cut, evaluator = play(key, Space.of(5), bumpy(0), budget=budget)
        assert cut.n_evaluations == len(evaluator.subsets) <= budget
        assert cut.n_evaluations == budget or cut.stopped_by == "search"


@pytest.mark.parametrize("key", sorted(SEARCHES))
def test_repeats_under_a_seed(key):
    """The same seed asks for the same subsets in the same order."""
    first, a = play(key, SPACES["bounds"], bumpy(1), seed=5)
    again, b = play(key, SPACES["bounds"], bumpy(1), seed=5)
    assert [s.bits for s in a.subsets] == [s.bits for s in b.subsets]
    assert first.chosen.tolist() == again.chosen.tolist()


@pytest.mark.parametrize("key", sorted(SEARCHES))
def test_a_single_feature_is_no_trouble(key):
    """With one column there is one answer."""
    result, _ = play(key, Space.of(1), lambda s: 0.5)
    assert result.chosen.tolist() == [0]


@pytest.mark.parametrize("key", sorted(SEARCHES))
def test_equal_qualities_do_not_trap_it(key):
    """A constant criterion ends."""
    result, _ = play(key, Space.of(4), lambda s: 1.0, budget=None)
    assert result.stopped_by == "search"


@pytest.mark.parametrize("key", sorted(SEARCHES))
def test_minus_infinity_everywhere_still_gives_an_answer(key):
    """Even if every evaluation fails, an eligible subset comes back."""
    result, _ = play(key, Space.of(4, low=2, high=3), lambda s: -np.inf)
    assert 2 <= len(result.chosen) <= 3


@pytest.mark.parametrize("key", sorted(EXACT))
@pytest.mark.parametrize("seed", range(5))
def test_exact_searches_end_at_the_optimum(key, seed):
    """On a monotone criterion the answer is the best of all eligible subsets."""
    weight = np.random.default_rng(seed).random(6)
    coverage = lambda s: 1 - float(np.prod([1 - weight[c] for c in s]))
    result, _ = play(key, Space.of(6, low=3, high=3), coverage, budget=None)
    best = max((coverage(s), s) for s in combinations(range(6), 3))
    assert result.chosen_quality == pytest.approx(best[0])


@pytest.mark.parametrize("key", sorted(FINDS - EXACT))
def test_ergodic_searches_reach_the_optimum_in_time(key):
    """With many evaluations on 15 subsets the best is among those seen, for each of ten seeds."""
    for seed in range(10):
        table = random_table(4, seed)
        result, _ = play(key, Space.of(4), table.function, budget=2000, seed=seed)
        best = max(table.function(frozenset(s)) for k in range(1, 5) for s in combinations(range(4), k))
        assert result.best_quality == pytest.approx(best), (key, seed, result.stopped_by, result.n_evaluations)
