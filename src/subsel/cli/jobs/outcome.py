"""What ``subsel select`` found: the document, what was fitted, and what should make a reader doubt."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

from subsel.auto import AutoSelector
from subsel.data.files.table import Table
from subsel.report.cautions.caution import caution_line
from subsel.report.page.material import Material
from subsel.selector.screening import ScreenedSelector

__all__ = ["SelectionOutcome", "cautioned"]


@dataclass(frozen=True, eq=False)
class SelectionOutcome:
    """What ``select_job`` found.

    Parameters
    ----------
    document : dict
        The content of selection.json.
    selector : AutoSelector or ScreenedSelector
        The fitted selector.
    model : estimator, optional
        What to put behind the selector, not fitted; None where a criterion guided and no model was named.
    assessment : Assessment, optional
        The nested scores, where they were asked for.
    interrupted : bool
        Whether the user ended the search or the assessment.
    procedure : estimator, optional
        Selection and model as one, not fitted: what the assessment is of; None after a race, whose winner is fitted.
    table : Table, optional
        What was searched: in the order of time where later rows are predicted from earlier ones.
    """

    document: dict[str, Any]
    selector: AutoSelector | ScreenedSelector
    model: Any
    assessment: Any
    interrupted: bool = False
    procedure: Any = None
    table: Table | None = None

    @property
    def serious(self) -> list[str]:
        """The serious cautions, a line each."""
        return [caution_line(c) for c in self.document["cautions"] if c["level"] == "serious"]


def cautioned(found: SelectionOutcome, table: Table) -> SelectionOutcome:
    """The same with what should make a reader doubt in its document."""
    parts = {
        "result": found.selector.result_,
        "assessment": found.assessment,
        "selection": found.document,
    }
    cautions = Material.of(
        X=table.as_in_file(), y=table.y, names=table.column_names, **parts
    ).cautions()
    found.document["cautions"] = [asdict(caution) for caution in cautions]
    return replace(found, table=table)
