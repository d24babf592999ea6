"""The fitness of SET-Gen by hand, and information complexity by its definition."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.model_selection import StratifiedKFold, cross_validate
from sklearn.tree import DecisionTreeClassifier

from subsel.criteria import IcompRegression, TreeFitness
from subsel.criteria.refits.icomp import entropic_complexity, frobenius_complexity, icomp
from subsel.data.task import Task
from subsel.literature.recipes import set_gen


def test_fitness_by_hand():
    """Three quarters accuracy, a quarter one minus the mean of relative tree size and share
    of columns.
    """
    X, y = load_breast_cancer(return_X_y=True)
    X, y, cv = X[:150], y[:150], StratifiedKFold(3)
    found = cross_validate(
        DecisionTreeClassifier(random_state=0), X[:, [0, 5]], y, cv=cv, return_estimator=True
    )
    sizes = [
        t.tree_.node_count / len(rows) for t, (rows, _) in zip(found["estimator"], cv.split(X, y))
    ]
    wanted = 0.75 * found["test_score"].mean() + 0.25 * (1 - (np.mean(sizes) + 2 / 30) / 2)
    assert TreeFitness(cv=cv).bind(Task.of(X, y)).quality(np.array([0, 5])) == pytest.approx(wanted)


def test_the_genetic_algorithm_prefers_few_columns_and_small_trees():
    """The winner has few columns; with all the weight on accuracy it is plain accuracy."""
    X, y = load_breast_cancer(return_X_y=True)
    X, y = X[:150], y[:150]
    selector = set_gen(population=10, cv=3, budget=60, random_state=0).fit(X, y)
    assert selector.get_support().sum() < 15
    plain = TreeFitness(cv=3, accuracy_weight=1.0).bind(Task.of(X, y)).quality(np.arange(30))
    tree = DecisionTreeClassifier(random_state=0)
    assert plain == pytest.approx(
        cross_validate(tree, X, y, cv=StratifiedKFold(3))["test_score"].mean()
    )


@pytest.mark.parametrize("complexity", [entropic_complexity, frobenius_complexity])
def test_complexity_is_zero_for_equal_eigenvalues_and_blind_to_scale(complexity):
    """Zero exactly where all eigenvalues are equal, unchanged by scaling."""
    values = np.random.default_rng(0).uniform(0.5, 3, 6)
    assert complexity(np.full(5, 2.0)) == pytest.approx(0, abs=1e-12)
    assert complexity(values) > 0
    assert complexity(7 * values) == pytest.approx(complexity(values))


def test_entropic_complexity_is_that_of_the_matrix():
    """From trace and determinant; a rotation changes nothing; a null direction is left out."""
    rng = np.random.default_rng(1)
    A = rng.normal(size=(5, 5))
    S, Q = A @ A.T, np.linalg.qr(A)[0]
    wanted = 5 / 2 * np.log(np.trace(S) / 5) - np.linalg.slogdet(S)[1] / 2
    assert entropic_complexity(np.linalg.eigvalsh(S)) == pytest.approx(wanted)
    for kind in ("c1", "c1f"):
        assert icomp(-3.0, Q @ S @ Q.T, kind) == pytest.approx(icomp(-3.0, S, kind))
    assert icomp(-3.0, S) == pytest.approx(6 + 2 * wanted)
    wide = np.zeros((6, 6))
    wide[:5, :5] = S
    assert icomp(-3.0, wide) == pytest.approx(icomp(-3.0, S))
    with pytest.raises(ValueError, match="complexity"):
        icomp(0.0, S, "c2")


@pytest.mark.parametrize("kind", ["c1", "c1f"])
def test_information_complexity_of_least_squares_by_definition(kind):
    """Likelihood and Fisher information written out."""
    X, y = load_diabetes(return_X_y=True)
    task = Task.of(X, y, "regression")
    columns = np.array([2, 3, 8])
    A = np.column_stack([np.ones(len(X)), (X - X.mean(0)) / X.std(0)])[:, [0, *(columns + 1)]]
    beta = np.linalg.solve(A.T @ A, A.T @ y)
    variance = np.mean((y - A @ beta) ** 2)
    likelihood = -len(y) / 2 * (np.log(2 * np.pi * variance) + 1)
    covariance = np.zeros((5, 5))
    covariance[:4, :4], covariance[4, 4] = (
        variance * np.linalg.inv(A.T @ A),
        2 * variance**2 / len(y),
    )
    values = np.linalg.eigvalsh(covariance)
    penalty = {"c1": entropic_complexity, "c1f": frobenius_complexity}[kind](values)
    assert IcompRegression(kind).bind(task).quality(columns) == pytest.approx(
        2 * likelihood - 2 * penalty
    )
