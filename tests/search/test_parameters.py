"""Parameters of strategies are read, set, cloned and searched as those of scikit-learn's
estimators.
"""

import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

from subsel import SubsetSelector
from subsel.search import SEARCHES, Annealing, Beam, RandomWalk, find_search

X, Y = load_iris(return_X_y=True)


@pytest.mark.parametrize("key", sorted(SEARCHES))
def test_every_strategy_is_cloned_with_its_parameters(key):
    """A clone is another object with the same parameters; they are those of its settings."""
    strategy = find_search(key)
    twin = clone(strategy)
    assert twin == strategy and twin is not strategy
    assert twin.get_params() == strategy.get_params()
    assert twin.get_params().items() >= SEARCHES[key].settings.items()


@pytest.mark.parametrize("search", ["beam", Beam()], ids=["key", "object"])
def test_a_selector_reaches_the_parameters_of_its_search(search):
    """``search__width`` is listed and set, whether the search was given as a key or as an
    object.
    """
    selector = SubsetSelector(GaussianNB(), search=search)
    assert selector.get_params()["search__width"] == 5
    assert clone(selector).set_params(search__width=2).search == Beam(width=2)
    assert selector.get_params(deep=False)["search"] is search
    assert find_search("beam").width == 5


def test_a_search_and_its_parameters_are_set_together():
    """A new key and a parameter of it may come in one call.

    The parameter is that of the new search.
    """
    selector = SubsetSelector(GaussianNB(), search="beam").set_params(
        search="annealing", search__n_steps=7
    )
    assert selector.search == Annealing(n_steps=7)
    assert selector.set_params(search="rfs2").search == "rfs2"
    assert selector.set_params(search__patience=3).search == RandomWalk("better", patience=3)


@pytest.mark.parametrize("search", ["beam", Beam()], ids=["key", "object"])
def test_an_unknown_parameter_of_a_search_is_named(search):
    """A parameter that the strategy lacks is an error that says what it has."""
    with pytest.raises(ValueError, match=r"Beam has no parameter 'widht'\. Did you mean width"):
        SubsetSelector(GaussianNB(), search=search).set_params(search__widht=2)


def test_an_unknown_key_shows_in_fit_and_not_before():
    """Constructors and get_params do not validate.

    A mistyped key can be read, copied and replaced.
    """
    selector = SubsetSelector(GaussianNB(), search="baem")
    assert selector.get_params()["search"] == "baem"
    assert clone(selector).set_params(search="sfs", n_features=1).fit(X, Y).support_.sum() == 1
    with pytest.raises(ValueError, match="Did you mean beam"):
        clone(selector).set_params(search__width=2)


@pytest.mark.parametrize("search", ["beam", Beam()], ids=["key", "object"])
def test_a_grid_over_a_parameter_of_the_search(search):
    """GridSearchCV tries the values on clones: the selector it was given stays as it was."""
    pipeline = make_pipeline(
        SubsetSelector(GaussianNB(), search=search, n_features=2, cv=2), GaussianNB()
    )
    grid = GridSearchCV(pipeline, {"subsetselector__search__width": [1, 2]}, cv=2).fit(X, Y)
    assert grid.best_params_["subsetselector__search__width"] in (1, 2)
    assert (
        grid.best_estimator_[0].search.width == grid.best_params_["subsetselector__search__width"]
    )
    assert pipeline[0].search == search
