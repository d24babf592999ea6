"""The pages that are written by the library itself: one for every public name, and the methods by kind."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import subsel
from subsel.cli.commands.methods import method_table
from subsel.ranking.registry import ORDERS, SCORES
from subsel.registry.recipes import RECIPES

__all__ = ["public_names", "write_reference"]

TITLES = {
    "search": "Searches: where to look next",
    "criterion": "Criteria: how good is a subset",
    "model": "Models: short names of what evaluates subsets",
    "ranking": "Scores: how relevant is a column",
    "order": "Orders: one column after the other, in view of those taken",
    "cut": "Cuts: how many columns of a ranking to keep",
    "embedded": "Embedded: models that select while they learn",
    "recipe": "Recipes: whole procedures of the literature",
}


def rooms() -> dict[str, Any]:
    """The modules whose names are public: the front door first, families of the literature last."""
    names = [name for name in subsel.__all__ if inspect.ismodule(getattr(subsel, name))]
    places = ["subsel", *(f"subsel.{name}" for name in names if name != "literature")]
    return {place: import_module(place) for place in [*places, *literature()]}


def literature() -> list[str]:
    """The modules of the reproductions, which have a part of their own."""
    return [f"subsel.literature.{family}" for family in subsel.literature.__all__]


def public_names() -> Iterator[tuple[str, str, Any]]:
    """Every public name: its room, itself, and what it names; rooms themselves left out."""
    for room, module in rooms().items():
        for name in module.__all__:
            thing = getattr(module, name)
            if not inspect.ismodule(thing):
                yield room, name, thing


def write_reference(folder: Path) -> None:
    """Write a page for every public name, one for every room, and the methods."""
    (folder / "api").mkdir(parents=True)
    homes: dict[int, str] = {}
    for room, name, thing in public_names():
        if (page := homes.setdefault(id(thing), f"{room}.{name}")) == f"{room}.{name}":
            (folder / "api" / f"{page}.rst").write_text(_page(page, thing), encoding="utf8")
    for room, module in rooms().items():
        (folder / f"{room}.rst").write_text(_room(room, module, homes), encoding="utf8")
    (folder / "index.rst").write_text(_index(), encoding="utf8")
    (folder / "literature.rst").write_text(_literature(), encoding="utf8")
    (folder / "methods.rst").write_text(_methods(homes), encoding="utf8")


def _page(name: str, thing: Any) -> str:
    kind = (
        "autoclass" if inspect.isclass(thing) else "autofunction" if callable(thing) else "autodata"
    )
    module, _, own = name.rpartition(".")
    head = f":orphan:\n\n{_title(own)}\n.. currentmodule:: {module}\n\n.. {kind}:: {name}\n"
    return head if kind != "autodata" else f"{head}   :no-value:\n"


def _room(room: str, module: Any, homes: dict[int, str]) -> str:
    first = (module.__doc__ or "").strip()
    names = [(name, getattr(module, name)) for name in sorted(module.__all__)]
    lines = [
        _row(f":doc:`{name} <api/{homes[id(thing)]}>`", _first_sentence(thing))
        for name, thing in names
        if id(thing) in homes
    ]
    return f"{_title(room)}{first}\n\n{_table('name', 'what it is', lines)}"


def _methods(homes: dict[int, str]) -> str:
    text = _title("Every method") + (
        "Each key is what ``search=``, ``criterion=`` or a ranking selector takes, from Python and on the command line; its page has "
        "the formula, the source and an example. ``subsel methods`` prints this list.\n\n"
    )
    rows = method_table()
    for kind in dict.fromkeys(row["kind"] for row in rows):
        lines = [_method_row(kind, row, homes) for row in rows if row["kind"] == kind]
        text += f"{_title(TITLES.get(kind, kind.capitalize()), '-')}{_table('key', 'what it does', lines)}\n"
    return text


def _method_row(kind: str, row: dict[str, Any], homes: dict[int, str]) -> str:
    page = homes.get(id(_object_of(kind, row["key"])))
    key = f":doc:`{row['key']} <api/{page}>`" if page else f"``{row['key']}``"
    source = f" *{_plain(row['source'])}*" if row["source"] else ""
    return _row(key, f"{_plain(row['summary'])}{source}")


def _object_of(kind: str, key: str) -> Any:
    """The class or function behind a key."""
    if kind == "search":
        found = subsel.search.SEARCHES[key]
        return getattr(found, "cls", getattr(found, "func", found))
    if kind == "criterion":
        return subsel.criteria.CRITERIA[key]
    if kind == "recipe":
        return RECIPES[key]
    if kind == "embedded":
        return getattr(subsel.embedded, key)
    tables = {"ranking": SCORES, "order": ORDERS}
    return tables[kind][key].function if kind in tables else None


def _index() -> str:
    selecting = [room for room in rooms() if room not in literature()]
    return f"{_title('Reference')}{_contents(['methods', *selecting, 'literature'])}"


def _literature() -> str:
    first = (subsel.literature.__doc__ or "").strip()
    return f"{_title('Reproductions of the literature')}{first}\n\n{_contents(literature())}"


def _contents(pages: list[str]) -> str:
    listed = "\n".join(f"   {page}" for page in pages)
    return f".. toctree::\n   :maxdepth: 1\n\n{listed}\n"


def _first_sentence(thing: Any) -> str:
    text = inspect.getdoc(thing) if callable(thing) else ""
    paragraph = " ".join((text or "").split("\n\n")[0].split())
    return _plain(paragraph.split(" [")[0] if paragraph.endswith("_.") else paragraph)


def _plain(text: str) -> str:
    """Text that means nothing to reStructuredText."""
    text = re.sub(r"\s*\[\w+\]_", "", text)
    text = re.sub(
        r":\w+:`([^`]*)`", lambda found: found[1].split(" <")[0].split(".")[-1].lstrip("~"), text
    )
    return re.sub(r"([\\*`|_])", r"\\\1", text.replace("``", ""))


def _title(text: str, line: str = "=") -> str:
    return f"{text}\n{line * len(text)}\n\n"


def _row(left: str, right: str) -> str:
    return f"   * - {left}\n     - {right or '..'}\n"


def _table(left: str, right: str, rows: list[str]) -> str:
    head = (
        f".. list-table::\n   :header-rows: 1\n   :widths: 30 70\n\n   * - {left}\n     - {right}\n"
    )
    return head + "".join(rows)
