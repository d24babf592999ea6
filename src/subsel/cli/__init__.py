"""The command line: files that parse, jobs that run, and what they print and write."""

from importlib import import_module
from typing import Any

from subsel.cli.entry import main

_HOMES = {
    "CompareOptions": "options",
    "RankOptions": "options",
    "Ranked": "ranking_job",
    "SelectOptions": "options",
    "Selected": "jobs",
    "assess_job": "jobs",
    "compare_job": "jobs",
    "rank_job": "ranking_job",
    "select_job": "jobs",
}

__all__ = [
    "CompareOptions",
    "RankOptions",
    "Ranked",
    "SelectOptions",
    "Selected",
    "assess_job",
    "compare_job",
    "main",
    "rank_job",
    "select_job",
]


def __getattr__(name: str) -> Any:
    """Import jobs on first use, so that ``subsel --help`` is quick."""
    if name in _HOMES:
        return getattr(import_module(f"subsel.cli.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'subsel.cli' has no attribute {name!r}")
