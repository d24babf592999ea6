"""The FEBRL sets of made-up Australians with duplicates, read from files the user has."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from subsel.literature.linkage.persons import Persons

__all__ = ["load_febrl"]


def load_febrl(folder: str | Path, number: int) -> Persons:
    """Read FEBRL set 1, 2, 3 or 4 (originals and duplicates of set 4 together) from ``dataset<number>*.csv.gz``.

    The ten attributes are ``given_name`` to ``soc_sec_id``, empty where missing. A record ``rec-<n>-org`` or
    ``rec-<n>-dup-<k>`` is of person n. Names are swapped in these sets too: link with
    ``swappable=("given_name", "surname")``.

    Examples
    --------
    >>> import gzip, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> with gzip.open(Path(folder.name, "dataset1.csv.gz"), "wt") as file:
    ...     _ = file.write("rec_id, surname\\nrec-7-org, smith\\nrec-7-dup-0, smit\\n")
    >>> load_febrl(folder.name, 1).person
    array([7, 7])
    """
    import pandas as pd

    paths = sorted(Path(folder).glob(f"dataset{number}*.csv.gz"))
    if not paths:
        raise FileNotFoundError(f"there is no dataset{number}*.csv.gz in {folder}.")
    parts = [
        pd.read_csv(path, dtype=str, skipinitialspace=True, keep_default_na=False) for path in paths
    ]
    table = pd.concat(parts, ignore_index=True)
    names = table.pop("rec_id")
    pattern = re.compile(r"rec-(\d+)-(?:org|dup-\d+)")
    person = np.array([int(pattern.fullmatch(name.strip())[1]) for name in names])  # type: ignore[index]
    return Persons(table.astype(object), person, [])
