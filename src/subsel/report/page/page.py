"""One self-contained page: the answer first, then evidence, cautions, method and data."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from hashlib import sha256
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from subsel.report.cautions.caution import Caution
from subsel.report.page.answer import answer, question
from subsel.report.page.evidence import pictures, tables
from subsel.report.page.features import chosen_features
from subsel.report.page.held_out_rows import held_out_rows
from subsel.report.page.markup import section
from subsel.report.page.material import Material
from subsel.report.page.method import data_files, method
from subsel.result.result import Result
from subsel.runtime.atomic_files import atomic_write
from subsel.runtime.text import escaped

__all__ = ["report_html", "write_report"]


def write_report(
    path: str | Path,
    *,
    selection: Mapping[str, Any] | None = None,
    result: Result | None = None,
    X: Any = None,
    y: Any = None,
    names: Sequence[str] = (),
    assessment: Any = None,
    comparison: Any = None,
    ranking: Any = None,
    estimator: Any = None,
    command: str = "",
) -> Path:
    """Write report.html: one file that needs no network, in light and dark, for screen, print and screen readers.

    What is left out of the arguments is left out of the page: a comparison alone makes a page about methods, an
    assessment alone one about a procedure.

    Parameters
    ----------
    path : str or Path
        Where to write. The file appears whole or not at all.
    selection : mapping, optional
        The content of selection.json; default: what :func:`subsel.result.document.selection_document` makes of ``result``.
    result : Result, optional
        What the search found: ``selector.result_``.
    X, y : table and target, optional
        What was searched, for cautions and the picture of values.
    names : sequence of str, optional
        The names of the columns of X; default: those of the frame or of the result.
    assessment : Assessment, optional
        What :func:`subsel.assess` gave.
    comparison : Comparison, optional
        What :func:`subsel.compare` gave.
    ranking : RankingSelector, optional
        A fitted ranking, drawn beside.
    estimator : estimator, optional
        The model of the selection, for the lines of Python that predict with it.
    command : str
        What to type to get the same again.

    Returns
    -------
    Path
        Where it was written.

    Examples
    --------
    >>> import tempfile
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from subsel import SubsetSelector
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = SubsetSelector(GaussianNB(), "sfs", n_features=2).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = write_report(Path(folder, "report.html"), result=selector.result_, X=X, y=y)
    ...     "2 features chosen" in page.read_text(encoding="utf8")
    True
    """
    path = Path(path)
    material = Material.of(
        selection=selection,
        result=result,
        X=X,
        y=y,
        names=names,
        assessment=assessment,
        comparison=comparison,
        ranking=ranking,
        estimator=estimator,
        command=command,
    )
    with atomic_write(path.parent, path.name) as (fresh,):
        fresh.write_text(report_html(material), encoding="utf8")
    return path


_CONTROLS = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]"
)  # no page needs them; a name may hold them


def report_html(material: Material) -> str:
    """Give the page as text."""
    cautions = material.cautions()
    sections = [
        section("answer", "Answer", answer(material, cautions)),
        section("features", "Features", chosen_features(material)),
        section(
            "evidence", "Evidence", pictures(material), held_out_rows(material), tables(material)
        ),
        section("cautions", "Notes", _cautions(cautions, material.notes())),
        section("method", "Method", method(material)),
        section("data", "Data", data_files(material)),
    ]
    script, style = (_part(name) for name in ("page.js", "page.css"))
    title = _title(material)
    page = (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_policy(script)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n<link rel="icon" href="data:,">\n'
        f"<title>{escape(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n"
        '<a class="skip" href="#answer">Skip to the answer</a>\n'
        f"<header><h1>{escape(title)}</h1><p>{escape(question(material))}</p>{_contents(sections)}</header>\n"
        f"<main>{''.join(sections)}</main>\n"
        '<div id="tip" role="presentation" hidden></div>\n'
        f"<script>{script}</script>\n</body>\n</html>\n"
    )
    return _CONTROLS.sub(lambda found: escaped(found[0]), page)


def _title(material: Material) -> str:
    if material.selection:
        return f"Feature selection for {material.target}"
    if material.comparison is not None:
        return "Comparison of feature selection methods"
    return "Assessment of a feature selection"


def _contents(sections: list[str]) -> str:
    titles = {
        "answer": "Answer",
        "features": "Features",
        "evidence": "Evidence",
        "cautions": "Notes",
    }
    titles |= {"method": "Method", "data": "Data"}
    shown = [(name, title) for (name, title), text in zip(titles.items(), sections) if text]
    links = "".join(f'<li><a href="#{name}">{title}</a></li>' for name, title in shown)
    return f'<nav aria-label="Contents"><ul>{links}</ul></nav>'


def _cautions(cautions: list[Caution], notes: list[str]) -> str:
    others = [c for c in cautions if c.level != "serious"]
    found = "".join(
        f'<li class="note"><strong>{escape(c.title)}.</strong> {escape(c.text)}</li>'
        for c in others
    )
    said = "".join(f'<li class="note">{escape(note[:1].upper() + note[1:])}</li>' for note in notes)
    if found or said:
        return f'<ul class="cautions">{found}{said}</ul>'
    if cautions:
        return ""
    return (
        "<p>Looked for and not found: leakage by a single feature, columns that number the rows, "
        "duplicated rows, few rows, skewed classes.</p>"
    )


def _policy(script: str) -> str:
    """Forbid the page everything but its own style, script and inline data."""
    digest = b64encode(sha256(script.encode()).digest()).decode()
    return f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"


def _part(name: str) -> str:
    return files("subsel.report.page").joinpath(name).read_text(encoding="utf8")
