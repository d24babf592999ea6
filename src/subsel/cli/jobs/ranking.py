"""The job of ``subsel rank``: score every column of a table, in memory or left on disk, and keep the best."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from subsel.cli.jobs.ranking_table import RankingTable
from subsel.cli.options import BadOption, RankOptions
from subsel.data.files.table import Table
from subsel.data.names import first_names
from subsel.ranking.original_columns.joint_columns import joint_columns
from subsel.ranking.original_columns.parts import Parts
from subsel.ranking.original_columns.ranking import WholeColumnRanking
from subsel.ranking.registry import Score
from subsel.ranking.selector import VALIDATED
from subsel.runtime.screenful import html_screenful

__all__ = ["RankingOutcome", "WholeTable", "best_parts", "rank_job", "ranking_notes"]

CROWDING = 10  # times the size of a file that reading it whole takes, about


@dataclass(frozen=True, eq=False)
class RankingOutcome:
    """What ``rank_job`` found.

    Parameters
    ----------
    score : str
        Key of the score.
    table : RankingTable
        One row per column, best first.
    options : RankOptions
        What was asked for.
    notes : sequence of str
        What the user should know.
    """

    score: str
    table: RankingTable
    options: RankOptions
    notes: Sequence[str]

    @property
    def title(self) -> str:
        """How many were kept of how many, by which evidence."""
        selector = self.table.selector
        kept = f"kept {int(selector.support_.sum())} of {len(self.table)} columns"
        return f"{self.score}, cut {self.options.cut}: {kept} ({selector.evidence_})"

    def __repr__(self) -> str:
        """The title, the notes and the best rows."""
        return "\n".join([self.title, *(f"note: {note}" for note in self.notes), repr(self.table)])

    def _repr_html_(self) -> str:
        return (
            html_screenful([self.title, *(f"note: {note}" for note in self.notes)])
            + self.table._repr_html_()
        )

    def document(self) -> dict[str, Any]:
        """The ranking for JSON, which has no infinity and no NaN: those scores are text."""
        selector, names = self.table.selector, self.table.names
        return {
            "score": self.score,
            "cut": str(self.options.cut),
            "seed": self.options.seed,
            "evidence": selector.evidence_,
            "notes": list(self.notes),
            "kept": [names[j] for j in selector.ranking_ if selector.support_[j]],
            "ranking": [
                {name: _for_json(value) for name, value in row.items()} for row in self.table.rows()
            ],
        }


def _for_json(value: Any) -> Any:
    """A cell of the ranking; what is no finite number becomes text."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def rank_job(data: str | Path, options: RankOptions = RankOptions()) -> RankingOutcome:
    r"""Rank the columns of a file, a folder of files or a database.

    Parameters
    ----------
    data : str or Path
        A file that :func:`subsel.data.files.read_table.read_table` or :func:`subsel.data.stored.table.open_table` reads.
    options : RankOptions
        What is asked for.

    Returns
    -------
    Ranked
        The ranking as a table, with its notes.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "small.csv")
    ...     _ = file.write_text("\n".join(["a,b,y", "1,5,u", "2,3,u", "7,4,v", "9,4,v", "8,5,v", "2,5,u"]))
    ...     ranked = rank_job(file, RankOptions(target="y", cut=1))
    >>> [row["feature"] for row in ranked.table.rows()]
    ['a', 'b']
    """
    if _stays_on_disk(data, options):
        return _rank_stored(data, options)
    return _rank_in_memory(data, options)


def _rank_in_memory(data: str | Path, options: RankOptions) -> RankingOutcome:
    from subsel.ranking.suitability import find_ranking

    table = options.reading.table(data, options.target)
    score = options.score or _usual_score(table.y)
    settings: dict[str, Any] = {"probes": options.probes, "random_state": options.seed}
    settings["estimator"] = _estimator(options, table.y, score)
    whole = WholeTable.of(table, find_ranking(score), joint=options.cut not in VALIDATED)
    selector = WholeColumnRanking(score, options.cut, options=whole.options or None, **settings)
    X, notes = _filled(whole.X, options.impute, selector)
    rows: dict[str, Any] = {"sample_weight": table.sample_weight, "origin": whole.parts.of}
    selector.fit(replace(table, X=X, names=whole.part_names).frame(), table.y, **rows)
    told = RankingTable.of(
        selector,
        whole.names,
        X,
        numbers=whole.numbers,
        details=best_parts(selector, whole.part_names),
    )
    return RankingOutcome(score, told, options, [*whole.notes, *notes])


