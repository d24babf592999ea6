"""Registries of searches, criteria, scores and estimators, to which other packages can add."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Generic, TypeVar

__all__ = ["PLUGINS", "PluginFailed", "Registry", "canonical", "did_you_mean", "load_plugins"]

Entry = TypeVar("Entry")
PLUGINS = "SUBSEL_PLUGINS"


class PluginFailed(UserWarning):
    """An installed package could not be loaded, so that its entries are missing."""


class Registry(Mapping[str, Entry], Generic[Entry]):
    """A mapping from names to entries, in which hyphens and underscores are the same.

    A name belongs to the object that registered it first: registering another object by this name
    is an error, but the same object of the same module replaces its entry, so that a cell of a
    notebook can be run twice. Packages that declare an entry point of the group are loaded when the
    registry is first read.

    Parameters
    ----------
    kind : str
        What an entry is, for messages: ``"search"``.
    group : str, optional
        The group of entry points: ``"subsel.searches"``.
    rooms : tuple of str, optional
        Modules of this library that add entries, imported when the registry is first read.

    Attributes
    ----------
    facts : dict of str to mapping
        What was declared about entries that are imported when looked up.

    Examples
    --------
    >>> colours = Registry("colour")
    >>> colours.add("dark_red", 1, home="paint:dark_red")
    >>> colours["dark-red"], list(colours)
    (1, ['dark-red'])
    >>> colours["dark-rod"]
    Traceback (most recent call last):
    KeyError: "there is no colour named 'dark-rod'. Did you mean dark-red?"
    """

    def __init__(self, kind: str, group: str | None = None, rooms: tuple[str, ...] = ()) -> None:
        self.kind, self.group, self.rooms = kind, group, rooms
        self.facts: dict[str, Mapping[str, Any]] = {}
        self._entries: dict[str, Entry] = {}
        self._homes: dict[str, str] = {}  # the names in order, and the "module:object" of each
        self._loaded = False

    def add(self, name: str, entry: Entry, home: str) -> None:
        """Register an object by a name; ``home`` is ``"module:object"``, to which it belongs."""
        name = canonical(name)
        self._claim(name, home)
        self._entries[name] = entry

    def _claim(self, name: str, home: str) -> None:
        """Register the owner of a name; raise an error if it belongs to another object."""
        if not home.startswith("subsel."):  # ours come first, whenever they are imported
            self._load()
        if self._homes.setdefault(name, home) != home:
            raise ValueError(
                f"the {self.kind} {name!r} belongs to {self._homes[name]}; "
                f"{home} must take another name for its own."
            )

    def declare(self, name: str, home: str, **facts: Any) -> None:
        """Register an object by its location, so that it is imported only when it is looked up.

        Parameters
        ----------
        name : str
            The name.
        home : str
            The location, ``"module:object"``.
        **facts : Any
            Facts that can be read without importing the object; stored in ``facts``.

        Examples
        --------
        >>> shapes = Registry("shape")
        >>> shapes.declare("ordered", "collections:OrderedDict", sorted=False)
        >>> list(shapes), shapes.facts["ordered"], shapes["ordered"].__name__
        (['ordered'], {'sorted': False}, 'OrderedDict')
        """
        name = canonical(name)
        self._claim(name, home)
        self.facts[name] = facts

    def home(self, name: str) -> str:
        """Return the location of an entry, ``"module:object"``, without importing it."""
        return self._homes[canonical(name)]

    def find(self, name: str) -> Entry:
        """Look up an entry; raise a ValueError with similar names if there is none."""
        try:
            return self[name]
        except KeyError as missing:
            raise ValueError(missing.args[0]) from None

    def __getitem__(self, name: str) -> Entry:
        """Look up an entry by its name, with hyphens or underscores."""
        key = canonical(name)
        if key not in self._entries and key not in self.facts:
            self._load()
        if key not in self._homes:
            raise KeyError(
                f"there is no {self.kind} named {name!r}. {did_you_mean(key, self._homes)}"
            )
        if key not in self._entries:  # declared: importing may register it, else it is the object
            module, _, attribute = self._homes[key].partition(":")
            declared = getattr(import_module(module), attribute)
            self._entries.setdefault(key, declared)
        return self._entries[key]

    def __contains__(self, name: object) -> bool:
        """Whether a name is registered."""
        self._load()
        return isinstance(name, str) and canonical(name) in self._homes

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names in the order of registration."""
        self._load()
        return iter(self._homes)

    def __len__(self) -> int:
        """Return the number of names."""
        self._load()
        return len(self._homes)

    def _load(self) -> None:
        """Import, once, all modules and packages that register entries when they are imported."""
        if self._loaded:
            return
        self._loaded = True
        for room in self.rooms:
            import_module(room)
        if self.group:
            for point in entry_points(group=self.group):
                _load_point(point)


def _load_point(point: EntryPoint) -> None:
    """Load an entry point; warn if that fails."""
    try:
        point.load()
    except Exception as error:
        warnings.warn(
            f"{point.group}: {point.value} could not be loaded: {error}", PluginFailed, stacklevel=2
        )


def load_plugins(modules: Iterable[str] = ()) -> None:
    """Import the given modules, and those that the environment variable SUBSEL_PLUGINS names."""
    for name in [*modules, *filter(None, os.environ.get(PLUGINS, "").split(os.pathsep))]:
        try:
            import_module(name)
        except ImportError as error:
            raise ValueError(f"the plugin {name!r} cannot be imported: {error}") from error


def canonical(name: str) -> str:
    """Return the form in which names are registered: hyphens between words.

    >>> canonical("mutual_information")
    'mutual-information'
    """
    return name.replace("_", "-")


def did_you_mean(name: Any, known: Iterable[str], n: int = 3, shown: int | None = None) -> str:
    """Return a sentence that suggests known names for one that is unknown.

    The sentence names our key of a method with this name elsewhere, else at most `n` similar names,
    else all known names, or the first `shown` of them.

    >>> did_you_mean("sfss", ["sfs", "sbs", "rfs1"])
    'Did you mean sfs?'
    >>> did_you_mean("annealing", ["sfs", "sbs"])
    'Known: sbs, sfs.'
    >>> did_you_mean("age", ["x1", "x2", "x3"], shown=2)
    'Known: x1, x2, ...'
    >>> did_you_mean("forward", ["sfs", "sbs"])
    'It is called sfs here.'
    """
    from difflib import get_close_matches

    from subsel.registry.synonyms import our_name

    known = list(known)
    if (ours := our_name(str(name))) in known:
        return f"It is called {ours} here."
    close = get_close_matches(str(name), known, n=n)
    if close:
        return f"Did you mean {', '.join(close)}?"
    if shown is None or len(known) <= shown:
        return f"Known: {', '.join(sorted(known))}."
    return f"Known: {', '.join(known[:shown])}, ..."
