"""Measures beside scikit-learn's and brute force; amplification beside its formula."""

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score, r2_score, roc_auc_score

from subsel.assessment.intervals import wilson
from subsel.literature.studies import (
    amplification,
    auc50,
    balanced_success,
    lift_area,
    q2,
    squared_correlation_loss,
)
from subsel.search import RandomWalk


def test_lift_area_of_several_classes():
    """Two classes follow the identity with the area under the ROC; more are the mean of one against the rest."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 50)
    scores = np.round(rng.normal(size=(50, 3)) + np.eye(3)[y], 1)
    one = [
        np.mean(y == c) / 2 + np.mean(y != c) * roc_auc_score(y == c, scores[:, c])
        for c in range(3)
    ]
    assert lift_area(y, scores) == pytest.approx(np.mean(one))
    assert lift_area(y == 1, scores[:, 1]) == pytest.approx(one[1])
    with pytest.raises(ValueError, match="a column of scores for each"):
        lift_area(y, scores[:, 0])


@pytest.mark.parametrize("n_false", [5, 50, 1000])
def test_auc50_by_counting(n_false):
    """Positives above each of the first negatives; with all negatives it is the area under the ROC."""
    rng = np.random.default_rng(1)
    y = rng.random(80) < 0.3
    scores = np.round(rng.normal(size=80) + y, 1)
    first = np.sort(scores[~y])[::-1][:n_false]
    counted = [np.sum(scores[y] > f) + np.sum(scores[y] == f) / 2 for f in first]
    assert auc50(y, scores, n_false) == pytest.approx(np.sum(counted) / (len(first) * y.sum()))
    if n_false > 80:
        assert auc50(y, scores, n_false) == pytest.approx(roc_auc_score(y, scores))


def test_losses_of_a_quantity():
    """One minus the squared correlation, one minus R2; the second is never smaller, and equal for least squares."""
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(2, 40))
    fitted = np.polyval(np.polyfit(x, y, 1), x)
    for predicted in (x, 3 * x + 2, fitted):
        assert squared_correlation_loss(y, predicted) == pytest.approx(
            1 - np.corrcoef(y, predicted)[0, 1] ** 2
        )
        assert q2(y, predicted) == pytest.approx(1 - r2_score(y, predicted))
        assert q2(y, predicted) >= squared_correlation_loss(y, predicted) - 1e-12
    assert q2(y, fitted) == pytest.approx(squared_correlation_loss(y, fitted))


def test_balanced_success_is_scikit_learns():
    """The mean over classes of the share that is right."""
    rng = np.random.default_rng(3)
    y, found = rng.integers(0, 4, size=(2, 60))
    assert balanced_success(y, found) == pytest.approx(balanced_accuracy_score(y, found))


def test_amplification_follows_its_formula():
    """The share of runs that reached the target, its interval, and the least k with enough confidence."""
    found = amplification([0.5, 0.9, 0.9, 0.4], confidence=0.9)
    assert found.probability == 0.5 and [found.low, found.high] == [
        float(end) for end in wilson(2, 4, 0.9)
    ]
    assert found.runs_needed == 4 and found.after(4) >= 0.9 > found.after(3)
    assert amplification([1.0]).runs_needed == 1
    assert amplification([0.1, 0.2], target=0.5).runs_needed == np.inf


def test_restarts_of_a_search_give_their_amplification():
    """The success of one restart is that of its share, and what repeating promises holds over many."""
    from sklearn.naive_bayes import GaussianNB

    from subsel import SubsetSelector

    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 6))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    selector = SubsetSelector(
        GaussianNB(), search=RandomWalk("better"), budget=15, restarts=8, random_state=0
    ).fit(X, y)
    found = amplification(selector.result_)
    assert found.n_runs == 8 and found.n_successes == selector.result_.agreement >= 1
