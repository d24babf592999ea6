"""Columns of Arrow tables and Parquet files as numpy arrays."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

__all__ = ["ColumnKind", "check_rows", "kind_of", "numbers", "texts"]


ColumnKind = Literal["number", "text", "other"]


def kind_of(arrow_type: Any) -> ColumnKind:
    """Return the kind of a column of this Arrow type; a dictionary has the kind of its values."""
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
    """Convert an Arrow array of numbers to float64, with NaN where a value is missing."""
    import pyarrow as pa

    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if array.type != pa.float64():
        array = array.cast(pa.float64(), safe=False)
    return array.to_numpy(zero_copy_only=False)


def texts(array: Any) -> Any:
    """Convert an Arrow array of text to plain strings, empty where a value is missing."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return pc.fill_null(array.cast(pa.string()), "")


def check_rows(metadata: Any, n_read: int, smallest_group: int = 0) -> None:
    """Check that a Parquet file holds as many rows as its footer states.

    Parameters
    ----------
    metadata : pyarrow.parquet.FileMetaData
        The footer of the file.
    n_read : int
        The number of rows that were read, or the sum over the row groups.
    smallest_group : int
        The number of rows of the smallest row group; a damaged footer may state a negative one.
    """
    if n_read != metadata.num_rows or smallest_group < 0:
        raise ValueError(f"its footer states {metadata.num_rows} rows but it holds {n_read}")
