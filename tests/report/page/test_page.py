"""The page in a real browser, and its text without one."""

from __future__ import annotations

import csv
import io
import json
import re
from base64 import b64decode
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from subsel.report import write_report
from subsel.report.page.answer import verdict
from subsel.report.page.material import Material
from subsel.report.page.method import model_code
from subsel.report.page.page import report_html
from tests.report import material
from tests.report.browser import CHROMIUM, Browser


def whole() -> dict:
    """Everything a report of `subsel select` is made of."""
    X, y = material.table()
    return {
        "selection": material.selection(),
        "result": material.result(),
        "X": X,
        "y": y,
        "names": material.NAMES,
        "assessment": material.assessment(),
        "estimator": make_pipeline(StandardScaler(), KNeighborsClassifier()),
        "command": "subsel select data.csv --target '<b>bought</b>'",
    }


@pytest.fixture(scope="module")
def page(tmp_path_factory) -> Path:
    return write_report(tmp_path_factory.mktemp("report") / "report.html", **whole())


@pytest.fixture(scope="module")
def text(page) -> str:
    return page.read_text(encoding="utf8")


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    if CHROMIUM is None:
        pytest.skip("no chromium on this machine")
    browser = Browser(tmp_path_factory.mktemp("profile"))
    yield browser
    browser.close()


@pytest.fixture
def opened(browser, page) -> Browser:
    browser.look(1280)
    browser.open(page)
    return browser


# In a browser -----------------------------------------------------------------------------------------------------


def test_nothing_is_complained_of_and_nothing_fetched(opened):
    """The page loads from a file without a word on the console and asks for nothing but itself."""
    assert opened.complaints == []
    assert len(opened.requests) == 1 and opened.requests[0].startswith("file:")


def test_the_browser_would_notice(opened):
    """A script error and a fetch, both made on purpose, are seen by the two lists that must be empty."""
    opened.run(
        "setTimeout(() => { throw new Error('on purpose'); }); fetch('http://127.0.0.1:9/').catch(() => 0)"
    )
    opened.run("new Promise((done) => setTimeout(done, 50))")
    assert any("on purpose" in said for said in opened.complaints)
    assert any("Content Security Policy" in said for said in opened.complaints), (
        "the page forbids itself the network"
    )


def column(table: str, place: int) -> str:
    return f"[...document.querySelectorAll('#{table} tbody tr')].map((row) => row.cells[{place}].dataset.value ?? row.cells[{place}].textContent)"


@pytest.mark.parametrize(
    ("table", "place", "kind"),
    [("feature-table", 3, float), ("feature-table", 0, str), ("front-table", 1, float)],
)
def test_tables_sort(opened, table, place, kind):
    """A click on a head sorts ascending, a second one descending, numbers as numbers; the head says so."""
    button = f"document.querySelectorAll('#{table} th')[{place}].querySelector('button')"
    before = [kind(v) for v in opened.run(column(table, place))]
    for sign, direction in ((1, "ascending"), (-1, "descending")):
        opened.run(f"{button}.click()")
        now = [kind(v) for v in opened.run(column(table, place))]
        if kind is float:
            assert now == sorted(before)[::sign]
        assert sorted(now) == sorted(before)
        assert opened.run(f"{button}.closest('th').getAttribute('aria-sort')") == direction
    sorts = opened.run(
        f"[...document.querySelectorAll('#{table} th')].map((h) => h.getAttribute('aria-sort'))"
    )
    assert [s for s in sorts if s != "none"] == ["descending"]


def test_unknown_values_sort_last(opened):
    """Cells without a number stay at the end, whichever way the column is sorted."""
    html = "'<td class=number data-value=\"\">–</td>'"
    opened.run(f"document.querySelector('#references tbody tr').cells[1].outerHTML = {html}")
    for _ in range(2):
        opened.run("document.querySelectorAll('#references th')[1].querySelector('button').click()")
        assert opened.run(column("references", 1))[-1] == ""


