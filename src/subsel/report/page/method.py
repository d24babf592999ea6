"""How it was done, how to do it again, and how to predict with the chosen features."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from subsel.data.routing import fit_arguments
from subsel.registry.public_names import is_ours, public_name
from subsel.report.figures.display import named
from subsel.report.page.markup import download, items, number
from subsel.report.page.material import Material
from subsel.report.page.race import race_code
from subsel.result.document import json_values

__all__ = ["TableCode", "data_files", "method", "model_code", "procedure_code"]

KNOWING = "Its nested score is the one above, not that of a cross-validation of these lines: they know the chosen features already."
RACED = "These lines are the procedure whose nested score stands above: they race, choose and fit again."
ASSESSED = "These lines are the procedure whose nested score stands above: they search, choose and fit again. The file model.skops holds it fitted on all rows: subsel predict model.skops new.csv."


def method(material: Material) -> str:
    """What was run, in a list; the command; the lines of Python that give the model."""
    parts = [items(_settings(material))]
    if material.assessment is not None:
        parts.append(f"<p>{escape(_estimand(material.assessment))}</p>")
    if material.command:
        parts.append(f"<h3>The same again</h3>{_code(material.command)}")
    if material.procedure is not None:
        parts.append(
            f"<h3>The procedure that was assessed</h3>{_code(procedure_code(material))}<p>{ASSESSED}</p>"
        )
    if material.chosen:
        parts.append(f"<h3>A model on the chosen features</h3>{_code(model_code(material))}")
        said = RACED if material.selection.get("race") else KNOWING
        parts.append(f"<p>{said}</p>")
    return "".join(parts)


def _settings(material: Material) -> dict[str, Any]:
    selection = material.selection
    settings = {
        k.replace("_", " "): v
        for k, v in selection.get("settings", {}).items()
        if k != "command" and v not in (None, [], "")
    }
    if selection.get("race"):
        settings["left out for want of time"] = (
            ", ".join(selection["race"]["left_out"]) or "nothing"
        )
    elif tried := selection.get("guides"):
        settings["guides tried"] = ", ".join(
            f"{name} (guide quality {quality:.3f})" for name, quality in tried.items()
        )
    if run := selection.get("run"):
        settings["evaluator"] = (
            f"{run.get('evaluator')} ({'exact, no refitting' if run.get('exact') else 'refits'}; "
            f"{run.get('refits', 0):,} subsets refitted)"
        )
        settings["evaluations"] = (
            f"{number(run.get('evaluations'))}, {number(run.get('computed'))} of them computed"
        )
        settings["time"] = f"{run.get('seconds', 0):.1f} seconds, ended by {run.get('stopped_by')}"
    if material.assessment is not None:
        a = material.assessment
        settings["assessment"] = (
            f"{len(a.folds['score'])} folds, {a.scoring}, {a.seconds:.1f} seconds; the whole selection repeated in each"
        )
    if material.comparison is not None:
        c = material.comparison
        settings["methods"] = list(c.names)
        settings["assessment"] = (
            f"{c.scores.shape[1]} folds, the same for all; {c.scoring}; whole selections repeated"
        )
    if "subsel" in selection:
        settings["version"] = f"subsel {selection['subsel']}"
    for name, value in settings.items():
        if isinstance(value, (list, tuple)):
            settings[name] = ", ".join(map(str, value))
    return settings


def _estimand(a: Any) -> str:
    rows = np.nanmean(a.folds["n_train"])
    return (
        f"The nested score is that of the whole procedure, selection and model, trained on about {rows:,.0f} "
        "rows as in a fold; "
        "with all rows it is usually a little better. Its interval allows for the rows that folds share; how often "
        "such intervals hold was measured by simulation. The shares of folds that select a feature, and their intervals, "
        "take folds as fresh samples: they are somewhat high, and narrow. Stability is not: it compares disjoint halves."
    )


def procedure_code(material: Material) -> str:
    """Python lines that search, choose and fit as the job did."""
    read = TableCode.of(material)
    imports, procedure = _constructor(_repeatable(material.procedure))
    if "Budget(" in procedure:
        imports = ["from subsel import Budget", *imports]
    fit = f"model.fit(X, y{read.rows(material.procedure)})"
    return "\n".join([*imports, *read.imports, "", *read.lines, f"model = {procedure}", fit])


def _repeatable(procedure: Any) -> Any:
    """The procedure without its journal: a folder is no Python, and does not change the answer."""
    journals = [name for name in procedure.get_params() if name.split("__")[-1] == "journal"]
    return clone(procedure).set_params(**dict.fromkeys(journals))


def model_code(material: Material) -> str:
    """Python lines that fit a model on the chosen columns."""
    read = TableCode.of(material)
    if material.selection.get("race"):
        again = race_code(material.selection.get("settings", {}), material.kind, read.rows())
        return "\n".join(
            ["from subsel import AutoSelector", *read.imports, "", *read.lines, *again]
        )
    imports, model = _constructor(material.estimator)
    framed = ""
    if "TableEncoder" in model:  # it reads text and dates
        framed = '.set_output(transform="pandas")'
    behind = make_pipeline("passthrough", material.estimator or "passthrough")
    given = list(read.lines)
    if material.estimator is None:
        given.append("estimator = ...  # the model of your choice")
    lines = [
        "from sklearn.compose import ColumnTransformer",
        "from sklearn.pipeline import make_pipeline",
        *imports,
        *read.imports,
        "",
        *given,
        f"chosen = {material.chosen!r}  # "
        f"{named([' '.join(str(material.names[j]).split()) for j in material.chosen], 8)}",
        "model = make_pipeline(",
        f'    ColumnTransformer([("chosen", "passthrough", chosen)]){framed},',
        f"    {model},",
        ")",
        f"model.fit(X, y{read.rows(behind)})",
    ]
    return "\n".join(lines)


def _constructor(estimator: Any) -> tuple[list[str], str]:
    """An estimator as code, with what it must import."""
    if estimator is None:
        return [], "estimator"
    imports = sorted({_import_line(cls) for cls in _types(estimator)})
    return imports, " ".join(estimator.__repr__(N_CHAR_MAX=10**6).split())


def _import_line(cls: type) -> str:
    """How a class is imported: ours by its public name, others from the public module that holds them."""
    package, _, name = public_name(cls).rpartition(".")
    if is_ours(package) and ":" not in name:
        return f"from {package} import {name}"
    public = [part for part in cls.__module__.split(".") if not part.startswith("_")]
    return f"from {'.'.join(public)} import {cls.__name__}"


def _types(value: Any) -> Iterator[type]:
    """The estimators and splitters in an estimator, in its parameters, and in lists and mappings there."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for part in value:
            yield from _types(part)
    elif hasattr(value, "get_params") and not isinstance(value, type):
        yield type(value)
        for part in value.get_params(deep=False).values():
            yield from _types(part)
    elif hasattr(value, "get_n_splits"):
        yield type(value)


