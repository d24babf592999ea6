"""Every search, criterion and ranking with one line and its source: what ``subsel methods`` prints."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from subsel.cli.references import reference_list, sources

__all__ = ["method_table"]


def method_table() -> list[dict[str, Any]]:
    """Give one row per method: kind, key, aliases, summary, source (author and year), references.

    >>> rows = {row["key"]: row for row in method_table()}
    >>> rows["sffs"]["kind"], rows["relieff"]["kind"]
    ('search', 'ranking')
    """
    import subsel.criteria as criteria
    import subsel.ranking as ranking
    import subsel.search as search

    settings = lambda make: getattr(make, "settings", {})
    rows = [_row("search", key, make.__doc__, None, settings(make)) for key, make in sorted(search.SEARCHES.items())]
    known = sorted(criteria.CRITERIA.items())
    rows += [_row("criterion", key, cls.__doc__, [cls.__name__]) for key, cls in known]
    return rows + _entries("ranking", ranking.SCORES) + _entries("order", ranking.ORDERS)


def _entries(kind: str, table: Mapping[str, Any]) -> list[dict[str, Any]]:
    """One row per score or order, its other names beside it."""
    aliases: dict[str, list[str]] = {}
    for name, entry in table.items():
        aliases.setdefault(entry.key, []).extend([name] if name != entry.key else [])
    return [_row(kind, key, table[key].function.__doc__, aliases[key]) for key in sorted(aliases)]


def _row(
    kind: str, key: str, doc: str | None, aliases: list[str] | None = None, settings: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    first = " ".join((doc or "").strip().split("\n\n")[0].split())
    summary = re.sub(r"\s*\[\d+\]_", "", first).removesuffix(".")
    if settings:
        summary += f" ({', '.join(f'{name}={value}' for name, value in settings.items())})"
    row = {"kind": kind, "key": key, "aliases": aliases or [], "summary": f"{summary}."}
    return row | {"source": sources(doc), "references": reference_list(doc)}
