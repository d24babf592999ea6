"""What is found prints a screenful, as text and as HTML, whatever its size and its names."""

import sys

import numpy as np
import pytest
from sklearn.datasets import load_wine

from subsel import AutoSelector, RankingSelector
from subsel.runtime.screenful import TextColumns, frame, html_screenful, screenful
from tests.report import material

SCREEN = 60


def objects() -> dict[str, object]:
    return {
        "result": material.result(),
        "assessment": material.assessment(),
        "comparison": material.comparison(),
    }


@pytest.mark.parametrize("name", ["result", "assessment", "comparison"])
def test_what_was_found_prints_a_screenful(name):
    """Text of at most sixty lines with the main number in it.

    HTML that holds the same and no markup of the data.
    """
    found = objects()[name]
    text, html = repr(found), found._repr_html_()
    assert 2 <= len(text.splitlines()) <= SCREEN and max(map(len, text.splitlines())) < 200
    assert "array(" not in text and "\x07" not in text
    main = {"result": "0.9", "assessment": "0.839", "comparison": "sffs"}[name]
    assert main in text and main in html
    assert "<script>" not in html and html.count("<table>") >= 1


def test_a_table_of_many_rows_prints_the_first():
    """Twenty rows, and how many more there are; columns of numbers stand to the right."""
    lines = repr(
        TextColumns(name=[f"x{j}" for j in range(1000)], score=np.linspace(0, 1, 1000))
    ).splitlines()
    assert len(lines) == 22 and lines[-1] == "... and 980 more rows"
    assert lines[1] == "x0           0"


def test_cells_are_short_and_escaped():
    """A long list is cut, a name cannot become markup, what is not known is a dash."""
    table = TextColumns(features=[["a" * 30, "b" * 30], "<b>"], score=[None, np.nan])
    assert max(map(len, repr(table).splitlines())) < 50
    assert "<b>" not in table._repr_html_() and "&lt;b&gt;" in table._repr_html_()
    assert repr(table).splitlines()[1].endswith("-")
    assert "<i>" not in html_screenful(["<i>"]) and screenful(["<i>"]) == "<i>"


def test_frames_with_and_without_pandas(monkeypatch):
    """A frame of pandas where it is there, else a table that prints and is read in the same way."""
    columns = {"feature": ["a", "b"], "share": [1.0, 0.5], "with": [["c"], ["c", "d"]]}
    with_pandas = frame(columns)
    assert type(with_pandas).__name__ == "DataFrame"
    monkeypatch.setitem(sys.modules, "pandas", None)
    without = frame(columns)
    assert isinstance(without, TextColumns)
    for name in columns:
        assert without[name].tolist() == with_pandas[name].tolist() == columns[name]


def test_tables_of_results_are_frames():
    """Front, swaps, frequencies, methods, differences and rankings have one row per item."""
    X, y = load_wine(return_X_y=True, as_frame=True)
    ranking = RankingSelector("anova-f", cut=3).fit(X, y).ranking_table()
    assert ranking["feature"].tolist()[:3] == [
        "flavanoids",
        "proline",
        "od280/od315_of_diluted_wines",
    ]
    assert ranking["kept"].sum() == 3 and len(ranking) == 13
    result, assessment, comparison = objects().values()
    assert len(result.front_table()) == 3 and len(result.alternatives(0.05)) == 1
    assert len(assessment.frequency_table()) == (assessment.frequency > 0).sum()
    assert (len(comparison.method_table()), len(comparison.difference_table())) == (3, 3)


def test_a_race_prints_its_standings():
    """One line per procedure, best first, never the folds."""
    X, y = load_wine(return_X_y=True, as_frame=True)
    race = AutoSelector(budget="1s", random_state=0).fit(X, y).race_
    assert len(repr(race).splitlines()) <= SCREEN and "all features, ridge" in repr(race)
    assert race.table()["score"].is_monotonic_decreasing or len(set(race.table()["folds"])) > 1