def _filled(X: Any, impute: str, selector: Any) -> tuple[Any, list[str]]:
    """The table with its gaps filled, and a note of them; as it is for scores that read them."""
    from sklearn.utils import get_tags

    from subsel.data.encoding.missing_values import without_gaps

    if impute == "none" or get_tags(selector).input_tags.allow_nan:
        return X, []
    filled = without_gaps(X)
    if filled is X:
        return X, []
    return filled, ["missing values were filled by the median of their column."]


def _estimator(options: RankOptions, y: Any, score: str) -> Any:
    """The model to choose the number of columns with, where the cut asks for one."""
    from subsel.models.short_names import estimator_of
    from subsel.ranking.suitability import find_ranking, kind_for

    if options.cut not in VALIDATED:
        if options.estimator is not None:
            raise BadOption(
                f"--estimator goes with --cut {' or '.join(VALIDATED)}, got --cut {options.cut}."
            )
        return None
    if options.estimator is None:
        raise BadOption(
            f"--cut {options.cut} chooses the number by cross-validation: name a model with --estimator."
        )
    return estimator_of(options.estimator, kind_for(find_ranking(score), y))


def _rank_stored(data: str | Path, options: RankOptions) -> RankingOutcome:
    from subsel.data.stored.problem import StoredProblem
    from subsel.data.stored.table import open_table
    from subsel.ranking.stored.rank_stored import rank_stored

    if options.estimator is not None:
        raise BadOption("a table on disk is not cut by cross-validation: leave --estimator out.")
    if options.probes != "permuted":
        raise BadOption(
            f"a table on disk is probed by permuted columns only, got --probes {options.probes}."
        )
    if options.reading.known:
        raise BadOption(
            "a table that is left on disk is read as its beginning tells: leave the options of reading out."
        )
    stored = open_table(data, options.table)
    if options.target is None:
        raise ValueError(
            f"name the target column with --target; {stored.source} has {', '.join(stored.names[:8])}."
        )
    problem = StoredProblem(stored, options.target, weight=options.reading.weights)
    score = options.score or _usual_score(problem.labels)
    memory = options.memory or _usual_memory()
    settings: dict[str, Any] = {
        "memory": memory,
        "random_state": options.seed,
        "whole_columns": True,
    }
    selector = rank_stored(problem, ranking=score, cut=options.cut, **settings)
    names, widths = list(selector.feature_names_in_), selector.parts_.widths.tolist()
    told = RankingTable.of(
        selector, names, None, details=best_parts(selector, selector.part_names_)
    )
    return RankingOutcome(
        score, told, options, ranking_notes(selector.notes_, dict(zip(names, widths)))
    )


def _usual_score(y: Any) -> str:
    from subsel.data.task import guess_kind

    if guess_kind(y) == "classification":
        return "anova-f"
    return "pearson"


def _stays_on_disk(data: str | Path, options: RankOptions) -> bool:
    """Whether it was asked for, the source is no single file, or its cells would crowd the free memory."""
    from glob import has_magic

    from subsel.runtime.memory import available_bytes

    path, ending = Path(data), str(data).lower()
    database = ending.endswith((".duckdb", ".ddb", ".db"))
    if (
        options.memory
        or options.table
        or database
        or path.is_dir()
        or (has_magic(str(path)) and not path.exists())
    ):
        return True
    if not path.is_file() or not ending.endswith((".parquet", ".csv", ".csv.gz", ".tsv", ".txt")):
        return False
    free = available_bytes()
    return free is not None and CROWDING * path.stat().st_size > free


