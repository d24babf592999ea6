"""Where the real tables are: in the folder that SUBSEL_DATA names, else in this folder.

The repository holds the small, freely licensed ones (README.md has sources and licences). All
others are looked for in the folder named by the environment variable SUBSEL_DATA. Tests call
:func:`real_table`; benchmarks and studies call :func:`needed_table` or :func:`table_if_here`.
"""

import argparse
import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
VARIABLE = "SUBSEL_DATA"


class TableMissing(SystemExit):
    """A benchmark or a study ends, with exit code 2, because a table is not here."""


def data_folder() -> Path | None:
    """The folder that SUBSEL_DATA names, if it names one."""
    named = os.environ.get(VARIABLE)
    return Path(named) if named else None


def find_table(name: str, folder: Path | None = None) -> Path | None:
    """Look for a file such as ``madelon.npz``: in `folder`, else SUBSEL_DATA, then here."""
    folder = folder or data_folder()
    places = [HERE] if folder is None else [folder, HERE]
    return next((place / name for place in places if (place / name).is_file()), None)


def missing(name: str) -> str:
    """The line that says what is missing and how to name it."""
    return f"{name} is not in the repository; set {VARIABLE} to the folder that holds it"


def real_table(name: str) -> Path:
    """The path of a table for a test, which is skipped where the table is missing."""
    path = find_table(name)
    if path is None:
        import pytest

        pytest.skip(missing(name))
    return path


def real_tables() -> list[Path]:
    """All tables in NPZ files, those of SUBSEL_DATA in place of ours of the same name."""
    places = [HERE, data_folder() or HERE]
    found = {path.name: path for place in places for path in sorted(place.glob("*.npz"))}
    return list(found.values())


def table_if_here(name: str, folder: Path | None = None) -> Path | None:
    """The path of a table for a benchmark; where it is missing, one line says so."""
    path = find_table(name, folder)
    if path is None:
        print(f"skipped: {missing(name)}", file=sys.stderr, flush=True)
    return path


def needed_table(name: str, folder: Path | None = None) -> Path:
    """The path of a table; where it is missing, one line says so and the script ends with 2."""
    path = find_table(name, folder)
    if path is None:
        print(missing(name), file=sys.stderr, flush=True)
        raise TableMissing(2)
    return path


def add_data_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--data FOLDER``, the folder of the real tables."""
    parser.add_argument(
        "--data",
        type=Path,
        metavar="FOLDER",
        help=f"folder of the real tables (default: {VARIABLE}, else those of the repository)",
    )


def given_folder() -> Path | None:
    """``--data`` of the command line, for scripts that take no other option."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    add_data_option(parser)
    return parser.parse_known_args()[0].data
