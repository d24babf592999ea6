"""A later version may have its classes elsewhere: what was begun before is resumed all the same."""

import json
import re
import warnings

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.naive_bayes import GaussianNB

import subsel
from subsel import RankingSelector, SubsetSelector, assess
from subsel.criteria import find_criterion
from subsel.engine.journal.description import describe
from subsel.ranking.registry import SCORES
from subsel.search import SEARCHES, find_search
from tests.engine.journal.journal_run import seal
from tests.registry.moving import move

X, Y = load_wine(return_X_y=True)


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def searched(budget, journal=None):
    """A search by a criterion and a strategy of ours."""
    return SubsetSelector(
        find_criterion("nearest-centroid"),
        find_search("sffs"),
        n_features=(2, 6),
        budget=budget,
        random_state=5,
        journal=journal,
    ).fit(X, Y)


def test_a_search_is_resumed_after_its_classes_have_moved(tmp_path, monkeypatch):
    """Nothing is computed again, and the result is that of the run that nothing happened to."""
    plain = searched(120)
    half = searched(60, tmp_path)
    for room, name, home in (
        ("subsel.criteria", "NearestCentroid", "subsel.criteria.neighbours.nearest_centroid"),
        ("subsel.search", type(find_search("sffs")).__name__, SEARCHES.home("sffs").split(":")[0]),
    ):
        cls = move(monkeypatch, room, name, home)
        assert cls.__module__ == f"{room}.of_a_later_version"
    whole = searched(120, tmp_path)
    assert whole.result_.n_replayed == half.result_.n_evaluations == 60
    assert len(list(tmp_path.iterdir())) == 1
    assert seal(whole.result_) == seal(plain.result_)


def test_an_assessment_is_resumed_after_its_classes_have_moved(tmp_path, monkeypatch):
    """Its finished folds are read back: no selector is fitted again."""

    def assessed():
        selector = RankingSelector("anova-f", cut=3)
        return assess(selector, GaussianNB(), X, Y, cv=3, random_state=0, journal=tmp_path)

    first = assessed()
    move(monkeypatch, "subsel.ranking", "RankingSelector", "subsel.ranking.selector")
    monkeypatch.setitem(subsel._HOMES, "RankingSelector", "subsel.ranking.of_a_later_version")
    monkeypatch.setattr(RankingSelector, "fit", None)
    again = assessed()
    np.testing.assert_array_equal(again.folds["score"], first.folds["score"])


@pytest.mark.parametrize("key", ["relief", "anova-f"])
def test_no_description_names_a_module_below_a_room(key):
    """Searches, criteria and functions of ours are described by what they are called in public."""
    told = json.dumps(describe([searched(10), SCORES[key].function, find_search("sffs")]))
    named = set(re.findall(r'"(subsel[.\w:]+)"', told))
    assert {"subsel.SubsetSelector", "subsel.criteria.NearestCentroid"} < named
    assert not [name for name in named if name.count(".") > 2]


def test_the_file_is_found_by_names_alone():
    """Two of our functions that import from different modules of ours have the same digest."""
    digests = set()
    for module in ("subsel.criteria.base", "subsel.criteria.evaluators.moved"):
        scope = {"__name__": "subsel.search.walks.annealing"}
        exec(f"def cool():\n    from {module} import Evaluator\n    return Evaluator", scope)
        digests.add(describe(scope["cool"])["digest"])
    assert len(digests) == 1
