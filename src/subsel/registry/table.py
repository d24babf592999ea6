"""Open tables of named things: searches, criteria, scores, estimators, to which other packages may add their own."""

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
    """An installed package could not be loaded: what it adds is missing."""


class Registry(Mapping[str, Entry], Generic[Entry]):
    """A table from names to entries; hyphens and underscores are the same.

    Names belong to who registered them first: another module or another object that takes one is an error, the same
    object of the same module again replaces its entry, so that a cell of a notebook can be run twice. Packages that
    declare an entry point of the table's group are loaded when the table is first read.

    Parameters
    ----------
    kind : str
        What an entry is, for messages: ``"search"``.
    group : str, optional
        The group of entry points, ``"subsel.searches"``.
    rooms : tuple of str, optional
        Modules of our own that add to the table, imported when it is first read.

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
        self.facts: dict[str, Mapping[str, Any]] = {}  # what was declared of entries not imported
        self._entries: dict[str, Entry] = {}
        self._homes: dict[str, str] = {}  # the names in order, and who each belongs to
        self._loaded = False

    def add(self, name: str, entry: Entry, home: str) -> None:
        """Enter something under a name; ``home`` is who it belongs to, as ``module:object``."""
        name = canonical(name)
        self._claim(name, home)
        self._entries[name] = entry

    def _claim(self, name: str, home: str) -> None:
        if self._homes.setdefault(name, home) != home:
            raise ValueError(
                f"the {self.kind} {name!r} belongs to {self._homes[name]}; {home} must take another name for its own."
            )

    def declare(self, name: str, home: str, **facts: Any) -> None:
        """Enter something by where it is found, so that it is imported only when it is looked up.

        Parameters
        ----------
        name : str
            The name.
        home : str
            Where it is found, ``"module:object"``.
        **facts : Any
            What a reader may know of it without importing it, kept in ``facts``.

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
        """Where an entry is found, as ``"module:object"``; nothing is imported for it."""
        return self._homes[canonical(name)]

    def find(self, name: str) -> Entry:
        """Look an entry up; a name that is not there is a ValueError that says which come near."""
        try:
            return self[name]
        except KeyError as missing:
            raise ValueError(missing.args[0]) from None

    def __getitem__(self, name: str) -> Entry:
        """Look an entry up by any spelling of its name."""
        key = canonical(name)
        if key not in self._entries and key not in self.facts:
            self._load()
        if key not in self._homes:
            raise KeyError(
                f"there is no {self.kind} named {name!r}. {did_you_mean(key, self._homes)}"
            )
        if (
            key not in self._entries
        ):  # declared: a decorator there may enter it, else it is the entry
            module, _, attribute = self._homes[key].partition(":")
            declared = getattr(import_module(module), attribute)
            self._entries.setdefault(key, declared)
        return self._entries[key]

    def __contains__(self, name: object) -> bool:
        """Whether a name stands in the table."""
        self._load()
        return isinstance(name, str) and canonical(name) in self._homes

    def __iter__(self) -> Iterator[str]:
        """The names, in the order in which they were entered."""
        self._load()
        return iter(self._homes)

    def __len__(self) -> int:
        """How many names there are."""
        self._load()
        return len(self._homes)

    def _load(self) -> None:
        """Import our rooms and the packages that declare an entry point of this table; their decorators fill it."""
        if self._loaded:
            return
        self._loaded = True
        for room in self.rooms:
            import_module(room)
        if self.group:
            for point in entry_points(group=self.group):
                _load_point(point)


def _load_point(point: EntryPoint) -> None:
    try:
        point.load()
    except Exception as error:
        warnings.warn(
            f"{point.group}: {point.value} could not be loaded: {error}", PluginFailed, stacklevel=2
        )


def load_plugins(modules: Iterable[str] = ()) -> None:
    """Import modules that add to the tables: those given, and those named in the variable SUBSEL_PLUGINS."""
    for name in [*modules, *filter(None, os.environ.get(PLUGINS, "").split(os.pathsep))]:
        try:
            import_module(name)
        except ImportError as error:
            raise ValueError(f"the plugin {name!r} cannot be imported: {error}") from error


def canonical(name: str) -> str:
    """The form in which names stand in the tables: hyphens between words.

    >>> canonical("mutual_information")
    'mutual-information'
    """
    return name.replace("_", "-")


def did_you_mean(name: Any, known: Iterable[str], n: int = 3, shown: int | None = None) -> str:
    """What others call so is called here, or the known names that come near; else all of them, or the first ``shown``.

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
