"""Data of a selection problem: tables, targets, folds, and statistics of columns."""

from typing import Any

from subsel._lazy import imported

_HOMES = {
    "MDL": "intervals.mdl",
    "MODL": "intervals.modl",
    "SSV": "intervals.ssv",
    "ClassMoments": "statistics.class_moments",
    "CoMoments": "statistics.co_moments",
    "Dialect": "files.dialect",
    "Discretiser": "intervals.base",
    "EqualFrequency": "intervals.equal",
    "EqualWidth": "intervals.equal",
    "JointCounts": "statistics.joint_counts",
    "PresenceCounts": "statistics.class_counts",
    "StoredProblem": "stored.problem",
    "StoredTable": "stored.table",
    "Table": "files.table",
    "TableEncoder": "encoding.encoder",
    "Task": "task",
    "TreeCuts": "intervals.tree_cuts",
    "TwoGaussians": "intervals.two_gaussians",
    "class_moments": "statistics.class_moments",
    "co_moments": "statistics.co_moments",
    "entropy": "statistics.entropy",
    "joint_counts": "statistics.counts",
    "load_npz": "files.challenge_format",
    "open_table": "stored.table",
    "permuted_probes": "probes",
    "read_challenge": "files.challenge_format",
    "read_param": "files.challenge_format",
    "read_table": "files.read_table",
    "replace_by_probes": "probes",
    "sample_rows": "stored.row_samples",
    "with_probes": "probes",
    "zipf_probes": "probes",
}

__all__ = [*_HOMES]


def __getattr__(name: str) -> Any:
    return imported(__name__, _HOMES, name)


def __dir__() -> list[str]:
    return __all__
