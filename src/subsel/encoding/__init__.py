"""Tables as people have them, as numbers: text, truth values, dates, gaps; every number knows the column it came from."""

from subsel.encoding.encoder import TableEncoder

__all__ = ["TableEncoder"]
