"""Tables larger than memory, read in blocks."""

from subsel.data.stored.problem import StoredProblem
from subsel.data.stored.row_samples import RowSample, sample_rows
from subsel.data.stored.table import StoredTable, open_table

__all__ = [
    "RowSample",
    "StoredProblem",
    "StoredTable",
    "open_table",
    "sample_rows",
]
