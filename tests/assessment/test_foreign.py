"""Selectors of others: what they call ``result_`` or ``validation_`` is their own affair."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.naive_bayes import GaussianNB

from subsel import assess
from subsel.embedded import GCISVM


class Foreign(SelectorMixin, BaseEstimator):
    """Keeps the first column and leaves a report of its own kind behind."""

    def __init__(self, left=None, attribute="result_"):
        self.left, self.attribute = left, attribute

    def fit(self, X, y):
        self.n_features_in_ = X.shape[1]
        setattr(self, self.attribute, self.left)
        return self

    def _get_support_mask(self):
        return np.arange(self.n_features_in_) == 0


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    return rng.normal(size=(40, 4)) + y[:, None], y


@pytest.mark.parametrize("attribute", ["result_", "validation_", "best_score_"])
@pytest.mark.parametrize("left", [{"chosen": [0]}, 7, "done", None])
def test_a_foreign_selector_is_assessed(table, left, attribute):
    """A dict, a number, a text or nothing under a name that ours use too.

    No guide is read from it, no error raised.
    """
    found = assess(
        Foreign(left, attribute), GaussianNB(), *table, cv=2, references=False, random_state=0
    )
    assert found.sizes.tolist() == [1, 1]
    assert found.guide == (7.0 if (left, attribute) == (7, "best_score_") else None)


@pytest.mark.parametrize("n_features", [2, None])
def test_gci_svm_is_assessed(table, n_features):
    """With a given number nothing was validated and there is no guide.

    With a validated one its score is the guide.
    """
    found = assess(
        GCISVM(n_features, cv=2), GaussianNB(), *table, cv=2, references=False, random_state=0
    )
    assert (found.guide is None) == (n_features is not None)
