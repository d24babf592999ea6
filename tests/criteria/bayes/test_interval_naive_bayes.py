"""Naive Bayes on MODL intervals agrees with refitting, its search with the published loop."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import roc_auc_score
from sklearn.naive_bayes import CategoricalNB
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from subsel.criteria import IntervalNaiveBayes
from subsel.criteria.exact import exact_criterion
from subsel.data import MODL
from subsel.literature.recipes import selective_naive_bayes
from subsel.models import IntervalNaiveBayes as Model
from tests.criteria.battery import check_moves, check_walk, problem


@parametrize_with_checks([Model()])
def test_scikit_learn_contract(estimator, check):
    """Every check of scikit-learn passes."""
    check(estimator)


@pytest.mark.parametrize("scoring", [None, "roc_auc", "neg_log_loss"])
@pytest.mark.parametrize("situation", ["balanced", "skewed", "duplicated", "wide"])
def test_every_move_equals_refitting(situation, scoring):
    """Additions, removals, swaps and random subsets have the quality and labels of refits."""
    prob = problem(situation)
    found = exact_criterion(Model(), scoring, prob.cv)
    assert isinstance(found, IntervalNaiveBayes)
    check_moves(found.bind(prob.task), Model(), prob, scoring=scoring)


def test_several_classes_and_long_walks_equal_refitting():
    """Three classes, sixty moves."""
    prob = problem("multi-class")
    evaluator = IntervalNaiveBayes(prob.cv, None).bind(prob.task)
    check_moves(evaluator, Model(), prob)
    check_walk(evaluator, Model(), prob, 60, 15)


def test_the_model_is_scikit_learns_on_the_intervals():
    """If every interval occurs in training, it is MODL followed by scikit-learn's classifier."""
    X, y = load_breast_cancer(return_X_y=True)
    peer = make_pipeline(MODL(), CategoricalNB()).fit(X, y)
    np.testing.assert_allclose(Model().fit(X, y).predict_proba(X), peer.predict_proba(X), atol=1e-9)


def forward_by_hand(X, y):
    """The published loop: MODL columns; add the one that raises the area most, while one does."""
    model = Model().fit(X, y)
    logs = [
        model.log_likelihoods_[j][np.searchsorted(cuts, X[:, j])]
        for j, cuts in enumerate(model.cut_points_)
    ]
    ratios = np.array([table[:, 1] - table[:, 0] for table in logs])
    chosen, score, best = [], np.zeros(len(y)), 0.5
    while len(chosen) < X.shape[1]:
        areas = [
            -1 if j in chosen else roc_auc_score(y, (score + ratios[j]).round(9))
            for j in range(X.shape[1])
        ]
        areas = np.round(areas, 12)
        if max(areas) <= best + 1e-12:
            break
        chosen.append(int(np.argmax(areas)))
        score, best = score + ratios[chosen[-1]], max(areas)
    return sorted(chosen), best


def test_the_published_system():
    """Forward selection by the area on the training rows is the published loop.

    Its threshold is the best of correlation.
    """
    X, y = load_breast_cancer(return_X_y=True)
    X = np.column_stack([X[::2], np.random.default_rng(0).normal(size=(len(X[::2]), 5))])
    y = y[::2]
    system = selective_naive_bayes().fit(X, y)
    selector, classifier = system[0], system[-1]
    chosen, best = forward_by_hand(X, y)
    assert selector.get_support(indices=True).tolist() == chosen
    share = y.mean()
    assert selector.result_.chosen_quality == pytest.approx(
        share / 2 + (1 - share) * best, abs=1e-9
    )
    assert (system.predict(X) == y).mean() > 0.9 and np.isfinite(classifier.threshold_)
    assert max(chosen) < 30, "a noise column that MODL does not cut was chosen"
