"""The 72 machines of the reference study."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import balanced_accuracy_score, roc_auc_score
from sklearn.model_selection import StratifiedKFold

from subsel.literature.recipes import reference_cells, reference_errors, reference_study
from subsel.literature.recipes.reference_svm import (
    NORMALISATIONS,
    ReferenceCell,
    held_out_scores,
    share_above,
)


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


def held_out(X, y, cell, folds):
    """Scores of held-out rows less the threshold of their fold, by the pipeline of the cell itself."""
    scores = np.zeros(len(y))
    for train, test in folds.split(X, y):
        found = cell.model().fit(X[train], y[train]).decision_function(X[test])
        scores[test] = found - share_above(found, (y[train] == 1).mean())
    return scores


@pytest.mark.parametrize("case", ["plain", "wide", "ties", "sparse"])
def test_all_cells_at_once_are_the_pipelines_one_by_one(case):
    """Shared inner products change no score: few rows, repeated rows, constant columns, sparse tables."""
    X, y = small()
    if case == "wide":
        X, y = np.hstack([X, np.random.default_rng(1).normal(size=(90, 200))])[:40], y[:40]
    if case == "ties":
        X = np.hstack([X.round(), np.ones((90, 1))])
    if case == "sparse":
        X = sparse.csr_array(np.where(X > 0.5, X, 0.0) + 0.1 * np.eye(90, 4))
    folds = StratifiedKFold(3, shuffle=True, random_state=1)
    cells = [cell for cell in reference_cells() if cell.C != 1.0]
    found = held_out_scores(X, y == 1, cells, folds)
    assert list(found) == cells
    for cell, scores in found.items():  # the solver's tolerance is 0.001
        np.testing.assert_allclose(scores, held_out(X, y, cell, folds), rtol=0.002, atol=0.005)


def test_a_study_gives_error_and_area_of_the_held_out_scores():
    """Those that scikit-learn computes of the same scores, cell by cell."""
    X, y = small()
    cells = [ReferenceCell("rows", "poly3", 0.1), ReferenceCell("columns", "linear", 10.0)]
    scores = held_out_scores(X, y == 1, cells, StratifiedKFold(4, shuffle=True, random_state=2))
    for cell, (error, area) in reference_study(X, y, cells, cv=4, random_state=2).items():
        assert error == pytest.approx(
            1 - balanced_accuracy_score(y, np.where(scores[cell] > 0, 1, -1))
        )
        assert area == pytest.approx(roc_auc_score(y, scores[cell]))


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 1.0])
def test_a_share_lies_above_its_threshold(share):
    """To within one row, at both ends too."""
    scores = np.random.default_rng(0).normal(size=20)
    assert (scores > share_above(scores, share)).sum() == round(20 * share)
