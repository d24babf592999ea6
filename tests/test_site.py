"""The pages of the site that are written by the library, and the check of its links; `make docs` builds the whole."""

import re
from pathlib import Path

import pytest

SITE = Path(__file__).parent.parent / "docs" / "site"


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """The folder of the written pages, and the module that wrote them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(SITE))
        import reference

        folder = tmp_path_factory.mktemp("site") / "reference"
        reference.write_reference(folder)
    return folder, reference


def test_every_public_name_has_one_page(reference):
    """Whatever a room exports is linked from the room's page to a page that documents it."""
    folder, module = reference
    pages = {path.stem for path in (folder / "api").glob("*.rst")}
    linked: set[str] = set()
    for room, name, _ in module.public_names():
        found = re.search(rf":doc:`{name} <api/([^>]+)>`", (folder / f"{room}.rst").read_text())
        assert found and found[1] in pages, f"{room}.{name}"
        linked.add(found[1])
    assert linked == pages


def test_every_method_leads_to_its_page(reference):
    """Keys of searches, criteria, scores, orders, embedded models and recipes are links; cuts and models have none."""
    folder, module = reference
    text = (folder / "methods.rst").read_text()
    for row in module.method_table():
        link = f":doc:`{row['key']} <api/" in text
        alone = row["kind"] in ("cut", "model") and f"``{row['key']}``" in text
        assert link or alone, row["key"]


def test_the_literature_is_a_part_of_its_own_and_the_last(reference):
    """Who looks for a way to select meets the rooms first; reproductions are listed on one page of theirs."""
    folder, _ = reference
    index = (folder / "index.rst").read_text().split()
    own = (folder / "literature.rst").read_text()
    assert index[-1] == "literature" and own.startswith("Reproductions of the literature\n")
    assert not [page for page in index if page.startswith("subsel.literature")]
    families = {path.stem for path in folder.glob("subsel.literature.*.rst")}
    assert families == set(re.findall(r"^   (subsel\.\S+)$", own, re.MULTILINE)) and families


def test_links_that_lead_nowhere_are_found(tmp_path):
    """A missing page, a missing place and a missing picture; what is there, and what is elsewhere, is not told."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(SITE))
        from links import broken_links

    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a.html").write_text(
        '<h1 id="top">A</h1><a href="../b.html#here">b</a><a href="#top">t</a>'
    )
    good = '<p id="here"></p><a href="deep/a.html#top">a</a><a href="https://elsewhere.example/x">x</a>'
    (tmp_path / "b.html").write_text(
        f'{good}<a href="c.html"></a><a href="deep/a.html#no"></a><img src="p.png">'
    )
    assert broken_links(tmp_path) == ["b.html: c.html", "b.html: deep/a.html#no", "b.html: p.png"]
