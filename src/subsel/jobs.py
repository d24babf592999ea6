"""The jobs of the command line: select, assess, compare; what they print and write."""

from __future__ import annotations

import argparse
import csv
import json
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline, make_pipeline

from subsel import __version__
from subsel.auto import AutoSelector, best_model
from subsel.columns import column_numbers
from subsel.datasets.files import Table
from subsel.engine import Budget
from subsel.estimators import estimator_of
from subsel.outputs import check_writable, written_whole
from subsel.task import Kind, guess_kind

__all__ = ["assess_job", "compare_job", "select_job"]

DONE, INTERRUPTED = 0, 130
FOLDS, REPEATS = 5, 2
MANY_ROWS = 1_000  # rows beyond which one pass over the folds says enough


@dataclass(frozen=True, eq=False)
class _Job:
    """A table, what was asked of it, and where it came from."""

    table: Table
    options: argparse.Namespace
    source: str
    kind: Kind

    @classmethod
    def of(cls, table: Table, options: argparse.Namespace, source: str) -> _Job:
        for name in (*options.fixed, *options.forbidden):
            if name == table.target:
                raise ValueError(f"{name!r} is the target: it can be neither fixed nor forbidden.")
        return cls(table, options, source, options.task or guess_kind(np.asarray(table.y)))

    def selector(self, search: str | None = None, estimator: str | None = None, **changes: Any) -> AutoSelector:
        """The selector that was asked for."""
        o, table = self.options, self.table
        key = estimator or o.estimator
        settings: dict[str, Any] = {
            "scoring": o.scoring,
            "cv": o.cv,
            "n_features": o.n_features,
            "budget": self.budget,
            "restarts": o.restarts,
            "choose": o.choose,
            "fixed": _whole_groups(o.fixed, table) or None,
            "forbidden": _whole_groups(o.forbidden, table) or None,
            "feature_groups": [g for g in table.groups.values() if len(g) > 1] or None,
            "kind": self.kind,
            "random_state": o.seed,
            "memory": o.memory,
            "journal": o.journal,
        }
        model = None if key is None else estimator_of(key, self.kind)
        return AutoSelector(model, search or o.search, **{**settings, **changes})

    @property
    def n_folds(self) -> int:
        """Folds of the assessment, repeats counted."""
        if self.options.no_assess:
            return 0
        return FOLDS if len(self.table.y) > MANY_ROWS else FOLDS * REPEATS

    @property
    def budget(self) -> Budget:
        """The budget of one search: seconds are shared with the folds of the assessment."""
        budget = Budget.of(self.options.budget)
        if budget.seconds is None:
            return budget
        return Budget(seconds=budget.seconds / (1 + self.n_folds))

    @property
    def command(self) -> str:
        """What to type to do this again."""
        return shlex.join(["subsel", *self.options.argv])


def select_job(table: Table, options: argparse.Namespace, source: str) -> int:
    """Search, assess, print, write."""
    check_writable(options.out)
    job = _Job.of(table, options, source)
    loud = not (options.quiet or options.json)
    selector = job.selector(verbose=int(loud), n_jobs=options.jobs).fit(job.table.frame(), table.y)
    assessment = _assess(job, selector.budgets_, selector.scoring_, loud) if job.n_folds else None
    selection = _selection(job, selector, assessment)
    _write_selection(options.out, job, selector, selection, assessment)
    if options.json:
        print(json.dumps(selection, indent=2))
    elif not options.quiet:
        _summarise(selection, options.out)
    return INTERRUPTED if selector.result_.stopped_by == "interrupted" else DONE


def compare_job(table: Table, options: argparse.Namespace, source: str) -> int:
    """Assess several searches on the same folds."""
    from subsel.assessment import compare
    from subsel.report import write_report

    check_writable(options.out)
    job = _Job.of(table, options, source)
    selectors = [(name, _pipeline(job, *_search_and_estimator(name))) for name in options.methods]
    loud = int(not (options.quiet or options.json))
    comparison = compare(
        selectors,
        None,
        job.table.frame(),
        table.y,
        scoring=options.scoring,
        n_jobs=options.jobs,
        random_state=options.seed,
        journal=options.journal,
        verbose=loud,
    )
    rows = _rows(comparison.table)
    with written_whole(options.out, "comparison.csv", "report.html") as (cells, report):
        _write_csv(cells, list(rows[0]), [list(row.values()) for row in rows])
        write_report(report, X=table.X, y=table.y, names=table.names, comparison=comparison, command=job.command)
    if options.json:
        print(json.dumps(rows, indent=2, default=float))
    elif not options.quiet:
        _show_rows(rows)
        print(f"written: {options.out / 'report.html'}, {options.out / 'comparison.csv'}")
    return DONE


