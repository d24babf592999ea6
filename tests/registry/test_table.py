"""Registries: names belong to the first owner, packages are loaded, near names suggested."""

import ast
import inspect
import json
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import subsel
from subsel.criteria.evaluators import acceleration
from subsel.criteria.registry import CRITERIA, Equivalent
from subsel.literature.challenge.entry import ENTRIES
from subsel.models.short_names import ESTIMATORS
from subsel.ranking.cuts.registry import CUTS
from subsel.ranking.registry import ORDERS, SCORES
from subsel.registry.recipes import RECIPES
from subsel.registry.table import PluginFailed, Registry, load_plugins
from subsel.result.model_types import HOMES, TRUSTED
from subsel.search.registry import SEARCHES


def table() -> Registry:
    registry: Registry = Registry("colour")
    registry.add("dark-red", 1, home="paint:red")
    return registry


def test_another_cannot_take_a_name():
    """Registering another's name is an error that names the owner."""
    with pytest.raises(
        ValueError,
        match=r"colour 'dark-red' belongs to paint:red; other:red must take another name",
    ):
        table().add("dark_red", 2, home="other:red")


def test_the_same_object_again_replaces():
    """A cell of a notebook can be run twice."""
    registry = table()
    registry.add("dark_red", 2, home="paint:red")
    assert registry["dark-red"] == 2


def test_a_missing_name_offers_those_near():
    """A mistyped name is answered with the nearest."""
    with pytest.raises(ValueError, match=r"no colour named 'dark-rod'. Did you mean dark-red\?"):
        table().find("dark-rod")


def package(folder, body, group="subsel.tests"):
    """A package with an entry point, on the path without being installed."""
    (folder / "painter.py").write_text(body)
    info = folder / "painter-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: painter\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{group}]\nblue = painter\n")


def test_an_installed_package_adds_its_own(tmp_path, monkeypatch):
    """Entry points of the group are loaded when the table is first read, not before."""
    package(
        tmp_path,
        "import sys\nsys.modules['subsel_test_table'].add('blue', 3, home='painter:blue')\n",
    )
    monkeypatch.syspath_prepend(tmp_path)
    registry: Registry = Registry("colour", "subsel.tests")
    monkeypatch.setitem(sys.modules, "subsel_test_table", registry)
    monkeypatch.delitem(sys.modules, "painter", raising=False)
    assert "painter" not in sys.modules
    assert registry["blue"] == 3 and list(registry) == ["blue"]


def test_a_broken_package_is_named_and_the_rest_goes_on(tmp_path, monkeypatch):
    """A package that fails to import costs a warning, not the table."""
    package(tmp_path, "raise RuntimeError('wet paint')\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "painter", raising=False)
    registry: Registry = Registry("colour", "subsel.tests")
    with pytest.warns(PluginFailed, match="painter could not be loaded: wet paint"):
        registry.add("red", 1, home="paint:red")
    assert list(registry) == ["red"]


def test_a_plugin_that_is_not_there_is_named(monkeypatch):
    """`--plugin` and SUBSEL_PLUGINS name modules; a wrong one is one clear line."""
    monkeypatch.setenv("SUBSEL_PLUGINS", "no_such_module")
    with pytest.raises(ValueError, match="plugin 'no_such_module' cannot be imported"):
        load_plugins()


PACKAGE = Path(subsel.__file__).parent
TABLES = (CRITERIA, CUTS, ENTRIES, ESTIMATORS, ORDERS, RECIPES, SCORES, SEARCHES)
GROUPS = {table.group for table in TABLES}


def named(home: str) -> object:
    """What ``"module:name"`` names."""
    module, _, name = home.partition(":")
    return getattr(import_module(module), name)


def defined_at(home: str) -> object:
    """What a string names; a class or a function is named by where it is defined."""
    found = named(home)
    if inspect.isclass(found) or inspect.isfunction(found):
        assert f"{found.__module__}:{found.__qualname__}" == home
    return found


def of_ours(homes):
    return [home for home in homes if isinstance(home, str) and home.startswith("subsel.")]


def test_these_are_all_tables():
    """A table that is not among these would not be looked at below."""
    made = [
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf8")))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Registry"
    ]
    assert len(made) == len(TABLES), made


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.kind)
def test_every_entry_is_found_where_it_is_declared(table):
    """Each name leads to what is defined there, and every room of the table can be imported."""
    for room in table.rooms:
        import_module(room)
    for home in of_ours(table.home(name) for name in table):
        defined_at(home)


