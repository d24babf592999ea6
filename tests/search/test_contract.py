"""What every strategy promises, whatever it is: exporting a strategy enrols it here."""

import warnings
from itertools import combinations

import numpy as np
import pytest

from subsel.criteria.traits import Traits
from subsel.engine import run
from subsel.search.registry import SEARCHES, find_search
from subsel.space.space import Space
from subsel.testing import check_search
from subsel.testing.search import SPACES, bumpy
from tests.oracles.table import Table, random_table

EXACT = {"exhaustive", "branch-and-bound"}
FINDS = {
    "exhaustive",
    "branch-and-bound",
    "random",
    "rfs1",
    "rfs3",
    "annealing",
}  # given time, every subset is reached


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


@pytest.mark.parametrize("key", sorted(SEARCHES))
def test_keeps_the_promises_of_a_search(key):
    """In spaces of every kind it passes the checks that we offer to others."""
    check_search(find_search(key))


@pytest.mark.parametrize("name", ["bounds", "fixed", "groups", "costs", "choice"])
@pytest.mark.parametrize("key", sorted(SEARCHES))
def test_the_engine_gives_an_answer_that_respects_every_constraint(key, name):
    """What comes back lies between the bounds, with whole groups, all that is fixed,
    nothing forbidden, and is paid for.
    """
    space = SPACES[name]
    result, _ = play(key, space, bumpy(1), budget=150, seed=1)
    chosen, block = set(result.chosen.tolist()), space.blocks[0]
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
        completed = any(
            "evaluated beyond the budget" in note for note in cut.notes
        )  # where nothing eligible was seen
        assert cut.n_evaluations == len(evaluator.subsets) - completed <= budget
        assert cut.n_evaluations == budget or cut.stopped_by == "search"


@pytest.mark.parametrize("key", sorted(EXACT))
@pytest.mark.parametrize("seed", range(5))
def test_exact_searches_end_at_the_optimum(key, seed):
    """On a monotone criterion the answer is the best of all eligible subsets."""
    weight = np.random.default_rng(seed).random(6)

    def coverage(s):
        return 1 - float(np.prod([1 - weight[c] for c in s]))

    result, _ = play(key, Space.of(6, low=3, high=3), coverage, budget=None)
    best = max((coverage(s), s) for s in combinations(range(6), 3))
    assert result.chosen_quality == pytest.approx(best[0])


@pytest.mark.parametrize("key", sorted(FINDS - EXACT))
def test_ergodic_searches_reach_the_optimum_in_time(key):
    """With many evaluations on 15 subsets the best is among those seen, for each of ten seeds."""
    for seed in range(10):
        table = random_table(4, seed)
        result, _ = play(key, Space.of(4), table.function, budget=2000, seed=seed)
        best = max(
            table.function(frozenset(s)) for k in range(1, 5) for s in combinations(range(4), k)
        )
        assert result.best_quality == pytest.approx(best), (
            key,
            seed,
            result.stopped_by,
            result.n_evaluations,
        )
