"""Tables from files: CSV, Parquet, NPZ (no pickles), libsvm, the challenge's; text columns one-hot encoded as groups."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from subsel.datasets.array_files import read_challenge_part, read_libsvm, read_npz
from subsel.datasets.named_columns import read_csv, read_parquet
from subsel.datasets.table import Table

__all__ = ["read_table"]


def read_table(path: str | Path, target: str | None = None) -> Table:
    """Read a table and split the target off it; the format is told by the ending of the name.

    Text columns become one column per value, kept together as a group. Empty cells, NA, NaN, null, none and ? are
    missing: NaN in a column of numbers, a value of its own in a column of text.

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
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(f"there is no file {path}.")
    if path.stat().st_size == 0:
        raise ValueError(f"{path} is empty.")
    endings = [e for e in _READERS if path.name.lower().endswith(e)]
    if not endings:
        raise ValueError(f"{path}: the ending must be one of {', '.join(_READERS)}.")
    return _READERS[endings[0]](path, target)


_READERS: dict[str, Callable[[Path, str | None], Table]] = {
    ".csv": read_csv,
    ".csv.gz": read_csv,
    ".tsv": read_csv,
    ".txt": read_csv,
    ".parquet": read_parquet,
    ".npz": read_npz,
    ".libsvm": read_libsvm,
    ".svm": read_libsvm,
    ".param": read_challenge_part,
}
