"""The cross-validated number of features against a plain loop, and its honesty."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.linear_model import LinearRegression, RidgeClassifier
from sklearn.model_selection import KFold, ShuffleSplit, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline

from subsel import RankingSelector
from subsel.ranking.cuts.cross_validation import size_grid, validated_size
from subsel.ranking.scores.moments.anova import anova_f
from subsel.ranking.scores.moments.pearson import pearson


def by_f(X, y):
    return np.argsort(-anova_f(X, y), kind="stable")


def problem(seed=0, n=80, p=12, noise=1.0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    return X, (X[:, 2] + X[:, 5] + noise * rng.standard_normal(n) > 0).astype(int)


def test_scores_are_those_of_a_pipeline():
    """For every size: the cross-validated scores of scikit-learn's SelectKBest in a pipeline, mean
    and error."""
    X, y = problem()
    found = validated_size(by_f, RidgeClassifier(), X, y, cv=4, sizes=[1, 2, 5, 12])
    for k, mean, error in zip(found.sizes, found.scores, found.standard_errors):
        scores = cross_val_score(
            make_pipeline(SelectKBest(f_classif, k=k), RidgeClassifier()), X, y, cv=4
        )
        assert_allclose([mean, error], [scores.mean(), scores.std(ddof=1) / 2])


def test_one_standard_error():
    """The chosen number is the smallest whose mean is within one standard error of the best.

    Without the rule the best.
    """
    X, y = problem(1, noise=2.0)
    found = validated_size(by_f, RidgeClassifier(), X, y)
    best = np.argmax(found.scores)
    assert found.best == found.sizes[best]
    good = found.sizes[found.scores >= found.scores[best] - found.standard_errors[best]]
    assert found.chosen == good.min() < found.best
    assert validated_size(by_f, RidgeClassifier(), X, y, one_se=False).chosen == found.best


def test_the_ranking_never_sees_the_held_out_rows():
    """On pure noise the scores stay at chance, where ranking all rows beforehand promises much."""
    nested, cheated = [], []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X, y = rng.standard_normal((40, 500)), np.repeat([0, 1], 20)
        cv = StratifiedKFold(5, shuffle=True, random_state=seed)
        nested.append(validated_size(by_f, RidgeClassifier(), X, y, cv, sizes=[5]).scores[0])
        cheated.append(cross_val_score(RidgeClassifier(), X[:, by_f(X, y)[:5]], y, cv=cv).mean())
    assert abs(np.mean(nested) - 0.5) < 0.1
    assert np.mean(cheated) > 0.75


def test_one_split_has_no_error():
    """With a single split the best number is chosen."""
    X, y = problem()
    cv = ShuffleSplit(1, random_state=0)
    found = validated_size(by_f, RidgeClassifier(), X, y, cv)
    assert found.chosen == found.best
    assert not found.standard_errors.any()


def test_sparse_and_dense_agree():
    """A sparse table gives the same numbers."""
    X, y = problem()
    X[np.abs(X) < 0.5] = 0.0
    dense = validated_size(by_f, RidgeClassifier(), X, y)
    thin = validated_size(by_f, RidgeClassifier(), sparse.csr_array(X), y)
    assert_allclose(thin.scores, dense.scores)


@pytest.mark.parametrize("n", [1, 2, 3, 7, 100, 2000])
def test_the_grid(n):
    """Sizes rise from one to all columns, at most four an octave."""
    grid = size_grid(n)
    assert grid[0] == 1 and grid[-1] == n and np.all(np.diff(grid) > 0)
    assert len(grid) <= 4 * np.log2(n) + 2


def test_the_selector_takes_scores_and_orders():
    """``cut="cv"`` keeps the chosen number of the ranking of all rows, and gives the curve."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 10))
    y = X[:, 1] + 2 * X[:, 4] + 0.3 * rng.standard_normal(80)
    for ranking in ("pearson", "gram-schmidt"):
        selector = RankingSelector(ranking, "cv", estimator=LinearRegression(), cv=KFold(5)).fit(
            X, y
        )
        assert selector.get_support(indices=True).tolist() == [1, 4]
        assert selector.validation_.chosen == 2

    def by_r(X, y):
        return np.argsort(-pearson(X, y))

    assert_allclose(
        RankingSelector("pearson", "cv", estimator=LinearRegression()).fit(X, y).validation_.scores,
        validated_size(by_r, LinearRegression(), X, y).scores,
    )


def test_an_order_that_ends_early():
    """Where an order takes few features, larger numbers repeat its end.

    Where it takes none, that is said.
    """
    X, y = problem()
    found = validated_size(lambda X, y: by_f(X, y)[:3], RidgeClassifier(), X, y, sizes=[1, 3, 9])
    assert found.scores[1] == found.scores[2]
    with pytest.raises(ValueError, match="no feature was selected"):
        validated_size(lambda X, y: np.empty(0, int), RidgeClassifier(), X, y)


def test_a_score_that_is_no_number_is_refused():
    """Where a fold lacks a class its area under the curve is NaN, which must not win.

    The fold and the size are named.
    """
    X, y = problem()
    order = np.argsort(y)
    with (
        pytest.raises(ValueError, match="fold 0 with 1 features is not a number"),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        validated_size(by_f, RidgeClassifier(), X[order], y[order], KFold(4), "roc_auc")


def test_what_cv_needs():
    """An estimator must be given; weights are refused."""
    X, y = problem()
    with pytest.raises(ValueError, match="needs an estimator"):
        RankingSelector(cut="cv").fit(X, y)
    with pytest.raises(ValueError, match="sample weights"):
        RankingSelector(cut="cv", estimator=RidgeClassifier()).fit(X, y, sample_weight=np.ones(80))
