"""Encoding of text, dates and missing values as numbers."""

from subsel.data.encoding.encoder import TableEncoder

__all__ = [
    "TableEncoder",
]
