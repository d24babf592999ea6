"""The kernel ridge systems: each is its search on the exact evaluator."""

import numpy as np
import pytest
from sklearn.datasets import make_friedman1
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import cross_val_score

from subsel.literature.recipes.kernel_ridge import dis_krr, mg_krr, mo_krr, ran_krr
from subsel.search import ExhaustiveForward, RandomWalk

X, Y = make_friedman1(70, 9, noise=0.2, random_state=0)
X, Y = 2 * X - 1, Y - Y.mean()
JUDGE = {"alpha": 0.1, "gamma": 0.3, "cv": 4}


def refitted(columns):
    return cross_val_score(
        KernelRidge(kernel="rbf", alpha=0.1, gamma=0.3), X[:, columns], Y, cv=4
    ).mean()


@pytest.mark.parametrize("recipe", [mo_krr, mg_krr, ran_krr, dis_krr])
def test_the_quality_is_that_of_refitting(recipe):
    """Whatever the search, the quality of its answer is scikit-learn's cross-validated R2, and beats all features."""
    selector = recipe(JUDGE, budget=150, random_state=0).fit(X, Y)
    result = selector.result_
    assert result.evaluator.name == "exact kernel ridge"
    assert result.best_quality == pytest.approx(refitted(result.best), rel=1e-8)
    assert result.best_quality > refitted(np.arange(9))
    assert result.n_evaluations <= 150


@pytest.mark.parametrize("recipe", [mo_krr, mg_krr, ran_krr])
def test_relevant_features_are_found(recipe):
    """With the searches' own end the five features behind Friedman's function are in the answer."""
    assert recipe(JUDGE, random_state=1).fit(X, Y).support_[:5].all()


def test_searches_are_those_of_the_paper():
    """mo- is RFS1, ran- is RFS2, mg- starts with all pairs, dis- splits one budget over restarts of RFS1."""
    assert mo_krr(c=3.0).search == RandomWalk("metropolis", c=3.0)
    assert ran_krr().search == RandomWalk("better")
    assert mg_krr(k=3, patience=2).search == ExhaustiveForward(3, 2)
    distributed = dis_krr(budget=1000, restarts=8, c=3.0)
    assert distributed.search == RandomWalk("metropolis", c=3.0)
    assert (distributed.restarts, distributed.budget.evaluations) == (8, 125)
    assert all(recipe().estimator.kernel == "rbf" for recipe in (mo_krr, mg_krr, ran_krr, dis_krr))


def test_restarts_must_fit_the_budget():
    """More restarts than evaluations are refused by name."""
    with pytest.raises(ValueError, match="restarts"):
        dis_krr(budget=5, restarts=6)