def test_every_estimator_of_ours_is_where_it_is_said_to_be():
    """Classifiers and regressors of the short names are given by place, too."""
    makers = of_ours(make for model in ESTIMATORS.values() for make in model[:2])
    assert makers
    for make in makers:
        defined_at(make)


def test_every_estimator_that_a_criterion_answers_for_is_found():
    """A place that is wrong would make a criterion refit silently."""
    given = [answer for key in CRITERIA for answer in getattr(CRITERIA[key], "answers", ())]
    assert all(isinstance(answer, Equivalent) for answer in given)
    homes = of_ours(answer.estimator for answer in given)
    assert homes
    for home in homes:
        defined_at(home)


def test_accelerated_evaluators_and_those_they_replace_are_found():
    """Both sides of the table; a wrong key would refuse the device."""
    for home in [*acceleration._KNOWN, *acceleration._KNOWN.values()]:
        defined_at(home)


def test_types_that_model_files_may_hold_are_found():
    """They are named by their public names, or by names of a table that says where they are."""
    for name in of_ours(TRUSTED):
        module, _, own = name.rpartition(".")
        if name in HOMES:
            defined_at(HOMES[name])
        else:
            assert isinstance(named(f"{module}:{own}"), type)


LAZY = sorted(
    ".".join(["subsel", *path.parent.relative_to(PACKAGE).parts])
    for path in PACKAGE.rglob("__init__.py")
    if re.search(r"^_HOMES = ", path.read_text(encoding="utf8"), re.MULTILINE)
)


@pytest.mark.parametrize("package", LAZY)
def test_every_name_of_a_lazy_package_is_found_where_it_is_said_to_be(package):
    """What it exports is in the module that its table names."""
    module = import_module(package)
    for name, home in module._HOMES.items():
        place = home if package == "subsel" else f"{package}.{home}"
        assert named(f"{place}:{name}") is getattr(module, name)


def test_every_string_that_looks_like_a_place_is_one():
    """Whatever else is looked up by a string, ``"subsel.room.module:name"``, resolves."""
    places = {
        node.value
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf8")))
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and re.fullmatch(r"subsel(\.\w+)+(:\w+)?", node.value)
    }
    for place in sorted(places - GROUPS - set(TRUSTED)):
        if ":" in place:
            defined_at(place)
        else:
            import_module(place)


LISTED = """
import json, sys
from subsel.criteria.registry import CRITERIA
from subsel.registry.recipes import RECIPES
declared = [table.home(name).partition(":")[0] for table in (CRITERIA, RECIPES) for name in table.facts]
names = [name for table in (CRITERIA, RECIPES) for name in table]
print(json.dumps([len(names), declared, [name for name in sys.modules if "literature" in name]]))
"""


def test_listing_the_names_imports_nothing_that_is_declared():
    """Who asks for the keys of a table does not wait for what they lead to."""
    command = [sys.executable, "-c", LISTED]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    n_names, declared, imported = json.loads(done.stdout)
    assert n_names > len(declared) > 30 and not imported
    assert all(home.startswith("subsel.literature.") for home in declared)


FIRST_COME = """
from subsel.criteria.registry import CRITERIA, criterion
try:
    @criterion("least-squares")
    class Mine:
        def bind(self, task, seed=None): ...
except ValueError as error:
    print(error)
"""


def test_a_stranger_cannot_take_a_name_of_ours_before_it_is_imported():
    """In a fresh process, where no criterion is imported yet, our names are taken already."""
    command = [sys.executable, "-c", FIRST_COME]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "the criterion 'least-squares' belongs to subsel.criteria.linear.least_squares" in said
