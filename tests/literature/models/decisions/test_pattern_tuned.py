"""A model tuned by pattern search."""

import numpy as np
import pytest
from sklearn.model_selection import cross_val_score
from sklearn.svm import SVC

from subsel.literature.models import PatternTuned


def test_no_neighbour_of_the_settings_scores_better():
    """No step of the last size along an axis has a better cross-validated score."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 2))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    tuned = PatternTuned(SVC(), {"C": 0.0, "gamma": -1.0}, least_step=1.0, cv=3).fit(X, y)

    def score(C, gamma):
        return cross_val_score(SVC(C=C, gamma=gamma), X, y, cv=3).mean()

    C, gamma = tuned.best_params_["C"], tuned.best_params_["gamma"]
    assert tuned.best_score_ == pytest.approx(score(C, gamma))
    around = [(2 * C, gamma), (C / 2, gamma), (C, 2 * gamma), (C, gamma / 2)]
    assert max(score(*point) for point in around) <= tuned.best_score_ + 1e-12
    np.testing.assert_allclose(
        tuned.decision_function(X), SVC(C=C, gamma=gamma).fit(X, y).decision_function(X)
    )


def test_a_search_needs_a_setting():
    """An empty start is refused."""
    with pytest.raises(ValueError, match="start"):
        PatternTuned(SVC(), {}).fit(np.ones((4, 1)), [0, 1, 0, 1])
