"""A docstring taken apart for reading on a terminal: sentences, formula, parameters, example."""

from __future__ import annotations

import re
from inspect import cleandoc

__all__ = ["example", "formula", "parameters", "plain", "sentences"]

_TITLE = re.compile(r"^([A-Z][A-Za-z ]+)\n-{3,}\n", re.MULTILINE)
_MATH = re.compile(r"^\.\. math::[ ]*([^\n]*)\n((?:[ ]+[^\n]*\n|\n)*)", re.MULTILINE)


def sentences(doc: str | None) -> str:
    """What stands before the first section, without its formulas.

    Examples
    --------
    >>> sentences("Score columns [1]_.\\n\\nLarger is *better*; see :class:`Score`.\\n\\nParameters\\n----------\\nX : array\\n")
    'Score columns.\\n\\nLarger is better; see Score.'
    """
    return plain(_MATH.sub("", _sections(doc)[""]))


def formula(doc: str | None) -> str:
    """The formulas, as LaTeX, one below the other; empty where there is none.

    Examples
    --------
    >>> print(formula("Score.\\n\\n.. math:: s = |a - b|\\n"))
    s = |a - b|
    """
    found = _MATH.findall(cleandoc(doc or "") + "\n")
    return "\n".join(" ".join(f"{first} {rest}".split()) for first, rest in found)


def parameters(doc: str | None) -> str:
    """The section of parameters."""
    return plain(_sections(doc).get("Parameters", ""))


def example(doc: str | None) -> str:
    """The section of examples, as it is."""
    return _sections(doc).get("Examples", "").strip()


def plain(text: str) -> str:
    """Take marks of reStructuredText away."""
    text = re.sub(r"\s*\[\d+\]_", "", text)
    text = re.sub(r":[a-z:]+:`~?([^`]+)`", lambda found: found[1].rpartition(".")[2], text)
    text = re.sub(r"``([^`]+)``", r"\1", text)
    return re.sub(r"(?<!\*)\*([^*\n]+)\*(?!\*)", r"\1", text).strip()


def _sections(doc: str | None) -> dict[str, str]:
    """The text of each section by its title; what comes before the first under the empty one."""
    parts = _TITLE.split(cleandoc(doc or "") + "\n")
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2]))}
