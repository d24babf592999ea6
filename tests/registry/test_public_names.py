"""Public names: the shortest import of what is exported, for the rest the room and the class."""

import ast
from collections import Counter
from functools import partial
from importlib import import_module
from pathlib import Path

import pytest
from sklearn.linear_model import Ridge

import subsel
from subsel.criteria import CRITERIA
from subsel.ranking.registry import ORDERS, SCORES
from subsel.registry.public_names import public_name
from subsel.search import SEARCHES
from tests.registry.moving import move

PACKAGE = Path(subsel.__file__).parent

REGISTERED = {
    "search": lambda: [SEARCHES.find(key).cls for key in SEARCHES],
    "criterion": lambda: [CRITERIA.find(key) for key in CRITERIA],
    "score": lambda: [entry.function for entry in SCORES.values()],
    "order": lambda: [entry.function for entry in ORDERS.values()],
}


def imported(name):
    """What a name stands for, imported as a user would."""
    package, _, attribute = name.rpartition(".")
    return getattr(import_module(package), attribute)


@pytest.mark.parametrize("kind", REGISTERED)
def test_what_is_registered_is_public(kind):
    """The name of each is an import that gives it, at most one room or family below the top."""
    things = [thing for thing in REGISTERED[kind]() if thing.__module__.startswith("subsel.")]
    assert things
    for thing in things:
        name = public_name(thing)
        assert imported(name) is thing
        assert name.count(".") <= 2 + name.startswith("subsel.literature.")


def test_all_that_the_top_offers_is_named_by_it():
    """What can be imported from ``subsel`` itself is named so, wherever it is defined."""
    for name in subsel._HOMES:
        assert public_name(getattr(subsel, name)) == f"subsel.{name}"


def test_a_move_changes_no_name(monkeypatch):
    """Those of public and private classes, and of their methods."""
    criterion = partial(move, monkeypatch, "subsel.criteria")
    cls = criterion("NearestCentroid", "subsel.criteria.neighbours.nearest_centroid")
    assert public_name(cls) == "subsel.criteria.NearestCentroid"
    assert public_name(cls.bind) == "subsel.criteria.NearestCentroid.bind"
    kept = move(monkeypatch, "subsel.models", "SubsetModel", "subsel.models.subset_model")
    assert public_name(kept) == "subsel.models:SubsetModel"


def test_a_namesake_is_not_taken_for_what_is_public():
    """A class that only has the name of a public one is told apart from it."""
    other = type("NearestCentroid", (), {"__module__": "subsel.criteria.linear.discriminant"})
    assert public_name(other) == "subsel.criteria:NearestCentroid"


def test_what_is_foreign_keeps_its_module():
    """Classes of other libraries and of the user may only be found where they are."""
    assert public_name(Ridge) == "sklearn.linear_model._ridge.Ridge"
    assert public_name(Path) == "pathlib.Path"
    assert public_name(test_what_is_foreign_keeps_its_module).startswith(__name__)


NAMESAKES = {
    "_loops:Columns": "arguments of compiled loops",
    "criteria:_Evaluator": "made by criteria, which are public",
    "testing:_Trial": "one check of what is tested",
}
"""Classes that share a name in their room, and why no journal or file can confuse them."""


def test_private_classes_of_a_room_have_different_names():
    """Where the room and the bare name are all that is written, two classes must not share them."""
    found = Counter()
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE).parts
        room = ".".join(parts[:2] if parts[0] == "literature" else parts[:1])
        tree = ast.parse(path.read_text(encoding="utf8"))
        found.update(f"{room}:{node.name}" for node in tree.body if isinstance(node, ast.ClassDef))
    twice = {name for name, count in found.items() if count > 1}
    assert twice == NAMESAKES.keys()
