"""Descriptions of settings as plain data, equal in every process for equal settings."""

from __future__ import annotations

import json
import os
import platform
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import partial
from importlib.metadata import version
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np
from scipy import sparse

from subsel.data.fingerprint import digest
from subsel.registry.public_names import is_ours, public_name

__all__ = [
    "describe",
    "describe_function",
    "differences",
    "installed_version",
    "opaque_parts",
    "versions",
]

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_NO_MATTER = frozenset(["n_jobs", "verbose", "memory", "journal", "callbacks"])
_LIBRARIES = ("subsel", "numpy", "scipy", "scikit-learn")
_OPAQUE = "cannot be described"


def describe(value: Any) -> Any:
    """Describe settings as numbers, texts, lists and mappings.

    Estimators are described by their parameters, arrays by a digest.

    Functions are described by their code and by what they use: defaults, closures, globals.
    Parameters that never change an answer (workers, verbosity, memory, journals, callbacks) are
    left out.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> describe(Ridge(alpha=2.0))["alpha"]
    2.0
    >>> penal = lambda price: lambda score, size: score - price * size
    >>> describe(penal(0.0)) == describe(penal(0.0)), describe(penal(0.0)) == describe(penal(0.05))
    (True, False)
    """
    return _describe(value, (), {})


def _describe(value: Any, within: tuple[int, ...], functions: dict[Any, int]) -> Any:
    """Describe a part of the objects ``within`` (their ids, outermost first).

    ``functions`` numbers the functions described so far, and is updated in place. Both serve to end
    cycles.
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, float, str)):
        return "nan" if value != value else value  # NaN equals nothing, itself included
    if id(value) in within:
        return {"": _name(value), "around": within[::-1].index(id(value))}
    inside = partial(_describe, within=(*within, id(value)), functions=functions)
    if isinstance(value, Mapping):
        return {str(key): inside(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [inside(part) for part in value]
    if isinstance(value, (set, frozenset)):
        return sorted(map(inside, value), key=lambda part: json.dumps(part, sort_keys=True))
    if isinstance(value, FunctionType):  # described once, for many may use it
        if value in functions:
            return {"": _name(value), "same": functions[value]}
        functions[value] = len(functions)
    return _describe_object(value, inside)


def _describe_object(value: Any, inside: Callable[[Any], Any]) -> Any:
    if _is_data(value):
        return {"": _name(value), "digest": digest(value)}
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    parts = _parts(value)
    if parts is None:
        return {"": _name(value), **_by_repr(value)}
    name = parts.pop("") if "" in parts else _name(value)
    return {
        "": name,
        **{str(key): inside(part) for key, part in parts.items() if key not in _NO_MATTER},
    }


def _is_data(value: Any) -> bool:
    kinds = (bytes, bytearray, np.ndarray, np.random.RandomState, np.random.Generator)
    return (
        isinstance(value, kinds)
        or sparse.issparse(value)
        or (hasattr(value, "columns") and hasattr(value, "dtypes"))
    )


def _parts(value: Any) -> dict[str, Any] | None:
    """Find the parts of an object by name; None if they are not accessible."""
    if isinstance(value, ModuleType):
        return {"": value.__name__, "version": installed_version(value.__name__)}
    if isinstance(value, FunctionType):
        return describe_function(value)
    if callable(value) and hasattr(value, "__qualname__"):  # a method, a class, or compiled
        owner, home = getattr(value, "__self__", None), getattr(value, "__module__", None)
        if owner is not None and not isinstance(owner, ModuleType):
            return {
                "": value.__qualname__,
                "function": getattr(value, "__func__", None),
                "self": owner,
            }
        return {"": public_name(value), "version": installed_version(home)}
    if isinstance(value, partial):
        return {
            "function": value.func,
            "arguments": value.args,
            "keywords": value.keywords,
            **vars(value),
        }
    if hasattr(value, "py_func"):  # compiled by numba
        return {"function": value.py_func}
    if hasattr(value, "get_params"):
        return dict(value.get_params(deep=False))
    if is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    return _attributes(value)


def _attributes(value: Any) -> dict[str, Any] | None:
    """Collect the attributes of an object, from its dictionary and its slots."""
    slots = [name for kind in type(value).__mro__ for name in _slots(kind) if hasattr(value, name)]
    if not slots and not hasattr(value, "__dict__"):
        return None
    return {name: getattr(value, name) for name in slots} | getattr(value, "__dict__", {})


def _slots(kind: type) -> tuple[str, ...]:
    given = vars(kind).get("__slots__", ())
    if isinstance(given, str):
        given = (given,)
    return tuple(name for name in given if not name.startswith("__"))


def _by_repr(value: Any) -> dict[str, Any]:
    """Describe an object by its ``repr``; one with an address in it is opaque."""
    text = repr(value)
    if _ADDRESS.search(text) is None:
        return {"is": text}
    return {_OPAQUE: _ADDRESS.sub("", text)}


def opaque_parts(description: Any) -> Iterator[str]:
    """Find the opaque parts of a description that no ``journal_key`` around them describes.

    >>> list(opaque_parts(describe({"cv": iter([1])})))
    ['<list_iterator object>']
    >>> list(opaque_parts(describe({"cv": iter([1]), "journal_key": "my folds, 1"})))
    []
    """
    if isinstance(description, list):
        for part in description:
            yield from opaque_parts(part)
    elif isinstance(description, dict) and description.get("journal_key") is None:
        if _OPAQUE in description:
            yield description[_OPAQUE]
        yield from opaque_parts(list(description.values()))


def _name(value: Any) -> str:
    return public_name(type(value))


def versions() -> dict[str, str]:
    """Collect the versions of the libraries that a quality may depend on."""
    return {
        "python": ".".join(platform.python_version_tuple()[:2]),
        **{name: version(name) for name in _LIBRARIES},
    }


def differences(ours: Any, theirs: Any, name: str = "") -> list[str]:
    """Describe in words where two descriptions differ: ours, then theirs.

    >>> differences({"numpy": "2.1"}, {"numpy": "2.0"})
    ["numpy is '2.1' now and was '2.0'"]
    """
    if isinstance(ours, dict) and isinstance(theirs, dict):
        lines: list[str] = []
        for key in dict.fromkeys([*ours, *theirs]):
            path = f"{name}.{key}" if name else str(key)
            lines += differences(ours.get(key), theirs.get(key), path)
        return lines
    if ours == theirs:
        return []
    return [f"{name} is {ours!r} now and was {theirs!r}"]


def describe_function(function: FunctionType) -> dict[str, Any]:
    """Collect what a function depends on, by name.

    A function of an installed library is described by its name and the library's version.

    Examples
    --------
    >>> def scorer(price=0.1):
    ...     return -price
    >>> describe_function(scorer)["defaults"]
    (0.1,)
    """
    known = {
        "": public_name(function),
        "digest": _code_digest(function.__code__, is_ours(function.__module__)),
    }
    parts = {
        "defaults": function.__defaults__,
        "keywords": function.__kwdefaults__,
        "closure": [_content(cell) for cell in function.__closure__ or ()],
    }
    parts = {name: part for name, part in parts.items() if part}
    if (found := installed_version(function.__module__)) is not None:
        return {**known, **parts, "version": found}
    used = dict.fromkeys(name for code in _nested(function.__code__) for name in code.co_names)
    uses = {name: function.__globals__[name] for name in used if name in function.__globals__}
    if uses:
        parts["globals"] = uses
    return {**known, **parts}


def installed_version(module: str | None) -> str | None:
    """Find the version of the library that a module belongs to; None for the user's modules.

    >>> installed_version("json.decoder") == f"{sys.version_info[0]}.{sys.version_info[1]}"
    True
    >>> installed_version("__main__") is None
    True
    """
    top = (module or "").partition(".")[0]
    if top == "__main__":
        return None
    if top in sys.stdlib_module_names:
        return f"{sys.version_info[0]}.{sys.version_info[1]}"
    home = sys.modules.get(top)
    place = getattr(home, "__file__", None) or ""
    if top == "subsel" or "site-packages" in place or "dist-packages" in place:
        return str(getattr(home, "__version__", "installed"))
    return None


def _code_digest(code: CodeType, ours: bool = False) -> str:
    """Digest the instructions of a code object, without line numbers and addresses."""
    constants = [part for part in code.co_consts if not isinstance(part, CodeType)]
    inner = [_code_digest(part, ours) for part in code.co_consts if isinstance(part, CodeType)]
    names = code.co_names
    if ours:  # which of our modules it imports from says where things are, not what it does
        names = tuple(name for name in names if not ("." in name and is_ours(name)))
    text = _ADDRESS.sub("", repr([constants, inner, names]))
    return digest(code.co_code + text.encode())


def _nested(code: CodeType) -> Iterator[CodeType]:
    """Yield a code object and those of the functions within it."""
    yield code
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield from _nested(part)


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not yet filled
        return None
