"""What the studies share: the folder of data, tables in Markdown, and where pages go."""

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

from threadpoolctl import threadpool_limits

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs" / "papers"

threadpool_limits(1)  # seconds are those of one core

# Python puts the folder of a script before all packages: a study must not hide a package of its name.
sys.path[:] = [
    folder
    for folder in sys.path
    if Path(folder or ".").resolve() != Path(__file__).resolve().parent
]

sys.path.append(str(ROOT))
from tests.real_tables import add_data_option, needed_table  # noqa: E402


def locator(description: str) -> Callable[[str], Path]:
    """Read ``--data`` from the command line; gives what finds a table there, or ends the study with one line."""
    parser = argparse.ArgumentParser(description=description)
    add_data_option(parser)
    return partial(needed_table, folder=parser.parse_args().data)


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table, the first column to the left and the others to the right."""
    lines = [header, ["---"] + ["---:"] * (len(header) - 1), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def write(name: str, text: str) -> None:
    """Write a page and say so."""
    PAGES.mkdir(exist_ok=True)
    (PAGES / name).write_text(text.strip() + "\n", encoding="utf-8")
    print(f"wrote {PAGES / name}")
