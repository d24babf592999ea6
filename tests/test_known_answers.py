"""Data with known relevant columns: which strategies find them, and why others cannot.

CorrAL: the class is (A0 and A1) or (B0 and B1); a decoy agrees with it in three rows of four. Monks 1: a1 = a2 or a5 = 1;
Monks 3: (a5 = 3 and a4 = 1) or (a5 != 4 and a2 != 3). Parity 5+5: the parity of columns 1, 2, 3, 5 and 7, of which any
four tell nothing, so a search that adds or drops one column at a time from far away has nothing to go by: forward
strategies fail on it by construction; backward ones, those that draw whole subsets, and those that look at all, do not.
"""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from subsel import SubsetSelector
from subsel.criteria import CrossValidated, Inconsistency
from subsel.data.task import Task
from subsel.engine import run
from subsel.search import find_search
from subsel.space.space import Space
from tests.real_tables import real_table

PARITY = [1, 2, 3, 5, 7]


def load(name, part="train"):
    with np.load(real_table(f"{name}.npz")) as file:
        X, y, split, names = (
            file["X"].astype(float),
            file["y"],
            file["split"],
            file["split_names"].tolist(),
        )
    rows = split == names.index(part) if part in names else np.ones(len(y), dtype=bool)
    return X[rows], y[rows]


class Relevant(CrossValidated):
    """A tree wrapper with a small price per column, so that of equal subsets the smaller one wins."""

    def bind(self, task, seed=None):
        evaluator = super().bind(task, seed)
        plain = evaluator.evaluate
        evaluator.evaluate = lambda candidates: plain(candidates) - 1e-4 * candidates.sizes
        return evaluator


TREE = Relevant(DecisionTreeClassifier(random_state=0), cv=5)
BACKWARD = ["sbs", "sbfs", "compound", "rvers"]
RANDOM = ["rfs1", "rmhc", "annealing", "genetic", "umda"]
RESTARTS = {
    "rmhc": 8
}  # a strict climber stops at the first local optimum: several starts make up for it


@pytest.mark.parametrize("key", ["exhaustive", *BACKWARD, *RANDOM])
def test_corral_needs_all_four_columns_together(key):
    """All 32 rows and a tree: looking at all subsets, from above, or by chance finds A0 A1 B0 B1, not the decoy."""
    X, y = load("corral", "test")
    found = SubsetSelector(
        TREE, search=key, budget=400, restarts=RESTARTS.get(key, 1), random_state=0
    ).fit(X, y)
    assert found.get_support(indices=True).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("key", ["sfs"])
def test_corral_misleads_forward_selection(key):
    """The decoy alone is the best single column, so greedy addition starts with it."""
    X, y = load("corral", "test")
    first = SubsetSelector(TREE, search=key, n_features=1).fit(X, y)
    assert first.get_support(indices=True).tolist() == [5]


@pytest.mark.parametrize("key", ["exhaustive", "sffs", *BACKWARD, *RANDOM])
@pytest.mark.parametrize(
    ("problem", "relevant"), [("uci_monks1", [0, 1, 4]), ("uci_monks3", [1, 4])]
)
def test_monks(key, problem, relevant):
    """On the whole space the relevant attributes of Monks 1 come out, and of Monks 3 at least its two main ones."""
    X, y = load(problem, "test")
    selector = SubsetSelector(
        TREE, search=key, budget=400, restarts=RESTARTS.get(key, 1), random_state=0
    ).fit(X, y)
    found = selector.get_support(indices=True).tolist()
    if problem == "uci_monks1":
        assert found == relevant
    else:
        assert set(found) >= set(relevant)
        assert set(found) <= {1, 3, 4}


@pytest.mark.parametrize(
    "key",
    ["exhaustive", "branch-and-bound", "sbs", "sbfs", "compound", "rvers", "rve", "lvf", "random"],
)
def test_parity_is_found_by_those_who_can(key):
    """With the inconsistency rate: from the full set down, or by drawing whole subsets, the five columns come out."""
    X, y = load("parity5_5")
    space = Space.of(10, low=5, high=5) if key in ("branch-and-bound", "rve") else Space.of(10)
    search = find_search(key)

    class Priced:
        def bind(self, task, seed=None):
            evaluator = Inconsistency().bind(task)
            plain = evaluator.evaluate
            price = 0.0 if key in ("lvf", "branch-and-bound", "rvers", "rve") else 1e-4
            evaluator.evaluate = lambda candidates: plain(candidates) - price * candidates.sizes
            return evaluator

    result = run(search, Priced().bind(Task.of(X, y)), space, budget=3000, seed=1)
    assert result.chosen.tolist() == PARITY


@pytest.mark.parametrize("key", ["sfs", "sffs"])
def test_parity_blinds_forward_search(key):
    """No four of the columns tell anything: the first column of a forward search is no better than another."""
    X, y = load("parity5_5")
    evaluator = Inconsistency().bind(Task.of(X, y))
    space = Space.of(10)
    singles = evaluator.evaluate(space.additions(space.empty()))
    assert singles.max() - singles.min() < 0.03
    result = run(find_search(key), evaluator, Space.of(10, low=2, high=2))
    assert result.chosen_quality < -0.4
