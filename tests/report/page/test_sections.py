"""What the page says first, and of each feature: price, cautions, steadiness, direction, what could replace it."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.stats import spearmanr
from sklearn.metrics import confusion_matrix

from subsel.report import write_report
from subsel.report.cautions.caution import Caution
from subsel.report.labels import class_name, column_values
from subsel.report.page.answer import price_card
from subsel.report.page.features import (
    chosen_features,
    direction,
    has_few_values,
    rank_correlation,
    small_picture,
    steadiest_first,
)
from subsel.report.page.held_out_rows import held_out_rows
from subsel.report.page.material import Material
from subsel.report.page.page import report_html
from tests.report import material
from tests.report.browser import CHROMIUM, Browser
from tests.report.page.test_page import Tags, whole


def words(html):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html))


@pytest.fixture(scope="module")
def text():
    return report_html(Material.of(**whole()))


def test_price_and_cautions_come_before_everything():
    """After the sentence of the answer: serious cautions in full, then the price of selecting, then the rest."""
    shuffled = replace(material.assessment().permutation, p_value=0.5)
    parts = Material.of(
        **{**whole(), "assessment": replace(material.assessment(), permutation=shuffled)}
    )
    text = report_html(parts)
    places = [
        text.index(part)
        for part in ('class="verdict"', "Before you use this", "The price of selecting", "How good")
    ]
    assert places == sorted(places)
    serious = [c for c in parts.cautions() if c.level == "serious"]
    assert serious and all(c.title in text[places[1] : places[2]] for c in serious)


def test_words_that_nobody_knows_are_gone(text, tmp_path):
    """Neither page speaks of noise bands, finalists or the challenge."""
    X, y = material.table()
    parts = {"comparison": material.comparison(), "X": X, "y": y, "names": material.NAMES}
    other = write_report(tmp_path / "c.html", **parts).read_text(encoding="utf8")
    for page in (text, other):
        assert not re.search("noise band|finalist|challenge", words(page))


def test_one_picture_of_stability(text):
    """Which fold selected what, each feature with its share; a star marks the chosen."""
    titles = re.findall(r"<figure[^>]*><h3>([^<]*)</h3>", text)
    assert [t for t in titles if "fold" in t] == ["How steady: which fold selected what"]


def test_features_are_told_steadiest_first():
    """In the card and in their section the order is that of the share of folds that selected them."""
    a = material.assessment()
    parts = Material.of(
        **{**whole(), "assessment": replace(a, frequency=np.array([0.5, 0.9, 0.1, 0.1, 0.3, 0.1]))}
    )
    assert steadiest_first(parts) == [1, 0]
    heads = re.findall(r"<li><div><h3>(.*?)</h3>", chosen_features(parts))
    assert heads == ["a &amp; b", "&lt;script&gt;alert(1)&lt;/script&gt;"]


def test_what_could_replace_a_feature_is_named():
    """Swaps that the search looked at, and columns in nearly the same order."""
    parts = whole()
    parts["X"] = parts["X"].copy()
    parts["X"][:, 3] = -np.exp(parts["X"][:, 0])
    said = words(chosen_features(Material.of(**parts)))
    assert "could be replaced by plain" in said and "länge (rank correlation -1.00)" in said


@pytest.mark.parametrize(
    ("values", "y", "kind", "said"),
    [
        (np.arange(8.0), np.repeat([0.0, 1.0], 4), "classification", "higher for 1"),
        (
            np.arange(9.0),
            np.repeat(list("abc"), 3),
            "classification",
            "highest for c, lowest for a",
        ),
        (
            np.tile([1.0, 2.0], 10),
            np.repeat(list("ab"), 10),
            "classification",
            "no direction by itself",
        ),
        (
            np.arange(9.0),
            np.arange(9.0) ** 3,
            "regression",
            "rises as the target rises (rank correlation +1.00)",
        ),
        (
            np.tile([1.0, 2.0], 10),
            np.repeat([1.0, 2.0], 10),
            "regression",
            "no direction by itself (rank correlation +0.00)",
        ),
        (
            np.repeat(["A", "B"], 5),
            np.repeat(["u", "v"], 5),
            "classification",
            "is most frequent where it is",
        ),
        (
            np.repeat(["A", "B"], 5),
            np.repeat([1.0, 9.0], 5),
            "regression",
            "the target is highest where it is B",
        ),
        (np.full(6, np.nan), np.repeat(["u", "v"], 3), "classification", "no direction by itself"),
    ],
)
def test_the_direction_of_an_effect(values, y, kind, said):
    """Said in the classes' own names, or as a rank correlation; nothing is claimed where there is none."""
    assert said in direction(values, y, kind)