def _usual_memory() -> int:
    """A quarter of the memory that is free, or a gigabyte."""
    from subsel.runtime.memory import available_bytes

    return (available_bytes() or 4 * 10**9) // 4


OF_A_SEARCH = "; a search selects them together"


@dataclass(frozen=True, eq=False)
class WholeTable:
    """The columns of a file that can be ranked, and how they are told in numbers.

    Parameters
    ----------
    X : ndarray or sparse matrix
        The numbers.
    names : sequence of str
        The columns of the file.
    numbers : ndarray of int
        Their places in the file, the target and other columns that are no features aside.
    parts : Parts
        Which columns of numbers make a column of the file.
    part_names : sequence of str
        What the columns of numbers are called.
    options : dict
        What the score must be told of columns of names.
    notes : list of str
        What the user should know.
    """

    X: Any
    names: Sequence[str]
    numbers: np.ndarray
    parts: Parts
    part_names: Sequence[str]
    options: dict[str, Any]
    notes: list[str]

    @classmethod
    def of(cls, table: Table, entry: Any, joint: bool = True) -> WholeTable:
        """Tell a table as a score best reads it; ``joint`` says that text may become one column of names."""
        if sparse.issparse(table.X) or not table.groups:
            parts = Parts(np.arange(table.X.shape[1]))
            return cls(
                table.X,
                table.names,
                _places(table, table.names),
                parts,
                table.names,
                {},
                list(table.notes),
            )
        made = table.file_columns
        names, order = list(made), [j for columns in made.values() for j in columns]
        parts = Parts(np.repeat(np.arange(len(made)), list(map(len, made.values()))))
        X, part_names = table.X[:, order], [table.names[j] for j in order]
        options: dict[str, Any] = {}
        if joint and isinstance(entry, Score):
            text = np.array([name in table.groups and name not in table.dates for name in names])
            X, fewer, options = joint_columns(entry.function, X, parts, text)
            part_names = _named(fewer, parts, names, part_names)
            parts = fewer
        notes = ranking_notes(table.notes, dict(zip(names, parts.widths.tolist())))
        return cls(X, names, _places(table, names), parts, part_names, options, notes)


def best_parts(selector: Any, part_names: Sequence[str]) -> dict[int, str]:
    """Of each column with several parts how many these are and which of them is best."""
    widths = selector.parts_.widths
    several = np.flatnonzero(widths > 1).tolist()
    return {j: f"best of {widths[j]} parts: {part_names[selector.best_part_[j]]}" for j in several}


def ranking_notes(notes: Sequence[str], widths: Mapping[str, int]) -> list[str]:
    """What is noted of a table, without what only a search does, and how columns in several parts are scored.

    >>> ranking_notes(["column 'a' is empty: left out."], {"town": 3})[1]
    "a column that is told in parts ('town' in 3) scores as the best of them; its p-value is multiplied by their number."
    """
    kept = [note for note in notes if OF_A_SEARCH not in note or ": misread?" in note]
    several = [f"{name!r} in {width}" for name, width in widths.items() if width > 1]
    if not several:
        return kept
    told = f"a column that is told in parts ({first_names(several, 5)}) scores as the best of them"
    return [*kept, f"{told}; its p-value is multiplied by their number."]


def _named(
    fewer: Parts, parts: Parts, names: Sequence[str], part_names: Sequence[str]
) -> list[str]:
    """What the columns of numbers are called where text became one of them."""
    called: list[str] = []
    for j, name in enumerate(names):
        if fewer.widths[j] == parts.widths[j]:
            called += [part_names[i] for i in parts.columns([j])]
        else:
            called.append(name)
    return called


def _places(table: Table, names: Sequence[str]) -> np.ndarray:
    if (
        names is table.column_names
    ):  # of a sparse table maybe millions, which nobody has spelt out yet
        return np.arange(len(names))
    place = {name: j for j, name in enumerate(table.column_names)}
    return np.array([place.get(name, j) for j, name in enumerate(names)])
