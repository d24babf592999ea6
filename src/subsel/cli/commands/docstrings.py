"""A docstring taken apart for reading on a terminal: sentences, formula, parameters, example."""

from __future__ import annotations

import re
from inspect import cleandoc

__all__ = [
    "author_and_year",
    "example",
    "formula",
    "parameters",
    "plain",
    "reference_list",
    "sentences",
    "sources",
]

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


_SECTION = re.compile(r"^References\n-{3,}\n(.*?)(?=^[^\n]+\n-{3,}\n|\Z)", re.MULTILINE | re.DOTALL)
_ENTRY = re.compile(r"^\.\. \[[^\]]+\]\s+", re.MULTILINE)
_TITLE_OF_SOURCE = re.compile(r"\*[^*]+\*|\"[^\"]+\"|“[^”]+”")
_AUTHORS_END = re.compile(r",? in (?=[A-Z])|[*\"“(:;]|\b(?:1[6-9]|20)\d\d\b")
_YEAR = re.compile(r"\b(?:1[6-9]|20)\d\d\b")
_INITIALS = re.compile(r"(?:\w\.[- ]?)+")
_MOST_WORDS = 3  # of a name; a title without marks is longer


def sources(doc: str | None) -> str:
    """Give the authors and years of all references of a docstring; empty where it has none.

    >>> sources(author_and_year.__doc__)
    'Whitney 1971'
    """
    return "; ".join(dict.fromkeys(author_and_year(entry) for entry in reference_list(doc)))


def reference_list(doc: str | None) -> list[str]:
    """Give the entries of the References section, each on one line and without its number."""
    found = _SECTION.search(cleandoc(doc or "") + "\n")
    entries = _ENTRY.split(found.group(1))[1:] if found else []
    return [" ".join(entry.split()) for entry in entries]


def author_and_year(entry: str) -> str:
    """Shorten a reference as text cites it.

    Authors stand before the title, which stands between stars or quotation marks; initials are left out, three
    authors and more are the first and "et al.".

    References
    ----------
    .. [1] Whitney, *A direct method of nonparametric measurement selection*, 1971.

    Examples
    --------
    >>> author_and_year("Pudil, P., Novovicova, J. and Kittler, J., *Floating search methods*, 1994.")
    'Pudil et al. 1994'
    >>> author_and_year('Kira & Rendell, "A practical approach to feature selection", *ICML*, 1992.')
    'Kira & Rendell 1992'
    """
    head = _AUTHORS_END.split(entry, maxsplit=1)[0]
    year = _YEAR.search(_TITLE_OF_SOURCE.sub("", entry)) or _YEAR.search(entry)
    return " ".join(part for part in (_shortened(head), year.group() if year else "") if part)


def _shortened(authors: str) -> str:
    """The surnames of one or two authors; the first of more."""
    others = "et al" in authors
    names: list[str] = []
    for part in re.split(r",\s*(?:and\s+|&\s*)?|\s+and\s+|\s*&\s*", authors.replace("et al.", "")):
        words = [word for word in part.split() if not _INITIALS.fullmatch(word)]
        if len(words) > _MOST_WORDS:
            break
        if words:
            names.append(" ".join(words))
    if not names:
        return ""
    if others or len(names) > 2:
        return f"{names[0]} et al."
    return " & ".join(names)
