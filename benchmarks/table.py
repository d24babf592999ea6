"""Tables of results: printed, and written to ``benchmarks/results``."""

import platform
from collections.abc import Iterable, Sequence
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

RESULTS = Path(__file__).parent / "results"


class Row(NamedTuple):
    """Four cells."""

    first: str
    second: str
    third: str
    fourth: str


def write(
    name: str, title: str, header: Sequence[str], rows: Iterable[Sequence[str]], remark: str = ""
) -> None:
    """Print a table and keep it as Markdown, with the versions it was measured with; a remark follows it."""
    packages = ", ".join(f"{p} {version(p)}" for p in ("numpy", "scipy", "scikit-learn", "numba"))
    lines = [
        f"# {title}",
        "",
        f"{date.today()}, Python {platform.python_version()}, {packages}.",
        "",
    ]
    lines += ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    lines += ["| " + " | ".join(map(str, row)) + " |" for row in rows]
    lines += ["", remark] if remark else []
    print("\n".join(lines))
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.md").write_text("\n".join(lines) + "\n", encoding="utf8")
