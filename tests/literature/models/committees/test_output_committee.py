"""The committee that averages outputs."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.datasets import make_moons
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from subsel.literature.models import OutputCommittee

MEMBERS = [("ridge", RidgeClassifier()), ("bayes", GaussianNB())]


@parametrize_with_checks(
    [OutputCommittee([("ridge", RidgeClassifier()), ("logistic", LogisticRegression())])]
)
def test_scikit_learn_contract(estimator, check):
    """Every check of scikit-learn passes."""
    check(estimator)


def test_the_decision_is_the_mean_of_scaled_and_bounded_outputs():
    """The output is the mean of standardised, clipped outputs, computed by hand.

    The members are ridge (decisions) and naive Bayes (log odds).
    """
    X, y = make_moons(60, noise=0.3, random_state=0)
    more, _ = make_moons(40, noise=2.0, random_state=1)
    outputs = [
        RidgeClassifier().fit(X, y).decision_function,
        lambda rows, model=GaussianNB().fit(X, y): np.diff(model.predict_log_proba(rows), axis=1)[
            :, 0
        ],
    ]
    expected = np.mean(
        [np.clip(output(more) / np.std(output(X)), -1.5, 1.5) for output in outputs], axis=0
    )
    committee = OutputCommittee(MEMBERS, most=1.5).fit(X, y)
    assert_allclose(committee.decision_function(more), expected)
    assert (committee.predict(more) == (expected > 0)).all()


def test_members_are_set_by_name_and_take_sparse_rows():
    """Parameters of members are reached through the committee.

    Sparse rows give what dense ones give.
    """
    X, y = make_moons(60, noise=0.3, random_state=0)
    committee = (
        OutputCommittee([("ridge", RidgeClassifier())]).set_params(ridge__alpha=7.0).fit(X, y)
    )
    assert committee.members_[0].alpha == 7.0
    other = OutputCommittee([("ridge", RidgeClassifier(7.0))]).fit(sparse.csr_array(X), y)
    assert_allclose(
        other.decision_function(sparse.csr_array(X)), committee.decision_function(X), atol=1e-6
    )


def test_a_committee_needs_members():
    """None is refused."""
    with pytest.raises(ValueError, match="at least one classifier"):
        OutputCommittee([]).fit(*make_moons(10))


@pytest.mark.filterwarnings("error")
def test_a_model_that_is_quite_sure_is_bounded_and_not_scaled():
    """The infinite log odds of a tree are clipped at the bound, without a warning."""
    X, y = make_moons(60, noise=0.1, random_state=0)
    committee = OutputCommittee(
        [("tree", DecisionTreeClassifier(random_state=0)), ("ridge", RidgeClassifier())]
    ).fit(X, y)
    ridge = np.clip(committee.members_[1].decision_function(X) / committee.scales_[1], -3, 3)
    assert committee.scales_[0] == 1.0
    assert_allclose(committee.decision_function(X), (np.where(y == 1, 3.0, -3.0) + ridge) / 2)
