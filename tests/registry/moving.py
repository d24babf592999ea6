"""Moves a class of ours to another module, as a later version of the library might."""

import sys
from importlib import import_module
from inspect import isfunction
from types import ModuleType


def move(monkeypatch, room, name, home):
    """Move what ``home`` defines under a name to a new module of the room; undone with the test.

    Parameters
    ----------
    monkeypatch : MonkeyPatch
        That of the test.
    room : str
        Whose module it becomes, ``"subsel.criteria"``.
    name : str
        The class or function.
    home : str
        The module that defines it now.

    Returns
    -------
    type or function
        It, as it is after the move.
    """
    old, package, new = import_module(home), import_module(room), f"{room}.of_a_later_version"
    thing = getattr(old, name)
    moved = sys.modules.get(new) or ModuleType(new)
    monkeypatch.setitem(sys.modules, new, moved)
    monkeypatch.setattr(moved, name, thing, raising=False)
    monkeypatch.delattr(old, name)
    for part in (thing, *filter(isfunction, vars(thing).values())):
        monkeypatch.setattr(part, "__module__", new)
    if name in package._HOMES:
        monkeypatch.setitem(package._HOMES, name, "of_a_later_version")
    return thing
