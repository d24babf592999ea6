"""The code of the documentation runs, page by page: as it stands, or on less data and for less time where it says so."""

import re
import runpy
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import sklearn.datasets
from sklearn.datasets import load_breast_cancer
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from subsel import SubsetSelector, assess

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = [DOCS / "start.md", DOCS / "concepts.md", *sorted((DOCS / "how-to").glob("*.md"))]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
MEANT = {
    "start": lambda names: (
        names["nested"].performance > names["nested"].references["all features"].mean + 0.1
    ),
    "concepts": lambda names: {0, 1} <= set(names["selector"].result_.chosen.tolist()),
    "genes": lambda names: names["nested"].performance > 0.8,
    "spectra": lambda names: (
        3 in {column // 10 for column in names["selector"].get_support(indices=True)}
    ),
    "text": lambda names: (
        sum(word in {f"word{i}" for i in range(15)} for word in names["kept"]) >= 12
    ),
    "sensors": lambda names: (
        not names["frugal"].get_support()[0] and names["frugal"].get_support()[1:3].all()
    ),
    "survey": lambda names: "age" in names["selector"].get_feature_names_out(),
    "deadline": lambda names: names["patient"].result_.n_replayed >= 500,
}


@pytest.mark.parametrize(
    "page", [page for page in PAGES if BLOCK.search(page.read_text())], ids=lambda page: page.stem
)
def test_the_snippets_of_a_page_run(page, tmp_path, monkeypatch):
    """All blocks of a page, one after the other, in one namespace; and they show what the page says."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "snippet"}
    for block in BLOCK.findall(page.read_text(encoding="utf8")):
        exec(compile(block, str(page), "exec"), names)
    assert MEANT[page.stem](names)


def blocks(page):
    return BLOCK.findall(page.read_text(encoding="utf8"))


SHORTER = {
    '"60s"': '"2s"',
    '"30s"': '"2s"',
    "200_000": "200",
    "20_000": "60",
    "(2, 15)": "(2, 3)",
    "(1, 20)": "(1, 3)",
    "cut=20": "cut=4",
}
OLDER = {
    "README": lambda names: (
        3 <= len(names["selector"].result_.chosen) <= 10 and names["nested"].performance > 0.8
    ),
    "guide": lambda names: Path("report.html").stat().st_size > 20_000,
    "journal": lambda names: names["selector"].result_.n_replayed >= 200,
    "ranking": lambda names: names["selector"].get_support().any(),
    "larger-than-memory": lambda names: names["selector"].result_.chosen_names[0] == "a",
    "accelerator": lambda names: names["selector"].device == "cuda",
    "memory": lambda names: True,
}
ELSEWHERE = {
    "extending": "as a package of its own, in tests/testing",
    "clusters": "needs a cluster; what it says of one machine, in tests/engine",
}


def small_table(as_frame=True, **_):
    """A part of the breast cancer data."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    return X.iloc[:150, :12], y.iloc[:150]


RACING = ("README", "guide")  # whole races and assessments: in the slow set


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=pytest.mark.slow) if page in RACING else page for page in OLDER],
)
def test_the_snippets_of_an_older_page_run(page, tmp_path, monkeypatch):
    """They take X, y and a model for granted; budgets and tables are smaller here, names and calls as they stand."""
    monkeypatch.chdir(tmp_path)
    (X, y), model = small_table(), make_pipeline(StandardScaler(), KNeighborsClassifier())
    monkeypatch.setattr(sklearn.datasets, "load_breast_cancer", small_table)
    Path("parts").mkdir()
    a = np.random.default_rng(0).normal(size=(200, 3))
    pd.DataFrame(a, columns=list("abc")).assign(y=2.0 * (a[:, 0] > 0)).to_parquet(
        "parts/one.parquet"
    )
    names: dict[str, object] = {
        "__name__": "snippet",
        "X": X,
        "y": y,
        "X_new": X[:3],
        "model": model,
    }
    names |= {
        "SubsetSelector": SubsetSelector,
        "assess": assess,
        "KNeighborsClassifier": KNeighborsClassifier,
    }
    path = ROOT / "README.md" if page == "README" else DOCS / f"{page}.md"
    for block in blocks(path):
        for long, short in SHORTER.items():
            block = block.replace(long, short)
        exec(compile(block, str(path), "exec"), names)
    assert OLDER[page](names)


def test_no_page_is_forgotten():
    """Every page with code is run here, or said to be run elsewhere."""
    pages = {
        page.stem
        for page in [ROOT / "README.md", *DOCS.glob("*.md"), *DOCS.glob("how-to/*.md")]
        if blocks(page)
    }
    assert pages == {*MEANT, *OLDER, *ELSEWHERE}


@pytest.mark.slow
@pytest.mark.parametrize(
    "example",
    sorted((DOCS / "gallery" / "examples").glob("plot_*.py")),
    ids=lambda example: example.stem,
)
def test_the_examples_of_the_gallery_run(example):
    """Each draws one picture for each of its sections."""
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("Agg")
    runpy.run_path(str(example))
    assert len(pyplot.get_fignums()) == example.read_text().count("# %%") > 0
    pyplot.close("all")