def test_tables_filter(opened):
    """Typing into a filter leaves the rows that hold the text, in any case of letters, and says how many."""
    rows = "[...document.querySelectorAll('#fold-table tbody tr')]"
    texts = opened.run(f"{rows}.map((r) => r.textContent)")
    sought = opened.run(f"{rows}[3].cells[2].textContent")
    for typed, kept in (
        (sought, [sought in t for t in texts]),
        ("nowhere", [False] * 10),
        (" ", [True] * 10),
    ):
        opened.run(
            "{ const i = document.querySelector('#fold-table input');"
            f" i.value = {typed!r}; i.dispatchEvent(new Event('input')); }}"
        )
        assert opened.run(f"{rows}.map((r) => !r.hidden)") == kept
        said = opened.run("document.querySelector('#fold-table output').textContent")
        assert said == (f"{sum(kept)} of 10 rows" if typed.strip() else "")
    assert sum(sought in t for t in texts) < 10


def test_pictures_are_drawn_and_said(opened):
    """Every picture takes up room on the page and has a text alternative, the same in its caption."""
    pictures = opened.run(
        "[...document.querySelectorAll('figure svg')].map((s) => [s.getBoundingClientRect().width, s.getBoundingClientRect().height,"
        " s.getAttribute('aria-label'), s.querySelectorAll('path').length])"
    )
    assert len(pictures) == 5
    for width, height, said, paths in pictures:
        assert width > 200 and height > 100 and paths > 5
        assert len(said) > 30
    assert opened.run(
        "[...document.querySelectorAll('figure')].every((f) => f.querySelector('figcaption').textContent.length > 30)"
    )


def test_hovering_a_point_shows_its_subset(opened):
    """The pointer over a point of the front brings up its features; leaving takes them away."""
    point = (
        "document.querySelectorAll('svg .point[aria-label^=\"2 features, guide quality 0.9\"]')[0]"
    )
    opened.run(f"{point}.scrollIntoView({{ block: 'center', behavior: 'instant' }})")
    x, y = opened.run(
        f"(() => {{ const r = {point}.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; }})()"
    )
    opened.run(
        "document.querySelectorAll('.point[aria-label^=chosen]').forEach((star) => star.remove())"
    )  # lies on top
    opened.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
    assert opened.run(
        "[document.getElementById('tip').hidden, document.getElementById('tip').textContent]"
    ) == [
        False,
        "2 features, guide quality 0.9: <script>alert(1)</script>, a & b",
    ]
    opened.call("Input.dispatchMouseEvent", type="mouseMoved", x=1, y=1)
    assert opened.run("document.getElementById('tip').hidden")


def test_points_by_keyboard(opened):
    """A picture is one tab stop; arrows walk through its points, each of which shows what it is."""
    assert opened.run(
        "[...document.querySelectorAll('figure svg')].every((s) => s.querySelectorAll('.point[tabindex=\"0\"]').length <= 1)"
    )
    opened.run("document.querySelector('svg .point').focus()")
    first = opened.run("document.getElementById('tip').textContent")
    opened.key("ArrowRight")
    second = opened.run(
        "[document.getElementById('tip').hidden, document.getElementById('tip').textContent]"
    )
    assert (
        second[0] is False
        and second[1] != first
        and second[1] == opened.run("document.activeElement.getAttribute('aria-label')")
    )
    opened.key("Escape")
    assert opened.run("document.getElementById('tip').hidden")


def test_tables_by_keyboard(opened):
    """Heads are buttons: focus and Enter sort."""
    opened.run("document.querySelector('#feature-table th:nth-child(2) button').focus()")
    opened.key("Enter")
    assert (
        opened.run(
            "document.querySelector('#feature-table th:nth-child(2)').getAttribute('aria-sort')"
        )
        == "ascending"
    )


@pytest.mark.parametrize("width", [1280, 380])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_screens(browser, page, width, scheme, tmp_path):
    """On a desk and on a phone, in light and dark, nothing sticks out sideways and words stand out from the page."""
    browser.look(width, scheme=scheme)
    browser.open(page)
    assert browser.run("document.documentElement.scrollWidth") <= width
    outside = browser.run(
        "[...document.querySelectorAll('figure svg text')].filter((t) => t.getBoundingClientRect().right > innerWidth).length"
    )
    assert outside == 0
    for what in ("'body'", "'.muted'", "'figcaption'", "'figure svg text'", "'.card h3'"):
        assert browser.run(CONTRAST.replace("WHAT", what)) >= 4.5, what
    assert browser.screenshot(tmp_path / "page.png").stat().st_size > 20_000


CONTRAST = """(() => {
  const element = document.querySelector(WHAT), style = getComputedStyle(element);
  const numbers = (text) => text.match(/[0-9.]+/g).slice(0, 3).map(Number);
  const light = (c) => c.map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4).reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
  const card = element.closest('.card') ?? document.body;
  const a = light(numbers(element instanceof SVGElement ? style.fill : style.color)), b = light(numbers(getComputedStyle(card).backgroundColor));
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
})()"""


