"""The command line: files that parse, jobs that run, and what they print and write."""

from typing import Any

from subsel._lazy import imported

_HOMES = {
    "CompareOptions": "options",
    "RankOptions": "options",
    "RankingOutcome": "jobs.ranking",
    "SelectOptions": "options",
    "SelectionOutcome": "jobs.outcome",
    "assess_job": "jobs.selection",
    "compare_job": "jobs.selection",
    "main": "entry_point",
    "rank_job": "jobs.ranking",
    "select_job": "jobs.selection",
}

__all__ = [*_HOMES]


def __getattr__(name: str) -> Any:
    return imported(__name__, _HOMES, name)


def __dir__() -> list[str]:
    return __all__
