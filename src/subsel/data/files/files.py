"""Tables from files: CSV, Parquet, Excel, NPZ (no pickles), libsvm, the challenge's; text columns one-hot encoded as groups."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from subsel.data.files.array_files import read_challenge_part, read_libsvm, read_npz
from subsel.data.files.dialect import Dialect
from subsel.data.files.named_columns import read_csv, read_excel, read_parquet
from subsel.data.files.options import Wanted
from subsel.data.files.source import existing_file
from subsel.data.files.table import Table

__all__ = ["read_table"]


def read_table(
    path: str | Path,
    target: str | None = None,
    memory: str | float | None = None,
    *,
    groups: str | None = None,
    weights: str | None = None,
    dialect: Dialect | None = None,
) -> Table:
    """Read a table and split the target off it; the format is told by the ending of the name.

    Text columns become one column per value, kept together as a group; columns of true and false, or yes and no, become
    one of 1 and 0; dates become year, month, weekday and days since the first, a group as well. Empty cells, NA, NaN,
    null, none and ? are missing: NaN in a column of numbers, a value of its own in a column of text. A number is what
    pandas takes for one. Encoding, separator, decimal sign and header of a text file are told from its beginning, and
    noted where they are not the usual ones.

    Parameters
    ----------
    path : str or Path
        The file.
    target : str, optional
        The column to predict: its name, or its position counted from 1 (-1 is the last).
    memory : str or int, optional
        What reading may take, as in ``"500MB"``; a file that would need more is refused before it is taken. Half of
        the free memory by default.
    groups : str, optional
        A column that says which rows belong together, by name or position; it is no feature.
    weights : str, optional
        A column of row weights, by name or position; it is no feature.
    dialect : Dialect, optional
        How a text file is written, where that is known: ``Dialect.of(path, header=False)`` tells the rest.

    Returns
    -------
    Table
        Numbers, target, names, groups and notes.

    Examples
    --------
    >>> import tempfile, os
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = os.path.join(folder.name, "three.csv")
    >>> with open(path, "w") as file:
    ...     _ = file.write("age,town,y\\n30,A,0\\n40,B,1\\n50,A,1\\n")
    >>> table = read_table(path, "y")
    >>> table.names, table.groups
    (['age', 'town=A', 'town=B'], {'town': [1, 2]})
    """
    path = existing_file(Path(path))
    endings = [e for e in _READERS if path.name.lower().endswith(e)]
    if not endings:
        raise ValueError(f"{path}: the ending must be one of {', '.join(_READERS)}.")
    return _READERS[endings[0]](path, Wanted(target, groups, weights, memory, dialect))


_READERS: dict[str, Callable[[Path, Wanted], Table]] = {
    ".csv": read_csv,
    ".csv.gz": read_csv,
    ".tsv": read_csv,
    ".txt": read_csv,
    ".parquet": read_parquet,
    ".xlsx": read_excel,
    ".npz": read_npz,
    ".libsvm": read_libsvm,
    ".svm": read_libsvm,
    ".param": read_challenge_part,
}