def test_it_prints(opened):
    """The page prints, on a light ground, tables in full; nothing sticks out of a sheet that is 760 pixels wide."""
    assert opened.pdf().startswith(b"%PDF")
    opened.look(760)
    opened.call(
        "Emulation.setEmulatedMedia",
        media="print",
        features=[{"name": "prefers-color-scheme", "value": "dark"}],
    )
    assert opened.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert opened.run("getComputedStyle(document.querySelector('.scroll')).maxHeight") == "none"
    assert opened.run("document.documentElement.scrollWidth") <= 760
    opened.call("Emulation.setEmulatedMedia", media="screen")


def test_other_pages_are_as_quiet(browser, tmp_path):
    """Pages about a comparison, or an assessment alone, load as quietly."""
    X, y = material.table()
    for name, parts in {
        "c": {"comparison": material.comparison(), "X": X, "y": y},
        "a": {"assessment": material.assessment()},
    }.items():
        browser.open(write_report(tmp_path / f"{name}.html", names=material.NAMES, **parts))
        assert browser.complaints == [] and len(browser.requests) == 1
        assert browser.run("document.querySelectorAll('figure svg').length") >= 3


# The text ---------------------------------------------------------------------------------------------------------


class Tags(HTMLParser):
    """Counts tags, and whether they close in order."""

    VOID = frozenset(("meta", "link", "input", "path", "use", "br"))

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open, self.seen, self.crossed = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.seen.append((tag, dict(attributes)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.seen.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        if tag not in self.VOID and self.open.pop() != tag:
            self.crossed.append(tag)


@pytest.mark.parametrize("part", ["whole", "comparison", "assessment", "selection"])
def test_names_cannot_become_markup(part, page, tmp_path):
    """Whatever features, methods and the target are called, the page has one script, and tags that match."""
    X, y = material.table()
    parts = {
        "whole": None,
        "comparison": {
            "comparison": material.comparison(),
            "X": X,
            "y": y,
            "names": material.NAMES,
        },
        "assessment": {"assessment": material.assessment()},
        "selection": {
            "selection": material.selection(),
            "result": material.result(),
            "names": material.NAMES,
        },
    }[part]
    written = write_report(tmp_path / "r.html", **parts) if parts else page
    tags = Tags(written.read_text(encoding="utf8"))
    assert tags.crossed == [] and tags.open == []
    assert [tag for tag, _ in tags.seen].count("script") == 1
    assert not {"b", "i"} & {tag for tag, _ in tags.seen}
    ids = [attributes["id"] for _, attributes in tags.seen if "id" in attributes]
    assert len(ids) == len(set(ids)), "every id once"
    labels = [
        attributes["aria-labelledby"]
        for _, attributes in tags.seen
        if "aria-labelledby" in attributes
    ]
    assert set(labels) <= set(ids)
    anchors = [
        attributes["href"][1:]
        for tag, attributes in tags.seen
        if tag == "a" and attributes["href"].startswith("#")
    ]
    assert set(anchors) <= set(ids)


def test_nothing_is_fetched_by_the_text(text):
    """No address other than names of namespaces is in the page."""
    addresses = set(
        re.findall(r"(?:https?:)?//[a-z][^\s\"'<)]*", re.sub(r"base64,[A-Za-z0-9+/=]*", "", text))
    )
    assert addresses <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}


def files_in(text: str) -> dict[str, str]:
    links = re.findall(r'download="([^"]+)" href="data:[^;]+;charset=utf-8;base64,([^"]+)"', text)
    return {name: b64decode(data).decode() for name, data in links}


def test_the_data_is_inside(text):
    """The files of the page hold the selection, the assessment and every row of the tables."""
    files = files_in(text)
    assert {
        "selection.json",
        "assessment.json",
        "features.csv",
        "front.csv",
        "alternatives.csv",
        "references.csv",
        "folds.csv",
    } == set(files)
    assert json.loads(files["selection.json"]) == material.selection()
    assert json.loads(files["assessment.json"])["performance"] == material.assessment().performance
    rows = list(csv.DictReader(io.StringIO(files["features.csv"])))
    assert {row["feature"] for row in rows} == set(material.NAMES)
    assert [row["feature"] for row in rows if row["chosen"] == "True"] == list(material.NAMES[:2])
    folds = list(csv.DictReader(io.StringIO(files["folds.csv"])))
    np.testing.assert_allclose(
        [float(f["score"]) for f in folds], material.assessment().folds["score"]
    )


def test_long_tables_are_cut_but_not_their_files():
    """A table of thousands of features shows some hundred; its file has them all."""
    names = [f"x{j}" for j in range(1000)]
    found = replace(
        material.result(),
        names=tuple(names),
        front=(),
        improvements=material.result().improvements[:0],
    )
    text = report_html(Material(selection=material.selection(), result=found, names=names))
    body = text[text.index('id="feature-table"') :]
    assert body[: body.index("</table>")].count("<tr>") == 301
    assert files_in(text)["features.csv"].count("\n") == 1001


def test_guide_quality_is_never_called_performance(text):
    """Wherever the page speaks of guide quality it says that it is no estimate; the big number is the nested score."""
    words = re.sub(r"<[^>]+>", " ", text)
    assert "not an estimate of performance" in words
    assert f'<p class="big">{material.assessment().performance:.3f}</p>' in text
    assert '<p class="big">0.900</p>' not in text


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {},
            "with accuracy 0.839 (0.780 to 0.920) on new rows. With other rows part of the features would change.",
        ),
        ({"interval": (0.3, 0.9)}, "There is no evidence that the selection predicts"),
    ],
)
def test_the_answer_in_a_sentence(changes, said):
    """The page opens with what was found; if that is no better than guessing, it says so and nothing else."""
    X, y = material.table()
    parts = Material(
        material.selection(),
        material.result(),
        X,
        y,
        material.NAMES,
        replace(material.assessment(), **changes),
    )
    assert said in verdict(parts, parts.cautions())


