"""ScreenedSelector: decides everything from the rows it is given."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_diabetes, load_wine
from sklearn.linear_model import Ridge
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from subsel.criteria.scoring.measures import default_scoring
from subsel.data.task import Task
from subsel.selector.screening import ScreenedSelector, best_model


@parametrize_with_checks([ScreenedSelector(cv=2, search="sfs", budget=50)])
def test_scikit_learn_contract(estimator, check):
    """Every check of scikit-learn passes."""
    check(estimator)


def wide(n=80, p=800, seed=0):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, p)), np.arange(n) % 2
    X[:, 700] += 2 * y
    X[:, 31] -= 2 * y
    return X, y


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_matrix, pd.DataFrame])
def test_wide_tables_are_screened_and_told_in_their_own_columns(make):
    """Of 800 columns 500 are searched; what is found carries the numbers of the whole table."""
    X, y = wide()
    selector = ScreenedSelector(random_state=0).fit(make(X), y)
    assert len(selector.screened_) == 500
    assert {31, 700} <= set(selector.result_.chosen.tolist())
    assert selector.result_.chosen.tolist() == selector.get_support(indices=True).tolist()
    assert all(
        set(f.columns.tolist()) <= set(selector.screened_.tolist()) for f in selector.result_.front
    )
    assert selector.transform(make(X)).shape == (80, len(selector.result_.chosen))


def test_fixed_columns_survive_the_screening():
    """A column that must be selected is searched whatever its score."""
    X, y = wide()
    worst = int(np.argmin(np.abs(np.corrcoef(np.column_stack([X, y]), rowvar=False)[-1, :-1])))
    selector = ScreenedSelector(fixed=[worst], forbidden=[31], random_state=0).fit(X, y)
    assert selector.support_[worst]
    assert not selector.support_[31]


def test_the_judge_with_the_best_guide_quality_is_taken():
    """Several evaluators are tried; the chosen one is named."""
    X, y = load_wine(return_X_y=True)
    selector = ScreenedSelector(random_state=0).fit(X, y)
    assert set(selector.guides_) == {
        "ridge",
        "naive Bayes",
        "linear discriminant",
        "nearest neighbours",
    }
    assert (
        selector.guides_[selector.guide_name_]
        == max(selector.guides_.values())
        == selector.result_.chosen_quality
    )


def test_regression_and_a_given_estimator():
    """A numeric target is scored by R2; an estimator of one's own is the only evaluator."""
    X, y = load_diabetes(return_X_y=True)
    selector = ScreenedSelector(random_state=0).fit(X, y)
    assert selector.scoring_ == "r2"
    assert set(ScreenedSelector(Ridge(), random_state=0).fit(X, y).guides_) == {"Ridge"}
    model = make_pipeline(ScreenedSelector(random_state=0), best_model("regression", len(y)))
    assert cross_val_score(model, X, y, cv=3, scoring="r2").mean() > 0.35


@pytest.mark.parametrize(
    ("share", "scoring"), [(0.5, "accuracy"), (0.41, "accuracy"), (0.39, "balanced_accuracy")]
)
def test_skewed_classes_are_noticed(share, scoring):
    """Beyond one and a half to one accuracy gives way to balanced accuracy."""
    y = (np.arange(100) < 100 * share).astype(int)
    assert default_scoring(Task.of(np.zeros((100, 1)), y)) == scoring
