"""The files of a job: documents, tables and the report, written whole or not at all."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from subsel.result.document import json_values
from subsel.runtime.atomic_files import atomic_write
from subsel.runtime.text import harmless

if TYPE_CHECKING:
    from subsel.cli.jobs.selection import SelectionOutcome

__all__ = [
    "serious_cautions",
    "write_assessment",
    "write_comparison",
    "write_csv",
    "write_model",
    "write_selection",
]

FEATURES = ["feature", "column", "selected", "share_of_folds"]
MODEL = "model.skops"


def write_selection(folder: Path, found: SelectionOutcome, table: Any, command: str) -> list[str]:
    """Write the document, the table of features and the report; gives their names, the report first."""
    names = ["report.html", "selection.json", "features.csv"]
    parts = {
        "result": found.selector.result_,
        "assessment": found.assessment,
        "estimator": found.model,
    }
    parts["procedure"], table = found.procedure, found.table or table
    with atomic_write(folder, *names) as (report, document, features):
        _write_json(document, found.document)
        write_csv(features, FEATURES, _features(found, table.column_names))
        _write_page(report, table, selection=found.document, command=command, **parts)
    return names


def write_model(folder: Path, found: SelectionOutcome, table: Any) -> list[str]:
    """Write the fitted model, ready for ``subsel predict``; gives its name."""
    from subsel.result.model_file import fitted_model, save_model

    table = found.table or table
    X = table.as_in_file()
    behind = None
    if found.procedure is not None:
        behind = found.procedure[-1]
    model = fitted_model(found.selector, behind, X, table.y, sample_weight=table.sample_weight)
    facts = {
        "names": table.column_names,
        "target": table.target,
        "kind": found.document["data"]["task"],
    }
    with atomic_write(folder, MODEL) as (fresh,):
        save_model(fresh, model, X, needed=found.selector.get_support(), **facts)
    return [MODEL]


def serious_cautions(table: Any, **parts: Any) -> list[str]:
    """The serious cautions about what was found in a table, a line each."""
    from subsel.report.cautions.caution import caution_line
    from subsel.report.page.material import Material

    cautions = Material.of(
        X=table.as_in_file(), y=table.y, names=table.column_names, **parts
    ).cautions()
    return [caution_line(vars(caution)) for caution in cautions if caution.level == "serious"]


def write_assessment(
    folder: Path, document: dict[str, Any], assessment: Any, table: Any, command: str
) -> list[str]:
    """Write the document of an assessment and its report."""
    names = ["report.html", "assessment.json"]
    with atomic_write(folder, *names) as (report, path):
        _write_json(path, document)
        _write_page(report, table, assessment=assessment, command=command)
    return names


def write_comparison(
    folder: Path, rows: list[dict[str, Any]], comparison: Any, table: Any, command: str
) -> list[str]:
    """Write the table of methods and its report."""
    names = ["report.html", "comparison.csv"]
    with atomic_write(folder, *names) as (report, cells):
        write_csv(cells, list(rows[0]), [list(row.values()) for row in rows])
        _write_page(report, table, comparison=comparison, command=command)
    return names


def write_csv(path: Path, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write a table in which no text is taken for a formula."""
    with path.open("w", encoding="utf8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(map(harmless, header))
        writer.writerows(map(harmless, row) for row in rows)


def _write_page(path: Path, table: Any, **parts: Any) -> None:
    from subsel.report.page.material import Material
    from subsel.report.page.page import report_html

    page = report_html(
        Material.of(X=table.as_in_file(), y=table.y, names=table.column_names, **parts)
    )
    path.write_text(page, encoding="utf8")


def _write_json(path: Path, document: dict[str, Any]) -> None:
    path.write_text(
        json.dumps(json_values(document), indent=2, allow_nan=False) + "\n", encoding="utf8"
    )


def _features(found: SelectionOutcome, names: Sequence[str]) -> list[list[Any]]:
    """One row per column: whether it is selected, and how often folds did."""
    frequency = getattr(found.assessment, "frequency", None)
    shares = [""] * len(names)
    if frequency is not None:
        shares = [f"{share:.4g}" for share in frequency]
    chosen = set(found.selector.result_.chosen.tolist())
    return [[name, c, int(c in chosen), shares[c]] for c, name in enumerate(names)]