def test_the_best_method_in_a_sentence():
    """A method is called best only if it differs from every other one."""
    c = material.comparison()
    assert "cannot be told apart from 2 other methods" in verdict(Material(comparison=c), [])
    apart = replace(c, differences=tuple(replace(d, p_adjusted=0.01) for d in c.differences))
    assert verdict(Material(comparison=apart), []).startswith("<b>rank</b> is best")


def test_without_an_assessment_nothing_is_promised(tmp_path):
    """A search alone says that its choice was not assessed, and shows no number as the answer to how good it is."""
    parts = {
        "selection": material.selection(),
        "result": material.result(),
        "names": material.NAMES,
    }
    text = write_report(tmp_path / "r.html", **parts).read_text(encoding="utf8")
    assert text.count('<p class="big">not assessed</p>') == 2


def test_the_same_again_is_the_same():
    """The same material gives the same text, pictures included."""
    parts = Material(selection=material.selection(), result=material.result(), names=material.NAMES)
    text = report_html(parts)
    assert report_html(parts) == text and "<svg" in text


def test_a_page_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    """If writing fails, the earlier page stays and nothing else is left behind."""
    path = tmp_path / "report.html"
    path.write_text("earlier")

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr("subsel.runtime.atomic_files.os.replace", fail)
    with pytest.raises(OSError, match="disk full"):
        write_report(path, selection=material.selection())
    assert path.read_text() == "earlier" and [p.name for p in tmp_path.iterdir()] == ["report.html"]


def test_without_matplotlib(monkeypatch):
    """Without matplotlib the page has its tables and says how to get pictures."""
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    text = report_html(Material(assessment=material.assessment()))
    assert "<svg" not in text and "subsel[plots]" in text and 'id="fold-table"' in text


def test_the_lines_of_python_run(tmp_path):
    """The model of the report, run as printed, is fitted on the chosen columns and predicts."""
    X, y = material.table()
    path = tmp_path / "data.csv"
    np.savetxt(
        path, np.column_stack((X, y == "yes")), delimiter=",", header="a,b,c,d,e,f,y", comments=""
    )
    chosen = {**material.selection(), "data": {"source": str(path), "target": "y"}}
    code = model_code(
        Material(chosen, material.result(), names=material.NAMES, estimator=whole()["estimator"])
    )
    scope: dict = {}
    exec(code, scope)
    direct = whole()["estimator"].fit(X[:, [0, 1]], (y == "yes").astype(float))
    np.testing.assert_array_equal(
        scope["model"].predict(scope["X"]).astype(float), direct.predict(X[:, [0, 1]])
    )
