"""Prototypes: any search over rows, and a selector that classifies by what it found."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from subsel.literature.recipes.prototypes import PrototypeSelector, mc1, rmhc_prototypes
from subsel.search import HillClimbing
from subsel.search.walks.membership import Walker
from subsel.space.space import Block, Space


@parametrize_with_checks(
    [
        PrototypeSelector(budget=100, random_state=0),
        PrototypeSelector(features=True, search="rfs2", budget=200, random_state=0),
    ]
)
def test_scikit_learn_contract(estimator, check):
    """A selector and classifier that passes scikit-learn's checks, with and without a search over columns."""
    check(estimator)


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


def refitted(selector, X, y):
    """Nearest neighbours trained on what the selector kept."""
    rows, columns = selector.prototypes_, np.flatnonzero(selector.support_)
    return KNeighborsClassifier(1).fit(X[np.ix_(rows, columns)], y[rows]), X[:, columns]


@pytest.mark.parametrize(
    "make",
    [mc1, rmhc_prototypes, lambda *a, **o: rmhc_prototypes(*a, features=True, **o)],
    ids=["mc1", "rmhc", "rmhc-pf"],
)
def test_the_recipes_find_three_good_prototypes_of_iris(make, iris):
    """Three of 150 rows classify more than 95%; quality and predictions are those of a model trained on them."""
    X, y = iris
    X = X + 1e-4 * np.random.default_rng(0).normal(
        size=X.shape
    )  # without it many distances are equal
    selector = make(3, 400, random_state=0).fit(X, y)
    model, columns = refitted(selector, X, y)
    assert len(selector.prototypes_) == 3 and selector.quality_ > 0.95
    assert selector.quality_ == model.score(columns, y) == selector.score(X, y)
    assert_array_equal(selector.predict(X + 0.05), model.predict(columns + 0.05))
    assert selector.result_.n_evaluations == 400


def test_any_search_selects_prototypes():
    """Exhaustive search over pairs of 12 rows is as good as the best of all pairs by brute force."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(12, 2)), np.arange(12) % 2
    found = PrototypeSelector(2, search="exhaustive", budget=None).fit(X, y)

    def score(pair):
        return KNeighborsClassifier(1).fit(X[list(pair)], y[list(pair)]).score(X, y)

    assert found.quality_ == max(map(score, combinations(range(12), 2))) == score(found.prototypes_)
    for search in ("genetic", "rfs1", "annealing"):
        assert len(
            PrototypeSelector((2, 4), search=search, random_state=0).fit(X, y).prototypes_
        ) in (2, 3, 4)


def test_hill_climbing_changes_one_prototype_at_a_time(iris):
    """The best accuracy so far never falls, and every set asked for has the asked size."""
    selector = rmhc_prototypes(4, 200, random_state=1).fit(*iris)
    assert (selector.result_.trace["size"] == 4).all()
    assert (np.diff(selector.result_.improvements["quality"]) > 0).all()


def test_a_free_number_of_prototypes_leaves_each_out_of_itself():
    """Two far groups with a wrong row each: by leave-self-out a few prototypes beat all rows."""
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=20), rng.normal(size=20) + 20])[:, None]
    y = np.repeat([0, 1], 20)
    y[[0, 39]] = 1, 0
    found = PrototypeSelector(
        (1, 40), leave_self_out=True, search=HillClimbing(), budget=600, random_state=0
    ).fit(X, y)
    assert found.quality_ == 38 / 40
    assert len(found.prototypes_) < 40


def test_the_prototypes_train_any_other_learner(iris):
    """fit_resample gives the rows, with the chosen columns, as the kind of table they came in."""
    frame = pd.DataFrame(iris[0], columns=list("abcd"))
    y = np.array(["s", "e", "i"])[iris[1]]
    selector = PrototypeSelector(5, features=True, budget=100, random_state=0)
    rows, labels = selector.set_output(transform="pandas").fit_resample(frame, y)
    assert list(rows.columns) == list(selector.get_feature_names_out())
    assert_array_equal(rows.to_numpy(), frame.loc[selector.prototypes_, rows.columns].to_numpy())
    assert_array_equal(labels, y[selector.prototypes_])
    plain_rows, _ = PrototypeSelector(5, budget=50, random_state=0).fit_resample(iris[0], y)
    assert plain_rows.shape == (5, 4)


def test_same_seed_same_prototypes_whatever_the_workers(iris):
    """Three restarts on one or two threads, dense or sparse."""

    def fit(X, **options):
        selector = PrototypeSelector(3, budget=60, restarts=3, random_state=5, **options)
        return selector.fit(X, iris[1])

    first = fit(iris[0])
    assert_array_equal(first.prototypes_, fit(iris[0], n_jobs=2).prototypes_)
    assert_array_equal(first.prototypes_, fit(sparse.csr_matrix(iris[0])).prototypes_)


def test_held_out_rows_never_reach_the_search(iris):
    """Cross-validated accuracy with three prototypes is near that of all rows: within five points on Iris."""
    few = cross_val_score(rmhc_prototypes(3, 300, random_state=0), *iris, cv=5).mean()
    assert few > cross_val_score(KNeighborsClassifier(1), *iris, cv=5).mean() - 0.05


@pytest.mark.parametrize("wrong", [0, 151, (5, 3)])
def test_a_number_of_prototypes_that_cannot_be_is_refused(wrong, iris):
    """Between one and the number of rows."""
    with pytest.raises(ValueError, match="n_prototypes must lie between 1 and 150"):
        PrototypeSelector(wrong).fit(*iris)


def test_any_learner_is_trained_on_the_prototypes(iris):
    """Quality and predictions are those of the learner trained on the chosen rows and columns; one class predicts itself."""
    X, y = iris
    selector = rmhc_prototypes(9, 60, features=True, estimator=GaussianNB(), random_state=0).fit(
        X, y
    )
    columns = np.flatnonzero(selector.support_)
    model = GaussianNB().fit(X[np.ix_(selector.prototypes_, columns)], y[selector.prototypes_])
    assert selector.quality_ == model.score(X[:, columns], y) > 0.85
    assert_array_equal(selector.predict(X), model.predict(X[:, columns]))
    assert mc1(1, 3, estimator=GaussianNB(), random_state=0).fit(X, y).quality_ == pytest.approx(
        1 / 3
    )
    with pytest.raises(ValueError, match="nearest neighbours"):
        mc1(3, estimator=GaussianNB(), leave_self_out=True).fit(X, y)


def test_mutations_meet_columns_by_their_bits_in_the_string():
    """Ten prototypes of 208 rows are ten numbers of eight bits: of 60 columns' bits 60 in 140 mutate."""
    space = Space((Block(60), Block(208, name="rows", low=10, high=10)))
    rng = np.random.default_rng(0)
    walker = Walker.start(space, rng)
    share = np.mean([min(walker.mutate(rng)) < 60 for _ in range(4000)])
    assert abs(share - 60 / 140) < 0.03
    assert abs(np.mean([min(walker.flip(rng)) < 60 for _ in range(4000)]) - 60 / 268) < 0.03
