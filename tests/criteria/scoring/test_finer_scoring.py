"""Scores of what a classifier puts out before it decides equal those of models fitted anew."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from subsel.criteria.exact import criterion_of
from subsel.data.task import Task

FOLDS = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)


def table(k, seed=0):
    rng = np.random.default_rng(seed)
    y = np.sort(rng.choice(k, size=70, p=np.arange(k, 0, -1) / (k * (k + 1) / 2)))
    return rng.normal(size=(70, 6)) + y[:, None] * rng.normal(size=6), y


def squared(model, X, y, k):
    """The squared distance of each row's outputs to what they should be, by definition."""
    if hasattr(model, "predict_proba"):
        losses = ((model.predict_proba(X) - np.eye(k)[y]) ** 2).sum(axis=1)
        return losses / 2 if k == 2 else losses
    outputs = model.decision_function(X).reshape(len(X), -1)
    codes = 2 * y[:, None] - 1 if k == 2 else 2 * np.eye(k)[y] - 1
    return ((outputs - codes) ** 2).mean(axis=1)


@pytest.mark.parametrize("balanced", [False, True])
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize(
    "model", [RidgeClassifier(), GaussianNB(), LinearDiscriminantAnalysis(), KNeighborsClassifier()]
)
def test_finer_scores_equal_refitting(model, k, balanced):
    """Brier score and error of codes, also with classes counted alike, on repeated folds,
    for subsets of every size.
    """
    X, y = table(k)
    ridge = isinstance(model, RidgeClassifier)
    scoring = {
        False: "code_error" if ridge else "neg_brier_score",
        True: "balanced_code_error" if ridge else "balanced_brier",
    }
    evaluator = criterion_of(model, scoring[balanced], FOLDS, "require").bind(Task.of(X, y))
    for columns in ([2], [0, 3], [0, 1, 2, 3, 4, 5]):
        folds = []
        for train, test in FOLDS.split(X, y):
            losses = squared(
                clone(model).fit(X[train][:, columns], y[train]), X[test][:, columns], y[test], k
            )
            classes = [losses[y[test] == c].mean() for c in np.unique(y[test])]
            folds.append(-np.mean(classes) if balanced else -losses.mean())
        assert_allclose(evaluator.explain(np.array(columns)).quality, np.mean(folds), rtol=1e-8)
