"""Tables larger than memory, read in blocks."""

from subsel.data.stored.problem import StoredProblem
from subsel.data.stored.row_samples import sample_rows
from subsel.data.stored.table import StoredTable, open_table

__all__ = [
    "StoredProblem",
    "StoredTable",
    "open_table",
    "sample_rows",
]
