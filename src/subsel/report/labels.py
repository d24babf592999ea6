"""Columns and classes as the user wrote them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from subsel.data.task import select_columns

__all__ = ["class_name", "column_values", "read_columns"]


def class_name(value: Any) -> str:
    """A class as it stands in the user's file: 1, not 1.0.

    Examples
    --------
    >>> class_name(np.float64(1.0)), class_name("yes"), class_name(2.5)
    ('1', 'yes', '2.5')
    """
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    return str(value)


def read_columns(X: Any, columns: Sequence[int]) -> Iterator[np.ndarray]:
    """Some columns of a table of any kind, one after the other, as dense arrays.

    Examples
    --------
    >>> X = sparse.csr_array([[0, 1, 2], [3, 4, 5]])
    >>> [values.tolist() for values in read_columns(X, [2, 0])]
    [[2, 5], [0, 3]]
    """
    if sparse.issparse(X):
        table = select_columns(X.tocsc(), columns)
        for place in range(len(columns)):
            yield table[:, [place]].toarray().ravel()
    else:
        yield from np.asarray(select_columns(X, columns)).T


def column_values(X: Any, column: int) -> np.ndarray:
    """One column of a table of any kind: numbers where it has some, else text.

    Examples
    --------
    >>> column_values(np.array([["a", 1], ["b", 2]], dtype=object), 1)
    array([1., 2.])
    """
    (values,) = read_columns(X, [column])
    try:
        return values.astype(float)
    except (TypeError, ValueError):
        return np.array(
            ["" if value is None or value != value else str(value) for value in values.tolist()]
        )
