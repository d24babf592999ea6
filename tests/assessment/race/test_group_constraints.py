"""Selections keep to fixed columns and whole groups, also behind a screening."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import RidgeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from subsel import SubsetSelector
from subsel.assessment.race.group_constraints import GroupConstraint
from subsel.assessment.race.searches import ScreenedSearch

QUICK = SubsetSelector(
    RidgeClassifier(), "sfs", cv=2, n_features=(1, 2), alternatives=False, random_state=0
)


@parametrize_with_checks([GroupConstraint(SelectKBest(k=1)), ScreenedSearch(QUICK, width=3)])
def test_scikit_learn_contract(estimator, check):
    """Every check of scikit-learn passes."""
    check(estimator)


def wide(n=60, p=40, seed=0):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, p)), np.arange(n) % 2
    X[:, [7, 31]] += 2.0 * y[:, None]
    return X, y


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_matrix])
def test_a_screened_search_speaks_of_the_whole_table(make):
    """Of 40 columns ten are searched.

    The result and the mask carry the numbers of the whole table.
    """
    X, y = wide()
    found = ScreenedSearch(QUICK, width=10).fit(make(X), y)
    assert len(found.screened_) == 10 and set(found.result_.chosen) & {7, 31}
    assert found.get_support(indices=True).tolist() == sorted(found.result_.chosen.tolist())


def test_groups_and_fixed_columns_pass_the_screening():
    """A group is searched whole if one of its columns passes, and a fixed column always."""
    X, y = wide()
    found = ScreenedSearch(QUICK, width=5, groups=[[7, 3]], fixed=[20]).fit(X, y)
    assert {3, 7, 20} <= set(found.screened_.tolist())
    assert found.support_[20] and found.support_[7] == found.support_[3]
