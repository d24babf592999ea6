"""What each row adds to a score.

Against scikit-learn's scores, and their derivatives by the weight of a row.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn import metrics

from subsel.assessment.row_intervals import MEASURES, influence


def one_vs_rest(y, out, **w):
    return np.mean([metrics.roc_auc_score(y == k, out[:, k], **w) for k in range(out.shape[1])])


SCORES = {
    "accuracy": metrics.accuracy_score,
    "balanced_accuracy": metrics.balanced_accuracy_score,
    "roc_auc": metrics.roc_auc_score,
    "roc_auc_ovr": one_vs_rest,
    "neg_log_loss": lambda y, out, **w: -metrics.log_loss(y, out, **w),
    "neg_mean_squared_error": lambda y, out, **w: -metrics.mean_squared_error(y, out, **w),
    "neg_mean_absolute_error": lambda y, out, **w: -metrics.mean_absolute_error(y, out, **w),
    "r2": metrics.r2_score,
}


def said(name, rng, n=30):
    """A truth, and outputs that know something of it, with ties."""
    needs = "values" if name == "r2" else MEASURES[name].needs
    if needs == "values":
        y = rng.standard_normal(n)
        return y, y + rng.standard_normal(n)
    k = 2 if name == "roc_auc" else 3
    y = rng.permutation(np.arange(n) % k)
    odds = rng.random((n, k)).round(1) + 0.1 + (y[:, None] == np.arange(k))
    share = odds / odds.sum(axis=1, keepdims=True)
    return y, {"labels": share.argmax(axis=1), "decision": odds[:, -1], "probability": share}[needs]


def test_every_measure_is_tested_here():
    """A new measure needs an oracle."""
    assert set(SCORES) == {*MEASURES, "r2"}


@pytest.mark.parametrize("name", SCORES)
@pytest.mark.parametrize("weighted", [False, True])
def test_one_fold_is_the_derivative_of_scikit_learns_score(name, weighted):
    """The score is scikit-learn's.

    The contribution of a row is its weight times the derivative by that weight.
    """
    rng = np.random.default_rng(0)
    y, out = said(name, rng)
    weight = rng.uniform(0.5, 2, len(y)) if weighted else np.ones(len(y))
    found = influence(name, y, [out], [np.arange(len(y))], [0], weight)
    assert_allclose(found.score, SCORES[name](y, out, sample_weight=weight), atol=1e-12)
    step = 1e-5
    for i in range(0, len(y), 5):
        up, down = weight.copy(), weight.copy()
        up[i] += step
        down[i] -= step
        slope = (
            SCORES[name](y, out, sample_weight=up) - SCORES[name](y, out, sample_weight=down)
        ) / (2 * step)
        assert_allclose(found.rows[0, i], weight[i] * slope, atol=1e-6)


@pytest.mark.parametrize("name", SCORES)
def test_over_folds_the_score_is_their_mean_and_r2_is_pooled(name):
    """Two repeats of folds of unequal size; rows add up to nothing in each repeat."""
    rng = np.random.default_rng(1)
    y, out = said(name, rng, 60)
    tests = [part for _ in range(2) for part in np.split(rng.permutation(60), [18, 36])]
    found = influence(name, y, [out[rows] for rows in tests], tests, [0, 0, 0, 1, 1, 1])

    def of(rows):
        return SCORES[name](y[rows], out[rows])

    expected = of(np.arange(60)) if name == "r2" else np.mean([of(rows) for rows in tests])
    assert_allclose(found.score, expected)
    assert_allclose(found.rows.sum(axis=1), 0, atol=1e-9)
