"""Registries: names belong to the first owner, packages are loaded, near names suggested."""

import sys

import pytest

from subsel.registry.table import PluginFailed, Registry, load_plugins


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
    registry.add("red", 1, home="paint:red")
    with pytest.warns(PluginFailed, match="painter could not be loaded: wet paint"):
        assert list(registry) == ["red"]


def test_a_plugin_that_is_not_there_is_named(monkeypatch):
    """`--plugin` and SUBSEL_PLUGINS name modules; a wrong one is one clear line."""
    monkeypatch.setenv("SUBSEL_PLUGINS", "no_such_module")
    with pytest.raises(ValueError, match="plugin 'no_such_module' cannot be imported"):
        load_plugins()
