"""What a run depends on, as plain data: a description that is equal in every process for equal settings."""

from __future__ import annotations

import hashlib
import platform
import re
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from importlib.metadata import version
from typing import Any

import numpy as np
from scipy import sparse

__all__ = ["describe", "differences", "digest", "versions"]

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_NO_MATTER = frozenset(["n_jobs", "verbose", "memory", "journal", "callbacks"])
_LIBRARIES = ("subsel", "numpy", "scipy", "scikit-learn")


def describe(value: Any) -> Any:
    """Describe settings as numbers, text, lists and mappings: estimators by their parameters, arrays by a digest.

    Parameters that change no answer (workers, verbosity, memory, journals, callbacks) are left out.

    >>> from sklearn.linear_model import Ridge
    >>> describe(Ridge(alpha=2.0))["alpha"]
    2.0
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, float, str)):
        return "nan" if value != value else value  # NaN equals nothing, itself included
    if isinstance(value, Mapping):
        return {str(key): describe(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [describe(part) for part in value]
    if isinstance(value, (set, frozenset)):
        return sorted(map(repr, value))
    if isinstance(value, (np.ndarray, np.random.RandomState, np.random.Generator)) or sparse.issparse(value):
        return {"": _name(value), "digest": digest(value)}
    if isinstance(value, type) or hasattr(value, "__code__"):
        return _function(value)
    return {"": _name(value), **_settings(value)}


def _settings(value: Any) -> dict[str, Any]:
    if hasattr(value, "get_params"):
        parts = value.get_params(deep=False)
    elif is_dataclass(value):
        parts = {field.name: getattr(value, field.name) for field in fields(value)}
    elif hasattr(value, "__dict__"):
        parts = vars(value)
    else:
        parts = {"is": _ADDRESS.sub("", repr(value))}
    return {name: describe(part) for name, part in parts.items() if name not in _NO_MATTER}


def _function(value: Any) -> dict[str, Any]:
    code = getattr(value, "__code__", None)
    inside = {} if code is None else {"digest": digest(code.co_code + _ADDRESS.sub("", repr(code.co_consts)).encode())}
    return {"": f"{value.__module__}.{value.__qualname__}", **inside}


def _name(value: Any) -> str:
    return f"{type(value).__module__}.{type(value).__qualname__}"


def digest(*values: Any) -> str:
    """A short fingerprint of arrays, sparse matrices, data frames, text and bytes; memory order does not matter."""
    seal = hashlib.blake2b(digest_size=8)
    for value in values:
        _feed(seal, value)
    return seal.hexdigest()


def _feed(seal: Any, value: Any) -> None:
    if isinstance(value, bytes):
        seal.update(b"%d:" % len(value) + value)
    elif isinstance(value, np.ndarray) and value.dtype != object:
        _feed_numbers(seal, value)
    else:
        for part in _parts(value):
            _feed(seal, part)


def _feed_numbers(seal: Any, array: np.ndarray) -> None:
    """Feed an array in the order of its rows, a few megabytes at a time."""
    _feed(seal, f"{array.dtype.str}{array.shape}")
    if not array.ndim:
        return seal.update(np.ascontiguousarray(array).data)
    rows = max(1, (1 << 22) // max(1, array[:1].nbytes))
    for a in range(0, len(array), rows):
        seal.update(np.ascontiguousarray(array[a : a + rows]).data)


def _parts(value: Any) -> Iterable[Any]:
    """Simpler things that make a value up."""
    if sparse.issparse(value):
        value = value if value.format in ("csr", "csc") else value.tocsr()
        return np.array(value.shape), value.indptr, value.indices, value.data
    if hasattr(value, "columns") and hasattr(value, "dtypes"):
        return (part for name in value.columns for part in (str(name), np.asarray(value[name])))
    if isinstance(value, np.ndarray):
        return ["\0".join(map(repr, value.ravel().tolist()))]
    if isinstance(value, np.random.RandomState):
        state = value.get_state()
        return [repr([part.tolist() if isinstance(part, np.ndarray) else part for part in state])]
    if isinstance(value, np.random.Generator):
        return [repr(value.bit_generator.state)]
    return [str(value).encode()]


def versions() -> dict[str, str]:
    """The versions that a quality may depend on."""
    return {"python": ".".join(platform.python_version_tuple()[:2]), **{name: version(name) for name in _LIBRARIES}}


def differences(ours: Any, theirs: Any, name: str = "") -> list[str]:
    """Where two descriptions differ, in words: ours, then theirs.

    >>> differences({"numpy": "2.1"}, {"numpy": "2.0"})
    ["numpy is '2.1' now and was '2.0'"]
    """
    if isinstance(ours, dict) and isinstance(theirs, dict):
        keys = list(dict.fromkeys([*ours, *theirs]))
        nested = lambda key: f"{name}.{key}" if name else str(key)
        return [line for key in keys for line in differences(ours.get(key), theirs.get(key), nested(key))]
    return [] if ours == theirs else [f"{name} is {ours!r} now and was {theirs!r}"]
