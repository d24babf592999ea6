"""Columns that are sums of others, as those made of one text are, cost a discriminant no refit."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import StratifiedKFold, cross_val_score

from subsel.criteria.linear.discriminant import Discriminant
from subsel.data.task import Task
from subsel.space.space import Space


def told_in_numbers(seed, n=90, n_levels=(2, 3, 4), n_classes=2):
    """A column per level, a constant, a number, and the same number in another unit."""
    rng = np.random.default_rng(seed)
    levels = [np.eye(k)[rng.integers(k, size=n)] for k in n_levels]
    number = rng.standard_normal(n)
    X = np.column_stack((*levels, np.full(n, 3.0), number, 2.54 * number - 1))
    y = np.digitize(
        X[:, 0] + X[:, 3] + X[:, 5] * number + rng.standard_normal(n),
        np.linspace(-0.5, 1.5, n_classes + 1)[1:-1],
    )
    return X, y


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("scoring", ["accuracy", "neg_brier_score"])
@pytest.mark.parametrize("seed", range(3))
def test_qualities_equal_refitting(seed, scoring, n_classes):
    """Additions to and removals from any subset have the quality of a refit; few are refitted."""
    X, y = told_in_numbers(seed, n_classes=n_classes)
    task, space = Task.of(X, y), Space.of(X.shape[1])
    folds, rng = StratifiedKFold(4), np.random.default_rng(seed)
    evaluator = Discriminant("lda", cv=folds, scoring=scoring).bind(task)
    for size in (3, 5, 8, 11):
        base = space.from_columns(rng.choice(X.shape[1], size, replace=False))
        batch = space.flips(base)
        found, expected = (
            evaluator.evaluate(batch),
            [_refitted(X[:, s], y, folds, scoring) for s in batch.columns()],
        )
        assert_allclose(found, expected, atol=1e-9)
    assert evaluator.n_refits == 0


def test_rare_bits_that_a_fold_lacks():
    """A column that is constant in a training part has no weight there, as in the model.

    Most of these subsets are not refitted.
    """
    rng = np.random.default_rng(1)
    X = (rng.random((100, 12)) < np.linspace(0.01, 0.3, 12)) * 1.0
    y = (X[:, 4:].sum(axis=1) + rng.standard_normal(100) > 1.3) * 1
    folds, space, n_judged = StratifiedKFold(5), Space.of(12), 0
    evaluator = Discriminant("lda", cv=folds, scoring="neg_brier_score").bind(Task.of(X, y))
    for size in (3, 6, 9):
        batch = space.flips(space.from_columns(rng.choice(12, size, replace=False)))
        expected = [
            _refitted(X[:, columns], y, folds, "neg_brier_score") for columns in batch.columns()
        ]
        assert_allclose(evaluator.evaluate(batch), expected, atol=1e-9)
        n_judged += len(batch)
    assert evaluator.n_refits < n_judged / 4


def _refitted(X, y, folds, scoring):
    return cross_val_score(LinearDiscriminantAnalysis(), X, y, cv=folds, scoring=scoring).mean()
