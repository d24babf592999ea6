"""Support vector regression that does not mind the unit of the target."""

import numpy as np
from sklearn.svm import SVR

from subsel.models.scaled_svr import ScaledSVR


def test_the_unit_and_the_origin_of_the_target_do_not_matter():
    """The same curve in other units, where the plain machine sees nothing but its tube.

    And a constant is kept.
    """
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    y = X[:, 0] + np.sin(X[:, 1])
    first, second = (ScaledSVR(C=3, tol=1e-10).fit(X, target) for target in (y, 5 + 1e-5 * y))
    np.testing.assert_allclose(second.predict(X), 5 + 1e-5 * first.predict(X), rtol=1e-9)
    assert np.ptp(SVR(C=3).fit(X, 1e-5 * y).predict(X)) == 0 < np.ptp(second.predict(X))
    np.testing.assert_allclose(ScaledSVR().fit(X, np.full(80, 7.0)).predict(X), 7.0)


def test_by_hand_with_weights():
    """It is the plain machine on the target standardised by weighted mean and deviation.

    They agree up to the tolerance of the solver.
    """
    rng = np.random.default_rng(1)
    X, y, weights = rng.normal(size=(40, 2)), rng.gamma(2.0, size=40), rng.uniform(0.5, 2, size=40)
    mean = weights @ y / weights.sum()
    spread = np.sqrt(weights @ (y - mean) ** 2 / weights.sum())
    plain = SVR(C=3, tol=1e-10).fit(X, (y - mean) / spread, weights)
    found = ScaledSVR(C=3, tol=1e-10).fit(X, y, weights).predict(X)
    np.testing.assert_allclose(found, mean + spread * plain.predict(X), rtol=1e-9)
