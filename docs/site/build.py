"""Build the site: ``python docs/site/build.py`` stages the pages in build/source and writes build/site; a warning is an error."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

from links import broken_links
from reference import write_reference
from sphinx.cmd.build import main as sphinx

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
SOURCE, SITE = ROOT / "build" / "source", ROOT / "build" / "site"
NOT_PAGES = shutil.ignore_patterns("*.py", "__pycache__", "site", "studies", "gallery")


def stage(folder: Path) -> None:
    """Gather what is written by hand, and write what is written by the library."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "docs", folder, ignore=NOT_PAGES)
    shutil.copytree(
        ROOT / "benchmarks",
        folder / "benchmarks",
        ignore=shutil.ignore_patterns("*.py", "__pycache__", "*.json"),
    )
    shutil.copy(ROOT / "CHANGELOG.md", folder / "changelog.md")
    for page in folder.rglob("*.md"):
        text = page.read_text(encoding="utf8")
        page.write_text(_within_the_site(text, page.relative_to(folder)), encoding="utf8")
    _list_the_rest(folder)
    for chapter in ("papers", "benchmarks"):
        _list_pages(folder / chapter)
    write_reference(folder / "reference")


def _list_the_rest(folder: Path) -> None:
    """Pages that no list names stand at the end of the last one."""
    more = folder / "more.md"
    listed = (folder / "index.md").read_text(encoding="utf8") + more.read_text(encoding="utf8")
    rest = [
        page.stem
        for page in sorted(folder.glob("*.md"))
        if not re.search(rf"^{page.stem}$", listed, re.MULTILINE)
    ]
    others = "\n".join(name for name in rest if name not in ("index", "more"))
    text = more.read_text(encoding="utf8").rstrip().removesuffix("```")
    more.write_text(f"{text}{others}\n```\n", encoding="utf8")


def _list_pages(chapter: Path) -> None:
    """Make the first page of a chapter lead to the others."""
    first = chapter / "README.md"
    others = sorted(
        str(page.relative_to(chapter).with_suffix(""))
        for page in chapter.rglob("*.md")
        if page != first
    )
    listed = "\n".join(others)
    first.write_text(
        f"{first.read_text(encoding='utf8')}\n```{{toctree}}\n:hidden:\n\n{listed}\n```\n",
        encoding="utf8",
    )


def _within_the_site(text: str, page: Path) -> str:
    """Links to files of the repository that are no pages become their names; the gallery is the one that is drawn here."""
    text = text.replace("gallery/README.md", "gallery/index.rst").replace(
        "\ngallery/README\n", "\ngallery/index\n"
    )
    text = re.sub(
        r"\]\((?P<way>(?:\.\./)+(?:docs/)?(?P<page>\w[\w/-]*\.md))\)",
        lambda link: _to(link, page),
        text,
    )
    return re.sub(r"\[([^\]]+)\]\([^)#]*(?:\.py|\.json|/)\)", r"\1", text)


def _to(link: re.Match[str], page: Path) -> str:
    """A link between pages that are staged as they stand stays; others lead from the top of the site."""
    stands = page.parts[0] == "benchmarks" and (SOURCE / page.parent / link["way"]).exists()
    return link[0] if stands else f"]({'../' * (len(page.parts) - 1)}{link['page']})"


def main() -> int:
    """Build; gives 0 if nothing was wrong."""
    stage(SOURCE)
    shutil.rmtree(SITE, ignore_errors=True)
    code = sphinx(
        [
            "-b",
            "html",
            "-q",
            "-W",
            "--keep-going",
            "-j",
            "2",
            "-c",
            str(HERE),
            str(SOURCE),
            str(SITE),
        ]
    )
    missing = broken_links(SITE)
    print("\n".join(missing), file=sys.stderr)
    return code or (1 if missing else 0)


if __name__ == "__main__":
    sys.exit(main())