def test_rank_correlations_are_scipys():
    """With ties and gaps; 0 where a column does not vary."""
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 5, 60).astype(float), rng.standard_normal(60)
    b[::7] = np.nan
    assert rank_correlation(a, b) == pytest.approx(spearmanr(a, b, nan_policy="omit").statistic)
    assert (
        rank_correlation(np.ones(5), np.arange(5.0))
        == 0.0
        == rank_correlation(np.full(3, np.nan), np.arange(3.0))
    )


@pytest.mark.parametrize("kind", ["classification", "regression"])
@pytest.mark.parametrize("values", ["many", "few", "text", "constant", "gaps"])
def test_small_pictures_of_any_column(kind, values):
    """Whatever a column holds, its picture is well-formed, its parts say what they are and names cannot be markup."""
    rng = np.random.default_rng(0)
    y = rng.choice(["<b>x</b>", "y"], 60) if kind == "classification" else rng.standard_normal(60)
    many = rng.standard_normal(60)
    column = {
        "many": many,
        "few": rng.integers(0, 3, 60).astype(float),
        "text": rng.choice(["<i>Ulm</i>", "Bonn"], 60),
        "constant": np.ones(60),
        "gaps": np.where(many > 0, many, np.nan),
    }[values]
    svg = small_picture(column, y, kind, "<u>name</u>")
    tags = Tags(svg)
    assert (
        not tags.open and not tags.crossed and not {"b", "i", "u"} & {tag for tag, _ in tags.seen}
    )
    points = [attributes for tag, attributes in tags.seen if attributes.get("class") == "point"]
    assert points and all("rows" in point["aria-label"] for point in points)
    assert svg.count("<title>") == len(points)


def test_columns_are_read_from_any_table():
    """Arrays, sparse matrices and frames with text."""
    dense = np.array([[1.0, 0.0], [2.0, 3.0]])
    for X in (dense, sparse.csr_matrix(dense), pd.DataFrame(dense)):
        np.testing.assert_array_equal(column_values(X, 1), [0.0, 3.0])
    frame = pd.DataFrame({"a": [1, 2], "town": ["Ulm", None]})
    assert column_values(frame, 1).tolist() == ["Ulm", ""] and has_few_values(
        column_values(frame, 1)
    )


def test_classes_are_called_as_they_were_written():
    """Whole numbers without a point, all else as it is."""
    assert [class_name(v) for v in (np.float64(2.0), 1.5, "yes", True, np.int64(3))] == [
        "2",
        "1.5",
        "yes",
        "True",
        "3",
    ]


def test_the_confusion_matrix_is_scikit_learns():
    """Counts of a repeat and shares of a class, from held-out rows, with the classes' names."""
    parts = Material.of(**whole())
    held, html = parts.assessment.held_out, held_out_rows(Material.of(**whole()))
    counts = confusion_matrix(held["true"], held["predicted"]) / 2
    shares = counts / counts.sum(axis=1, keepdims=True)
    cells = re.findall(r"<td style[^>]*>([^<]*)</td>", html)
    assert cells == [f"{c:.3g} ({s:.0%})" for c, s in zip(counts.ravel(), shares.ravel())]
    assert (
        "taken for no" in html
        and f"{np.trace(counts) / counts.sum():.1%} of the held-out rows" in html
    )


def test_many_classes_are_told_by_their_mistakes():
    """Beyond a dozen the mistakes are listed, the most frequent first."""
    true = np.repeat(np.arange(20.0), 10)
    predicted = np.where(np.arange(200) % 10 < true / 3, (true + 1) % 20, true)
    held = {
        "row": np.arange(200),
        "repeat": np.zeros(200, dtype=int),
        "true": true,
        "predicted": predicted,
    }
    html = held_out_rows(
        Material.of(**{**whole(), "assessment": replace(material.assessment(), held_out=held)})
    )
    assert "Mistakes, the most frequent first" in html and "<td>19</td><td>0</td>" in html


