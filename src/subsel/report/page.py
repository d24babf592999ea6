"""One self-contained page: the answer first, then evidence, cautions, method and data."""

from __future__ import annotations

import os
from base64 import b64encode
from collections.abc import Mapping, Sequence
from hashlib import sha256
from html import escape
from importlib.resources import files
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from subsel.report.answer import answer, question
from subsel.report.caution import Caution
from subsel.report.evidence import pictures
from subsel.report.markup import section
from subsel.report.material import Material
from subsel.report.method import data_files, method
from subsel.report.tables import tables
from subsel.result import Result

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
    path : where to write. The file appears whole or not at all.
    selection : the content of selection.json.
    result : of the search.
    X, y, names : the table that was searched, for cautions and the picture of values.
    assessment, comparison : what :func:`subsel.assess` and :func:`subsel.compare` gave.
    ranking : a fitted :class:`subsel.RankingSelector`, drawn beside.
    estimator : the model of the selection, for the lines of Python that predict with it.
    command : what to type to get the same again.

    Returns
    -------
    Path
        Where it was written.
    """
    material = Material(
        selection or {}, result, X, y, list(names), assessment, comparison, ranking, estimator, command
    )  # fmt: skip
    return _write_whole(Path(path), report_html(material))


def report_html(material: Material) -> str:
    """Give the page as text."""
    cautions = material.cautions()
    sections = [
        section("answer", "Answer", answer(material, cautions)),
        section("evidence", "Evidence", pictures(material), tables(material)),
        section("cautions", "Cautions", _cautions(cautions, material.notes())),
        section("method", "Method", method(material)),
        section("data", "Data", data_files(material)),
    ]
    script, style = (_part(name) for name in ("page.js", "page.css"))
    title = _title(material)
    return (
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


def _title(material: Material) -> str:
    if material.selection:
        return f"Feature selection for {material.target}"
    return (
        "Comparison of feature selection methods"
        if material.comparison is not None
        else "Assessment of a feature selection"
    )


def _contents(sections: list[str]) -> str:
    names = [name for name, text in zip(("answer", "evidence", "cautions", "method", "data"), sections) if text]
    links = "".join(f'<li><a href="#{name}">{name.capitalize()}</a></li>' for name in names)
    return f'<nav aria-label="Contents"><ul>{links}</ul></nav>'


def _cautions(cautions: list[Caution], notes: list[str]) -> str:
    found = "".join(
        f'<li class="{c.level}"><strong>{escape(c.title)}.</strong> <span class="level">{c.level}</span> '
        f"{escape(c.text)}</li>"
        for c in cautions
    )
    said = "".join(f'<li class="note">{escape(note[:1].upper() + note[1:])}</li>' for note in notes)
    looked = (
        "<p>Looked for and not found: leakage by a single feature, columns that number the rows, duplicated "
        "rows, few rows, skewed classes.</p>"
    )
    return f'<ul class="cautions">{found}{said}</ul>' if found or said else looked


def _policy(script: str) -> str:
    """Forbid the page everything but its own style, script and inline data."""
    digest = b64encode(sha256(script.encode()).digest()).decode()
    return f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"


def _part(name: str) -> str:
    return files("subsel.report").joinpath(name).read_text(encoding="utf8")


def _write_whole(path: Path, text: str) -> Path:
    """Write under another name first, then rename."""
    with NamedTemporaryFile("w", encoding="utf8", dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
        try:
            file.write(text)
            file.close()
            os.chmod(file.name, 0o644)
            os.replace(file.name, path)
        except BaseException:
            os.unlink(file.name)
            raise
    return path
