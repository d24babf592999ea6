"""Many removals of nearest neighbours at once, which share one pass over the rows, against
plain sums.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.neighbors import KNeighborsClassifier

from subsel.criteria.neighbours.nearest_neighbours import NearestNeighbours
from subsel.data.task import Task
from subsel.space.space import Space
from tests.criteria.neighbours.neighbour_battery import refit
from tests.criteria.neighbours.neighbour_problems import problems


@given(
    data=st.data(), size=st.sampled_from([3, 9, 17, 34]), few=st.booleans(), moved=st.integers(0, 2)
)
def test_removals_share_a_pass_and_change_no_vote(data, size, few, moved):
    """Votes, ties and the k-th distances that weigh them are those of plain sums, wherever
    the distances stand.
    """
    nearest, plain, weighed = data.draw(problems(size + 2))
    base = np.arange(size)
    removed = base[::-9] if few else base
    nearest.state.move(np.arange(moved, size + moved // 2))  # as many columns away
    found = {
        column: (block.votes[:, :, i], block.kth[:, i])
        for which, block in nearest.removals(base, removed)
        for i, column in enumerate(removed[which])
    }
    assert set(found) == set(removed)
    for column in removed:
        votes, kth = plain.subset(np.delete(base, column))
        np.testing.assert_allclose(found[column][0], votes, rtol=1e-9, atol=1e-9)
        if weighed:
            np.testing.assert_allclose(found[column][1], kth, rtol=1e-9)
    assert nearest.n_ties == plain.n_ties


@pytest.mark.parametrize("k", [1, 5])
def test_wide_columns_leave_the_refits_quality(k):
    """With columns whose range outweighs all others, each removal has the quality of
    scikit-learn's refit.
    """
    rng = np.random.default_rng(k)
    X = rng.normal(size=(300, 10)) * [1, 1, 1, 1, 1, 1, 1, 3, 9, 27]
    task, space = Task.of(X, X[:, 0] + X[:, 7] / 3 + rng.normal(size=300) > 0), Space.of(10)
    removals = space.removals(space.subset(range(10)))
    wanted = [refit(KNeighborsClassifier(k), task, 5, columns)[0] for columns in removals.columns()]
    np.testing.assert_allclose(
        NearestNeighbours(k).bind(task).evaluate(removals), wanted, rtol=1e-12
    )
