"""What is public: the names of the rooms, and their parameters."""

import inspect
from importlib import import_module
from pathlib import Path

import pytest

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
    """Its selector, the scores and orders that `subsel methods` lists, their p-values, how to add and find a score."""
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
