"""The 72 machines of the reference study."""

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import StratifiedKFold

from subsel.recipes import reference_cells, reference_errors, share_above
from subsel.recipes.reference_svm import NORMALISATIONS, ReferenceCell


def small():
    rng = np.random.default_rng(0)
    y = np.where(np.arange(90) % 3 == 0, 1, -1)
    X = rng.normal(size=(90, 4))
    X[:, 1] += 1.5 * y
    return X, y


def test_there_are_72_different_cells():
    """Three normalisations, eight kernels, three prices, none twice."""
    cells = list(reference_cells())
    assert len(cells) == len(set(cells)) == 72


def test_normalisations_are_those_named():
    """Rows of length one; rows of mean length one; columns divided by their deviation plus the median one."""
    X, _ = small()
    done = {name: step.fit_transform(X) for name, step in NORMALISATIONS.items()}
    np.testing.assert_allclose(np.linalg.norm(done["rows"], axis=1), 1)
    assert np.linalg.norm(done["mean length"], axis=1).mean() == pytest.approx(1)
    spread = X.std(axis=0)
    np.testing.assert_allclose(done["columns"], (X - X.mean(axis=0)) / (spread + np.median(spread)))


def test_errors_are_those_of_a_loop_over_folds():
    """As many held-out rows as the share of positives asks for, those that score highest, are called positive."""
    X, y = small()
    cell = ReferenceCell("columns", "rbf1", 10.0)
    called = np.zeros(90, dtype=int)
    for train, test in StratifiedKFold(5, shuffle=True, random_state=3).split(X, y):
        scores = cell.model().fit(X[train], y[train]).decision_function(X[test])
        highest = np.argsort(-scores)[: round((y[train] == 1).mean() * len(test))]
        called[test] = -1
        called[test[highest]] = 1
    assert (called == 1).sum() == (y == 1).sum()
    error, area = reference_errors(X, y, cell, cv=5, random_state=3)
    assert error == pytest.approx(1 - balanced_accuracy_score(y, called)) and area > 0.8


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 1.0])
def test_a_share_lies_above_its_threshold(share):
    """To within one row, at both ends too."""
    scores = np.random.default_rng(0).normal(size=20)
    assert (scores > share_above(scores, share)).sum() == round(20 * share)
