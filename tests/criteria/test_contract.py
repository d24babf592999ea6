"""What every criterion promises, whatever it is: a key in the table enrols it here."""

import pytest
from sklearn.linear_model import RidgeClassifier

from subsel.criteria import CRITERIA, CrossValidated, FreshSplitScore, TreeFitness, find_criterion
from subsel.testing import check_criterion
from subsel.testing.tasks import make_task

OF_ROWS = {
    "prototype-accuracy"
}  # its subsets are of rows: tests/criteria/neighbours/test_prototype_accuracy.py
HEAVY = {
    "cross-validated",
    "fresh-split-score",
    "graded-linkage",
    "linkage-accuracy",
    "tree-fitness",
}  # on one problem only


def found(key):
    if key == "cross-validated":
        return CrossValidated(RidgeClassifier(), cv=3)
    if key == "tree-fitness":
        return TreeFitness(cv=2)
    return (
        FreshSplitScore(RidgeClassifier(), splits=1)
        if key == "fresh-split-score"
        else find_criterion(key)
    )


@pytest.mark.parametrize("key", sorted(set(CRITERIA) - OF_ROWS))
@pytest.mark.filterwarnings("ignore")
def test_keeps_the_promises_of_a_criterion(key):
    """A subset has one quality however it is requested, forks are independent, and traits hold.

    These are the checks that ``subsel.testing`` offers for criteria of others.
    """
    check_criterion(found(key), {"ties": make_task("ties")} if key in HEAVY else None)


@pytest.mark.filterwarnings("ignore")
def test_fresh_splits_repeat_under_a_seed():
    """A criterion that is not deterministic gives the same qualities again to the same requests."""
    check_criterion(CrossValidated(RidgeClassifier(), cv=3, fresh=True), {"usual": make_task()})
