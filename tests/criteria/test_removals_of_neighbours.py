"""Many removals of nearest neighbours at once, which share one pass over the rows, against plain sums."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import KFold, LeaveOneOut, ShuffleSplit
from sklearn.neighbors import KNeighborsClassifier

from subsel.criteria import distances
from subsel.criteria.nearest_neighbours import NearestNeighbours
from subsel.space import Space
from subsel.task import Task
from tests.criteria.neighbour_battery import refit

TABLES = {
    "normal": lambda rng, n, p: rng.normal(size=(n, p)),
    "uneven": lambda rng, n, p: rng.normal(size=(n, p)) * np.logspace(-2, 2, p),
    "grid": lambda rng, n, p: rng.integers(0, 3, size=(n, p)).astype(float),
    "fine grid": lambda rng, n, p: rng.integers(0, 30, size=(n, p)) / 10,
    "heavy tails": lambda rng, n, p: rng.standard_cauchy(size=(n, p)),
    "far out": lambda rng, n, p: rng.normal(size=(n, p)) ** 9,
    "twins": lambda rng, n, p: rng.normal(size=(n, p))[rng.integers(0, max(2, n // 2), size=n)],
    "constants": lambda rng, n, p: np.where(np.arange(p) % 3, rng.normal(size=(n, p)), 4.0),
    "alike": lambda rng, n, p: np.repeat(rng.normal(size=(n, 1)), p, axis=1),
    "one far out": lambda rng, n, p: np.where(np.arange(n)[:, None] == 7, 1e7, rng.normal(size=(n, p))),
    "wide columns": lambda rng, n, p: rng.normal(size=(n, p)) * np.where(np.arange(p) % 4 == 1, 1e7, 1.0),
    "wide columns, few values": lambda rng, n, p: rng.integers(0, 4, (n, p)) * np.where(np.arange(p) % 4, 0.1, 1e6),
    "far apart": lambda rng, n, p: rng.normal(size=(n, p)) * np.logspace(-20, 20, p),
}
SPLITTERS = {
    "five": lambda n: KFold(5),
    "alone": lambda n: LeaveOneOut(),
    "unequal": lambda n: ShuffleSplit(2, train_size=0.7, test_size=2, random_state=0),
    "every second": lambda n: [(np.arange(1, n, 2), np.arange(0, n, 2)), (np.arange(0, n, 2), np.arange(1, n, 2))],
}


@given(
    name=st.sampled_from(sorted(TABLES)),
    splitter=st.sampled_from(sorted(SPLITTERS)),
    n=st.sampled_from([12, 40, 64, 65, 150]),
    size=st.sampled_from([3, 9, 17, 34]),
    k=st.sampled_from([1, 2, 5]),
    weights=st.sampled_from(["uniform", "distance"]),
    metric=st.sampled_from(["euclidean", "l1"]),
    scaling=st.sampled_from([None, "standard"]),
    target=st.sampled_from(["two classes", "four classes", "regression"]),
    few=st.booleans(),
    moved=st.integers(0, 2),
    seed=st.integers(0, 2**20),
)
def test_removals_share_a_pass_and_change_no_vote(
    name, splitter, n, size, k, weights, metric, scaling, target, few, moved, seed
):
    """Votes, ties and the k-th distances that weigh them are those of plain sums, wherever the distances stand."""
    rng = np.random.default_rng(seed)
    X = TABLES[name](rng, n, size + 2)[:, rng.permutation(size + 2)]
    y = rng.normal(size=n) if target == "regression" else np.arange(n) % (2 if target == "two classes" else 4)
    task = Task.of(X, y, "regression" if target == "regression" else None)
    criterion = NearestNeighbours(k, weights, metric, SPLITTERS[splitter](n), pooled=True, scaling=scaling)
    nearest, plain = criterion.bind(task).nearest, criterion.bind(task).nearest
    base = np.arange(size)
    removed = base[::-9] if few else base
    nearest.state.move(np.arange(moved, size + moved // 2))  # as many columns away
    found = {column: (votes[:, :, i], kth[:, i]) for which, _, votes, kth in nearest.removals(base, removed)
             for i, column in enumerate(removed[which])}  # fmt: skip
    assert set(found) == set(removed)
    for column in removed:
        votes, kth = plain.plain_subset(np.delete(base, column))
        np.testing.assert_allclose(found[column][0], votes[:, :, 0], rtol=1e-9, atol=1e-9)
        if weights == "distance":
            np.testing.assert_allclose(found[column][1], kth[:, 0], rtol=1e-9)
    assert nearest.n_ties == plain.n_ties


@pytest.mark.parametrize("k", [1, 5])
def test_wide_columns_leave_the_refits_quality(k, monkeypatch):
    """With columns whose range outweighs all others, each removal has the quality of scikit-learn's refit."""
    monkeypatch.setattr(distances, "PLAIN", 0)
    rng = np.random.default_rng(k)
    X = rng.normal(size=(300, 10)) * [1, 1, 1, 1, 1, 1, 1, 3, 9, 27]
    task, space = Task.of(X, X[:, 0] + X[:, 7] / 3 + rng.normal(size=300) > 0), Space.of(10)
    removals = space.removals(space.subset(range(10)))
    wanted = [refit(KNeighborsClassifier(k), task, 5, columns)[0] for columns in removals.columns()]
    np.testing.assert_allclose(NearestNeighbours(k).bind(task).evaluate(removals), wanted, rtol=1e-12)