def _code(text: str) -> str:
    return f'<pre tabindex="0"><code>{escape(text)}</code></pre>'


def data_files(material: Material) -> str:
    """Files held in the page that no table already gives."""
    links = []
    if material.selection:
        links.append(
            download(
                "selection.json",
                json.dumps(json_values(material.selection), indent=2),
                "application/json",
            )
        )
    if material.assessment is not None:
        links.append(
            download(
                "assessment.json",
                json.dumps(_assessment(material.assessment), indent=2),
                "application/json",
            )
        )
    if not links:
        return ""
    return (
        "<p>The page holds its data: each table has its CSV file beside it, and here is the rest. "
        f"{' '.join(links)}</p>"
    )


def _assessment(a: Any) -> dict[str, Any]:
    """An assessment as JSON, which has no NaN: those are null."""
    return json_values(
        {
            "performance": a.performance,
            "interval": a.interval,
            "scoring": a.scoring,
            "confidence": a.confidence,
            "guide": a.guide,
            "guide_scoring": a.guide_scoring,
            "optimism": a.optimism,
            "stability": _fields(a.stability),
            "false_selections": _fields(a.false_selections),
            "permutation": _fields(a.permutation),
            "references": {
                n: {"mean": e.mean, "interval": e.interval} for n, e in a.references.items()
            },
            "folds": dict(a.folds),
            "notes": a.notes,
        }
    )


def _fields(part: Any) -> dict[str, Any] | None:
    """The fields of a part of an assessment; None where that was not asked for."""
    if part is None:
        return None
    return vars(part)


TABLES = (
    ".csv",
    ".csv.gz",
    ".tsv",
    ".txt",
    ".xlsx",
    ".parquet",
    ".npz",
    ".libsvm",
    ".svm",
    ".param",
)
SEPARATORS = {"tab": "\t", "comma": ",", "semicolon": ";", "bar": "|", "\\t": "\t"}
OF_ROWS = {
    "weights": ("sample_weight", "table.sample_weight"),
    "groups": ("groups", "table.row_groups"),
}


@dataclass(frozen=True)
class TableCode:
    """What to import, the lines that give X and y, and what else there is of each row.

    Parameters
    ----------
    imports, lines : tuple of str
        Lines of Python.
    known : tuple of str
        Of "weights" and "groups" those that the file has.

    Examples
    --------
    >>> document = {"data": {"source": "t.csv", "target": "y"}, "settings": {"weights": "w", "decimal": ","}}
    >>> print(*TableCode.of(Material(document)).lines, sep="\\n")
    table = read_table('t.csv', 'y', weights='w', dialect=Dialect.of('t.csv', decimal=','))
    X, y = table.as_in_file(), table.y
    """

    imports: tuple[str, ...]
    lines: tuple[str, ...]
    known: tuple[str, ...] = ()

    @classmethod
    def of(cls, material: Material) -> TableCode:
        """The lines for the table of a report; a hint where it came from no file."""
        source, target = str(material.data.get("source", "")), material.data.get("target")
        settings = material.selection.get("settings", {})
        if not source.lower().endswith(TABLES):
            return cls((), ("X, y = ...  # your table, its columns in the order of the search",))
        known = tuple(name for name in OF_ROWS if settings.get(name) is not None)
        given = [repr(source), repr(target), *(f"{name}={settings[name]!r}" for name in known)]
        written = _written(settings)
        imports, sort = "from subsel.data import read_table", ""
        if written:
            given.append(f"dialect=Dialect.of({source!r}, {written})")
            imports = "from subsel.data import Dialect, read_table"
        if settings.get("cv") == "time":
            sort = ".in_order_of_time()"
        lines = (
            f"table = read_table({', '.join(given)}){sort}",
            "X, y = table.as_in_file(), table.y",
        )
        return cls((imports,), lines, known)

    def rows(self, model: Any = None) -> str:
        """Weights and groups as further arguments of fit, under the names by which a pipeline takes them."""
        values = dict(OF_ROWS[name] for name in self.known)
        named = values if model is None else fit_arguments(model, values)
        return "".join(f", {name}={value}" for name, value in named.items())


def _written(settings: Any) -> str:
    """What was said of how the file is written, as arguments."""
    separator = settings.get("separator")
    told = {"delimiter": SEPARATORS.get(str(separator).lower(), separator)}
    told |= {name: settings.get(name) for name in ("decimal", "encoding", "header")}
    return ", ".join(f"{name}={value!r}" for name, value in told.items() if value is not None)
