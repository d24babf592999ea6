"""Selectors of ours keep the promises of a selector; those that break one are told which."""

import numpy as np
import pytest
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import Lasso, LogisticRegression, Ridge

from subsel import RankingSelector, SubsetSelector
from subsel.embedded import EmbeddedSelector, Knockoffs
from subsel.testing import BrokenPromise, check_selector

OURS = [
    RankingSelector("pearson", cut=0.5),
    EmbeddedSelector(LogisticRegression(), cut=0.9),
    EmbeddedSelector(Lasso(0.01), cut=2),
    Knockoffs("entry", random_state=0),
    SubsetSelector(Ridge(), search="rfs1", budget=6, cv=2, random_state=0),
]


@pytest.mark.parametrize("selector", OURS, ids=lambda s: type(s).__name__)
def test_ours_keep_the_promises_of_a_selector(selector):
    """One selector of each family passes the checks that we offer to others."""
    check_selector(selector)


def variance(X, y):
    """Score columns by how much they vary."""
    return X.var(axis=0)


class Best(SelectKBest):
    """Keeps the column of largest variance; each broken one below changes one thing."""

    def __init__(self):
        super().__init__(variance, k=1)


class ReadsByPlace(Best):
    """Takes whatever frame it is given by place."""

    def transform(self, X):
        return np.asarray(X)[:, self.get_support()]


class Chance(Best):
    """Keeps another column each time."""

    draws = 0

    def fit(self, X, y=None):
        super().fit(X, y)
        type(self).draws += 1
        return self

    def _get_support_mask(self):
        return np.arange(self.n_features_in_) == self.draws % self.n_features_in_


class OtherNames(Best):
    """Names other columns than it keeps."""

    def get_feature_names_out(self, input_features=None):
        return np.array(["another"], dtype=object)


class ScalesToo(Best):
    """Doubles what it keeps."""

    def transform(self, X):
        return 2 * super().transform(X)


class Numbers(Best):
    """Gives numbers where a mask is due."""

    def get_support(self, indices=False):
        return super().get_support(indices=True)


BROKEN = {
    ReadsByPlace: "columns in another order is refused, or read by name",
    Chance: "a clone selects the same",
    OtherNames: "get_feature_names_out names the kept columns",
    ScalesToo: "transform gives the columns of the mask, as they are",
    Numbers: "get_support gives a mask over the columns",
}


@pytest.mark.parametrize(
    ("selector", "message"), BROKEN.items(), ids=[cls.__name__ for cls in BROKEN]
)
def test_each_broken_promise_is_named(selector, message, monkeypatch):
    """What scikit-learn's checks let through is found, with the promise and how to see it again."""
    monkeypatch.setattr(
        "sklearn.utils.estimator_checks.check_estimator", lambda *args, **options: []
    )
    with pytest.raises(BrokenPromise, match=message) as caught:
        check_selector(selector())
    assert "To see it: selector.fit(task.X, task.y) on task = make_task(" in str(caught.value)


def test_the_checks_of_scikit_learn_are_run():
    """An estimator that stores something else than it was given fails there."""

    class Stores(Best):
        def __init__(self, k=1):
            super().__init__()
            self.k = k + 1

    with pytest.raises(AssertionError):
        check_selector(Stores())
