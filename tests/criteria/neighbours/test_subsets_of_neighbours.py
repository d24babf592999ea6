"""Single subsets of nearest neighbours, whose distances are summed afresh in single
precision, against plain sums.
"""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.criteria.neighbours.neighbour_problems import problems


@given(data=st.data(), size=st.sampled_from([1, 3, 9, 24]))
def test_rough_sums_change_no_vote(data, size):
    """Votes, ties and the k-th distances that weigh them are those of plain sums."""
    nearest, plain, weighed = data.draw(problems(size + 2))
    columns = np.sort(data.draw(st.permutations(range(size + 2)))[:size])
    wanted, distance = plain.subset(columns)
    found = nearest.subset(columns)
    np.testing.assert_allclose(found.votes[:, :, 0], wanted, rtol=1e-9, atol=1e-9)
    assert nearest.n_ties == plain.n_ties
    if weighed:
        np.testing.assert_allclose(found.kth[:, 0], distance, rtol=1e-9)
