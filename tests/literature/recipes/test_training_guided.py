"""Sets grown by the training score, sized on other rows; columns tried one at a time."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.utils.estimator_checks import parametrize_with_checks

from subsel.literature.recipes import TrainingGuided, one_at_a_time


@parametrize_with_checks([TrainingGuided(LinearRegression(), max_features=1)])
def test_scikit_learn_contract(estimator, check):
    """Every check of scikit-learn passes."""
    check(estimator)


def test_sets_grow_by_the_training_score_and_are_sized_elsewhere():
    """Each step is the best of all additions on the guiding rows; the size is the best on the others; no row is in both."""
    X, y = load_diabetes(return_X_y=True)
    rng = np.random.default_rng(0)
    X = np.column_stack([X, rng.normal(size=(len(X), 5))])
    selector = TrainingGuided(LinearRegression(), random_state=0).fit(X, y)
    a, b = selector.guide_rows_, selector.validation_rows_
    assert not set(a) & set(b) and len(a) + len(b) == len(y)
    chosen = []
    for step in range(4):
        scores = {j: LinearRegression().fit(X[a][:, [*chosen, j]], y[a]).score(X[a][:, [*chosen, j]], y[a])
                  for j in range(15) if j not in chosen}  # fmt: skip
        chosen.append(max(scores, key=scores.get))
        assert selector.guide_scores_[step] == pytest.approx(scores[chosen[-1]])
        model = LinearRegression().fit(X[a][:, chosen], y[a])
        assert selector.validation_scores_[step] == pytest.approx(
            model.score(X[b][:, chosen], y[b])
        )
    assert selector.path_[:4].tolist() == chosen
    assert np.all(np.diff(selector.guide_scores_) > -1e-12), (
        "the training score of nested least squares never falls"
    )
    assert selector.support_.sum() == np.argmax(selector.validation_scores_) + 1


def test_one_column_at_a_time_beside_a_base():
    """Each column's score is that of scikit-learn's cross-validation of the base and it."""
    X, y = load_iris(return_X_y=True)
    found = one_at_a_time(GaussianNB(), X, y, base=[1])
    wanted = [cross_val_score(GaussianNB(), X[:, sorted({1, j})], y).mean() for j in (0, 2, 3)]
    np.testing.assert_allclose(found[[0, 2, 3]], wanted)
    assert np.isnan(found[1])
    assert not np.isnan(one_at_a_time(GaussianNB(), X, y)).any()
