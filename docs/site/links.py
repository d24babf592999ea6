"""Links of the built site that lead nowhere."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

__all__ = ["broken_links"]


class _Page(HTMLParser):
    """What a page links to, and the places in it that can be linked to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note links and places."""
        given = dict(attrs)
        self.links += [value for name in ("href", "src") if (value := given.get(name))]
        self.places |= {value for name in ("id", "name") if (value := given.get(name))}


def broken_links(site: Path) -> list[str]:
    """Every link within the site whose page or place is missing, and every file it would fetch from elsewhere."""
    pages = {
        path: _Page(path.read_text(encoding="utf8"))
        for path in sorted(site.rglob("*.html"))
        if "_static" not in path.parts
    }
    return [
        f"{path.relative_to(site)}: {link}"
        for path, page in pages.items()
        for link in dict.fromkeys(page.links)
        if _is_broken(link, path, pages)
    ]


def _is_broken(link: str, path: Path, pages: dict[Path, _Page]) -> bool:
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return False
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path.resolve()
    if not target.is_file():
        return True
    known = pages.get(target)
    return (
        bool(parts.fragment) and known is not None and unquote(parts.fragment) not in known.places
    )
