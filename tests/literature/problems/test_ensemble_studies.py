"""The two simulated studies of importances."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.ensemble import GradientBoostingRegressor, RandomForestRegressor

from subsel.embedded import impurity_importances, out_of_bag_importance
from subsel.literature.problems import correlated_block, graded_ten


def test_explained_variances_are_those_printed():
    """In a large sample x0 explains one half of the target and a, b, c a tenth each; relatives correlate as asked."""
    drawn = correlated_block(100_000, 3, 2, correlation=0.9, random_state=0)
    shares = np.corrcoef(drawn.X, drawn.y, rowvar=False)[-1, :-1] ** 2
    assert_allclose(shares[drawn.relevant], [0.5, 0.1, 0.1, 0.1], atol=0.01)
    assert_allclose(np.corrcoef(drawn.X, rowvar=False)[0, 1:3], 0.9, atol=0.01)
    assert (shares[-2:] < 0.001).all()
    with pytest.raises(ValueError, match="correlation 2"):
        correlated_block(10, correlation=2)


def test_boosting_grades_the_ten():
    """The roots of the importances of boosted trees rank the ten columns rightly and stand near 1/10, ..., 10/10."""
    drawn = graded_ten(1500, random_state=0)
    model = GradientBoostingRegressor(n_estimators=150, subsample=0.5, random_state=0).fit(
        drawn.X, drawn.y
    )
    found = np.sqrt(impurity_importances(model))
    assert_allclose(found / found[-1], np.arange(1, 11) / 10, atol=0.12)


def test_permutation_tells_the_weak_from_noise_where_many_share_the_credit():
    """With thirty relatives of x0, a, b and c have larger z-scores than every column of noise."""
    drawn = correlated_block(300, 30, 30, random_state=0)
    forest = RandomForestRegressor(60, max_features=0.33, min_samples_leaf=5, random_state=0).fit(
        drawn.X, drawn.y
    )
    z = out_of_bag_importance(forest, drawn.X, drawn.y, random_state=0).z
    assert z[drawn.relevant[1:]].min() > z[33:].max()
