"""What a model file may hold, and by which names it tells our types; a moved module changes none.

skops writes of each object the module and the class. Of our own types we write the public name
instead (``subsel.data`` and ``TableEncoder``), which is imported as it stands when the file is
read. A type that no room exports is written as if its room did, and found by the table below.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from subsel.registry.public_names import is_ours, public_name

__all__ = ["TRUSTED", "name_in_program", "with_modules", "with_public_names"]

HOMES = {
    "subsel.assessment.ScreenedSearch": "subsel.assessment.race.searches:ScreenedSearch",
    "subsel.data.ColumnPlan": "subsel.data.encoding.kinds:ColumnPlan",
    "subsel.data._Neighbours": "subsel.data.encoding.missing_values:_Neighbours",
    "subsel.data._TextGaps": "subsel.data.encoding.missing_values:_TextGaps",
    "subsel.data._Constants": "subsel.data.encoding.missing_values:_Constants",
    "subsel.models.SubsetModel": "subsel.models.subset_model:SubsetModel",
    "subsel.models.ScaledSVR": "subsel.models.scaled_svr:ScaledSVR",
    "subsel.result.FeatureSubset": "subsel.result.model_file:FeatureSubset",
}
"""Types of ours that no room exports, by their names in files: names stay, homes may change."""

TRUSTED = (
    "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
    "sklearn.metrics._dist_metrics.EuclideanDistance64",
    "sklearn.neighbors._kd_tree.KDTree",
    "sklearn.tree._tree.Tree",
    "subsel.data.TableEncoder",
    "subsel.models.CommitteeClassifier",
    "subsel.models.CommitteeRegressor",
    "subsel.models.EncodedClasses",
    "subsel.selector.ScreenedSelector",
    *HOMES,
)
"""What a file may hold beside what skops itself trusts: nothing else is made from it."""

SCHEMA = "schema.json"  # the part of a skops file that names types


def with_public_names(file: BytesIO) -> bytes:
    """Give a file, as skops wrote it, with our types under names that a move leaves as they are."""
    names = {home: name for name, home in HOMES.items()}

    def stored(module: str, name: str) -> str:
        if (known := names.get(f"{module}:{name}")) is not None:
            return known
        thing = getattr(import_module(module), name, None)
        if thing is None or ":" in (public := public_name(thing)):
            return f"{module}.{name}"  # nobody exports it: refused when read, unless trusted
        return public

    return _renamed(file, stored)


def with_modules(path: Path) -> BytesIO:
    """Read a file, once it was checked, with our types under names by which skops finds them."""
    return BytesIO(_renamed(path, lambda module, name: name_in_program(f"{module}.{name}")))


def name_in_program(name: str) -> str:
    """Where skops finds a type now that a file calls so.

    >>> name_in_program("subsel.data.ColumnPlan"), name_in_program("subsel.data.TableEncoder")
    ('subsel.data.encoding.kinds.ColumnPlan', 'subsel.data.TableEncoder')
    """
    return HOMES.get(name, name).replace(":", ".")


def _renamed(file: Any, rename: Any) -> bytes:
    """The archive with every type of ours under another name; all its other parts are copied."""
    changed = BytesIO()
    with ZipFile(file) as old, ZipFile(changed, "w", ZIP_DEFLATED, compresslevel=6) as new:
        for part in old.namelist():
            content = old.read(part)
            if part == SCHEMA:
                schema = json.loads(content)
                for node in _nodes_of_ours(schema):
                    name = rename(node["__module__"], node["__class__"])
                    node["__module__"], _, node["__class__"] = name.rpartition(".")
                content = json.dumps(schema, indent=2).encode()
            new.writestr(part, content)
    return changed.getvalue()


def _nodes_of_ours(schema: Any) -> Iterator[dict[str, Any]]:
    """The descriptions of objects, types and functions of this library, at any depth."""
    open_list = [schema]
    while open_list:
        part = open_list.pop()
        if isinstance(part, dict):
            open_list += part.values()
            # a mapping of the user's may have these keys, but then its values are descriptions
            names = part.get("__module__"), part.get("__class__")
            if all(isinstance(name, str) for name in names) and is_ours(names[0]):
                yield part
        elif isinstance(part, list):
            open_list += part
