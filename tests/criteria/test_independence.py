"""Columns that are sums of others, as those made of one text are, cost a discriminant no refit."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import StratifiedKFold, cross_val_score

from subsel.criteria.discriminant import Discriminant
from subsel.criteria.independence import independent
from subsel.space import Space
from subsel.task import Task


def told_in_numbers(seed, n=90, n_levels=(2, 3, 4), n_classes=2):
    """A column per level, all levels told; beside them a constant, a number, and the same number in another unit."""
    rng = np.random.default_rng(seed)
    levels = [np.eye(k)[rng.integers(k, size=n)] for k in n_levels]
    number = rng.standard_normal(n)
    X = np.column_stack((*levels, np.full(n, 3.0), number, 2.54 * number - 1))
    y = np.digitize(
        X[:, 0] + X[:, 3] + X[:, 5] * number + rng.standard_normal(n), np.linspace(-0.5, 1.5, n_classes + 1)[1:-1]
    )
    return X, y


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("scoring", ["accuracy", "neg_brier_score"])
@pytest.mark.parametrize("seed", range(3))
def test_qualities_equal_refitting(seed, scoring, n_classes):
    """Additions to and removals from any subset have the quality of a refit, and few are refitted."""
    X, y = told_in_numbers(seed, n_classes=n_classes)
    task, space = Task.of(X, y), Space.of(X.shape[1])
    folds, rng = StratifiedKFold(4), np.random.default_rng(seed)
    judge = Discriminant("lda", cv=folds, scoring=scoring).bind(task)
    refit = lambda s: cross_val_score(LinearDiscriminantAnalysis(), X[:, s], y, cv=folds, scoring=scoring).mean()
    for size in (3, 5, 8, 11):
        base = space.from_columns(rng.choice(X.shape[1], size, replace=False))
        batch = space.flips(base)
        found, expected = judge.evaluate(batch), [refit(columns) for columns in batch.columns()]
        assert_allclose(found, expected, atol=1e-9)
    assert judge.n_refits == 0


def test_those_kept_span_the_others():
    """As many are kept as the rank of the table about its means, the same however the columns are scaled, the first of equals."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        basis = rng.standard_normal((30, rng.integers(1, 6)))
        X = np.column_stack((basis, basis @ rng.standard_normal((basis.shape[1], 4)) + 5))[
            :, rng.permutation(basis.shape[1] + 4)
        ]
        kept = independent(X * 10.0 ** rng.integers(-6, 6, X.shape[1]))
        assert len(kept) == basis.shape[1] == np.linalg.matrix_rank((X - X.mean(axis=0))[:, kept])
    assert len(independent(np.ones((5, 2)))) == 0