def assess_job(table: Table, options: argparse.Namespace, source: str) -> int:
    """Say how good the procedure is on these data, without selecting on all of them."""
    from subsel.report import write_report

    check_writable(options.out)
    options.no_assess = False
    job = _Job.of(table, options, source)
    assessment = _assess(job, job.budget, options.scoring, not (options.quiet or options.json))
    document = {"schema": 1, "source": source, "command": job.command, **_assessed(assessment)}
    with written_whole(options.out, "assessment.json", "report.html") as (path, report):
        path.write_text(json.dumps(document, indent=2) + "\n", encoding="utf8")
        write_report(report, X=table.X, y=table.y, names=table.names, assessment=assessment, command=job.command)
    if options.json:
        print(json.dumps(document, indent=2))
    elif not options.quiet:
        _print_assessed(document)
        print(f"written: {options.out / 'report.html'}, {options.out / 'assessment.json'}")
    return DONE


def _assess(job: _Job, budget: Any, scoring: Any, loud: bool) -> Any:
    """Repeat the whole selection in every fold."""
    from subsel.assessment import assess

    key, n_rows = job.options.estimator, len(job.table.y)
    model = estimator_of(key, job.kind) if key else best_model(job.kind, n_rows, scoring, job.options.cv)
    return assess(
        job.selector(budget=budget, alternatives=False),
        model,
        job.table.frame(),
        job.table.y,
        cv=None if job.n_folds == FOLDS * REPEATS else FOLDS,
        scoring=scoring,
        permutations=job.options.permutations,
        n_jobs=job.options.jobs,
        random_state=job.options.seed,
        journal=job.options.journal,
        verbose=int(loud),
    )


def _whole_groups(names: Sequence[str], table: Table) -> list[int]:
    """Column numbers of names; the name of an encoded text column stands for all its columns."""
    numbers: list[int] = []
    for name in names:
        numbers += (
            table.groups[name] if name in table.groups else column_numbers("--fixed/--forbidden", [name], table.names)
        )
    return numbers


def _pipeline(job: _Job, search: str, estimator: str | None) -> Pipeline:
    """A selector with the model that judges it, or with the best of several, behind it."""
    model = (
        estimator_of(estimator, job.kind) if estimator else best_model(job.kind, len(job.table.y), job.options.scoring)
    )
    return make_pipeline(job.selector(search, estimator), model)


def _search_and_estimator(name: str) -> tuple[str, str | None]:
    search, _, estimator = name.partition(":")
    return search, estimator or None


# What is written and printed ----------------------------------------------------------------------------------------


def _selection(job: _Job, selector: AutoSelector, assessment: Any) -> dict[str, Any]:
    """The content of selection.json (schema: docs/selection-json.md)."""
    result, table, o = selector.result_, job.table, job.options
    named = lambda columns: [table.names[c] for c in columns]
    where = {name: column for column, name in enumerate(result.names)}
    translate = lambda names: [table.names[where[name]] for name in names]
    notes = list(table.notes)
    if selector.scoring_ == "balanced_accuracy" and o.scoring is None:
        notes.append("the classes are skewed: guided and assessed by balanced accuracy.")
    if len(selector.screened_) < len(table.names):
        notes.append(
            f"the table is wide: {len(selector.screened_)} of {len(table.names)} columns passed a univariate screening."
        )
    return {
        "schema": 1,
        "subsel": __version__,
        "data": {
            "source": job.source,
            "rows": len(table.y),
            "columns": len(table.names),
            "target": table.target,
            "task": job.kind,
        },
        "settings": {
            "search": o.search,
            "estimator": o.estimator,
            "scoring": selector.scoring_,
            "cv": o.cv,
            "n_features": o.n_features,
            "budget": o.budget,
            "restarts": o.restarts,
            "seed": o.seed,
            "choose": o.choose,
            "fixed": o.fixed,
            "forbidden": o.forbidden,
            "command": job.command,
        },
        "selected": named(result.chosen),
        "columns": result.chosen.tolist(),
        "guide_quality": float(result.chosen_quality),
        "judge": selector.judge_name_,
        "judges": {name: float(quality) for name, quality in selector.judges_.items()},
        "assessment": None if assessment is None else _assessed(assessment),
        "front": [
            {"size": f.size, "guide_quality": f.quality, "cost": f.cost, "features": named(f.columns)}
            for f in result.front
        ],
        "alternatives": [
            {"drop": translate(a["drop"]), "add": translate(a["add"]), "guide_quality": a["quality"]}
            for a in result.alternatives()
        ],
        "run": {
            "evaluations": result.n_evaluations,
            "computed": result.n_computed,
            "seconds": round(result.seconds, 3),
            "stopped_by": result.stopped_by,
            "judge": result.judge.name,
            "exact": result.judge.exact,
            "refits": result.judge.n_refits,
            "restarts_that_agree": result.agreement,
        },
        "notes": [*notes, *result.notes, *(() if assessment is None else assessment.notes)],
    }


