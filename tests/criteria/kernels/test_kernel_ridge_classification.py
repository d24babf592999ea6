"""Least-squares classification agrees with refitting, leave-one-out with its closed form."""

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import LeaveOneOut
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from subsel.criteria import KernelRidgeClassification
from subsel.criteria.exact import exact_criterion
from subsel.criteria.scoring.scoring import NotExact
from subsel.data.task import Task
from subsel.embedded import rlsc_leave_one_out
from subsel.models import LeastSquaresClassifier
from tests.criteria.battery import check_moves, problem


@parametrize_with_checks([LeastSquaresClassifier(kernel="rbf")])
def test_scikit_learn_contract(estimator, check):
    """Every check of scikit-learn passes."""
    check(estimator)


@pytest.mark.parametrize("scoring", [None, "balanced_accuracy", "roc_auc"])
@pytest.mark.parametrize("situation", ["balanced", "skewed", "wide", "weights"])
def test_every_move_equals_refitting(situation, scoring):
    """Additions, removals, swaps and random subsets agree with a pipeline with a scaler."""
    prob = problem(situation)
    model = make_pipeline(StandardScaler(), LeastSquaresClassifier(0.5, kernel="rbf"))
    found = exact_criterion(model, scoring, prob.cv)
    assert isinstance(found, KernelRidgeClassification)
    if situation == "weights":
        model = LeastSquaresClassifier(0.5)
        found = exact_criterion(model, scoring, prob.cv)
    check_moves(found.bind(prob.task), model, prob, rounds=1, scoring=scoring)


def test_leave_one_out_is_the_closed_form():
    """Errors are the rows whose signed output without them is negative."""
    prob = problem("balanced")
    X = prob.task.matrix[:, [0, 1, 4]]
    X = (X - X.mean(0)) / X.std(0)
    sign = np.where(prob.task.codes == 1, 1.0, -1.0)
    evaluator = KernelRidgeClassification(0.3, "rbf", gamma=0.2, cv=LeaveOneOut()).bind(
        Task.of(X, prob.task.y)
    )
    signed = rlsc_leave_one_out(rbf_kernel(X, gamma=0.2), sign, 0.3)
    assert evaluator.explain(np.arange(3)).quality == pytest.approx(np.mean(signed > 0))


def test_three_classes_are_left_to_refitting():
    """The sign tells two classes apart."""
    with pytest.raises(NotExact, match="two classes"):
        KernelRidgeClassification().bind(problem("multi-class").task)
