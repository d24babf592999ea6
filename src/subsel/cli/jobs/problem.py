"""What a job works on: the table in the order that was asked for, what is predicted, what the user should know of both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.pipeline import make_pipeline

from subsel.assessment.race.preprocessing import reads_gaps
from subsel.cli.option_checks import blamed
from subsel.cli.options import SelectOptions
from subsel.criteria.scoring.measures import check_measure
from subsel.data.columns import column_numbers
from subsel.data.encoding.encoder import Impute, TableEncoder
from subsel.data.encoding.kinds import ColumnPlan
from subsel.data.encoding.plans import plans_of
from subsel.data.files.table import Table
from subsel.data.task import Kind, guess_kind, is_frame, kind_note

__all__ = ["JobProblem"]


@dataclass(frozen=True, eq=False)
class JobProblem:
    """A table as its file has it, and what is to be predicted.

    Parameters
    ----------
    table : Table
        What was read; sorted by its dates where later rows are to be predicted from earlier ones.
    X : frame, array or sparse matrix
        The columns of the file.
    kind : {"classification", "regression"}
        What the target is.
    plans : tuple of ColumnPlan
        What each column holds; empty for a sparse table.
    impute : {"median", "knn", "none"}
        What fills gaps.
    notes : list of str
        What the user should know of the table and its target.
    """

    table: Table
    X: Any
    kind: Kind
    plans: tuple[ColumnPlan, ...]
    impute: Impute
    notes: list[str]

    @classmethod
    def of(cls, table: Table, options: SelectOptions, model: Any = None) -> JobProblem:
        """Put the table in order; refuse what cannot be done before any work begins."""
        kind = options.task or guess_kind(np.asarray(table.y))
        table, notes = _in_order(table, options.cv)
        if options.task is None:
            notes += filter(None, [kind_note(np.asarray(table.y))])
        with blamed("--scoring"):
            check_measure(options.scoring, kind, np.asarray(table.y), model)
        X = table.as_in_file()
        problem = cls(table, X, kind, _plans(X), options.impute, notes)
        with blamed():
            problem._check_columns(options)
        return problem

    @property
    def y(self) -> np.ndarray:
        """The target."""
        return self.table.y

    @property
    def rows(self) -> dict[str, Any]:
        """Weights and groups of rows, where the file has them."""
        given = {"sample_weight": self.table.sample_weight, "groups": self.table.row_groups}
        return {name: values for name, values in given.items() if values is not None}

    @property
    def too_few(self) -> str:
        """Why a selection cannot be assessed: training parts need two rows of two classes; empty where it can."""
        if self.kind == "regression":
            return ""
        labels, counts = np.unique(self.y, return_counts=True)
        if (counts > 2).sum() > 1:
            return ""
        label, few = labels[counts.argmin()].item(), int(counts.min())
        told = f"class {label!r} has {few} row{'s' * (few > 1)}: too few to select on some and test on others; "
        return told + "there is no estimate of performance."

    @property
    def gaps(self) -> list[str]:
        """The columns with missing values."""
        return [plan.name for plan in self.plans if plan.gaps]

    @property
    def feature_groups(self) -> list[list[int]] | None:
        """Columns that are selected together, of a table that was encoded before."""
        if self.table.originals is not None:
            return None
        return [group for group in self.table.groups.values() if len(group) > 1] or None

    def numbers(self, what: str, names: tuple[str, ...]) -> list[int] | None:
        """Columns of the file by number; None for none."""
        return column_numbers(what, list(names), self.table.column_names) or None

    def behind(self, model: Any) -> Any:
        """A model that reads the columns of the file: behind an encoder where they are not all numbers."""
        if all(plan.plain for plan in self.plans):
            return model
        impute = "none" if reads_gaps(model) else self.impute
        return make_pipeline(TableEncoder(impute), model)

    def refuse_gaps(self, model: Any) -> None:
        """Refuse a model that cannot read gaps, where they are not to be filled."""
        if (
            self.gaps
            and self.impute == "none"
            and not (hasattr(model, "fit") and reads_gaps(model))
        ):
            raise ValueError(
                f"--impute none leaves column {self.gaps[0]!r} with missing values, which this model cannot read: "
                "use --impute median, or --estimator boosting."
            )

    def _check_columns(self, options: SelectOptions) -> None:
        for name in (*options.fixed, *options.forbidden):
            if name == self.table.target:
                raise ValueError(f"{name!r} is the target: it can be neither fixed nor forbidden.")
        self.numbers("--fixed", options.fixed)
        self.numbers("--forbidden", options.forbidden)


def _plans(X: Any) -> tuple[ColumnPlan, ...]:
    """What each column holds; nothing of a sparse table, whose columns are numbers."""
    if sparse.issparse(X):
        return ()
    if is_frame(X):
        return plans_of(X)
    return plans_of(np.asarray(X, dtype=float))


def _in_order(table: Table, cv: Any) -> tuple[Table, list[str]]:
    """The table, by its first column of dates where folds follow time; and what to say of time."""
    notes = list(table.reading_notes)
    if not table.dates:
        if cv == "time":
            notes.append("no column of dates: the rows are taken to be in order of time.")
        return table, notes
    name = next(iter(table.dates))
    if cv != "time":
        caution = f"column {name!r} holds dates: if later rows are to be predicted from earlier ones, use --cv time; "
        return table, [
            *notes,
            caution + "shuffled folds let a model learn from the future, and flatter it.",
        ]
    told = f"rows are in the order of {name!r}: every fold is predicted from earlier rows."
    return table.in_order_of_time(), [*notes, told]
