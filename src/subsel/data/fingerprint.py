"""A digest of data that is equal in every process for equal values."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

import numpy as np
from scipy import sparse

__all__ = ["digest"]


def digest(*values: Any) -> str:
    """Return a digest of arrays, sparse matrices, data frames, text and bytes, 16 hex digits.

    The order of an array in memory has no effect.

    >>> digest(np.eye(2)) == digest(np.asfortranarray(np.eye(2))) != digest(np.ones((2, 2)))
    True
    """
    hasher = hashlib.blake2b(digest_size=8)
    for value in values:
        _feed(hasher, value)
    return hasher.hexdigest()


def _feed(hasher: Any, value: Any) -> None:
    """Update `hasher` with a value, part by part."""
    if isinstance(value, bytes):
        hasher.update(b"%d:" % len(value) + value)
    elif isinstance(value, np.ndarray) and value.dtype != object:
        _feed_numbers(hasher, value)
    else:
        for part in _parts(value):
            _feed(hasher, part)


def _feed_numbers(hasher: Any, array: np.ndarray) -> None:
    """Update `hasher` with an array in the order of its rows, a few megabytes at a time."""
    _feed(hasher, f"{array.dtype.str}{array.shape}")
    if array.dtype.kind in "mM":
        array = array.view(np.int64)
    if not array.ndim:
        return hasher.update(np.ascontiguousarray(array).data)
    rows = max(1, (1 << 22) // max(1, array[:1].nbytes))
    for a in range(0, len(array), rows):
        hasher.update(np.ascontiguousarray(array[a : a + rows]).data)


def _parts(value: Any) -> Iterable[Any]:
    """Return simpler values that determine a value: bytes, arrays of numbers, text."""
    if sparse.issparse(value):
        if value.format not in ("csr", "csc"):
            value = value.tocsr()
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
