"""Pattern search: uphill only, to a point that no step of the stencil improves."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import cross_val_score
from sklearn.svm import SVC

from subsel.literature.models import pattern_search


@pytest.mark.parametrize("corners", [False, True])
def test_it_ends_where_no_step_helps(corners):
    """Scores increase with every move, and no point is scored twice.

    The last stencil around the result has no better point.
    """
    asked = []

    def score(point):
        asked.append(tuple(point))
        return -abs(point[0] - 2.3) - (point[1] - 0.6 * point[0]) ** 2

    found = pattern_search(score, [-5.0, 4.0], step=2.0, least_step=0.125, corners=corners)
    assert len(asked) == len(set(asked)) == found.n_scored
    assert found.score == max(map(score, list(asked)))
    steps = 0.125 * np.vstack([np.eye(2), -np.eye(2)])
    assert max(score(found.point + step) for step in steps) <= found.score


def test_the_budget_and_steps_are_kept():
    """It stops at a number of points; each axis has its own step."""
    found = pattern_search(lambda p: p.sum(), [0.0, 0.0], step=[1.0, 3.0], max_points=7)
    assert found.n_scored == 7
    assert found.point[1] % 3 == 0 and found.point[0] % 1 == 0
    with pytest.raises(ValueError, match="step"):
        pattern_search(lambda p: 0.0, [0.0], step=0.0)


def test_settings_of_a_machine():
    """Logarithms of C and gamma that score no worse than where the search began."""
    X, y = load_iris(return_X_y=True)

    def score(p):
        return cross_val_score(SVC(C=2.0 ** p[0], gamma=2.0 ** p[1]), X, y, cv=3).mean()

    found = pattern_search(score, [-5.0, -8.0], step=4.0, least_step=2.0, max_points=15)
    assert found.score > score(np.array([-5.0, -8.0])) + 0.3
