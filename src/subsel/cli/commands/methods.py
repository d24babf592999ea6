"""Every method with one line and its source: what ``subsel methods`` prints, searches and tells in full."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Mapping
from inspect import isclass, isfunction
from typing import Any

from subsel.cli.commands.docstrings import (
    example,
    formula,
    parameters,
    plain,
    reference_list,
    sentences,
    sources,
)
from subsel.registry.public_names import public_name
from subsel.registry.recipes import RECIPES
from subsel.registry.synonyms import OTHER_NAMES, our_name
from subsel.registry.table import canonical

__all__ = ["KINDS", "add_methods_command", "found_methods", "method_page", "method_table"]

KINDS = ("search", "criterion", "model", "ranking", "order", "cut", "embedded", "recipe")
USE = {
    "search": 'SubsetSelector(model, search="{key}"); subsel select data.csv --target y --search {key}',
    "criterion": 'SubsetSelector(find_criterion("{key}")); subsel select data.csv --target y --criterion {key}',
    "model": 'SubsetSelector("{key}"); subsel select data.csv --target y --estimator {key}',
    "ranking": 'RankingSelector("{key}", cut="fdr:0.1"); subsel rank data.csv --target y --score {key}',
    "order": 'RankingSelector("{key}", cut=10); subsel rank data.csv --target y --score {key} --cut 10',
    "cut": 'RankingSelector("anova-f", cut="{key}..."); subsel rank data.csv --target y --cut {key}...',
    "embedded": "from subsel.embedded import {key}",
    "recipe": "from {package} import {key}",
}


def method_table() -> list[dict[str, Any]]:
    """Give one row per method: kind, key, aliases, summary, source (author and year), references.

    >>> rows = {row["key"]: row for row in method_table()}
    >>> rows["sffs"]["kind"], rows["relieff"]["kind"], rows["Boruta"]["kind"]
    ('search', 'ranking', 'embedded')
    """
    return [_row(*entry) for entry in _entries()]


def found_methods(word: str = "", kind: str | None = None) -> tuple[list[dict[str, Any]], bool]:
    """Give the methods that are called so, or else those that mention the word; and whether they are called so.

    Examples
    --------
    >>> [row["key"] for row in found_methods("f_classif")[0]]
    ['anova-f']
    >>> named, exactly = found_methods("annealing", "search")
    >>> [row["key"] for row in named], exactly
    (['annealing'], True)
    """
    rows = [row for row in method_table() if kind in (None, row["kind"])]
    sought = canonical(word.strip().lower())
    called = [row for row in rows if sought in _names(row)]
    if not called and (key := our_name(word)) is not None:
        called = [row for row in rows if row["key"] == key]
    if called or not sought:
        return called or rows, bool(called)
    words = sought.replace("-", " ").split()
    return [row for row in rows if all(word in _text(row) for word in words)], False


def _names(row: Mapping[str, Any]) -> set[str]:
    """What a method is called here, in a form in which names are compared."""
    return {canonical(name.lower()) for name in (row["key"], *row["aliases"])}


def _text(row: Mapping[str, Any]) -> str:
    """All that is said of a method, in a form in which words are looked for."""
    parts = [*row["aliases"], *row["elsewhere"], row["key"], row["summary"], *row["references"]]
    return " ".join(parts).lower().replace("-", " ")


def method_page(kind: str, key: str) -> str:
    """Tell one method in full: what it is, its formula, parameters, source, how to use it and an example.

    Examples
    --------
    >>> print(method_page("cut", "k"))
    k (cut)
    <BLANKLINE>
    Keep the k best; of equal scores the first columns.
    ...
    """
    entry = next(entry for entry in _entries() if entry[:2] == (kind, key))
    doc, row = entry[2], _row(*entry)
    other = [*row["aliases"], *row["elsewhere"]]
    package = ""
    if kind == "recipe":
        package = public_name(RECIPES[key]).rpartition(".")[0]
    parts = {
        "": sentences(doc),
        "also called": ", ".join(other),
        "formula": formula(doc),
        "parameters": parameters(doc),
        "source": "\n".join(row["references"]),
        "use": USE[kind].format(key=key, package=package),
        "example": example(doc),
    }
    told = [
        f"{title}:\n{_indented(text)}" if title else text for title, text in parts.items() if text
    ]
    return "\n\n".join([f"{key} ({kind})", *told])


def _entries() -> Iterator[tuple[str, str, str | None, list[str], Mapping[str, Any]]]:
    """Kind, key, docstring, other names and settings of every method."""
    import subsel.criteria as criteria
    import subsel.embedded as embedded
    import subsel.search as search
    from subsel.models.short_names import ESTIMATORS
    from subsel.ranking.cuts.registry import CUTS
    from subsel.ranking.registry import ORDERS, SCORES

    for key, make in sorted(search.SEARCHES.items()):
        yield "search", key, make.__doc__, [], getattr(make, "settings", {})
    for key, cls in sorted(criteria.CRITERIA.items()):
        yield "criterion", key, cls.__doc__, [cls.__name__], {}
    for key, model in sorted(ESTIMATORS.items()):
        yield "model", key, _model_sentence(model), [], {}
    yield from _ranked("ranking", SCORES)
    yield from _ranked("order", ORDERS)
    for key, rule in sorted(CUTS.items()):
        yield "cut", key, rule.__doc__, [], {}
    orders = {entry.function for entry in ORDERS.values()}
    for key in sorted(embedded.__all__, key=str.lower):
        if _is_method(thing := getattr(embedded, key)) and thing not in orders:
            yield "embedded", key, thing.__doc__, [], {}
    for key in sorted(RECIPES, key=str.lower):
        name = RECIPES.home(key).partition(":")[2]
        yield "recipe", name, RECIPES[key].__doc__, [], {}


def _model_sentence(model: Any) -> str:
    """Which classes a short name stands for, without importing them."""
    made = {"classes": model.classifier, "quantities": model.regressor}
    sentence = ", ".join(f"{_called(make)} for {what}" for what, make in made.items() if make)
    return f"{sentence}, behind a StandardScaler." if model.scaled else f"{sentence}."


def _called(make: Any) -> str:
    """The name of a class, or of where it is found."""
    return make.rpartition(":")[2] if isinstance(make, str) else make.__name__


def _is_method(thing: Any) -> bool:
    return isclass(thing) or isfunction(thing)


def _ranked(
    kind: str, table: Mapping[str, Any]
) -> Iterator[tuple[str, str, str | None, list[str], Mapping[str, Any]]]:
    """Scores or orders, their other names beside them."""
    aliases: dict[str, list[str]] = {}
    for name, entry in table.items():
        others = aliases.setdefault(entry.key, [])
        if name != entry.key:
            others.append(name)
    for key in sorted(aliases):
        yield kind, key, table[key].function.__doc__, aliases[key], {}


def _row(
    kind: str, key: str, doc: str | None, aliases: list[str], settings: Mapping[str, Any]
) -> dict[str, Any]:
    first = plain(" ".join((doc or "").strip().split("\n\n")[0].split()))
    summary = re.sub(r"\s*\[\d+\]_", "", first).removesuffix(".")
    if settings:
        summary += f" ({', '.join(f'{name}={value}' for name, value in settings.items())})"
    row = {
        "kind": kind,
        "key": key,
        "aliases": aliases,
        "elsewhere": _elsewhere(key),
        "summary": f"{summary}.",
    }
    return row | {"source": sources(doc), "references": reference_list(doc)}


def _elsewhere(key: str) -> list[str]:
    return [name for name, ours in OTHER_NAMES.items() if ours == key]


def _indented(text: str) -> str:
    return "\n".join(f"  {line}".rstrip() for line in text.splitlines())


ELSEWHERE = """\
from Python:
  from subsel import AutoSelector              whole procedures race, the best is fitted; predicts
  from subsel.report import write_report       one page about a selection, an assessment or a comparison
  from subsel.report import FrontDisplay, ...  pictures as scikit-learn's Displays: .from_result, .from_assessment
