"""The code of the documentation runs as it stands, page by page."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parent.parent / "docs"
PAGES = [DOCS / "start.md", DOCS / "concepts.md", *sorted((DOCS / "how-to").glob("*.md"))]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
MEANT = {
    "start": lambda names: names["honest"].performance > names["honest"].references["all features"].mean + 0.1,
    "concepts": lambda names: {0, 1} <= set(names["selector"].result_.chosen.tolist()),
    "genes": lambda names: names["honest"].performance > 0.8,
    "spectra": lambda names: 3 in {column // 10 for column in names["selector"].get_support(indices=True)},
    "text": lambda names: sum(word in {f"word{i}" for i in range(15)} for word in names["kept"]) >= 12,
    "sensors": lambda names: not names["frugal"].get_support()[0] and names["frugal"].get_support()[1:3].all(),
    "survey": lambda names: "age" in names["selector"].get_feature_names_out(),
    "deadline": lambda names: names["patient"].result_.n_replayed >= 500,
}


@pytest.mark.parametrize("page", [page for page in PAGES if BLOCK.search(page.read_text())], ids=lambda page: page.stem)
def test_the_snippets_of_a_page_run(page, tmp_path, monkeypatch):
    """All blocks of a page, one after the other, in one namespace; and they show what the page says."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "snippet"}
    for block in BLOCK.findall(page.read_text(encoding="utf8")):
        exec(compile(block, str(page), "exec"), names)
    assert MEANT[page.stem](names)
