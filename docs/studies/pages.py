"""What the studies share: the folder of data, tables in Markdown, and where pages go."""

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from threadpoolctl import threadpool_limits

PAGES = Path(__file__).resolve().parents[1] / "papers"

threadpool_limits(1)  # seconds are those of one core

# Python puts the folder of a script before all packages: a study must not hide a package of its name.
sys.path[:] = [
    folder
    for folder in sys.path
    if Path(folder or ".").resolve() != Path(__file__).resolve().parent
]


def data_folder(description: str) -> Path:
    """Read ``--data`` from the command line."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument(
        "--data", type=Path, default=Path("../shared/data"), help="folder of the real data"
    )
    return parser.parse_args().data


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table, the first column to the left and the others to the right."""
    lines = [header, ["---"] + ["---:"] * (len(header) - 1), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def write(name: str, text: str) -> None:
    """Write a page and say so."""
    PAGES.mkdir(exist_ok=True)
    (PAGES / name).write_text(text.strip() + "\n", encoding="utf-8")
    print(f"wrote {PAGES / name}")
