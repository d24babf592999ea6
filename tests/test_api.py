"""What is public: the names of the rooms, and their parameters."""

import dataclasses
import inspect
from difflib import unified_diff
from importlib import import_module
from pathlib import Path

import pytest
from sklearn.base import BaseEstimator

import subsel
from subsel.ranking.registry import ORDERS, SCORES

PACKAGE = Path(subsel.__file__).parent
PLACES = sorted(
    ".".join(("subsel", *path.parent.relative_to(PACKAGE).parts))
    for path in PACKAGE.rglob("__init__.py")
)


@pytest.mark.parametrize("place", PLACES)
def test_every_exported_name_is_there(place):
    """What a room or a family lists can be imported from it, and is listed once."""
    module = import_module(place)
    names = getattr(module, "__all__", [])
    assert len(names) == len(set(names))
    assert [name for name in names if not hasattr(module, name)] == []


def test_the_room_of_rankings_exports_what_ranks():
    """Its selector, `score`, `find_score`, the scores and orders of `subsel methods`, p-values."""
    listed = {entry.function for table in (SCORES, ORDERS) for entry in table.values()}
    others = {
        name
        for name in subsel.ranking.__all__
        if getattr(subsel.ranking, name) not in listed and not name.endswith("_p_value")
    }
    assert others == {"RankingSelector", "find_score", "score"}
    ours = {
        thing for thing in listed if inspect.getmodule(thing).__name__.startswith("subsel.ranking")
    }
    assert {thing.__name__ for thing in ours} <= set(subsel.ranking.__all__)


def exported_classes():
    """Every estimator, criterion and search that a room or a family exports."""
    found = {}
    for place in PLACES:
        module = import_module(place)
        for name in getattr(module, "__all__", []):
            thing = getattr(module, name)
            if not inspect.isclass(thing) or not thing.__module__.startswith("subsel"):
                continue
            role = hasattr(thing, "steps") or hasattr(thing, "bind")
            if issubclass(thing, BaseEstimator) or (role and dataclasses.is_dataclass(thing)):
                found[f"{thing.__module__}.{name}"] = thing
    return found


CLASSES = exported_classes()


@pytest.mark.parametrize("name", sorted(CLASSES))
def test_two_parameters_at_most_are_given_by_position(name):
    """Constructors of estimators, criteria and searches take all but the first two by name."""
    parameters = inspect.signature(CLASSES[name]).parameters.values()
    by_position = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    assert len(by_position) <= 2
    assert not [p.name for p in parameters if p.kind is p.VAR_POSITIONAL]


def test_the_list_of_public_names_is_up_to_date(monkeypatch):
    """`docs/api.txt` has every public name with its parameters."""
    site = Path(__file__).parent.parent / "docs" / "site"
    monkeypatch.syspath_prepend(str(site))
    from api import PAGE, api_lines

    kept, now = PAGE.read_text(encoding="utf8").splitlines(), api_lines()
    difference = list(unified_diff(kept, now, "docs/api.txt", "now", n=0, lineterm=""))
    assert not difference, "\n".join(["run python docs/site/api.py", *difference])