def test_predicted_numbers_against_the_truth():
    """For a quantity: how far off held-out rows are, and a point for each that says so."""
    rng = np.random.default_rng(0)
    true = rng.standard_normal(50)
    held = {
        "row": np.arange(50),
        "repeat": np.zeros(50, dtype=int),
        "true": true,
        "predicted": true + 0.5,
    }
    a = replace(material.assessment(), kind="regression", held_out=held)
    selection = material.selection()
    selection["data"] = {**selection["data"], "task": "regression"}
    html = held_out_rows(Material.of(**{**whole(), "assessment": a, "selection": selection}))
    assert "within 0.5 of the truth" in html and html.count('class="point"') == 50
    assert held_out_rows(Material.of(assessment=replace(a, held_out=None))) == ""


@pytest.mark.parametrize(
    ("interval", "said"),
    [
        ((-0.2, -0.1), "all features predict better"),
        ((0.1, 0.2), "fewer features predict better"),
        ((-0.1, 0.1), "told apart"),
    ],
)
def test_the_price_says_what_it_means(interval, said):
    """Costs, gains, or cannot be told apart; one fold has no interval and none is shown."""
    race = {
        "price": {
            "difference": sum(interval) / 2,
            "interval": interval,
            "against": "all features, ridge",
        }
    }
    parts = Material(selection={"race": race}, assessment=material.assessment())
    assert said in price_card(parts) and "all features, ridge" in price_card(parts)
    race["price"]["interval"] = (np.nan, np.nan)
    assert "nan" not in price_card(parts)
    paired = Material(assessment=material.assessment())
    gaps = material.assessment().folds["score"] - 0.82
    assert f"{gaps.mean():+.3f}" in price_card(paired)


def test_cautions_of_the_document_are_the_page_s():
    """A document that tells its cautions is believed: they are not looked for again."""
    told = {"level": "serious", "title": "Of the document", "text": "It says so."}
    parts = Material.of(**{**whole(), "selection": {**material.selection(), "cautions": [told]}})
    assert parts.cautions() == [Caution(**told)]


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    if CHROMIUM is None:
        pytest.skip("no chromium on this machine")
    folder = tmp_path_factory.mktemp("sections")
    browser = Browser(folder / "profile")
    browser.look(1280)
    browser.open(write_report(folder / "report.html", **whole()))
    yield browser
    browser.close()


def test_a_size_of_the_front_shows_its_features(opened):
    """The list begins at the chosen size; picking another, in it or on the picture, tells its features."""
    said = "document.querySelector('.chooser output').textContent"
    assert opened.run(said).startswith(
        "2 features, guide quality 0.9: <script>alert(1)</script>, a & b"
    )
    opened.run(
        "{ const s = document.querySelector('.chooser select'); s.value = '3'; s.dispatchEvent(new Event('change')); }"
    )
    assert opened.run(said).startswith("3 features, guide quality 0.92")
    opened.run(
        "document.querySelector('.chooser').closest('figure').querySelector('.point').dispatchEvent(new MouseEvent('click'))"
    )
    assert opened.run(said).startswith("1 feature, guide quality 0.8")


def test_small_pictures_answer_to_a_pointer(opened):
    """A box of a small picture shows its numbers where the pointer is."""
    opened.run(
        "document.querySelector('.mini .point').scrollIntoView({ block: 'center', behavior: 'instant' })"
    )
    place = "(() => { const r = document.querySelector('.mini .point').getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()"
    x, y = opened.run(place)
    opened.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
    assert opened.run("document.getElementById('tip').textContent").startswith("no: median")


def test_shaded_cells_can_be_read(opened):
    """In light and dark the words of the darkest cell stand out from its ground."""
    for scheme in ("light", "dark"):
        opened.look(1280, scheme=scheme)
        ratio = opened.run(SHADED)
        assert ratio >= 4.5, (scheme, ratio)


SHADED = """(() => {
  const light = (c) => c.map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4).reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
  const canvas = new OffscreenCanvas(1, 1).getContext('2d');
  const numbers = (text) => { canvas.fillStyle = text; canvas.fillRect(0, 0, 1, 1); return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3); };
  return Math.min(...[...document.querySelectorAll('.heat td[style]')].map((cell) => {
    const style = getComputedStyle(cell), a = light(numbers(style.color)), b = light(numbers(style.backgroundColor));
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  }));
})()"""
