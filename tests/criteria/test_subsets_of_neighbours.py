"""Single subsets of nearest neighbours, whose distances are summed afresh in single precision, against plain sums."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from subsel.criteria.nearest_neighbours import NearestNeighbours
from subsel.task import Task
from tests.criteria.test_removals_of_neighbours import SPLITTERS, TABLES


@given(
    name=st.sampled_from(sorted(TABLES)),
    splitter=st.sampled_from(sorted(SPLITTERS)),
    n=st.sampled_from([12, 40, 64, 65, 150]),
    size=st.sampled_from([1, 3, 9, 24]),
    k=st.sampled_from([1, 2, 5]),
    weights=st.sampled_from(["uniform", "distance"]),
    metric=st.sampled_from(["euclidean", "l1"]),
    scaling=st.sampled_from([None, "standard"]),
    target=st.sampled_from(["two classes", "four classes", "regression"]),
    seed=st.integers(0, 2**20),
)
def test_rough_sums_change_no_vote(name, splitter, n, size, k, weights, metric, scaling, target, seed):
    """Votes, ties and the k-th distances that weigh them are those of plain sums."""
    rng = np.random.default_rng(seed)
    X = TABLES[name](rng, n, size + 2)[:, rng.permutation(size + 2)]
    y = rng.normal(size=n) if target == "regression" else np.arange(n) % (2 if target == "two classes" else 4)
    task = Task.of(X, y, "regression" if target == "regression" else None)
    nearest = (
        NearestNeighbours(k, weights, metric, SPLITTERS[splitter](n), pooled=True, scaling=scaling).bind(task).nearest
    )
    columns = np.sort(rng.choice(size + 2, size, replace=False))
    wanted, distance = nearest.plain_subset(columns)
    n_ties = nearest.n_ties
    votes, kth = nearest.subset(columns)
    np.testing.assert_allclose(votes, wanted, rtol=1e-9, atol=1e-9)
    assert nearest.n_ties == 2 * n_ties
    if weights == "distance":
        np.testing.assert_allclose(kth, distance, rtol=1e-9)
