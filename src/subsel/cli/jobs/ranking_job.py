"""The job of ``subsel rank``: score every column of a table, in memory or left on disk, and keep the best."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from subsel.cli.jobs.ranking_table import RankingTable
from subsel.cli.jobs.whole_table import WholeTable, best_parts, ranking_notes
from subsel.cli.options import BadOption, RankOptions
from subsel.ranking.original_columns.ranking import WholeColumnRanking
from subsel.ranking.selector import VALIDATED
from subsel.runtime.screenful import html_screenful

__all__ = ["Ranked", "rank_job"]

CROWDING = 10  # times the size of a file that reading it whole takes, about


@dataclass(frozen=True, eq=False)
class Ranked:
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


def rank_job(data: str | Path, options: RankOptions = RankOptions()) -> Ranked:
    r"""Rank the columns of a file, a folder of files or a database.

    Parameters
    ----------
    data : str or Path
        A file that :func:`subsel.data.files.files.read_table` or :func:`subsel.data.stored.table.open_table` reads.
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


def _rank_in_memory(data: str | Path, options: RankOptions) -> Ranked:
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
    return Ranked(score, told, options, [*whole.notes, *notes])


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


def _rank_stored(data: str | Path, options: RankOptions) -> Ranked:
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
    return Ranked(score, told, options, ranking_notes(selector.notes_, dict(zip(names, widths))))


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
