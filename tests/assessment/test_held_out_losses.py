"""Losses of rows under models that did not see them."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.utils import check_random_state

from subsel.assessment import out_of_bag_losses, repeated_losses


def test_out_of_bag_by_the_double_loop():
    """The loss of a row is the mean over the bags that lack it, then the mean over rows is taken."""
    X, y = load_iris(return_X_y=True)
    X, y = X[::3], y[::3]
    found = out_of_bag_losses(GaussianNB(), X, y, n_bags=12, random_state=3)
    rng, seen = check_random_state(3), [[] for _ in y]
    for _ in range(12):
        bag = rng.randint(0, len(y), len(y))
        model = GaussianNB().fit(X[bag], y[bag])
        for i in set(range(len(y))) - set(bag):
            seen[i].append(model.predict(X[[i]])[0] != y[i])
    wanted = np.array([np.mean(s) if s else np.nan for s in seen])
    np.testing.assert_allclose(found.per_row, wanted)
    assert found.mean == pytest.approx(np.nanmean(wanted))
    assert found.counts.tolist() == [len(s) for s in seen]
    assert abs(found.counts.mean() / 12 - np.exp(-1)) < 0.06


def test_repeats_hold_every_row_out_as_often_as_there_are_repeats():
    """Each row is judged by one model per repeat; a wrong label stands out."""
    X, y = load_iris(return_X_y=True)
    wrong = y.copy()
    wrong[10] = 2
    found = repeated_losses(GaussianNB(), X, wrong, n_folds=5, n_repeats=3, random_state=0)
    assert set(found.counts) == {3} and found.per_row[10] == 1.0 and found.spread[10] == 0.0
    folds = RepeatedStratifiedKFold(n_splits=5, n_repeats=3, random_state=0).split(X, wrong)
    scores = [(GaussianNB().fit(X[a], wrong[a]).predict(X[b]) != wrong[b]).sum() for a, b in folds]
    assert found.mean == pytest.approx(sum(scores) / (3 * len(y)))


def test_quantities_and_other_losses():
    """Squared differences by default, or what is asked for."""
    X, y = load_diabetes(return_X_y=True)
    squared = repeated_losses(LinearRegression(), X, y, n_folds=5, n_repeats=1, random_state=0)
    absolute = repeated_losses(
        LinearRegression(), X, y, n_folds=5, n_repeats=1, random_state=0, loss=lambda a, b: np.abs(a - b)
    )
    np.testing.assert_allclose(absolute.per_row**2, squared.per_row)