def _assessed(assessment: Any) -> dict[str, Any]:
    stability = assessment.stability
    return {
        "scoring": assessment.scoring,
        "performance": assessment.performance,
        "interval": list(assessment.interval),
        "confidence": assessment.confidence,
        "folds": len(assessment.folds["score"]),
        "guide": assessment.guide,
        "optimism": assessment.optimism,
        "sizes": [int(size) for size in assessment.sizes],
        "stability": None if stability is None else stability.value,
        "references": {name: estimate.mean for name, estimate in assessment.references.items()},
        "p_value": None if assessment.permutation is None else assessment.permutation.p_value,
    }


def _print_assessed(judged: dict[str, Any]) -> None:
    low, high = judged["interval"]
    interval = f"{judged['confidence']:.0%} interval {low:.3f} to {high:.3f}"
    folds = f"{judged['folds']} folds, each with its own selection"
    print(f"performance {judged['performance']:.3f} ({judged['scoring']}; {interval}), {folds}")
    if judged["stability"] is not None:
        sizes = f"{min(judged['sizes'])} to {max(judged['sizes'])} features"
        print(f"stability {judged['stability']:.2f} (1: the same features in every fold; 0: chance), {sizes}")
    if judged["references"]:
        print("for comparison: " + ", ".join(f"{name} {value:.3f}" for name, value in judged["references"].items()))


def _summarise(selection: dict[str, Any], out: Path) -> None:
    """About ten lines, the answer first."""
    data, run, judged = selection["data"], selection["run"], selection["assessment"]
    print(f"{data['source']}: {data['rows']} rows, {data['columns']} columns, target {data['target']} ({data['task']})")
    print(f"selected {len(selection['selected'])}: {', '.join(selection['selected'])}")
    if judged is not None:
        _print_assessed(judged)
    guide = f"guide quality {selection['guide_quality']:.3f} ({selection['judge']})"
    print(f"{guide}: what the search maximised, not an estimate")
    print(f"{run['evaluations']:,} evaluations in {run['seconds']:.1f} s, ended by {run['stopped_by']}; {run['judge']}")
    for swap in selection["alternatives"][:2]:
        added, dropped = " + ".join(swap["add"]), " + ".join(swap["drop"])
        print(f"nearly as good: {added} instead of {dropped} ({swap['guide_quality']:.3f})")
    for note in selection["notes"]:
        print(f"note: {note}")
    print(f"written: {out / 'report.html'}, {out / 'selection.json'}, {out / 'features.csv'}")


def _write_selection(
    folder: Path, job: _Job, selector: AutoSelector, selection: dict[str, Any], assessment: Any
) -> None:
    """Write the document, the table of features and the report."""
    from subsel.report import write_report

    names, result = job.table.names, selector.result_
    found = np.concatenate([f.columns for f in result.finalists] or [result.chosen])
    share = np.bincount(found, minlength=len(names)) / max(1, len(result.finalists))
    often = None if assessment is None or assessment.frequency is None else assessment.frequency
    kept = set(selection["columns"])
    shown = lambda shares, c: "" if shares is None else f"{shares[c]:.4g}"
    rows = [[name, c, int(c in kept), shown(share, c), shown(often, c)] for c, name in enumerate(names)]
    with written_whole(folder, "selection.json", "features.csv", "report.html") as (document, features, report):
        document.write_text(json.dumps(selection, indent=2) + "\n", encoding="utf8")
        _write_csv(features, ["feature", "column", "selected", "share_of_finalists", "share_of_folds"], rows)
        write_report(
            report,
            selection=selection,
            result=result,
            X=job.table.X,
            y=job.table.y,
            names=names,
            assessment=assessment,
            estimator=selector.model_,
            command=job.command,
        )


def _write_csv(path: Path, header: list[str], rows: list[list[Any]]) -> None:
    with path.open("w", encoding="utf8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(rows)


def _rows(table: Any) -> list[dict[str, Any]]:
    """A table of columns as a list of rows."""
    return [dict(zip(table, values)) for values in zip(*table.values())]


def _show_rows(rows: list[dict[str, Any]]) -> None:
    shown = lambda value: f"{value:.4g}" if isinstance(value, (float, np.floating)) else str(value)
    cells = [list(rows[0])] + [[shown(value) for value in row.values()] for row in rows]
    widths = [max(len(line[i]) for line in cells) for i in range(len(cells[0]))]
    for line in cells:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip())