"""


def add_methods_command(commands: Any) -> None:
    """Add the command to a parser."""

    parser = commands.add_parser(
        "methods",
        help="list every method with its source, search them by a word, or tell one in full",
        epilog=ELSEWHERE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "word",
        nargs="*",
        help="a key, here or elsewhere (relieff, f_classif, forward), or a word to look for",
    )
    parser.add_argument("--kind", choices=KINDS, help="only methods of this kind")
    parser.add_argument("--json", action="store_true", help="as JSON")
    parser.set_defaults(run=_methods)


def _methods(given: argparse.Namespace) -> int:
    from subsel.runtime.text import escaped

    word = " ".join(given.word)
    rows, exactly = found_methods(word, given.kind)
    if not rows:
        raise ValueError(
            f"no method is called or mentions {escaped(word)!r}; `subsel methods` lists them all."
        )
    if given.json:
        print(json.dumps(rows, indent=2))
    elif exactly:
        print("\n\n\n".join(method_page(row["kind"], row["key"]) for row in rows))
    else:
        _show(rows)
    return 0


def _show(rows: list[dict[str, Any]]) -> None:
    """One line each, by kind."""
    for kind in dict.fromkeys(row["kind"] for row in rows):
        print(kind)
        for row in (r for r in rows if r["kind"] == kind):
            line = f"  {row['key']:<24} {row['summary']}"
            if row["aliases"]:
                line += f" Also: {', '.join(row['aliases'])}."
            if row["source"]:
                line += f" [{row['source']}]"
            print(line)
