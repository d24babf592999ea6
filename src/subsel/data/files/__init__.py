"""Readers of tables: CSV, Excel, NPZ, libsvm and the format of the 2003 challenge."""

from subsel.data.files.challenge_format import load_npz, read_challenge, read_param
from subsel.data.files.dialect import Dialect
from subsel.data.files.read_table import read_table
from subsel.data.files.table import Table

__all__ = [
    "Dialect",
    "Table",
    "load_npz",
    "read_challenge",
    "read_param",
    "read_table",
]
