"""The size of a screened search is chosen on rows that neither screening nor search has seen."""

from dataclasses import replace

import numpy as np
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.linear_model import RidgeClassifier

from subsel import SubsetSelector
from subsel.assessment.race.searches import ScreenedSearch, _pairs
from subsel.data.task import Task

SEARCH = SubsetSelector(
    RidgeClassifier(),
    "sffs",
    scoring="code_error",
    n_features=(1, 8),
    choose="best",
    alternatives=False,
    random_state=3,
)


def noisy(n=60, p=60, seed=0):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, p)), np.arange(n) % 2
    X[:, [7, 31]] += 1.2 * y[:, None]
    return X, y


def test_the_curve_of_sizes_equals_searching_and_refitting_without_each_fold():
    """Screen and search the training rows of each fold by hand, refit, score, average."""
    X, y = noisy()
    found = ScreenedSearch(SEARCH, width=20, held_out_size=True).fit(X, y)
    seed = int(np.random.RandomState(3).randint(2**31 - 10**4))
    task, curves = Task.of(X, y), []
    for train, test in _pairs(task, seed + 10**3):
        inner = ScreenedSearch(clone(SEARCH), width=20)
        front = inner._screen_and_search(task.rows(train), seed)[0].front
        curve = []
        for size in found.sizes_:
            columns = max(
                (f for f in front if f.size <= size), key=lambda f: f.size, default=front[0]
            ).columns
            output = (
                RidgeClassifier()
                .fit(X[train][:, columns], y[train])
                .decision_function(X[test][:, columns])
            )
            curve.append(-np.mean((output - (2 * y[test] - 1)) ** 2))
        curves.append(curve)
    assert_allclose(list(found.sizes_.values()), np.mean(curves, axis=0), rtol=1e-8)
    best = max(found.sizes_, key=found.sizes_.get)
    assert len(found.result_.chosen) <= best and len(found.result_.chosen) in [
        f.size for f in found.result_.front
    ]


def test_held_out_sizes_are_smaller_where_there_is_little_to_find():
    """The best subset of a search on noise is large.

    The size that does best on rows held out is not.
    """
    X, y = noisy()
    flattered = ScreenedSearch(SEARCH, width=60).fit(X, y)
    nested = ScreenedSearch(SEARCH, width=60, held_out_size=True).fit(X, y)
    assert len(nested.result_.chosen) < len(flattered.result_.chosen)


def test_groups_of_rows_stay_together_in_all_folds():
    """No row of a group is trained on where another is held out."""
    X, y = noisy()
    task = replace(Task.of(X, y), groups=np.arange(60) // 4)
    for train, test in _pairs(task, 0):
        assert not set(task.groups[train]) & set(task.groups[test])


def test_many_rows_are_searched_on_a_sample():
    """Only the sample decides: rows beyond it could hold anything."""
    X, y = noisy(n=400)
    found = ScreenedSearch(SEARCH, width=20, most_rows=100).fit(X, y)
    seed = int(np.random.RandomState(3).randint(2**31 - 10**4))
    drawn = np.random.default_rng(seed).choice(400, 100, replace=False)
    spoilt = np.full_like(X, 1e6)
    spoilt[drawn] = X[drawn]
    assert (
        ScreenedSearch(SEARCH, width=20, most_rows=100).fit(spoilt, y).result_.chosen.tolist()
        == found.result_.chosen.tolist()
    )
