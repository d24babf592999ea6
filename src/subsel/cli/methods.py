"""Every search, criterion and ranking with one line and its source: what ``subsel methods`` prints."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

__all__ = ["method_table"]

_SOURCE = re.compile(r"\b((?:book-0\d|papers) [A-Z0-9][A-Za-z0-9-]*(?:(?:, | and |/)[A-Z0-9][A-Za-z0-9-]*)*)")


def method_table() -> list[dict[str, Any]]:
    """One row per method: kind, key, aliases, summary, source."""
    import subsel.criteria as criteria
    import subsel.ranking as ranking
    import subsel.search as search

    settings = lambda make: getattr(make, "settings", {})
    rows = [_row("search", key, make.__doc__, None, settings(make)) for key, make in sorted(search.SEARCHES.items())]
    judges = ((name, getattr(criteria, name)) for name in criteria.__all__)
    rows += [_row("criterion", name, judge.__doc__) for name, judge in judges if _binds(name, judge)]
    return rows + _entries("ranking", ranking.SCORES) + _entries("order", ranking.ORDERS)


def _binds(name: str, judge: Any) -> bool:
    return isinstance(judge, type) and hasattr(judge, "bind") and name != "Criterion"


def _entries(kind: str, table: Mapping[str, Any]) -> list[dict[str, Any]]:
    """One row per score or order, its other names beside it."""
    aliases: dict[str, list[str]] = {}
    for name, entry in table.items():
        aliases.setdefault(entry.key, []).extend([name] if name != entry.key else [])
    return [_row(kind, key, table[key].function.__doc__, aliases[key]) for key in sorted(aliases)]


def _row(
    kind: str, key: str, doc: str | None, aliases: list[str] | None = None, settings: dict[str, Any] | None = None
) -> dict[str, Any]:
    text = (doc or "").strip()
    first = re.sub(r";\s*(?:book-0\d|papers) [^)]*\)", ")", " ".join(text.split("\n\n")[0].split()))
    summary = re.sub(r"\s*\[\d\]_|\s*\((?:book-0\d|papers) [^)]*\)", "", first).removesuffix(".")
    if settings:
        summary += f" ({', '.join(f'{name}={value}' for name, value in settings.items())})"
    source = "; ".join(dict.fromkeys(_SOURCE.findall(text)))
    return {"kind": kind, "key": key, "aliases": aliases or [], "summary": f"{summary}.", "source": source}
