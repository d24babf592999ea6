"""Selection by the visits of a chain over subsets."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.utils.estimator_checks import parametrize_with_checks

from subsel.embedded import InclusionSelector


@parametrize_with_checks([InclusionSelector(n_warmup=2, n_draws=4)])
def test_scikit_learn_contract(estimator, check):
    """Every check of scikit-learn passes."""
    check(estimator)


@pytest.mark.parametrize("kind", ["numbers", "two", "three"])
def test_inputs_that_matter_are_probable(kind):
    """Two inputs of ten that make the target are kept, with shares of visits as relevances."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((120, 10))
    f = 2 * X[:, 2] - 2 * X[:, 7] + 0.5 * rng.standard_normal(120)
    y = {"numbers": f, "two": f > 0, "three": np.digitize(f, [-1, 1])}[kind]
    found = InclusionSelector(n_warmup=30, n_draws=60, random_state=0).fit(X, y)
    assert found.support_[[2, 7]].all()
    assert set(found.ranking_[:2]) == {2, 7}
    assert_allclose(
        found.feature_importances_, np.max([v.subsets.mean(axis=0) for v in found.visits_], axis=0)
    )
    assert_array_equal(
        np.flatnonzero(found.support_), np.flatnonzero(found.feature_importances_ >= 0.5)
    )


def test_noise_is_left_to_the_prior():
    """Where nothing matters one input is kept, as a selector must."""
    rng = np.random.default_rng(0)
    found = InclusionSelector(n_warmup=20, n_draws=100, random_state=0).fit(
        rng.normal(size=(60, 8)), rng.normal(size=60)
    )
    assert found.support_.sum() == 1
    assert found.support_[np.argmax(found.feature_importances_)]


@pytest.mark.parametrize("options", [{"inclusion": 0.0}, {"n_draws": 0}, {"n_features": 5}])
def test_wrong_arguments_are_named(options):
    """A message names the argument that is out of its range."""
    with pytest.raises(ValueError, match=next(iter(options))):
        InclusionSelector(**options).fit(np.eye(4), [0.0, 1.5, 0.2, 1.1])
