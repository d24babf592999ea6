"""Columns of Arrow tables and Parquet files as numpy arrays."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

__all__ = ["ColumnKind", "check_rows", "kind_of", "numbers", "texts"]


ColumnKind = Literal["number", "text", "other"]


def kind_of(arrow_type: Any) -> ColumnKind:
    """The kind of a column from its Arrow type."""
    import pyarrow.types as types

    if types.is_dictionary(arrow_type):
        return kind_of(arrow_type.value_type)
    if any(
        is_kind(arrow_type)
        for is_kind in (types.is_integer, types.is_floating, types.is_boolean, types.is_decimal)
    ):
        return "number"
    text = (
        types.is_string(arrow_type)
        or types.is_large_string(arrow_type)
        or types.is_string_view(arrow_type)
    )
    return "text" if text else "other"


def numbers(array: Any) -> np.ndarray:
    """An Arrow array of numbers as float64, NaN where it is missing."""
    import pyarrow as pa

    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if array.type != pa.float64():
        array = array.cast(pa.float64(), safe=False)
    return array.to_numpy(zero_copy_only=False)


def texts(array: Any) -> Any:
    """An Arrow array of text as plain strings, empty where it is missing."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return pc.fill_null(array.cast(pa.string()), "")


def check_rows(metadata: Any, found: int, fewest: int = 0) -> None:
    """See that there are as many rows as the file says of itself."""
    if found != metadata.num_rows or fewest < 0:
        raise ValueError(f"it says {metadata.num_rows} rows and holds {found}")
